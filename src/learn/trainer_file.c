// trainer_file.c - checkpoints of a training run. docs/formats.md lists the sections.
//
// Saved are: the settings; counters and recent scores; parameters and the optimiser's means; the environments; the
// present observations; and of the steps before, as many as the algorithm will still learn from.
#include "checkpoint.h"
#include "trainer_parts.h"

#include <stdlib.h>
#include <string.h>

enum {
    SETTINGS_TEXT_MAX = 64 << 10
};
#define STEPS_MAX (UINT64_C(1) << 52) // more frames than a run can be told to play

// ---- settings ----

// A run may go on longer than it was meant to, be judged differently, and write more or less often.
static bool may_differ(const char *name) {
    static const char *const names[] = {
        "frames",        "stop_score",  "eval_explore", "log_every", "checkpoint_seconds", "eval_every",
        "eval_episodes", "eval_policy", "eval_sticky",  "threads",   "replay_on_host",     "samplers"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(name, names[i]) == 0) {
            return true;
        }
    }
    return false;
}

static size_t settings_text(const mega_train_settings *settings, char *text) {
    size_t used = 0;
    for (size_t i = 0; i < mega_train_table.count; i++) {
        char value[MEGA_SETTING_TEXT_SIZE];
        const mega_setting *setting = &mega_train_table.list[i];
        mega_settings_get(setting, settings, value);
        used += (size_t)snprintf(text + used, SETTINGS_TEXT_MAX - used, "%s = %s\n", setting->name, value);
    }
    return used;
}

static int compare_settings(const mega_train_settings *mine, const mega_train_settings *theirs,
                            const char *path, mega_message *message) {
    for (size_t i = 0; i < mega_train_table.count; i++) {
        const mega_setting *setting = &mega_train_table.list[i];
        char here[MEGA_SETTING_TEXT_SIZE], there[MEGA_SETTING_TEXT_SIZE];
        mega_settings_get(setting, mine, here);
        mega_settings_get(setting, theirs, there);
        if (!may_differ(setting->name) && strcmp(here, there) != 0) {
            return mega_message_set(message, "%s is of a run with %s %s, not %s", path, setting->name,
                                    there[0] == '\0' ? "of the built-in game" : there,
                                    here[0] == '\0' ? "none" : here);
        }
    }
    return 0;
}

static int read_settings(mega_checkpoint_reader *reader, const char *path, mega_train_settings *settings,
                         mega_message *message) {
    char *text = NULL;
    if (mega_checkpoint_read_text(reader, "settings", SETTINGS_TEXT_MAX, &text, message) < 0) {
        return -1;
    }
    mega_train_defaults(MEGA_ALGO_A2C, settings);
    const int result =
        mega_settings_parse_preset(&mega_train_table, settings, text, strlen(text), path, message);
    free(text);
    return result;
}

// ---- the rollout ----

typedef struct rollout_part {
    const char *name;
    void *memory;    // [slots][envs]
    size_t size;     // of an environment's
    bool is_present; // the present slot has it, too
} rollout_part;

enum {
    ROLLOUT_PARTS = 6
};

static void list_parts(const mega_rollout *r, rollout_part parts[ROLLOUT_PARTS]) {
    const rollout_part list[ROLLOUT_PARTS] = {
        {"observations", r->observations, r->observation_size, true},
        {"actions", r->actions, sizeof *r->actions, false},
        {"rewards", r->rewards, sizeof *r->rewards, false},
        {"flags", r->flags, 1, false},
        {"log_probabilities", r->log_probabilities, sizeof *r->log_probabilities, false},
        {"values", r->values, sizeof *r->values, false},
    };
    memcpy(parts, list, sizeof list);
}

// The steps before the present that exist and that the algorithm will still look at.
static uint32_t kept_steps(const mega_learner *learner) {
    const uint32_t wanted = learner->algorithm->history(learner->settings);
    return learner->state.steps < wanted ? (uint32_t)learner->state.steps : wanted;
}

static int move_rollout(mega_trainer *trainer, const mega_part_mover *mover, mega_message *message) {
    const mega_learner *learner = &trainer->learner;
    const mega_rollout *rollout = mega_sampler_rollout(learner->sampler);
    const uint32_t steps = kept_steps(learner);
    rollout_part parts[ROLLOUT_PARTS];
    list_parts(rollout, parts);
    for (size_t i = 0; i < ROLLOUT_PARTS; i++) {
        const mega_part_rows rows = {
            .memory = parts[i].memory,
            .size = rollout->envs * parts[i].size,
            .ring = rollout->slots,
            .first = (rollout->slot + rollout->slots - steps) % rollout->slots,
            .count = steps + (parts[i].is_present ? 1u : 0u),
            .is_sound = parts[i].memory == rollout->actions ? mega_part_are_actions : NULL,
            .limit = learner->net->network.actions,
        };
        if (mega_part_move_rows(mover, parts[i].name, &rows, message) < 0) {
            return -1;
        }
    }
    const mega_part_rows over = {.memory = rollout->over, .size = rollout->envs, .ring = 1, .count = 1};
    return mega_part_move_rows(mover, "over", &over, message);
}

// ---- the network ----

static int move_network(mega_trainer *trainer, const mega_part_mover *mover, mega_message *message) {
    const mega_net *net = trainer->learner.net;
    const mega_optimizer *optimizer = trainer->learner.optimizer;
    const size_t size = optimizer->count * sizeof(float);
    if (mega_part_move_same(mover, "parameters", net->parameters,
                            net->network.parameter_count * sizeof(float), message) < 0 ||
        (optimizer->means != NULL &&
         mega_part_move_same(mover, "means", optimizer->means, size, message) < 0)) {
        return -1;
    }
    return mega_part_move_same(mover, "squares", optimizer->squares, size, message);
}

// What the algorithm keeps for itself.
static int keep_own(mega_trainer *trainer, const mega_part_mover *mover, mega_message *message) {
    mega_learner *learner = &trainer->learner;
    return learner->algorithm->keep == NULL ? 0 : learner->algorithm->keep(learner, mover, message);
}

// Sums and scores since they were last shown; of other ranks than there are now they are forgotten but for rank 0's.
static int move_sums(mega_trainer *trainer, const mega_part_mover *mover, mega_message *message) {
    bool is_own;
    if (mega_part_move_own(mover, "sums", &trainer->sums, sizeof trainer->sums, &is_own, message) < 0) {
        return -1;
    }
    if (!is_own && mega_share_rank(trainer->dist) > 0) {
        memset(trainer->sums.stats, 0, sizeof trainer->sums.stats);
    }
    if (mega_part_move_own(mover, "scores", &trainer->recent, sizeof trainer->recent, &is_own, message) < 0) {
        return -1;
    }
    if (!is_own && mega_share_rank(trainer->dist) > 0) {
        memset(&trainer->recent, 0, sizeof trainer->recent);
    }
    return 0;
}

// ---- saving ----

// What all processes have done; of asynchronous ones each has counts of its own, too.
static mega_learner_state common_state(const mega_trainer *trainer) {
    mega_learner_state state = trainer->learner.state;
    if (trainer->learner.async != NULL) {
        const mega_async_count count = mega_async_counted(trainer->learner.async);
        state.steps = count.frames / ((uint64_t)trainer->all->envs * (uint64_t)trainer->all->frame_skip);
        state.updates = count.updates;
        state.samples = count.samples;
    }
    return state;
}

// Frames are counted without the steps that were none.
static bool has_waited(const mega_trainer *trainer) {
    return trainer->all->resets == MEGA_RESETS_PAUSE;
}

static int save_counters(mega_trainer *trainer, mega_checkpoint_writer *writer, mega_message *message) {
    const mega_learner *learner = &trainer->learner;
    const mega_learner_state state = common_state(trainer);
    // What asynchronous processes have in common is counted in frames.
    const uint64_t waited = learner->async != NULL ? 0 : learner->waited;
    char *text = malloc(SETTINGS_TEXT_MAX);
    if (text == NULL) {
        return mega_message_set(message, "there is no memory to save the settings");
    }
    const size_t size = settings_text(trainer->all, text);
    const int result = mega_checkpoint_add(writer, "settings", text, size, false, message);
    free(text);
    if (result < 0 || mega_checkpoint_add(writer, "state", &state, sizeof state, false, message) < 0 ||
        (has_waited(trainer) &&
         mega_checkpoint_add(writer, "waited", &waited, sizeof waited, false, message) < 0)) {
        return -1;
    }
    return mega_checkpoint_add(writer, "optimizer", &learner->optimizer->t, sizeof learner->optimizer->t,
                               false, message);
}

// Asynchronous processes: what they have in common.
static int save_network(mega_trainer *trainer, mega_checkpoint_writer *writer, mega_message *message) {
    const mega_part_mover mover = {
        .writer = writer, .compute = trainer->learner.compute, .network_only = true};
    if (mega_trainer_take_sums(trainer, message) < 0 || save_counters(trainer, writer, message) < 0 ||
        move_network(trainer, &mover, message) < 0) {
        return -1;
    }
    return keep_own(trainer, &mover, message);
}

static int save_all(mega_trainer *trainer, mega_checkpoint_writer *writer, mega_message *message) {
    const mega_part_mover mover = {
        .writer = writer, .compute = trainer->learner.compute, .dist = trainer->dist};
    if ((writer != NULL && save_counters(trainer, writer, message) < 0) ||
        mega_trainer_take_sums(trainer, message) < 0 || move_sums(trainer, &mover, message) < 0 ||
        move_network(trainer, &mover, message) < 0 || keep_own(trainer, &mover, message) < 0 ||
        mega_part_move_environments(&mover, &trainer->field, message) < 0) {
        return -1;
    }
    return move_rollout(trainer, &mover, message);
}

int mega_trainer_save(mega_trainer *trainer, const char *path, mega_message *message) {
    mega_checkpoint_writer *writer = NULL;
    if (mega_share_rank(trainer->dist) == 0 && mega_checkpoint_writer_open(path, &writer, message) < 0) {
        return -1;
    }
    if ((mega_trainer_is_async(trainer) ? save_network : save_all)(trainer, writer, message) < 0) {
        mega_checkpoint_abort(writer);
        return -1;
    }
    return writer != NULL ? mega_checkpoint_commit(writer, message) : 0;
}

// ---- restoring ----

static int restore_counters(mega_trainer *trainer, mega_checkpoint_reader *reader, const char *path,
                            mega_message *message) {
    mega_learner *learner = &trainer->learner;
    mega_train_settings theirs;
    if (read_settings(reader, path, &theirs, message) < 0 ||
        compare_settings(trainer->all, &theirs, path, message) < 0 ||
        mega_checkpoint_read(reader, "state", &learner->state, sizeof learner->state, message) < 0 ||
        (has_waited(trainer) &&
         mega_checkpoint_read(reader, "waited", &learner->waited, sizeof learner->waited, message) < 0)) {
        return -1;
    }
    if (learner->state.steps > STEPS_MAX ||
        learner->waited > learner->state.steps * (uint64_t)trainer->all->envs) {
        return mega_message_set(
            message, "%s is damaged: no run has %llu steps, %llu of environments without frames", path,
            (unsigned long long)learner->state.steps, (unsigned long long)learner->waited);
    }
    return mega_checkpoint_read(reader, "optimizer", &learner->optimizer->t, sizeof learner->optimizer->t,
                                message);
}

// Asynchronous processes start new episodes with the network, of draws that belong to where the run is.
static int restore_network(mega_trainer *trainer, mega_checkpoint_reader *reader, mega_message *message) {
    mega_learner *learner = &trainer->learner;
    const mega_part_mover mover = {.reader = reader, .compute = learner->compute, .network_only = true};
    const uint32_t envs = (uint32_t)trainer->own.envs, first = mega_share_rank(trainer->dist) * envs;
    int32_t *seeds = malloc(envs * sizeof *seeds);
    int result = seeds == NULL ? mega_message_set(message, "there is no memory to start environments")
                               : move_network(trainer, &mover, message);
    mega_net_changed(learner->net);
    for (uint32_t i = 0; i < envs && seeds != NULL; i++) {
        const uint32_t word =
            draw_word((uint64_t)trainer->own.seed, MEGA_DRAW_STARTS, first + i, learner->state.steps);
        seeds[i] = (int32_t)(word >> 1);
    }
    if (result == 0) {
        result = keep_own(trainer, &mover, message);
    }
    if (result == 0) {
        result = mega_sampler_reset(learner->sampler, seeds, (uint32_t)trainer->own.random_steps, message);
        mega_sampler_set_steps(learner->sampler, learner->state.steps);
        mega_trainer_forget_scores(trainer);
    }
    free(seeds);
    return result;
}

static int restore_all(mega_trainer *trainer, mega_checkpoint_reader *reader, mega_message *message) {
    mega_learner *learner = &trainer->learner;
    const mega_part_mover mover = {.reader = reader, .compute = learner->compute, .dist = trainer->dist};
    if (move_sums(trainer, &mover, message) < 0 || mega_trainer_put_sums(trainer, message) < 0 ||
        move_network(trainer, &mover, message) < 0) {
        return -1;
    }
    mega_net_changed(learner->net);
    if (keep_own(trainer, &mover, message) < 0) {
        return -1;
    }
    mega_rollout *rollout = mega_sampler_rollout(learner->sampler);
    if (mega_sampler_reset(learner->sampler, NULL, 0, message) < 0 ||
        learner->acting->ops->finish(learner->acting, message) < 0 || // what follows may be in another stream
        mega_part_move_environments(&mover, &trainer->field, message) < 0) {
        return -1;
    }
    rollout->slot = (uint32_t)(learner->state.steps % rollout->slots);
    mega_sampler_set_steps(learner->sampler, learner->state.steps);
    return move_rollout(trainer, &mover, message);
}

int mega_trainer_restore(mega_trainer *trainer, const char *path, mega_message *message) {
    mega_checkpoint_reader *reader = NULL;
    if (mega_checkpoint_reader_open(path, &reader, message) < 0) {
        return -1;
    }
    int result = restore_counters(trainer, reader, path, message);
    if (result == 0) {
        result = (mega_trainer_is_async(trainer) ? restore_network : restore_all)(trainer, reader, message);
    }
    mega_checkpoint_reader_close(reader);
    return result;
}

int mega_trainer_restore_network(mega_trainer *trainer, const char *path, mega_message *message) {
    mega_checkpoint_reader *reader = NULL;
    mega_train_settings theirs;
    if (mega_checkpoint_reader_open(path, &reader, message) < 0) {
        return -1;
    }
    const mega_net *net = trainer->learner.net;
    int result = read_settings(reader, path, &theirs, message);
    if (result == 0) {
        const mega_part_mover mover = {.reader = reader, .compute = trainer->learner.compute};
        result = mega_part_move_same(&mover, "parameters", net->parameters,
                                     net->network.parameter_count * sizeof(float), message);
    }
    mega_net_changed(trainer->learner.net);
    mega_checkpoint_reader_close(reader);
    return result;
}
