// train_settings.c - see train_settings.h.
#include "train_settings.h"

#include "network.h"
#include "optimizer.h"
#include "reduce.h"

#include <math.h>
#include <string.h>

const char *const mega_algo_names[] = {"a2c", "vtrace", "ppo", "dqn", NULL};
static const char *const lives_names[] = {"ignored", "terminal", "episode", NULL};
static const char *const resets_names[] = {"now", "pause", NULL};
static const char *const init_names[] = {"orthogonal", "uniform", NULL};
static const char *const optimizer_names[] = {"adam", "rmsprop", "rmsprop_centred", NULL};
static const char *const schedule_names[] = {"constant", "linear", NULL};
static const char *const precision_names[] = {"bf16", "fp32", NULL};
static const char *const eval_names[] = {"sample", "greedy", NULL};

#define AT(field) offsetof(mega_train_settings, field)
#define INT(field, low, high, text) \
    { .name = #field, .kind = MEGA_SETTING_INT, .offset = AT(field), .min = low, .max = high, .help = text }
#define FLOAT(field, low, high, text) \
    { .name = #field, .kind = MEGA_SETTING_FLOAT, .offset = AT(field), .min = low, .max = high, .help = text }
#define TEXT(field, text)                                               \
    {                                                                   \
        .name = #field, .kind = MEGA_SETTING_TEXT, .offset = AT(field), \
        .size = sizeof(((mega_train_settings *)0)->field), .help = text \
    }
#define CHOICE(field, names, text) \
    { .name = #field, .kind = MEGA_SETTING_CHOICE, .offset = AT(field), .choices = names, .help = text }
#define FLAG(field, text) \
    { .name = #field, .kind = MEGA_SETTING_FLAG, .offset = AT(field), .help = text }

static const mega_setting list[] = {
    CHOICE(algo, mega_algo_names, "the algorithm"),
    TEXT(game, "the game; none is the built-in one"),
    TEXT(device, "cpu, cuda, cuda:1"),
    TEXT(env_device, "where environments play, if not there: cpu"),
    INT(threads, 0, 1024, "CPU threads; 0: as many as cores"),
    INT(frames, 1, 1e15, "emulated frames to train for"),
    INT(seed, 0, 4294967295.0, "of everything that is drawn"),
    INT(envs, 1, 1 << 20, "environments"),
    INT(groups, 1, 64, "groups that play while the network looks at another"),
    INT(height, 8, 1024, "of an observation"),
    INT(width, 8, 1024, "of an observation"),
    INT(stack, 1, 16, "frames in an observation"),
    INT(frame_skip, 1, 64, "frames per step"),
    FLOAT(sticky, 0, 1, "probability that a frame repeats the last action"),
    INT(noop_max, 0, 1000, "starts are delayed by less than so many frames"),
    INT(max_episode_frames, 1, 1e9, "an episode is cut after so many frames"),
    CHOICE(resets, resets_names, "after an episode: now, or in the pause when the network learns"),
    CHOICE(lives, lives_names, "a lost life: ignored, terminal (play goes on) or an episode's end"),
    FLAG(clip_rewards, "rewards are limited to -1 .. 1"),
    FLAG(full_actions, "all 18 actions"),
    INT(random_steps, 0, 100000, "environments start with up to so many random steps"),
    TEXT(network, "nature, a3c, stooke, small, or layers: conv 32x8/4, fc 256"),
    CHOICE(init, init_names, "first weights"),
    CHOICE(precision, precision_names, "numbers of a network on a GPU"),
    FLAG(plain, "the slow reference network"),
    CHOICE(optimizer, optimizer_names, "how parameters are moved"),
    FLOAT(learning_rate, 0, 10, "step size"),
    CHOICE(schedule, schedule_names, "the step size: constant, or linear to 0 at the end"),
    INT(scale_envs, 0, 1 << 20, "step size grows with the root of envs over this; 0: not"),
    FLOAT(beta1, 0, 0.999999, "Adam: memory of the gradient"),
    FLOAT(beta2, 0, 0.999999, "Adam: memory of its square"),
    FLOAT(decay, 0, 0.999999, "RMSProp: memory of the gradient's square"),
    FLOAT(epsilon, 1e-30, 1, "Adam, RMSProp: keeps the divisor from 0"),
    FLAG(epsilon_inside, "RMSProp: epsilon is inside of the root"),
    FLOAT(max_gradient, 0, 1e9, "largest norm of the gradient; 0: any"),
    FLOAT(discount, 0, 1, "of the reward a step later"),
    INT(steps, 1, 100000, "played, or looked back on, for an update"),
    FLOAT(value_weight, 0, 1000, "of the value's squared error"),
    FLOAT(entropy_weight, 0, 1000, "of the policy's entropy"),
    INT(batches, 1, 1 << 20, "V-trace: parts of the environments, updated in turn"),
    INT(steps_per_update, 1, 100000, "V-trace: steps of all between updates"),
    FLOAT(rho_max, 0, 1e9, "V-trace: largest weight of a sample"),
    FLOAT(c_max, 0, 1e9, "V-trace: largest weight in a trace"),
    FLOAT(lambda, 0, 1, "PPO: of generalised advantages"),
    INT(epochs, 1, 1000, "PPO: times that each sample is used"),
    INT(minibatches, 1, 1 << 20, "PPO: updates per epoch"),
    FLOAT(clip, 0, 1000, "PPO: how far probabilities may move"),
    FLOAT(value_clip, 0, 1000, "PPO: how far values may move; 0: any"),
    FLAG(normalize, "PPO: advantages have mean 0 and deviation 1"),
    INT(replay, 1, 1e9, "DQN: transitions that are kept"),
    FLAG(replay_on_host, "DQN: their frames are in the host's memory, which a GPU reaches slowly"),
    INT(batch, 1, 1 << 20, "DQN: samples of an update"),
    INT(learn_start, 0, 1e9, "DQN: random transitions before the first update"),
    INT(train_every, 1, 1e9, "DQN: transitions per update"),
    INT(target_every, 1, 1e9, "DQN: transitions between copies to the target network"),
    INT(n_steps, 1, 1000, "DQN: steps until the target network's value counts"),
    FLOAT(explore_first, 0, 1, "DQN: share of random actions at first"),
    FLOAT(explore_last, 0, 1, "DQN: and at last"),
    INT(explore_frames, 0, 1e15, "DQN: frames from the one to the other"),
    FLAG(double_q, "DQN: the network that learns chooses what the target network values"),
    FLAG(dueling, "DQN: the state's value and the actions' advantages have layers of their own"),
    FLAG(prioritised, "DQN: what was learned badly is drawn more often"),
    FLAG(noisy, "DQN: noise in the weights explores"),
    INT(atoms, 1, 1024, "DQN: of a return's distribution; 1: its mean alone"),
    FLOAT(v_min, -1e9, 1e9, "DQN: the distribution's smallest return"),
    FLOAT(v_max, -1e9, 1e9, "DQN: and its largest"),
    FLOAT(priority_power, 0, 10, "DQN: exponent of priorities"),
    FLOAT(priority_weight, 0, 10, "DQN: exponent of their correction at first; 1 at the end"),
    FLOAT(noise, 0, 10, "DQN: spread of the weights' noise at first"),
    FLOAT(error_clip, 0, 1e9, "DQN: errors count no more than this in a gradient; 0: all"),
    FLAG(concurrent, "DQN: plays by the target network while updates go on"),
    INT(samplers, 0, 65536, "several processes: so many of them only play, for the others"),
    CHOICE(reduce, mega_reduce_names,
           "several processes: gradients of GPUs go by nccl, through the host, or auto"),
    FLAG(asynchronous, "several processes: none waits; all move the parameters of a store"),
    INT(sync_every, 1, 1000, "asynchronous: updates before they are added to the store"),
    INT(pull_every, 0, 100000, "asynchronous: steps of play between pulls of parameters; 0: none"),
    INT(eval_every, 0, 1e15, "frames between evaluations; 0: only at the end"),
    INT(eval_episodes, 1, 100000, "episodes of an evaluation"),
    CHOICE(eval_policy, eval_names, "actions in evaluations"),
    FLOAT(eval_sticky, -1, 1, "sticky actions there; -1: as in training"),
    FLOAT(eval_explore, 0, 1, "DQN: share of random actions there"),
    FLOAT(stop_score, -1e12, 1e12, "training ends when an evaluation's mean reaches this"),
    INT(log_every, 1, 1e15, "frames between rows of the log"),
    FLOAT(checkpoint_seconds, 0, 1e9, "between checkpoints; 0: only at the end"),
};
const mega_settings mega_train_table = {list, sizeof list / sizeof list[0]};

// What all algorithms have in common: the usual Atari settings.
static void common_defaults(mega_train_settings *s) {
    memset(s, 0, sizeof *s);
    strcpy(s->device, "cpu");
    s->frames = 10000000;
    s->groups = 1;
    s->height = s->width = 84;
    s->stack = 4;
    s->frame_skip = 4;
    s->noop_max = 30;
    s->max_episode_frames = 108000;
    s->clip_rewards = true;
    strcpy(s->network, "nature");
    s->init = MEGA_INIT_ORTHOGONAL;
    s->beta1 = 0.9;
    s->beta2 = 0.999;
    s->decay = 0.99;
    s->epsilon = 1e-5;
    s->max_gradient = 0.5;
    s->discount = 0.99;
    s->value_weight = 0.5;
    s->entropy_weight = 0.01;
    s->batches = 1;
    s->rho_max = s->c_max = 1;
    s->lambda = 0.95;
    s->epochs = 4;
    s->minibatches = 4;
    s->clip = 0.1;
    s->normalize = true;
    s->replay = 1000000;
    s->batch = 32;
    s->learn_start = 50000;
    s->train_every = 4;
    s->target_every = 10000;
    s->n_steps = 1;
    s->explore_first = 1;
    s->explore_last = 0.1;
    s->explore_frames = 4000000;
    s->atoms = 1;
    s->v_min = -10;
    s->v_max = 10;
    s->priority_power = 0.5;
    s->priority_weight = 0.4;
    s->noise = 0.5;
    s->error_clip = 1;
    s->sync_every = 1;
    s->eval_explore = 0.05;
    s->eval_episodes = 10;
    s->eval_sticky = -1;
    s->stop_score = 1e12;
    s->log_every = 100000;
    s->checkpoint_seconds = 300;
}

void mega_train_defaults(uint32_t algo, mega_train_settings *s) {
    common_defaults(s);
    s->algo = algo;
    s->envs = algo == MEGA_ALGO_PPO ? 8 : 16;
    s->steps = algo == MEGA_ALGO_PPO ? 128 : 5;
    s->steps_per_update = algo == MEGA_ALGO_PPO ? 128 : 5;
    s->optimizer = algo == MEGA_ALGO_PPO ? MEGA_OPTIMIZER_ADAM : MEGA_OPTIMIZER_RMSPROP;
    s->learning_rate = algo == MEGA_ALGO_PPO ? 2.5e-4 : 7e-4;
    s->schedule = MEGA_SCHEDULE_LINEAR;
    if (algo == MEGA_ALGO_DQN) { // Mnih et al. 2015
        s->envs = 1;
        s->steps = 4;
        s->init = MEGA_INIT_UNIFORM;
        s->optimizer = MEGA_OPTIMIZER_RMSPROP_CENTRED;
        s->learning_rate = 2.5e-4;
        s->schedule = MEGA_SCHEDULE_CONSTANT;
        s->decay = 0.95;
        s->epsilon = 0.01 / (32 * 32); // they add up the gradients of 32 samples, we take the mean
        s->epsilon_inside = true;
        s->max_gradient = 0;
        s->eval_policy = MEGA_EVAL_GREEDY;
        s->eval_episodes = 30;
    }
    if (algo == MEGA_ALGO_VTRACE) {
        s->envs = 64;
        s->batches = 4;
        s->steps = 20;
        s->steps_per_update = 5;
        s->optimizer = MEGA_OPTIMIZER_ADAM;
        s->learning_rate = 5e-4;
    }
}

static int64_t round_to_multiple(int64_t value, int64_t of) {
    const int64_t below = value / of * of;
    return below > 0 && value - below <= of / 2 ? below : below + of;
}

static int64_t greatest_divisor(int64_t a, int64_t b) {
    while (b != 0) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static int check_concurrent(const mega_train_settings *s, mega_message *message) {
    const int64_t round = s->envs * s->steps;
    if (s->noisy) {
        return mega_message_set(message, "concurrent training explores at random, not by noisy layers: "
                                         "set noisy = false or concurrent = false");
    }
    const int64_t multiple = round / greatest_divisor(round, s->train_every) * s->train_every;
    if (s->target_every % multiple != 0) {
        return mega_message_set(
            message,
            "concurrent training needs a target_every that is a multiple of %lld environments x "
            "%lld steps and of train_every; %lld is",
            (long long)s->envs, (long long)s->steps, (long long)round_to_multiple(s->target_every, multiple));
    }
    return 0;
}

static int check_dqn(const mega_train_settings *s, mega_message *message) {
    if (s->atoms > 1 && !(s->v_min < s->v_max)) {
        return mega_message_set(message, "returns from v_min %g to v_max %g are none", s->v_min, s->v_max);
    }
    const int64_t needed = (s->stack + s->n_steps + 1) * s->envs;
    if (s->learn_start < needed) {
        return mega_message_set(message,
                                "nothing can be drawn from %lld transitions of %lld environments; a "
                                "learn_start of %lld is enough",
                                (long long)s->learn_start, (long long)s->envs, (long long)needed);
    }
    if (s->replay + s->envs * (s->stack + s->n_steps + s->steps + 2) + s->target_every > INT32_MAX) {
        return mega_message_set(message, "a replay of %lld transitions is too large to be counted",
                                (long long)s->replay);
    }
    if (s->concurrent && s->asynchronous) {
        return mega_message_set(message,
                                "processes that do not wait for each other learn and play in turn: set "
                                "concurrent = false or asynchronous = false");
    }
    return s->concurrent ? check_concurrent(s, message) : 0;
}

static int check_reduce(const mega_train_settings *s, mega_message *message) {
    if (s->reduce != MEGA_REDUCE_NCCL) {
        return 0;
    }
    if (strcmp(s->device, "cpu") == 0) {
        return mega_message_set(
            message, "NCCL connects GPUs: set reduce = auto, or a device like cuda instead of cpu");
    }
    return s->asynchronous
               ? mega_message_set(message, "processes that do not wait for each other have no means to "
                                           "take by NCCL: set reduce = auto or asynchronous = false")
               : 0;
}

static int check_pause(const mega_train_settings *s, mega_message *message) {
    if (s->algo == MEGA_ALGO_DQN) {
        return mega_message_set(message, "dqn has no pauses to reset environments in, it learns between any "
                                         "steps: set resets = now");
    }
    if (s->algo == MEGA_ALGO_VTRACE && s->steps_per_update > s->steps) {
        return mega_message_set(message,
                                "resets in pauses after %lld steps need as many to look back on; %lld are: "
                                "set steps_per_update = %lld or resets = now",
                                (long long)s->steps_per_update, (long long)s->steps, (long long)s->steps);
    }
    return 0;
}

int mega_train_check(const mega_train_settings *s, mega_message *message) {
    if (s->env_device[0] != '\0' && strcmp(s->env_device, "cpu") != 0) {
        return mega_message_set(
            message,
            "environments play on the CPU or where the network is, not on '%s'; leave env_device "
            "out, or set it to cpu",
            s->env_device);
    }
    if (s->groups > s->envs) {
        return mega_message_set(message, "%lld groups are more than %lld environments", (long long)s->groups,
                                (long long)s->envs);
    }
    if (s->algo == MEGA_ALGO_VTRACE && s->envs % s->batches != 0) {
        return mega_message_set(
            message, "%lld environments cannot be split into %lld equal batches; %lld can",
            (long long)s->envs, (long long)s->batches, (long long)round_to_multiple(s->envs, s->batches));
    }
    if (s->algo == MEGA_ALGO_PPO && s->envs * s->steps % s->minibatches != 0) {
        return mega_message_set(
            message,
            "%lld environments x %lld steps cannot be split into %lld equal minibatches; %lld environments can",
            (long long)s->envs, (long long)s->steps, (long long)s->minibatches,
            (long long)round_to_multiple(s->envs, s->minibatches));
    }
    if (s->envs * (s->steps + 1) > INT32_MAX) {
        return mega_message_set(message, "%lld environments x %lld steps are too many to be kept",
                                (long long)s->envs, (long long)s->steps);
    }
    if (check_reduce(s, message) < 0 || (s->resets == MEGA_RESETS_PAUSE && check_pause(s, message) < 0)) {
        return -1;
    }
    return s->algo == MEGA_ALGO_DQN ? check_dqn(s, message) : 0;
}

void mega_train_shrink(mega_train_settings *s) {
    s->envs = s->groups = s->batches = s->minibatches = s->steps = s->steps_per_update = 1;
    s->batch = s->train_every = s->target_every = s->replay = 1;
    s->prioritised = s->concurrent = s->replay_on_host = false;
    s->reduce = MEGA_REDUCE_AUTO;
}
