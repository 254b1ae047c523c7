// test_learner.c - in which order an update's work is asked for, alone and with others: a device that only writes down
// what it is asked.
#include "learner.h"

#include <stdlib.h>

#include "mega_test.h"

static char done[256];
static const char *fails = ""; // this fails

static int note(const char *what, mega_message *message) {
    strcat(done, what);
    strcat(done, " ");
    return strcmp(what, fails) == 0 ? mega_message_set(message, "%s fails", what) : 0;
}

static int begin_bundle(mega_compute *compute, mega_message *message) {
    (void)compute;
    return note("begin", message);
}
static int run_bundle(mega_compute *compute, mega_message *message) {
    (void)compute;
    return note("run", message);
}
static int optimise(mega_compute *compute, const mega_slab *slab, mega_optimizer *optimizer, double rate,
                    double norm_max, mega_message *message) {
    (void)compute, (void)slab, (void)optimizer, (void)rate, (void)norm_max;
    return note("optimise", message);
}

// ---- others ------------------------------------------------------------------------------------------

static int open_collective(mega_compute *compute, mega_collective **out, mega_message *message) {
    (void)message;
    *out = calloc(1, sizeof **out);
    (*out)->ops = compute->collective;
    return 0;
}
static int make_key(mega_collective *collective, uint8_t key[MEGA_COLLECTIVE_KEY_SIZE],
                    mega_message *message) {
    (void)collective, (void)message;
    key[0] = 77;
    return 0;
}
static int join(mega_collective *collective, const uint8_t key[MEGA_COLLECTIVE_KEY_SIZE], uint32_t rank,
                uint32_t size, double seconds, bool *is_late, mega_message *message) {
    (void)collective, (void)message;
    MEGA_CHECK(key[0] == 77 && rank == 0 && size == 1 && seconds > 0);
    *is_late = false;
    return 0;
}
static int average(mega_collective *collective, float *numbers, size_t count, mega_message *message) {
    (void)collective;
    MEGA_CHECK(count == 2 && numbers[1] == 5.0f);
    return note("mean", message);
}
static int wait_for(mega_collective *collective, mega_message *message) {
    (void)collective;
    return note("wait", message);
}
static void close_collective(mega_collective *collective, bool are_all_there) {
    MEGA_CHECK(are_all_there);
    free(collective);
}

static const mega_compute_ops ops = {
    .begin_bundle = begin_bundle, .run_bundle = run_bundle, .optimise = optimise};
static const mega_collective_ops others = {.name = "others",
                                           .open = open_collective,
                                           .make_key = make_key,
                                           .join = join,
                                           .average = average,
                                           .wait = wait_for,
                                           .close = close_collective};

// ---- updates -----------------------------------------------------------------------------------------

static const char *update(mega_learner *learner) {
    mega_message message;
    done[0] = '\0';
    if (mega_learner_begin_update(learner, &message) == 0 &&
        mega_learner_descend(learner, 10, &message) == 0) {
        (void)mega_learner_end_update(learner, &message);
    }
    return done;
}

#define CHECK_UPDATE(learner, expected) \
    mega_test_check(strcmp(update(learner), expected) == 0, done, __FILE__, __LINE__)

static mega_reduce *open_reduce(mega_dist *dist, mega_compute *compute, uint32_t how) {
    const mega_reduce_desc desc = {.dist = dist, .compute = compute, .how = how, .count = 2};
    mega_message message;
    mega_reduce *reduce = NULL;
    MEGA_CHECK_EQ(mega_reduce_create(&desc, &reduce, &message), 0);
    return reduce;
}

int main(void) {
    float gradients[2] = {4.0f, 5.0f};
    mega_train_settings settings;
    mega_train_defaults(MEGA_ALGO_A2C, &settings);
    mega_compute compute = {.ops = &ops, .collective = &others};
    mega_learner learner = {
        .settings = &settings, .compute = &compute, .learned = {.gradients = gradients, .count = 2}};
    mega_message message;
    mega_dist *dist = NULL;
    MEGA_CHECK_EQ(mega_dist_open(MEGA_DIST_NONE, 1.0, &dist, &message), 0);

    CHECK_UPDATE(&learner, "begin optimise run ");
    MEGA_CHECK(open_reduce(dist, &compute, MEGA_REDUCE_AUTO) == NULL);
    MEGA_CHECK(open_reduce(NULL, &compute, MEGA_REDUCE_NCCL) == NULL);

    // The gradients are there before the mean is taken, and the mean before the step.
    learner.reduce = open_reduce(dist, &compute, MEGA_REDUCE_NCCL);
    CHECK_UPDATE(&learner, "begin run mean begin optimise run wait ");
    fails = "mean";
    CHECK_UPDATE(&learner, "begin run mean ");
    fails = "run";
    CHECK_UPDATE(&learner, "begin run ");
    MEGA_CHECK_EQ(learner.state.updates, 4);
    MEGA_CHECK_EQ(learner.state.samples, 40);
    mega_reduce_destroy(learner.reduce);
    mega_reduce_destroy(NULL);
    mega_dist_close(dist);
    return mega_test_result();
}
