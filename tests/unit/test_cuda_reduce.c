// test_cuda_reduce.c - gradients of several processes become their mean, by NCCL or through the host: the fakes of a
// driver and of NCCL, and processes that meet over TCP. What goes wrong is one sentence for all, and nobody stays behind.
#include "reduce.h"

#include "compute_cuda.h"
#include "collective_cuda.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <time.h>

#include "mega_test_cuda.h"
#include "mega_test_files.h"
#include "mega_test_port.h"

enum {
    MOST = 3,
    COUNT = 10001
};

static mega_message message;
static cuda_compute compute;
static float numbers[COUNT];

// ---- a compute whose memory is the host's ------------------------------------------------------------

static int copy(mega_compute *of, void *to, const void *from, size_t size, mega_message *why) {
    (void)of, (void)why;
    memcpy(to, from, size);
    return 0;
}
static const mega_compute_ops ops = {.upload = copy, .download = copy};

static void open_compute(uint32_t gpu) {
    memset(&compute, 0, sizeof compute);
    MEGA_CHECK_EQ(cuda_device_open((int32_t)gpu, &compute.device), MEGA_OK);
    compute.driver = compute.device->driver;
    MEGA_CHECK_EQ(cuda_device_enter(compute.device), MEGA_OK);
    MEGA_CHECK_EQ(compute.driver->cuStreamCreate(&compute.stream, 0), CUDA_SUCCESS);
    compute.base.ops = &ops;
    compute.base.collective = &mega_collective_cuda;
    compute.base.stream = compute.stream;
}

static long stays; // a thread that NCCL does not let go of keeps the device entered
static void close_compute(void) {
    MEGA_CHECK_EQ(compute.driver->cuStreamDestroy(compute.stream), CUDA_SUCCESS);
    cuda_device_leave(compute.device);
    cuda_device_close(compute.device);
    MEGA_CHECK(mega_test_cuda_ask("fake_cuda_held") <= stays);
}

// ---- processes ---------------------------------------------------------------------------------------

static double seconds(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

typedef void rank_function(mega_dist *dist);

static void be_rank(uint32_t rank, rank_function *function) {
    mega_dist *dist = NULL;
    mega_test_checks = mega_test_failures = 0;
    test_set_number("RANK", rank);
    alarm(30); // nobody stays behind, and if so, the test ends
    MEGA_CHECK_EQ(mega_dist_open(MEGA_DIST_TCP, 20.0, &dist, &message), 0);
    if (dist != NULL) {
        function(dist);
        mega_dist_close(dist);
    }
    exit(mega_test_failures != 0);
}

// Runs the function in so many processes, with a list of "NAME=value ". The one with the number `killed` has to be.
static void run_but(uint32_t count, uint32_t killed, const char *settings, rank_function *function) {
    pid_t children[MOST];
    const double start = seconds();
    setenv("MASTER_ADDR", "127.0.0.1", 1);
    test_set_number("MASTER_PORT", test_free_port());
    test_set_number("WORLD_SIZE", count);
    fflush(NULL);
    for (uint32_t rank = 0; rank < count; rank++) {
        children[rank] = fork();
        if (children[rank] == 0) {
            char copied[512], *save = NULL;
            snprintf(copied, sizeof copied, "%s", settings);
            for (char *one = strtok_r(copied, " ", &save); one != NULL; one = strtok_r(NULL, " ", &save)) {
                *strchr(one, '=') = '\0';
                setenv(one, one + strlen(one) + 1, 1);
            }
            be_rank(rank, function);
        }
    }
    for (uint32_t rank = 0; rank < count; rank++) {
        int status = -1;
        MEGA_CHECK_EQ(waitpid(children[rank], &status, 0), children[rank]);
        const bool is_well = rank == killed ? WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL
                                            : WIFEXITED(status) && WEXITSTATUS(status) == 0;
        mega_test_check(is_well, settings, __FILE__, __LINE__);
    }
    MEGA_CHECK(seconds() - start < 20);
}

static void run(uint32_t count, const char *settings, rank_function *function) {
    run_but(count, MOST, settings, function);
}

// ---- means -------------------------------------------------------------------------------------------

static uint32_t how;        // MEGA_REDUCE_*, and the rest of what the processes do
static bool share_gpu;      // all have the same
static const char *expects; // a part of what is said

static void says(const char *text) {
    mega_test_check(strstr(text, expects) != NULL, text, __FILE__, __LINE__);
}

static float number_of(uint32_t rank, size_t i) {
    return (float)((i * 2654435761u + rank * 40503u) % 100003) / 977.0f - 40.0f;
}

static void fill(uint32_t rank) {
    for (size_t i = 0; i < COUNT; i++) {
        numbers[i] = number_of(rank, i);
    }
}

// NCCL divides first, the host at last.
static void check_means(uint32_t ranks, bool is_nccl) {
    const float share = 1.0f / (float)ranks;
    float expected[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        expected[i] = number_of(0, i) * (is_nccl ? share : 1.0f);
        for (uint32_t rank = 1; rank < ranks; rank++) {
            expected[i] += number_of(rank, i) * (is_nccl ? share : 1.0f);
        }
        expected[i] *= is_nccl ? 1.0f : share;
    }
    MEGA_CHECK_BYTES(numbers, expected, sizeof expected);
}

static int create(mega_dist *dist, mega_reduce **out) {
    open_compute(share_gpu ? 0 : dist->rank);
    const mega_reduce_desc desc = {
        .dist = dist, .compute = &compute.base, .how = how, .count = COUNT, .join_seconds = 1};
    return mega_reduce_create(&desc, out, &message);
}

static int average(mega_reduce *reduce) {
    return mega_reduce_average(reduce, numbers, &message) < 0 ? -1 : mega_reduce_wait(reduce, &message);
}

// All goes well: by NCCL if that is what was asked for, or what `expects` names.
static void take_means(mega_dist *dist) {
    mega_reduce *reduce = NULL;
    MEGA_CHECK_EQ(create(dist, &reduce), 0);
    if (reduce != NULL) {
        const bool is_nccl = strcmp(mega_reduce_name(reduce), "nccl") == 0;
        MEGA_CHECK_EQ(is_nccl, strncmp(expects, "NCCL", 4) == 0);
        says(mega_reduce_about(reduce));
        if (is_nccl) { // what the user has chosen stays
            const char *nvls = getenv("NCCL_NVLS_ENABLE"), *connect = getenv("NCCL_RUNTIME_CONNECT");
            MEGA_CHECK(connect != NULL && strcmp(connect, "0") == 0);
            MEGA_CHECK(nvls != NULL && strcmp(nvls, dist->size == 1 ? "2" : "0") == 0);
        }
        for (int i = 0; i < 3; i++) {
            fill(dist->rank);
            MEGA_CHECK_EQ(average(reduce), 0);
            check_means(dist->size, is_nccl);
        }
    } else {
        MEGA_FAIL(message.text);
    }
    mega_reduce_destroy(reduce);
    close_compute();
}

static void means(uint32_t ranks, uint32_t by, const char *about, const char *settings) {
    how = by;
    expects = about;
    run(ranks, settings, take_means);
}

// Waits for others that have left, or that were not told: the log says how each of them ended.
static void check_log(uint32_t lines, const char *text) {
    char line[256];
    uint32_t count = 0;
    FILE *log = fopen(getenv("FAKE_NCCL_LOG"), "r");
    while (log != NULL && fgets(line, sizeof line, log) != NULL) {
        count++;
        mega_test_check(strstr(line, text) != NULL, line, __FILE__, __LINE__);
    }
    MEGA_CHECK_EQ(count, lines);
    if (log != NULL) {
        fclose(log);
        MEGA_CHECK_EQ(remove(getenv("FAKE_NCCL_LOG")), 0);
    }
}

static void test_means(void) {
    means(3, MEGA_REDUCE_NCCL, "NCCL 2.28.9", "");
    check_log(3, "3 means of 10001 numbers, destroyed");
    means(2, MEGA_REDUCE_AUTO, "NCCL 2.28.9", "");
    check_log(2, "3 means of 10001 numbers, destroyed");
    means(3, MEGA_REDUCE_HOST, "the host's memory", "MEGACADE_NCCL=/nowhere");
    means(1, MEGA_REDUCE_NCCL, "NCCL 2.11.4", "FAKE_NCCL_VERSION=21104 NCCL_NVLS_ENABLE=2"); // forced
    check_log(1, "3 means of 10001 numbers, destroyed");
}

// By itself it does what can be done.
static void test_auto(void) {
    share_gpu = true;
    means(3, MEGA_REDUCE_AUTO, "the host's memory: ranks 0 and 1 are on the same GPU", "");
    share_gpu = false;
    means(2, MEGA_REDUCE_AUTO, "the host's memory: rank 0 has no NCCL", "MEGACADE_NCCL=/nowhere");
    means(2, MEGA_REDUCE_AUTO, "rank 1 has NCCL 2.20.5 and rank 0 has 2.28.9",
          "FAKE_NCCL_VERSION=22005 FAKE_NCCL_RANK=1");
    means(2, MEGA_REDUCE_AUTO, "the host's memory: rank 1 has no NCCL",
          "FAKE_NCCL_VERSION=2804 FAKE_NCCL_RANK=1");
    check_log(0, "");
}

static void be_alone(mega_dist *dist) {
    mega_reduce *reduce = (mega_reduce *)1;
    MEGA_CHECK_EQ(create(dist, &reduce), 0);
    MEGA_CHECK(reduce == NULL);
    mega_reduce_destroy(reduce);
    close_compute();
}

// ---- what cannot be ----------------------------------------------------------------------------------

// All have the same sentence, and can still talk.
static void refuse(mega_dist *dist) {
    mega_reduce *reduce = (mega_reduce *)1;
    MEGA_CHECK_EQ(create(dist, &reduce), -1);
    MEGA_CHECK(reduce == NULL);
    says(message.text);
    MEGA_CHECK_EQ(dist->ops->barrier(dist, &message), 0);
    close_compute();
}

static void refused(uint32_t ranks, const char *part, const char *settings) {
    how = MEGA_REDUCE_NCCL;
    expects = part;
    run(ranks, settings, refuse);
}

static void refuse_cpu(mega_dist *dist) {
    mega_compute cpu = {.ops = &ops};
    const mega_reduce_desc desc = {.dist = dist, .compute = &cpu, .how = how, .count = COUNT};
    mega_reduce *reduce;
    MEGA_CHECK_EQ(mega_reduce_create(&desc, &reduce, &message), -1);
    says(message.text);
}

static void test_refusals(void) {
    refused(2, "NCCL was not found; `pip install nvidia-nccl-cu13`", "MEGACADE_NCCL=/nowhere");
    refused(2, "nvidia-nccl-cu12`", "MEGACADE_NCCL=/nowhere FAKE_CUDA_VERSION=12040");
    refused(2, "lacks ncclGetVersion", "MEGACADE_NCCL=" MEGA_FAKE_CUDA);
    refused(3, "rank 1: NCCL 2.8.4 is too old: 2.10.0 is needed", "FAKE_NCCL_VERSION=2804 FAKE_NCCL_RANK=1");
    refused(1, "NCCL 2.9.6 is too old", "FAKE_NCCL_VERSION=20906");
    refused(3, "reduce = nccl cannot be: rank 2 has NCCL 2.20.5 and rank 0 has 2.28.9; all need the same",
            "FAKE_NCCL_VERSION=22005 FAKE_NCCL_RANK=2");
    share_gpu = true;
    refused(2, "reduce = nccl cannot be: ranks 0 and 1 are on the same GPU", "");
    share_gpu = false;
    check_log(0, "");
    expects = "this device is none";
    run(2, "", refuse_cpu);
}

static void lose_in_join(mega_dist *dist) {
    mega_reduce *reduce = NULL;
    MEGA_CHECK_EQ(create(dist, &reduce), -1);
    MEGA_CHECK(reduce == NULL);
    says(message.text);
    close_compute();
}

static void test_joining(void) {
    stays = 1;
    refused(2, "ncclGetUniqueId failed: unhandled system error (NCCL's result 2)", "FAKE_NCCL_KEY=2");
    refused(2,
            "rank 1: ncclCommInitRank failed: unhandled system error (NCCL's result 2); reduce = host does",
            "FAKE_NCCL_INIT=2 FAKE_NCCL_RANK=1");
    refused(2, "ncclCommInitRank failed", "FAKE_NCCL_INIT=2");
    refused(2, "NCCL has not connected the processes within 1 seconds", "FAKE_NCCL_INIT=-1 FAKE_NCCL_RANK=1");
    how = MEGA_REDUCE_AUTO; // it could be, and failed: whoever does not want it says so
    run(2, "FAKE_NCCL_INIT=-1 FAKE_NCCL_RANK=1", refuse);
    how = MEGA_REDUCE_NCCL;
    expects = "rank 2 is gone";
    run_but(3, 2, "FAKE_NCCL_INIT=-2 FAKE_NCCL_RANK=2", lose_in_join);
    stays = 0;
}

// ---- sudden ends -------------------------------------------------------------------------------------

// One of them leaves after the first mean; the others notice while they wait for the second.
static const char *leaves;
static void lose_in_mean(mega_dist *dist) {
    mega_reduce *reduce = NULL;
    MEGA_CHECK_EQ(create(dist, &reduce), 0);
    fill(dist->rank);
    MEGA_CHECK_EQ(average(reduce), 0);
    if (dist->rank == 2 && strcmp(leaves, "killed") == 0) {
        raise(SIGKILL);
    }
    if (dist->rank == 2 && strcmp(leaves, "failed") == 0) {
        dist->ops->abort(dist);
    } else {
        const double since = seconds();
        MEGA_CHECK_EQ(average(reduce), -1);
        MEGA_CHECK(seconds() - since < 5);
        says(message.text);
        MEGA_CHECK_EQ(average(reduce), -1);
        MEGA_CHECK(strcmp(message.text, "NCCL does not connect the processes any more") == 0);
    }
    mega_reduce_destroy(reduce);
    close_compute();
}

static void test_ends(void) {
    how = MEGA_REDUCE_NCCL;
    expects = "rank 2 is gone";
    leaves = "killed";
    run_but(3, 2, "", lose_in_mean);
    check_log(2, "2 means of 10001 numbers, aborted");
    // NCCL may notice it first.
    run_but(3, 2, "FAKE_NCCL_ERROR=6 FAKE_NCCL_AFTER=1", lose_in_mean);
    check_log(2, "2 means of 10001 numbers, aborted");
    run_but(3, 2, "FAKE_NCCL_REDUCE=6 FAKE_NCCL_AFTER=1", lose_in_mean);
    check_log(2, "2 means of 10001 numbers, aborted");
    leaves = "failed";
    expects = "rank 2 has failed and ends; it has said why";
    run(3, "", lose_in_mean);
    check_log(3, " means of 10001 numbers, aborted");
    leaves = "nobody";
    expects =
        "a mean over all GPUs failed: remote process exited or there was a network error (NCCL's result 6)";
    run(3, "FAKE_NCCL_ERROR=6 FAKE_NCCL_AFTER=1", lose_in_mean);
    check_log(3, "2 means of 10001 numbers, aborted");
    run(2, "FAKE_NCCL_REDUCE=6 FAKE_NCCL_AFTER=1", lose_in_mean);
    check_log(2, "2 means of 10001 numbers, aborted");
}

static void test_version_text(void) {
    char text[MEGA_COLLECTIVE_VERSION_SIZE];
    mega_collective_version(22809, text);
    MEGA_CHECK(strcmp(text, "2.28.9") == 0);
    mega_collective_version(21000, text);
    MEGA_CHECK(strcmp(text, "2.10.0") == 0);
    mega_collective_version(2804, text);
    MEGA_CHECK(strcmp(text, "2.8.4") == 0);
}

int main(void) {
    unsetenv("NCCL_NVLS_ENABLE");
    unsetenv("NCCL_RUNTIME_CONNECT");
    unsetenv("LOCAL_RANK");
    unsetenv("LOCAL_WORLD_SIZE");
    unsetenv("TORCHELASTIC_USE_AGENT_STORE");
    setenv("MEGACADE_LIBCUDA", MEGA_FAKE_CUDA, 1);
    setenv("MEGACADE_NCCL", MEGA_FAKE_NCCL, 1);
    setenv("FAKE_CUDA_DEVICES", "3", 1);
    setenv("FAKE_NCCL_LOG", mega_test_path("log"), 1);
    test_version_text();
    test_means();
    test_auto();
    how = MEGA_REDUCE_AUTO;
    run(1, "", be_alone);
    test_refusals();
    test_joining();
    test_ends();
    mega_test_remove_files();
    return mega_test_result();
}
