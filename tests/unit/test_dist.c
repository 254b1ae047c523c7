// test_dist.c - processes that train together: alone, and over TCP on this machine. tests/cli/dist.sh has MPI.
#include "mega_test_dist.h"
#include "mega_test_port.h"

#include <arpa/inet.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    MOST = 4 // ranks
};

static mega_message message;

// ---- processes ---------------------------------------------------------------------------------------

static void pause_milliseconds(long milliseconds) {
    const struct timespec pause = {.tv_sec = milliseconds / 1000, .tv_nsec = milliseconds % 1000 * 1000000};
    (void)nanosleep(&pause, NULL);
}

static double seconds(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void clear_variables(void) {
    static const char *const names[] = {"RANK",
                                        "WORLD_SIZE",
                                        "MASTER_ADDR",
                                        "MASTER_PORT",
                                        "LOCAL_RANK",
                                        "LOCAL_WORLD_SIZE",
                                        "OMPI_COMM_WORLD_SIZE",
                                        "PMI_SIZE",
                                        "MV2_COMM_WORLD_SIZE",
                                        "SLURM_STEP_NUM_TASKS",
                                        "TORCHELASTIC_USE_AGENT_STORE",
                                        "MEGACADE_MPI"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        unsetenv(names[i]);
    }
}

static void set_ranks(const char *host, uint16_t port, uint32_t size) {
    clear_variables();
    setenv("MASTER_ADDR", host, 1);
    test_set_number("MASTER_PORT", port);
    test_set_number("WORLD_SIZE", size);
}

typedef void rank_function(mega_dist *dist);

// A child's checks are its own; its exit code tells the parent.
static void be_rank(uint32_t rank, rank_function *function) {
    mega_test_checks = 0;
    mega_test_failures = 0;
    test_set_number("RANK", rank);
    mega_dist *dist = NULL;
    MEGA_CHECK_EQ(mega_dist_open(MEGA_DIST_TCP, 20.0, &dist, &message), 0);
    if (dist == NULL) {
        fprintf(stderr, "rank %u: %s\n", rank, message.text);
    } else {
        MEGA_CHECK_EQ(dist->rank, rank);
        function(dist);
    }
    exit(mega_test_checks == 0 || mega_test_failures != 0);
}

static void start_ranks(uint32_t count, rank_function *function, pid_t *children) {
    for (uint32_t rank = 0; rank < count; rank++) {
        children[rank] = fork();
        MEGA_CHECK(children[rank] >= 0);
        if (children[rank] == 0) {
            be_rank(rank, function);
        }
    }
}

static void end_ranks(uint32_t count, const pid_t *children) {
    for (uint32_t rank = 0; rank < count; rank++) {
        int status = -1;
        MEGA_CHECK_EQ(waitpid(children[rank], &status, 0), children[rank]);
        MEGA_CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
}

static void run_ranks(const char *host, uint32_t count, rank_function *function) {
    pid_t children[MOST];
    set_ranks(host, test_free_port(), count);
    start_ranks(count, function, children);
    end_ranks(count, children);
}

// ---- all is well -------------------------------------------------------------------------------------

static void test_none(void) {
    mega_dist *dist = NULL;
    clear_variables();
    MEGA_CHECK_EQ(mega_dist_open(MEGA_DIST_AUTO, 1.0, &dist, &message), 0);
    MEGA_CHECK(strcmp(dist->ops->name, "none") == 0);
    MEGA_CHECK_EQ(dist->size, 1);
    MEGA_CHECK_EQ(dist->local_size, 1);
    mega_test_dist_all(dist, 100000);
    mega_dist_close(dist);
    mega_dist_close(NULL);
    mega_store_destroy(NULL);
}

// Threads of one process may share its store.
static void *update_plain(void *argument) {
    mega_store *store = argument;
    mega_message own;
    for (uint32_t i = 0; i < 25000; i++) {
        void *bytes = NULL;
        int64_t before;
        MEGA_CHECK_EQ(store->dist->ops->lock_chunk(store, i % store->chunks, &bytes, &own), 0);
        ++*(uint32_t *)bytes;
        MEGA_CHECK_EQ(store->dist->ops->unlock_chunk(store, i % store->chunks, &own), 0);
        MEGA_CHECK_EQ(store->dist->ops->count(store, 3, 1, &before, &own), 0);
    }
    return NULL;
}

static void test_threads(void) {
    mega_dist *dist = NULL;
    mega_store *store = NULL;
    pthread_t threads[MOST];
    MEGA_CHECK_EQ(mega_dist_open(MEGA_DIST_NONE, 1.0, &dist, &message), 0);
    MEGA_CHECK_EQ(mega_store_create(dist, 4, 5, &store, &message), 0);
    for (int i = 0; i < MOST; i++) {
        MEGA_CHECK_EQ(pthread_create(&threads[i], NULL, update_plain, store), 0);
    }
    for (int i = 0; i < MOST; i++) {
        MEGA_CHECK_EQ(pthread_join(threads[i], NULL), 0);
    }
    mega_test_dist_total(dist, store, 100000);
    mega_store_destroy(store);
    mega_dist_close(dist);
}

static void talk(mega_dist *dist) {
    MEGA_CHECK(strcmp(dist->ops->name, "tcp") == 0);
    MEGA_CHECK_EQ(dist->local_rank, dist->rank); // all have this machine's name
    MEGA_CHECK_EQ(dist->local_size, dist->size);
    mega_test_dist_all(dist, dist->size == MOST ? 100000 : 5000);
    mega_dist_close(dist);
}

static void meet(mega_dist *dist) {
    mega_test_dist_gather(dist, 100);
    mega_dist_close(dist);
}

static void part_1(mega_dist *dist) {
    mega_test_dist_part(dist, 1);
    mega_dist_close(dist);
}

static void part_2(mega_dist *dist) {
    mega_test_dist_part(dist, 2);
    mega_dist_close(dist);
}

static bool has_ipv6(void) {
    const struct sockaddr_in6 address = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    const int handle = socket(AF_INET6, SOCK_STREAM, 0);
    const bool has = handle >= 0 && bind(handle, (const struct sockaddr *)&address, sizeof address) == 0;
    if (handle >= 0) {
        close(handle);
    }
    return has;
}

static void test_tcp(void) {
    run_ranks("127.0.0.1", 1, talk);
    run_ranks("127.0.0.1", 2, talk);
    run_ranks("127.0.0.1", 4, talk);
    run_ranks("localhost", 3, meet);
    if (has_ipv6()) {
        run_ranks("::1", 3, meet);
    }
    char name[256] = "";
    (void)gethostname(name, sizeof name - 1);
    run_ranks(name, 3, meet); // rank 0 listens on all networks
    run_ranks("127.0.0.1", 2, part_1);
    run_ranks(name, 3, part_1);
    run_ranks("127.0.0.1", 4, part_2);
}

// torchrun listens at MASTER_PORT itself.
static void test_torchrun(void) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    pid_t children[MOST];
    const int handle = socket(AF_INET, SOCK_STREAM, 0);
    MEGA_CHECK(bind(handle, (struct sockaddr *)&address, size) == 0 && listen(handle, 5) == 0);
    MEGA_CHECK(getsockname(handle, (struct sockaddr *)&address, &size) == 0);
    set_ranks("127.0.0.1", ntohs(address.sin_port), 2);
    setenv("TORCHELASTIC_USE_AGENT_STORE", "True", 1);
    start_ranks(2, meet, children);
    end_ranks(2, children);
    close(handle);
}

// Two on each of two machines, as their launcher has it.
static void check_local(mega_dist *dist) {
    MEGA_CHECK_EQ(dist->local_rank, dist->rank % 2);
    MEGA_CHECK_EQ(dist->local_size, 2);
    mega_dist_close(dist);
}

static void test_local(void) {
    pid_t children[MOST];
    set_ranks("127.0.0.1", test_free_port(), 4);
    test_set_number("LOCAL_WORLD_SIZE", 2);
    for (uint32_t rank = 0; rank < 4; rank++) {
        test_set_number("LOCAL_RANK", rank % 2);
        children[rank] = fork();
        if (children[rank] == 0) {
            be_rank(rank, check_local);
        }
    }
    end_ranks(4, children);
}

// ---- failures ----------------------------------------------------------------------------------------

static void refuses(mega_dist_kind kind, const char *part) {
    mega_dist *dist = (mega_dist *)1;
    MEGA_CHECK_EQ(mega_dist_open(kind, 0.3, &dist, &message), -1);
    MEGA_CHECK(dist == NULL);
    MEGA_CHECK(strstr(message.text, part) != NULL);
    if (strstr(message.text, part) == NULL) {
        fprintf(stderr, "no '%s' in '%s'\n", part, message.text);
    }
}

static void refuses_with(const char *name, const char *value, const char *part) {
    set_ranks("127.0.0.1", test_free_port(), 2);
    setenv("RANK", "0", 1);
    setenv(name, value, 1);
    refuses(MEGA_DIST_TCP, part);
}

static void test_variables(void) {
    clear_variables();
    refuses(MEGA_DIST_TCP, "WORLD_SIZE is not set");
    refuses_with("RANK", "", "RANK is not set");
    refuses_with("RANK", "2", "RANK is '2'; it has to be a number from 0 to 1");
    refuses_with("RANK", "-1", "RANK is '-1'");
    refuses_with("RANK", "1x", "RANK is '1x'");
    refuses_with("WORLD_SIZE", "0", "WORLD_SIZE is '0'");
    refuses_with("WORLD_SIZE", "99999999999999999999", "WORLD_SIZE is '9999");
    refuses_with("WORLD_SIZE", "513", "WORLD_SIZE is '513'");
    refuses_with("MASTER_ADDR", "", "MASTER_ADDR is not set");
    refuses_with("MASTER_PORT", "", "MASTER_PORT is not set");
    refuses_with("MASTER_PORT", "0", "MASTER_PORT is '0'");
    refuses_with("MASTER_PORT", "65536", "MASTER_PORT is '65536'");
    refuses_with("LOCAL_RANK", "2", "LOCAL_RANK is '2'");
    refuses_with("LOCAL_RANK", "zero", "LOCAL_RANK is 'zero'");
    refuses_with("RANK", "0", "rank 1 has not come within 0.3 seconds");
    refuses_with("RANK", "1", "cannot reach rank 0 at 127.0.0.1 port");
    set_ranks("no.such.host.invalid", 4000, 2);
    test_set_number("RANK", 1);
    refuses(MEGA_DIST_TCP, "cannot reach rank 0 at no.such.host.invalid port 4000");
    setenv("MEGACADE_MPI", "/no/such/module.so", 1);
    refuses(MEGA_DIST_MPI, "/no/such/module.so");
    setenv("OMPI_COMM_WORLD_SIZE", "4", 1);
    refuses(MEGA_DIST_AUTO, "/no/such/module.so");
}

// A port that somebody else listens at; and what is listening is not one of us.
static void test_taken_port(void) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    const int handle = socket(AF_INET, SOCK_STREAM, 0);
    MEGA_CHECK(bind(handle, (struct sockaddr *)&address, size) == 0 && listen(handle, 5) == 0);
    MEGA_CHECK(getsockname(handle, (struct sockaddr *)&address, &size) == 0);
    set_ranks("127.0.0.1", ntohs(address.sin_port), 2);
    test_set_number("RANK", 0);
    refuses(MEGA_DIST_TCP, "choose another MASTER_PORT");
    const pid_t child = fork();
    if (child == 0) {
        const int guest = accept(handle, NULL, NULL);
        const char text[] = "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n";
        (void)!write(guest, text, sizeof text);
        pause_milliseconds(300);
        _exit(0);
    }
    test_set_number("RANK", 1);
    refuses(MEGA_DIST_TCP, "rank 0 sends what is no message of Megacade's");
    (void)waitpid(child, NULL, 0);
    close(handle);
}

// Those who find each other are not of one run.
static void test_mismatch(void) {
    set_ranks("127.0.0.1", test_free_port(), 3);
    const pid_t child = fork();
    if (child == 0) {
        test_set_number("RANK", 0);
        mega_dist *dist = NULL;
        _exit(mega_dist_open(MEGA_DIST_TCP, 1.0, &dist, &message) == -1 ? 0 : 1);
    }
    mega_dist *dist = NULL;
    test_set_number("RANK", 1);
    test_set_number("WORLD_SIZE", 2);
    MEGA_CHECK_EQ(mega_dist_open(MEGA_DIST_TCP, 5.0, &dist, &message), -1);
    MEGA_CHECK(strcmp(message.text, "WORLD_SIZE is 2 here, but 3 for rank 0; all ranks need the same") == 0);
    end_ranks(1, &child);
}

// Others than rank 2 hear at once that it is gone, whatever they are doing.
static void hear_of_2(mega_dist *dist, double since) {
    const char *expected = "rank 2 is gone: it has ended, or its connection is lost";
    MEGA_CHECK(strcmp(message.text, expected) == 0);
    MEGA_CHECK(seconds() - since < 3.0);
    if (strcmp(message.text, expected) != 0) {
        fprintf(stderr, "rank %u: %s\n", dist->rank, message.text);
    }
    mega_dist_close(dist);
}

static void lose_2_in_sum(mega_dist *dist) {
    enum {
        COUNT = 500000
    };
    float *numbers = calloc(COUNT, sizeof *numbers);
    MEGA_CHECK_EQ(dist->ops->sum_floats(dist, numbers, COUNT, &message), 0);
    if (dist->rank == 2) {
        pause_milliseconds(300);
        raise(SIGKILL);
    }
    const double since = seconds();
    MEGA_CHECK_EQ(dist->ops->sum_floats(dist, numbers, COUNT, &message), -1);
    free(numbers);
    hear_of_2(dist, since);
}

// Rank 0 waits for rank 1 alone, which waits for rank 2.
static void lose_2_indirectly(mega_dist *dist) {
    uint8_t byte = 0;
    if (dist->rank == 2) {
        pause_milliseconds(300);
        raise(SIGKILL);
    }
    const double since = seconds();
    MEGA_CHECK_EQ(dist->ops->receive(dist, &byte, 1, (dist->rank + 1) % 3, &message), -1);
    hear_of_2(dist, since);
}

// Rank 2 dies with a chunk that all others want.
static void lose_2_with_chunk(mega_dist *dist) {
    mega_store *store = NULL;
    void *bytes = NULL;
    MEGA_CHECK_EQ(mega_store_create(dist, 100, 2, &store, &message), 0);
    if (dist->rank == 2) {
        MEGA_CHECK_EQ(dist->ops->lock_chunk(store, 1, &bytes, &message), 0);
    }
    MEGA_CHECK_EQ(dist->ops->barrier(dist, &message), 0);
    if (dist->rank == 2) {
        pause_milliseconds(300);
        raise(SIGKILL);
    }
    const double since = seconds();
    MEGA_CHECK_EQ(dist->ops->lock_chunk(store, 1, &bytes, &message), -1);
    MEGA_CHECK(strcmp(message.text, "rank 2 is gone while it had chunk 1 of the store") == 0);
    int64_t before;
    MEGA_CHECK_EQ(dist->ops->count(store, 0, 1, &before, &message), -1);
    MEGA_CHECK(seconds() - since < 3.0);
    mega_store_destroy(store);
    mega_dist_close(dist);
}

// Rank 2 is a guest of rank 0, which waits for it.
static void lose_guest(mega_dist *dist) {
    uint8_t byte = 0;
    MEGA_CHECK_EQ(mega_dist_part(dist, 1, &message), 0);
    if (dist->rank == 2) {
        pause_milliseconds(300);
        raise(SIGKILL);
    }
    const double since = seconds();
    if (dist->rank == 0) {
        MEGA_CHECK_EQ(mega_wire_receive(&dist->wires[1], &byte, 1, &message), -1);
        hear_of_2(dist, since);
    } else {
        MEGA_CHECK_EQ(mega_wire_receive(&dist->wires[0], &byte, 1, &message), -1);
        MEGA_CHECK(strstr(message.text, "rank 0 is gone") != NULL);
        mega_dist_close(dist);
    }
}

// Watches until that fails, for five seconds at most.
static void watch_on(mega_dist *dist) {
    const double since = seconds();
    int status = 0;
    while (status == 0 && seconds() - since < 5.0) {
        pause_milliseconds(10);
        status = dist->ops->watch(dist, &message);
    }
    MEGA_CHECK_EQ(status, -1);
}

// What rank 2 has said is not read yet.
static void lose_2_while_watching(mega_dist *dist) {
    const uint32_t word = 7;
    MEGA_CHECK_EQ(dist->ops->barrier(dist, &message), 0);
    MEGA_CHECK_EQ(dist->ops->watch(dist, &message), 0);
    if (dist->rank == 2) {
        MEGA_CHECK_EQ(dist->ops->send(dist, &word, sizeof word, 0, &message), 0);
        pause_milliseconds(300);
        raise(SIGKILL);
    }
    const double since = seconds();
    watch_on(dist);
    hear_of_2(dist, since);
}

static void test_killed(rank_function *function) {
    pid_t children[MOST];
    set_ranks("127.0.0.1", test_free_port(), 3);
    start_ranks(3, function, children);
    end_ranks(2, children);
    int status = 0;
    MEGA_CHECK_EQ(waitpid(children[2], &status, 0), children[2]);
    MEGA_CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

static void abort_1(mega_dist *dist) {
    if (dist->rank == 1) {
        dist->ops->abort(dist);
    } else {
        MEGA_CHECK_EQ(dist->ops->barrier(dist, &message), -1);
        MEGA_CHECK(strcmp(message.text, "rank 1 has failed and ends; it has said why") == 0);
        MEGA_CHECK_EQ(dist->ops->barrier(dist, &message), -1);
    }
    mega_dist_close(dist);
}

static void abort_1_while_watching(mega_dist *dist) {
    MEGA_CHECK_EQ(dist->ops->barrier(dist, &message), 0);
    MEGA_CHECK_EQ(dist->ops->watch(dist, &message), 0);
    MEGA_CHECK_EQ(dist->ops->barrier(dist, &message), 0);
    if (dist->rank == 1) {
        dist->ops->abort(dist);
        MEGA_CHECK_EQ(dist->ops->watch(dist, &message), -1);
    } else {
        watch_on(dist);
        MEGA_CHECK(strcmp(message.text, "rank 1 has failed and ends; it has said why") == 0);
        MEGA_CHECK_EQ(dist->ops->watch(dist, &message), -1);
        MEGA_CHECK_EQ(dist->ops->barrier(dist, &message), -1);
    }
    mega_dist_close(dist);
}

// Guests have ended before, which is no loss to those who watch.
static void abort_1_without_guests(mega_dist *dist) {
    MEGA_CHECK_EQ(mega_dist_part(dist, 2, &message), 0);
    if (dist->rank >= 2) {
        mega_dist_close(dist);
        return;
    }
    pause_milliseconds(300);
    abort_1_while_watching(dist);
}

static void differ(mega_dist *dist) {
    float numbers[2] = {0};
    MEGA_CHECK_EQ(dist->ops->sum_floats(dist, numbers, 1 + (dist->rank == 1), &message), -1);
    MEGA_CHECK(strstr(message.text, "is at another step") != NULL);
    mega_dist_close(dist);
}

// ---- strangers ---------------------------------------------------------------------------------------

static int visit(uint16_t port) {
    const struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    for (int i = 0; i < 100; i++) {
        const int handle = socket(AF_INET, SOCK_STREAM, 0);
        if (connect(handle, (const struct sockaddr *)&address, sizeof address) == 0) {
            return handle;
        }
        close(handle);
        pause_milliseconds(20);
    }
    return -1;
}

// Silence, a part of a word, nonsense at length, leaving at once, and more of them than there are seats.
static void disturb(uint16_t port) {
    static uint8_t noise[100000];
    int handles[150];
    mega_test_dist_fill(noise, sizeof noise, 7);
    for (int i = 0; i < 150; i++) {
        handles[i] = visit(port);
        if (i % 3 == 1) {
            (void)send(handles[i], noise, 5, MSG_NOSIGNAL | MSG_DONTWAIT);
        } else if (i % 3 == 2) {
            (void)send(handles[i], noise, sizeof noise, MSG_NOSIGNAL | MSG_DONTWAIT);
        }
        if (i % 5 == 0) {
            close(handles[i]);
        }
    }
    pause_milliseconds(1500);
    _exit(0);
}

static void test_strangers(void) {
    pid_t children[MOST];
    const uint16_t port = test_free_port();
    set_ranks("127.0.0.1", port, 4);
    start_ranks(1, talk, children);
    const pid_t stranger = fork();
    if (stranger == 0) {
        disturb(port);
    }
    pause_milliseconds(500);
    for (uint32_t rank = 1; rank < 4; rank++) {
        children[rank] = fork();
        if (children[rank] == 0) {
            be_rank(rank, talk);
        }
    }
    end_ranks(4, children);
    (void)waitpid(stranger, NULL, 0);
}

int main(void) {
    test_variables();
    test_taken_port();
    test_mismatch();
    test_none();
    test_threads();
    test_tcp();
    test_torchrun();
    test_local();
    test_killed(lose_2_in_sum);
    test_killed(lose_2_indirectly);
    test_killed(lose_2_with_chunk);
    test_killed(lose_guest);
    test_killed(lose_2_while_watching);
    run_ranks("127.0.0.1", 3, abort_1);
    run_ranks("127.0.0.1", 3, abort_1_while_watching);
    run_ranks("127.0.0.1", 4, abort_1_without_guests);
    run_ranks("127.0.0.1", 2, differ);
    test_strangers();
    return mega_test_result();
}
