// train_settings.h - what can be set about a training run. docs/learn.md explains each.
#ifndef TRAIN_SETTINGS_H
#define TRAIN_SETTINGS_H
#include "settings.h"

enum {
    MEGA_ALGO_A2C,
    MEGA_ALGO_VTRACE,
    MEGA_ALGO_PPO,
    MEGA_ALGO_DQN
};
enum {
    MEGA_LIVES_IGNORED,
    MEGA_LIVES_TERMINAL,
    MEGA_LIVES_EPISODE
};
enum {
    MEGA_RESETS_NOW,
    MEGA_RESETS_PAUSE
};
enum {
    MEGA_EVAL_SAMPLE,
    MEGA_EVAL_GREEDY
};
enum {
    MEGA_PRECISION_BF16,
    MEGA_PRECISION_FP32
};

typedef struct mega_train_settings {
    uint32_t algo; // MEGA_ALGO_*
    char game[64]; // "" is the built-in one
    char device[32];
    char env_device[32]; // "" is the same
    int64_t threads;     // 0: as many as cores
    int64_t frames;      // to train for, emulated
    int64_t seed;
    // environments
    int64_t envs;
    int64_t groups;
    int64_t height, width, stack;
    int64_t frame_skip;
    double sticky;
    int64_t noop_max;
    int64_t max_episode_frames;
    uint32_t resets; // MEGA_RESETS_*
    uint32_t lives;  // MEGA_LIVES_*
    bool clip_rewards;
    bool full_actions;
    int64_t random_steps;
    // network and optimiser
    char network[128];
    uint32_t init;      // MEGA_INIT_*
    uint32_t precision; // MEGA_PRECISION_*, on a GPU
    bool plain;
    uint32_t optimizer; // MEGA_OPTIMIZER_*
    double learning_rate;
    uint32_t schedule; // MEGA_SCHEDULE_* (optimizer.h)
    int64_t scale_envs;
    double beta1, beta2, decay, epsilon;
    bool epsilon_inside;
    double max_gradient;
    // learning
    double discount;
    int64_t steps;
    double value_weight, entropy_weight;
    int64_t batches, steps_per_update;
    double rho_max, c_max;
    double lambda;
    int64_t epochs, minibatches;
    double clip, value_clip;
    bool normalize;
    // Q-learning
    int64_t replay, batch, learn_start, train_every, target_every, n_steps;
    double explore_first, explore_last;
    int64_t explore_frames;
    bool replay_on_host;
    bool double_q, dueling, prioritised, noisy;
    int64_t atoms;
    double v_min, v_max;
    double priority_power, priority_weight;
    double noise, error_clip;
    bool concurrent;
    // several processes
    int64_t samplers;
    uint32_t reduce; // MEGA_REDUCE_* (reduce.h)
    bool asynchronous;
    int64_t sync_every, pull_every;
    // evaluation and files
    int64_t eval_every, eval_episodes;
    uint32_t eval_policy; // MEGA_EVAL_*
    double eval_sticky;   // below 0: as in training
    double eval_explore;
    double stop_score; // 1e12, which nobody reaches, is none
    int64_t log_every;
    double checkpoint_seconds;
} mega_train_settings;

extern const mega_settings mega_train_table;
extern const char *const mega_algo_names[]; // ends with NULL

// What holds where nothing is set, for an algorithm.
void mega_train_defaults(uint32_t algo, mega_train_settings *settings);
// Checks what no single setting shows: sizes that do not go together. Says the nearest that work.
int mega_train_check(const mega_train_settings *settings, mega_message *message);
// Makes them those of a trainer that will not train, but only evaluate: as small as can be.
void mega_train_shrink(mega_train_settings *settings);

#endif
