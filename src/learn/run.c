// run.c - see run.h.
#include "run.h"

#include "learner.h"
#include "onnx.h"
#include "run_log.h"
#include "safetensors.h"
#include "tensorboard.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const mega_log_column columns[] = {
    {"frames", true},
    {"seconds", false},
    {"raw_fps", false},
    {"updates", true},
    {"samples", true},
    {"episodes", true},
    {"score", false},
    {"eval_mean", false},
    {"eval_deviation", false},
    {"policy_loss", false},
    {"value_loss", false},
    {"entropy", false},
    {"kl", false},
    {"clipped", false},
    {"gradient_norm", false},
    {"learning_rate", false},
    {"q", false},
    {"exploration", false},
};
enum {
    COLUMN_COUNT = sizeof columns / sizeof columns[0]
};

typedef struct run {
    const mega_run_desc *desc;
    const mega_train_settings *settings;
    mega_trainer *trainer;
    mega_run_log *log;
    mega_tensorboard *board;
    char checkpoint[MEGA_RUN_PATH];
    int lock;             // of the folder: the system takes it back with the process
    double earlier;       // seconds before the process, in a run that was resumed
    double last_row;      // when it was written,
    uint64_t last_frames; // and at which frame
    double last_checkpoint;
    double playing; // seconds of training, evaluations aside
    uint64_t first_frames;
    mega_run_result *result;
} run;

double mega_run_seconds(void) {
    struct timespec now = {0, 0};
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double wall_time(void) {
    struct timespec now = {0, 0};
    (void)clock_gettime(CLOCK_REALTIME, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double run_seconds(const run *r) {
    return r->earlier + mega_run_seconds() - r->desc->start;
}

// ---- the folder ----

int mega_run_path(const char *folder, const char *name, char path[MEGA_RUN_PATH], mega_message *message) {
    const int length = snprintf(path, MEGA_RUN_PATH, "%s/%s", folder, name);
    return length < MEGA_RUN_PATH
               ? 0
               : mega_message_set(message, "the folder's name '%.60s...' is too long", folder);
}

static int make_folder(const char *folder, mega_message *message) {
    char path[MEGA_RUN_PATH];
    if (mega_run_path(folder, "", path, message) < 0) {
        return -1;
    }
    for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(path, 0777) != 0 && errno != EEXIST) {
            return mega_message_set(message, "cannot make the folder %s: %s", path, strerror(errno));
        }
        *slash = '/';
    }
    return 0;
}

// Two processes in one folder would spoil each other's files.
static int lock_folder(run *r, mega_message *message) {
    r->lock = open(r->desc->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (r->lock < 0) {
        return mega_message_set(message, "cannot open the folder %s: %s", r->desc->folder, strerror(errno));
    }
    if (flock(r->lock, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) { // some systems have no locks: go on
        return mega_message_set(message, "another process is training in %s", r->desc->folder);
    }
    return 0;
}

static const mega_settings_extra config_extra[] = {{"megacade", MEGA_VERSION}};

int mega_run_read_settings(const char *folder, mega_train_settings *settings, mega_message *message) {
    char path[MEGA_RUN_PATH];
    mega_train_defaults(MEGA_ALGO_A2C, settings);
    if (mega_run_path(folder, "config.json", path, message) < 0) {
        return -1;
    }
    return mega_settings_read_json(&mega_train_table, settings, config_extra, 1, path, message);
}

// The time that a run had taken when its last row was written: the second number of that row.
static double seconds_of_log(const char *path) {
    FILE *file = fopen(path, "r");
    char line[4096];
    double seconds = 0;
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        const char *comma = strchr(line, ',');
        seconds = comma != NULL ? strtod(comma + 1, NULL) : seconds;
    }
    if (file != NULL) {
        (void)fclose(file);
    }
    return seconds;
}

static int open_logs(run *r, mega_message *message) {
    const mega_run_desc *desc = r->desc;
    const uint64_t frames = mega_trainer_count(r->trainer).frames;
    char path[MEGA_RUN_PATH];
    if (mega_run_path(desc->folder, "log.csv", path, message) < 0) {
        return -1;
    }
    const int result =
        desc->resume ? mega_run_log_resume(path, columns, COLUMN_COUNT, (double)frames, &r->log, message)
                     : mega_run_log_create(path, columns, COLUMN_COUNT, &r->log, message);
    if (result < 0) {
        return -1;
    }
    r->earlier = desc->resume ? seconds_of_log(path) : 0;
    return mega_tensorboard_create(desc->folder, wall_time(),
                                   desc->resume ? (int64_t)frames : MEGA_TENSORBOARD_NEW, &r->board, message);
}

static bool is_first(const run *r) {
    return mega_share_rank(r->desc->dist) == 0;
}

// A failure of one rank is all ranks'.
static int agree(const run *r, int result, mega_message *message) {
    return r->desc->dist == NULL ? result : mega_dist_agree(r->desc->dist, result, message);
}

static int open_folder(run *r, mega_message *message) {
    const mega_run_desc *desc = r->desc;
    if (make_folder(desc->folder, message) < 0 || lock_folder(r, message) < 0) {
        return -1;
    }
    if (!desc->resume && access(r->checkpoint, F_OK) == 0) {
        return mega_message_set(message,
                                "%s already has a run; --resume goes on with it, another --out starts anew",
                                desc->folder);
    }
    return 0;
}

static int open_files(run *r, mega_message *message) {
    char config[MEGA_RUN_PATH];
    if (mega_run_path(r->desc->folder, "config.json", config, message) < 0 ||
        mega_settings_write_json(&mega_train_table, r->settings, config_extra, 1, config, message) < 0) {
        return -1;
    }
    return open_logs(r, message);
}

static int open_trainer(run *r, mega_message *message) {
    if (mega_trainer_create(r->settings, r->desc->rom, r->desc->dist, &r->trainer, message) < 0) {
        return -1;
    }
    return r->desc->resume ? mega_trainer_restore(r->trainer, r->checkpoint, message)
                           : mega_trainer_start(r->trainer, message);
}

static int open_run(run *r, mega_message *message) {
    int result = mega_run_path(r->desc->folder, "checkpoint", r->checkpoint, message);
    if (result == 0 && is_first(r)) {
        result = open_folder(r, message);
    }
    result = agree(r, result, message);
    if (result == 0) {
        result = agree(r, open_trainer(r, message), message);
    }
    if (result == 0) {
        result = agree(r, mega_trainer_join(r->trainer, message), message);
    }
    if (result == 0) {
        result = agree(r, is_first(r) ? open_files(r, message) : 0, message);
    }
    return result;
}

// ---- rows ----

static int write_scalars(run *r, const mega_run_row *row, mega_message *message) {
    const mega_scalar all[] = {
        {"score/episodes", row->count.score},
        {"score/evaluation", row->eval_mean},
        {"speed/raw_fps", row->raw_fps},
        {"loss/policy", row->means.policy_loss},
        {"loss/value", row->means.value_loss},
        {"policy/entropy", row->means.entropy},
        {"policy/kl", row->means.kl},
        {"policy/clipped", row->means.clipped},
        {"gradient/norm", row->means.gradient_norm},
        {"gradient/learning_rate", row->means.learning_rate},
        {"policy/q", row->means.q},
        {"policy/exploration", row->means.exploration},
    };
    mega_scalar known[sizeof all / sizeof all[0]];
    size_t count = 0;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        if (isfinite(all[i].value)) {
            known[count++] = all[i];
        }
    }
    return mega_tensorboard_add(r->board, (int64_t)row->count.frames, wall_time(), known, count, message);
}

// All ranks have the same parameters, or something is broken.
static int check_weights(run *r, mega_message *message) {
    if (mega_share_ranks(r->desc->dist) == 1 || r->settings->asynchronous) {
        return 0;
    }
    const size_t size = mega_trainer_network(r->trainer)->parameter_count * sizeof(float);
    float *parameters = malloc(size);
    uint64_t hash = UINT64_C(0xCBF29CE484222325); // FNV-1a, by words
    if (parameters == NULL) {
        return mega_message_set(message, "there is no memory to compare parameters");
    }
    const int result = mega_trainer_parameters(r->trainer, parameters, message);
    for (size_t i = 0; i < size / sizeof(uint32_t); i++) {
        uint32_t word;
        memcpy(&word, parameters + i, sizeof word);
        hash = (hash ^ word) * UINT64_C(0x100000001B3);
    }
    free(parameters);
    return result < 0 ? -1 : mega_dist_same(r->desc->dist, "the parameters", &hash, sizeof hash, message);
}

static int write_row(run *r, const mega_evaluation *evaluation, mega_message *message) {
    mega_run_row row = {.count = mega_trainer_count(r->trainer)};
    if (mega_trainer_means(r->trainer, &row.means, message) < 0) {
        return -1;
    }
    if (check_weights(r, message) < 0) {
        return -1;
    }
    if (!is_first(r)) {
        return 0;
    }
    row.count = mega_trainer_count(r->trainer); // with the scores of all ranks
    const double now = mega_run_seconds();
    row.seconds = run_seconds(r);
    row.raw_fps = (double)(row.count.frames - r->last_frames) / (now - r->last_row);
    row.eval_mean = evaluation != NULL ? evaluation->mean : NAN;
    row.eval_deviation = evaluation != NULL ? evaluation->deviation : NAN;
    const double values[COLUMN_COUNT] = {
        (double)row.count.frames,
        row.seconds,
        row.raw_fps,
        (double)row.count.updates,
        (double)row.count.samples,
        (double)row.count.episodes,
        row.count.score,
        row.eval_mean,
        row.eval_deviation,
        row.means.policy_loss,
        row.means.value_loss,
        row.means.entropy,
        row.means.kl,
        row.means.clipped,
        row.means.gradient_norm,
        row.means.learning_rate,
        row.means.q,
        row.means.exploration,
    };
    if (mega_run_log_row(r->log, values, message) < 0 || write_scalars(r, &row, message) < 0) {
        return -1;
    }
    r->last_row = now;
    r->last_frames = row.count.frames;
    if (r->desc->on_row != NULL) {
        r->desc->on_row(r->desc->context, &row);
    }
    return 0;
}

// ---- the loop ----

static int evaluate(run *r, mega_evaluation *evaluation, mega_message *message) {
    const uint64_t frames = mega_trainer_count(r->trainer).frames;
    if (mega_trainer_evaluate(r->trainer, (uint32_t)r->settings->eval_episodes, frames, evaluation, message) <
        0) {
        return -1;
    }
    r->result->eval_mean = evaluation->mean;
    r->result->eval_deviation = evaluation->deviation;
    if (evaluation->mean >= r->settings->stop_score && isnan(r->result->time_to_score_s)) {
        r->result->time_to_score_s = run_seconds(r);
        r->result->end = MEGA_RUN_SCORE;
    }
    return 0;
}

static int save(run *r, mega_message *message) {
    r->last_checkpoint = mega_run_seconds();
    return mega_trainer_save(r->trainer, r->checkpoint, message);
}

static bool passes(uint64_t before, uint64_t after, int64_t every) {
    return every > 0 && before / (uint64_t)every != after / (uint64_t)every;
}

// What depends on scores, clocks and signals: rank 0 says it to all.
typedef struct run_orders {
    mega_run_end end;
    bool saves;
} run_orders;

static int give_orders(run *r, bool is_last, run_orders *orders, mega_message *message) {
    const mega_train_settings *s = r->settings;
    const bool looks = is_first(r) || s->asynchronous; // else rank 0 does for all
    const bool is_stopped = looks && r->desc->stop != NULL && *r->desc->stop;
    memset(orders, 0, sizeof *orders);
    orders->end = r->result->end;
    if (is_stopped && orders->end == MEGA_RUN_ALL_FRAMES && !is_last) {
        orders->end = MEGA_RUN_INTERRUPTED;
    }
    orders->saves = s->checkpoint_seconds > 0 && !is_last &&
                    mega_run_seconds() - r->last_checkpoint >= s->checkpoint_seconds;
    mega_dist *dist = r->desc->dist;
    if (!r->settings->asynchronous && mega_share_ranks(dist) > 1 &&
        dist->ops->broadcast(dist, orders, sizeof *orders, 0, message) < 0) {
        return -1;
    }
    r->result->end = orders->end;
    return 0;
}

// Asynchronous processes do not wait for rank 0; those that hear of a stop take it for the end.
static int hear_orders(run *r, const run_orders *orders, mega_message *message) {
    bool is_stopped = false;
    if (orders->end != MEGA_RUN_ALL_FRAMES) {
        return mega_trainer_ask_to_stop(r->trainer, message);
    }
    const int result = mega_trainer_is_stopped(r->trainer, &is_stopped, message);
    if (is_stopped) { // by rank 0, which says why; or it hears of somebody else's signal
        r->result->end = is_first(r) ? MEGA_RUN_INTERRUPTED : MEGA_RUN_SCORE;
    }
    return result;
}

// Evaluates, writes and saves what is due after the frames `before` became the present ones.
static int do_what_is_due(run *r, uint64_t before, mega_message *message) {
    const mega_train_settings *s = r->settings;
    const uint64_t frames = mega_trainer_count(r->trainer).frames;
    const bool is_last = frames >= (uint64_t)s->frames;
    const bool evaluates = is_last || passes(before, frames, s->eval_every);
    mega_evaluation evaluation;
    run_orders orders;
    if (evaluates && is_first(r) && evaluate(r, &evaluation, message) < 0) {
        return -1;
    }
    if ((evaluates || passes(before, frames, s->log_every)) && (is_first(r) || !s->asynchronous) &&
        write_row(r, evaluates ? &evaluation : NULL, message) < 0) {
        return -1;
    }
    if (give_orders(r, is_last, &orders, message) < 0) {
        return -1;
    }
    if (s->asynchronous && hear_orders(r, &orders, message) < 0) {
        return -1;
    }
    return orders.saves && (is_first(r) || !s->asynchronous) ? save(r, message) : 0;
}

static int train(run *r, mega_message *message) {
    const mega_train_settings *s = r->settings;
    const mega_reduce *reduce = mega_trainer_reduce(r->trainer);
    if (r->desc->on_reduce != NULL && reduce != NULL && is_first(r)) {
        r->desc->on_reduce(r->desc->context, reduce);
    }
    mega_train_count count = mega_trainer_count(r->trainer);
    r->first_frames = count.frames;
    r->last_frames = count.frames;
    r->last_row = r->last_checkpoint = mega_run_seconds();
    r->result->end = MEGA_RUN_ALL_FRAMES;
    while (count.frames < (uint64_t)s->frames && r->result->end == MEGA_RUN_ALL_FRAMES) {
        const uint64_t before = count.frames;
        const double start = mega_run_seconds();
        if (mega_trainer_iterate(r->trainer, message) < 0) {
            return -1;
        }
        r->playing += mega_run_seconds() - start;
        count = mega_trainer_count(r->trainer);
        if (r->desc->on_progress != NULL && is_first(r)) {
            r->desc->on_progress(r->desc->context, &count);
        }
        if (do_what_is_due(r, before, message) < 0) {
            return -1; // even if stopped: a resumed run would not come by here again
        }
        count = mega_trainer_count(r->trainer); // with what others have done meanwhile
    }
    if (mega_trainer_settle(r->trainer, message) < 0) {
        return -1;
    }
    return is_first(r) || !s->asynchronous ? save(r, message) : 0;
}

// The policy for other programs.
static int export_policy(run *r, mega_message *message) {
    const mega_network *network = mega_trainer_network(r->trainer);
    const mega_export_note notes[] = {
        {"game", r->settings->game[0] == '\0' ? "comet_catch" : r->settings->game},
        {"algorithm", mega_algo_names[r->settings->algo]},
        {"network", r->settings->network},
    };
    const mega_onnx_support support = {r->settings->v_min, r->settings->v_max};
    char safetensors[MEGA_RUN_PATH], onnx[MEGA_RUN_PATH];
    float *parameters = malloc(network->parameter_count * sizeof *parameters);
    int result = -1;
    if (parameters == NULL) {
        (void)mega_message_set(message, "there is no memory to export the policy");
    } else if (mega_run_path(r->desc->folder, "policy.safetensors", safetensors, message) == 0 &&
               mega_run_path(r->desc->folder, "policy.onnx", onnx, message) == 0 &&
               mega_trainer_parameters(r->trainer, parameters, message) == 0 &&
               mega_safetensors_write(safetensors, network, parameters, notes, 3, message) == 0) {
        result = mega_onnx_write(onnx, network, parameters, &support, notes, 3, message);
    }
    free(parameters);
    return result;
}

static void close_run(run *r) {
    (void)mega_run_log_close(r->log, NULL);
    (void)mega_tensorboard_close(r->board, NULL);
    mega_trainer_destroy(r->trainer);
    if (r->lock >= 0) {
        (void)close(r->lock);
    }
}

int mega_run(const mega_run_desc *desc, mega_run_result *out, mega_message *message) {
    run r = {.desc = desc, .settings = desc->settings, .result = out, .lock = -1};
    *out = (mega_run_result){.eval_mean = NAN, .eval_deviation = NAN, .time_to_score_s = NAN};
    int result = open_run(&r, message);
    out->failed_together = result < 0;
    if (result == 0) {
        result = train(&r, message);
        if (result < 0 && access(r.checkpoint, F_OK) == 0) {
            const mega_message why = *message;
            (void)mega_message_set(message, "%s; the last checkpoint is %s", why.text, r.checkpoint);
        }
        if (result < 0 &&
            desc->on_failure != NULL) { // before anything that the others would have to wait for
            desc->on_failure(desc->context, message);
        }
    }
    if (result == 0) {
        result = is_first(&r) ? export_policy(&r, message) : 0;
        out->count = mega_trainer_count(r.trainer);
        out->seconds = run_seconds(&r);
        out->raw_fps = r.playing > 0 ? (double)(out->count.frames - r.first_frames) / r.playing : 0;
    }
    close_run(&r);
    return result;
}
