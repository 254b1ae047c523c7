// mega_test_settings.h - an example of a table of settings, with one of every kind.
#ifndef MEGA_TEST_SETTINGS_H
#define MEGA_TEST_SETTINGS_H
#include "settings.h"

#include <math.h>
#include <string.h>

typedef struct test_settings {
    int64_t envs;
    int64_t seed;
    double rate;
    double bonus;
    uint32_t algorithm;
    bool clip;
    char network[24];
    uint8_t guard; // behind the text
} test_settings;

static const char *const test_algorithms[] = {"a2c", "ppo", "dqn", NULL};

static const mega_setting test_settings_list[] = {
    {.name = "envs",
     .kind = MEGA_SETTING_INT,
     .offset = offsetof(test_settings, envs),
     .min = 1,
     .max = 65536,
     .help = "environments",
     .source = "Stooke & Abbeel 2018"},
    {.name = "seed",
     .kind = MEGA_SETTING_INT,
     .offset = offsetof(test_settings, seed),
     .min = (double)INT64_MIN,
     .max = (double)INT64_MAX,
     .help = "of everything random"},
    {.name = "learning_rate",
     .kind = MEGA_SETTING_FLOAT,
     .offset = offsetof(test_settings, rate),
     .min = 0.0,
     .max = 1.0,
     .help = "step size"},
    {.name = "bonus",
     .kind = MEGA_SETTING_FLOAT,
     .offset = offsetof(test_settings, bonus),
     .min = (double)-INFINITY,
     .max = (double)INFINITY,
     .source = "none"}, // without help: not listed
    {.name = "algorithm",
     .kind = MEGA_SETTING_CHOICE,
     .offset = offsetof(test_settings, algorithm),
     .choices = test_algorithms,
     .help = "what learns"},
    {.name = "clip_rewards",
     .kind = MEGA_SETTING_FLAG,
     .offset = offsetof(test_settings, clip),
     .help = "to signs"},
    {.name = "network",
     .kind = MEGA_SETTING_TEXT,
     .offset = offsetof(test_settings, network),
     .size = sizeof((test_settings *)0)->network,
     .help = "name or description",
     .source = "Mnih et al. 2015"},
};

static const mega_settings test_settings_table = {test_settings_list,
                                                  sizeof test_settings_list / sizeof test_settings_list[0]};

// Fills every byte, so that equal settings have equal bytes.
static inline void test_settings_default(test_settings *values) {
    memset(values, 0, sizeof *values);
    values->envs = 16;
    values->rate = 7e-4;
    values->clip = true;
    strcpy(values->network, "nature");
}

#endif
