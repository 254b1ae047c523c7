// dist_check.c - what ranks have to be able to do together, as a program for mpirun or torchrun to start.
//
//     dist_check mpi|tcp|auto [UPDATES]       all checks; UPDATES of the store, of all ranks together
//     dist_check mpi|tcp|auto --kill RANK     the rank is killed while the others go on, who have to fail
//     dist_check mpi|tcp|auto --abort RANK    the rank calls abort() instead
//     dist_check mpi|tcp|auto --part HOSTS    the other ranks part from the first ones
//
// Rank 0 writes one line about who has met.
#include "mega_test_dist.h"

#include <signal.h>
#include <time.h>

static mega_dist_kind kind_named(const char *name) {
    for (int i = 0; mega_dist_kind_names[i] != NULL; i++) {
        if (strcmp(mega_dist_kind_names[i], name) == 0) {
            return (mega_dist_kind)i;
        }
    }
    fprintf(stderr, "dist_check: unknown kind '%s'\n", name);
    exit(2);
}

// The others wait until a call fails, and say why.
static int leave_one(mega_dist *dist, const char *how, uint32_t rank) {
    mega_message message;
    for (int i = 0; i < 10; i++) {
        if (dist->ops->barrier(dist, &message) != 0) {
            return 1;
        }
    }
    if (dist->rank == rank && strcmp(how, "--kill") == 0) {
        raise(SIGKILL);
    }
    if (dist->rank == rank) {
        dist->ops->abort(dist);
        mega_dist_close(dist);
        return 1;
    }
    float number = 1.0f;
    while (dist->ops->sum_floats(dist, &number, 1, &message) == 0) {}
    fprintf(stderr, "dist_check: rank %u: %s\n", dist->rank, message.text);
    mega_dist_close(dist);
    return 1;
}

static double seconds(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// How long a gradient of a usual network takes, and an update of the store: to know, not to check.
static void measure(mega_dist *dist) {
    enum {
        COUNT = 1700000,
        TIMES = 10
    };
    mega_message message;
    float *numbers = calloc(COUNT, sizeof *numbers);
    const double start = seconds();
    for (int i = 0; i < TIMES && dist->ops->sum_floats(dist, numbers, COUNT, &message) == 0; i++) {}
    const double each = (seconds() - start) / TIMES;
    if (dist->rank == 0) {
        printf("%s: %u ranks, %u of them here; %d floats are summed in %.1f ms\n", dist->ops->name,
               dist->size, dist->local_size, COUNT, 1e3 * each);
    }
    free(numbers);
}

int main(int argc, char **argv) {
    if (argc < 2 || argc > 4) {
        fputs("dist_check mpi|tcp|auto [UPDATES | --kill RANK | --abort RANK | --part HOSTS]\n", stderr);
        return 2;
    }
    mega_dist *dist = NULL;
    mega_message message;
    if (mega_dist_open(kind_named(argv[1]), 30.0, &dist, &message) != 0) {
        fprintf(stderr, "dist_check: %s\n", message.text);
        return 1;
    }
    if (argc == 4 && strcmp(argv[2], "--part") == 0) {
        mega_test_dist_part(dist, (uint32_t)strtoul(argv[3], NULL, 10));
        mega_dist_close(dist);
        return mega_test_result();
    }
    if (argc == 4) {
        return leave_one(dist, argv[2], (uint32_t)strtoul(argv[3], NULL, 10));
    }
    mega_test_dist_all(dist, argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 100000);
    measure(dist);
    mega_dist_close(dist);
    return mega_test_result();
}
