// trainer_file.c - checkpoints of a training run. docs/formats.md lists the sections.
//
// Saved are: the settings; counters and recent scores; parameters and the optimiser's means; the environments; the
// present observations; and of the steps before, as many as the algorithm will still learn from.
#include "checkpoint.h"
#include "trainer_parts.h"

#include <stdlib.h>
#include <string.h>

enum {
    ENVS_AT_A_TIME = 64,
    SETTINGS_TEXT_MAX = 64 << 10,
    PIECE = 4 << 20
};

// ---- settings ----

// A run may go on longer than it was meant to, be judged differently, and write more or less often.
static bool may_differ(const char *name) {
    static const char *const names[] = {
        "frames",     "stop_score",    "eval_explore", "log_every",   "checkpoint_seconds",
        "eval_every", "eval_episodes", "eval_policy",  "eval_sticky", "threads"};
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

// ---- parts ----

// A part of the device's memory, to a file or back, piece by piece through memory of the host.
static int move_pieces(mega_checkpoint_writer *writer, mega_checkpoint_reader *reader,
                       const mega_learner *learner, uint8_t *memory, size_t size, void *bytes,
                       mega_message *message) {
    mega_compute *compute = learner->compute;
    for (size_t at = 0; at < size; at += PIECE) {
        const size_t n = size - at < PIECE ? size - at : PIECE;
        if (writer != NULL ? compute->ops->download(compute, bytes, memory + at, n, message) < 0 ||
                                 mega_checkpoint_append(writer, bytes, n, message) < 0
                           : mega_checkpoint_read_part(reader, bytes, n, message) < 0 ||
                                 compute->ops->upload(compute, memory + at, bytes, n, message) < 0) {
            return -1;
        }
    }
    return 0;
}

static int write_device(mega_checkpoint_writer *writer, const mega_learner *learner, const char *name,
                        void *memory, size_t size, mega_message *message) {
    void *bytes = malloc(PIECE);
    int result = bytes == NULL ? mega_message_set(message, "there is no memory to save %s", name)
                               : mega_checkpoint_begin(writer, name, true, message);
    if (result == 0) {
        result = move_pieces(writer, NULL, learner, memory, size, bytes, message);
    }
    free(bytes);
    return result < 0 ? -1 : mega_checkpoint_end(writer, message);
}

static int read_device(mega_checkpoint_reader *reader, const mega_learner *learner, const char *name,
                       void *memory, size_t size, mega_message *message) {
    void *bytes = malloc(PIECE);
    int result = bytes == NULL ? mega_message_set(message, "there is no memory to restore %s", name)
                               : mega_checkpoint_read_begin(reader, name, size, message);
    if (result == 0) {
        result = move_pieces(NULL, reader, learner, memory, size, bytes, message);
    }
    free(bytes);
    return result < 0 ? -1 : mega_checkpoint_read_end(reader, message);
}

static int write_environments(mega_checkpoint_writer *writer, mega_vector *vector, mega_message *message) {
    const size_t size = mega_vector_state_size(vector);
    const uint32_t count = mega_vector_count(vector);
    uint8_t *states = malloc(ENVS_AT_A_TIME * size);
    int32_t ids[ENVS_AT_A_TIME];
    int result = states == NULL ? mega_message_set(message, "there is no memory to save environments")
                                : mega_checkpoint_begin(writer, "environments", true, message);
    for (uint32_t first = 0; result == 0 && first < count; first += ENVS_AT_A_TIME) {
        const uint32_t n = count - first < ENVS_AT_A_TIME ? count - first : ENVS_AT_A_TIME;
        for (uint32_t i = 0; i < n; i++) {
            ids[i] = (int32_t)(first + i);
        }
        if (mega_vector_save(vector, ids, n, states, n * size) != MEGA_OK) {
            result = mega_message_set(message, "%s", mega_last_error());
        } else {
            result = mega_checkpoint_append(writer, states, n * size, message);
        }
    }
    free(states);
    return result < 0 ? -1 : mega_checkpoint_end(writer, message);
}

static int read_environments(mega_checkpoint_reader *reader, mega_vector *vector, mega_message *message) {
    const size_t size = mega_vector_state_size(vector);
    const uint32_t count = mega_vector_count(vector);
    uint8_t *states = malloc(ENVS_AT_A_TIME * size);
    int32_t ids[ENVS_AT_A_TIME];
    int result = states == NULL
                     ? mega_message_set(message, "there is no memory to restore environments")
                     : mega_checkpoint_read_begin(reader, "environments", (uint64_t)count * size, message);
    for (uint32_t first = 0; result == 0 && first < count; first += ENVS_AT_A_TIME) {
        const uint32_t n = count - first < ENVS_AT_A_TIME ? count - first : ENVS_AT_A_TIME;
        for (uint32_t i = 0; i < n; i++) {
            ids[i] = (int32_t)(first + i);
        }
        result = mega_checkpoint_read_part(reader, states, n * size, message);
        if (result == 0 && mega_vector_restore(vector, ids, n, states, n * size) != MEGA_OK) {
            result = mega_message_set(message, "%s", mega_last_error());
        }
    }
    free(states);
    return result < 0 ? -1 : mega_checkpoint_read_end(reader, message);
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

// A part's rows of a slot that many steps ago.
static uint8_t *part_rows(const mega_rollout *rollout, const rollout_part *part, uint32_t age) {
    const size_t slot = (rollout->slot + rollout->slots - age) % rollout->slots;
    return (uint8_t *)part->memory + slot * rollout->envs * part->size;
}

static int write_rollout_part(mega_checkpoint_writer *writer, const mega_learner *learner,
                              const rollout_part *part, void *bytes, mega_message *message) {
    const mega_rollout *rollout = mega_sampler_rollout(learner->sampler);
    const size_t size = rollout->envs * part->size;
    if (mega_checkpoint_begin(writer, part->name, true, message) < 0) {
        return -1;
    }
    for (uint32_t age = kept_steps(learner) + 1; age-- > (part->is_present ? 0u : 1u);) {
        if (learner->compute->ops->download(learner->compute, bytes, part_rows(rollout, part, age), size,
                                            message) < 0 ||
            mega_checkpoint_append(writer, bytes, size, message) < 0) {
            return -1;
        }
    }
    return mega_checkpoint_end(writer, message);
}

static int read_rollout_part(mega_checkpoint_reader *reader, const mega_learner *learner,
                             const rollout_part *part, void *bytes, mega_message *message) {
    const mega_rollout *rollout = mega_sampler_rollout(learner->sampler);
    const size_t size = rollout->envs * part->size;
    const uint32_t steps = kept_steps(learner), last = part->is_present ? 0 : 1;
    if (mega_checkpoint_read_begin(reader, part->name, (uint64_t)(steps + 1 - last) * size, message) < 0) {
        return -1;
    }
    for (uint32_t age = steps + 1; age-- > last;) {
        if (mega_checkpoint_read_part(reader, bytes, size, message) < 0 ||
            learner->compute->ops->upload(learner->compute, part_rows(rollout, part, age), bytes, size,
                                          message) < 0) {
            return -1;
        }
    }
    return mega_checkpoint_read_end(reader, message);
}

// Writes the rollout, or (writer NULL) reads it.
static int move_rollout(mega_trainer *trainer, mega_checkpoint_writer *writer, mega_checkpoint_reader *reader,
                        mega_message *message) {
    const mega_learner *learner = &trainer->learner;
    const mega_rollout *rollout = mega_sampler_rollout(learner->sampler);
    rollout_part parts[ROLLOUT_PARTS];
    list_parts(rollout, parts);
    void *bytes = malloc(rollout->envs * rollout->observation_size + rollout->envs * sizeof(float));
    int result = bytes == NULL ? mega_message_set(message, "there is no memory for the rollout's bytes") : 0;
    for (size_t i = 0; i < ROLLOUT_PARTS && result == 0; i++) {
        result = writer != NULL ? write_rollout_part(writer, learner, &parts[i], bytes, message)
                                : read_rollout_part(reader, learner, &parts[i], bytes, message);
    }
    free(bytes);
    if (result < 0) {
        return -1;
    }
    return writer != NULL ? write_device(writer, learner, "over", rollout->over, rollout->envs, message)
                          : read_device(reader, learner, "over", rollout->over, rollout->envs, message);
}

// ---- the network ----

static int each_network_part(mega_trainer *trainer, mega_part_function done, void *context,
                             mega_message *message) {
    const mega_net *net = trainer->learner.net;
    mega_optimizer *optimizer = trainer->learner.optimizer;
    const size_t size = optimizer->count * sizeof(float);
    if (done(context, "parameters", net->parameters, net->network.parameter_count * sizeof(float), message) <
            0 ||
        (optimizer->means != NULL && done(context, "means", optimizer->means, size, message) < 0)) {
        return -1;
    }
    return done(context, "squares", optimizer->squares, size, message);
}

// What the algorithm keeps for itself.
static int keep_own(mega_trainer *trainer, bool restores, mega_part_function move, void *context,
                    mega_message *message) {
    mega_learner *learner = &trainer->learner;
    return learner->algorithm->keep == NULL
               ? 0
               : learner->algorithm->keep(learner, restores, move, context, message);
}

// ---- saving ----

typedef struct save_context {
    mega_checkpoint_writer *writer;
    const mega_learner *learner;
} save_context;

static int save_part(void *context, const char *name, void *memory, size_t size, mega_message *message) {
    const save_context *save = context;
    return write_device(save->writer, save->learner, name, memory, size, message);
}

static int save_counters(mega_trainer *trainer, mega_checkpoint_writer *writer, mega_message *message) {
    const mega_learner *learner = &trainer->learner;
    char *text = malloc(SETTINGS_TEXT_MAX);
    if (text == NULL) {
        return mega_message_set(message, "there is no memory to save the settings");
    }
    const size_t size = settings_text(trainer->settings, text);
    int result = mega_checkpoint_add(writer, "settings", text, size, false, message);
    free(text);
    if (result < 0 ||
        mega_checkpoint_add(writer, "state", &learner->state, sizeof learner->state, false, message) < 0 ||
        mega_checkpoint_add(writer, "optimizer", &learner->optimizer->t, sizeof learner->optimizer->t, false,
                            message) < 0) {
        return -1;
    }
    if (mega_trainer_take_sums(trainer, message) < 0 ||
        mega_checkpoint_add(writer, "sums", &trainer->sums, sizeof trainer->sums, false, message) < 0) {
        return -1;
    }
    return mega_checkpoint_add(writer, "scores", &trainer->recent, sizeof trainer->recent, false, message);
}

int mega_trainer_save(mega_trainer *trainer, const char *path, mega_message *message) {
    mega_checkpoint_writer *writer = NULL;
    if (mega_checkpoint_writer_open(path, &writer, message) < 0) {
        return -1;
    }
    save_context context = {writer, &trainer->learner};
    if (save_counters(trainer, writer, message) < 0 ||
        each_network_part(trainer, save_part, &context, message) < 0 ||
        keep_own(trainer, false, save_part, &context, message) < 0 ||
        write_environments(writer, trainer->vector, message) < 0 ||
        move_rollout(trainer, writer, NULL, message) < 0) {
        mega_checkpoint_abort(writer);
        return -1;
    }
    return mega_checkpoint_commit(writer, message);
}

// ---- restoring ----

typedef struct restore_context {
    mega_checkpoint_reader *reader;
    const mega_learner *learner;
} restore_context;

static int restore_part(void *context, const char *name, void *memory, size_t size, mega_message *message) {
    const restore_context *restore = context;
    return read_device(restore->reader, restore->learner, name, memory, size, message);
}

static int restore_counters(mega_trainer *trainer, mega_checkpoint_reader *reader, const char *path,
                            mega_message *message) {
    mega_learner *learner = &trainer->learner;
    mega_train_settings theirs;
    if (read_settings(reader, path, &theirs, message) < 0 ||
        compare_settings(trainer->settings, &theirs, path, message) < 0 ||
        mega_checkpoint_read(reader, "state", &learner->state, sizeof learner->state, message) < 0 ||
        mega_checkpoint_read(reader, "optimizer", &learner->optimizer->t, sizeof learner->optimizer->t,
                             message) < 0 ||
        mega_checkpoint_read(reader, "sums", &trainer->sums, sizeof trainer->sums, message) < 0 ||
        mega_trainer_put_sums(trainer, message) < 0) {
        return -1;
    }
    return mega_checkpoint_read(reader, "scores", &trainer->recent, sizeof trainer->recent, message);
}

static int restore_all(mega_trainer *trainer, mega_checkpoint_reader *reader, const char *path,
                       mega_message *message) {
    mega_learner *learner = &trainer->learner;
    restore_context context = {reader, learner};
    if (restore_counters(trainer, reader, path, message) < 0 ||
        each_network_part(trainer, restore_part, &context, message) < 0) {
        return -1;
    }
    mega_net_changed(learner->net);
    if (keep_own(trainer, true, restore_part, &context, message) < 0) {
        return -1;
    }
    mega_rollout *rollout = mega_sampler_rollout(learner->sampler);
    if (mega_sampler_reset(learner->sampler, NULL, 0, message) < 0 ||
        read_environments(reader, trainer->vector, message) < 0) {
        return -1;
    }
    rollout->slot = (uint32_t)(learner->state.steps % rollout->slots);
    mega_sampler_set_steps(learner->sampler, learner->state.steps);
    return move_rollout(trainer, NULL, reader, message);
}

int mega_trainer_restore(mega_trainer *trainer, const char *path, mega_message *message) {
    mega_checkpoint_reader *reader = NULL;
    if (mega_checkpoint_reader_open(path, &reader, message) < 0) {
        return -1;
    }
    const int result = restore_all(trainer, reader, path, message);
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
        result = read_device(reader, &trainer->learner, "parameters", net->parameters,
                             net->network.parameter_count * sizeof(float), message);
    }
    mega_net_changed(trainer->learner.net);
    mega_checkpoint_reader_close(reader);
    return result;
}
