// async.c - see async.h.
#include "async.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    CHUNKS = 8,
    COUNT_FRAMES = 0, // counters of the store
    COUNT_UPDATES,
    COUNT_SAMPLES,
    COUNT_STOPS
};

struct mega_async {
    mega_async_desc desc;
    mega_store *store;
    size_t piece; // numbers in a chunk: so many parameters, means and squares, one after the other
    mega_async_count known;
    uint32_t waiting; // updates of one's own that the store does not have
    // With sync_every > 1, of each parameter, on the host: what the waiting updates did (a_g, a_g2, a_s of the paper),
    // and room to see it.
    float *gradients, *squares, *moves, *before, *now, *slope;
    void *slab;
};

typedef struct async_piece {
    size_t first, count;
    float *parameters, *means, *squares; // in the store
} async_piece;

static async_piece piece_at(const mega_async *async, uint32_t chunk, void *bytes) {
    const size_t first = chunk * async->piece, all = async->desc.learned.count;
    const size_t count = first >= all ? 0 : all - first < async->piece ? all - first : async->piece;
    float *numbers = bytes;
    const async_piece piece = {first, count, numbers, numbers + async->piece, numbers + 2 * async->piece};
    return piece;
}

// ---- making ----

static int create_sums(mega_async *async, mega_message *message) {
    const size_t count = async->desc.learned.count;
    if (async->desc.sync_every == 1) {
        return 0;
    }
    float *slab = async->slab = calloc(6 * count, sizeof *slab);
    if (slab == NULL) {
        return mega_message_set(message, "there is no memory for the sums of %u updates",
                                async->desc.sync_every);
    }
    async->gradients = slab;
    async->squares = slab + count;
    async->moves = slab + 2 * count;
    async->before = slab + 3 * count;
    async->now = slab + 4 * count;
    async->slope = slab + 5 * count;
    return 0;
}

int mega_async_create(const mega_async_desc *desc, mega_async **out, mega_message *message) {
    mega_async *async = calloc(1, sizeof *async);
    *out = NULL;
    if (async == NULL) {
        return mega_message_set(message, "there is no memory to learn together");
    }
    async->desc = *desc;
    async->piece = (desc->learned.count + CHUNKS - 1) / CHUNKS;
    // Who fails alone would leave the others waiting.
    if (mega_dist_agree(desc->dist, create_sums(async, message), message) < 0 ||
        mega_store_create(desc->dist, 3 * async->piece * sizeof(float), CHUNKS, &async->store, message) < 0) {
        mega_async_destroy(async);
        return -1;
    }
    *out = async;
    return 0;
}

void mega_async_destroy(mega_async *async) {
    if (async != NULL) {
        mega_store_destroy(async->store);
        free(async->slab);
        free(async);
    }
}

// ---- the store ----

static int lock(mega_async *async, uint32_t chunk, async_piece *piece, mega_message *message) {
    void *bytes = NULL;
    if (async->desc.dist->ops->lock_chunk(async->store, chunk, &bytes, message) < 0) {
        return -1;
    }
    *piece = piece_at(async, chunk, bytes);
    return 0;
}

static int unlock(mega_async *async, uint32_t chunk, mega_message *message) {
    return async->desc.dist->ops->unlock_chunk(async->store, chunk, message);
}

static int count_up(mega_async *async, uint32_t counter, uint64_t add, uint64_t *after,
                    mega_message *message) {
    int64_t before = 0;
    if (async->desc.dist->ops->count(async->store, counter, (int64_t)add, &before, message) < 0) {
        return -1;
    }
    *after = (uint64_t)before + add;
    return 0;
}

// From the store to this process's parameters and means, or (puts) back.
static int move(const mega_async *async, const async_piece *piece, bool puts, mega_message *message) {
    mega_compute *compute = async->desc.compute;
    const mega_optimizer *optimizer = async->desc.optimizer;
    const size_t size = piece->count * sizeof(float);
    float *const here[] = {async->desc.learned.parameters, optimizer->means, optimizer->squares};
    float *const there[] = {piece->parameters, piece->means, piece->squares};
    for (size_t i = 0; i < 3; i++) {
        if (here[i] != NULL && // RMSProp has no means
            (puts ? compute->ops->download(compute, there[i], here[i] + piece->first, size, message)
                  : compute->ops->upload(compute, here[i] + piece->first, there[i], size, message)) < 0) {
            return -1;
        }
    }
    return 0;
}

// Does something to each chunk while nobody else has it.
typedef int async_work(mega_async *async, const async_piece *piece, double rate, mega_message *message);

static int each_chunk(mega_async *async, async_work *work, double rate, mega_message *message) {
    for (uint32_t chunk = 0; chunk < CHUNKS; chunk++) {
        async_piece piece;
        if (lock(async, chunk, &piece, message) < 0 ||
            (piece.count > 0 && work(async, &piece, rate, message) < 0) ||
            unlock(async, chunk, message) < 0) {
            return -1;
        }
    }
    return 0;
}

static int take(mega_async *async, const async_piece *piece, double rate, mega_message *message) {
    (void)rate;
    return move(async, piece, false, message);
}

static int put(mega_async *async, const async_piece *piece, double rate, mega_message *message) {
    (void)rate;
    return move(async, piece, true, message);
}

// ---- updates ----

// The newest parameters, one step on.
static int step(mega_async *async, const async_piece *piece, double rate, mega_message *message) {
    mega_compute *compute = async->desc.compute;
    if (move(async, piece, false, message) < 0 ||
        compute->ops->descend(compute, &async->desc.learned, async->desc.optimizer, piece->first,
                              piece->count, rate, message) < 0) {
        return -1;
    }
    return move(async, piece, true, message);
}

// What the waiting updates did, on top of what others have done meanwhile.
static int add_waiting(mega_async *async, const async_piece *piece, double rate, mega_message *message) {
    const mega_optimizer_step factors = mega_optimizer_factors(&async->desc.optimizer->rule, 1, 1);
    const float keep_mean = (float)pow((double)factors.keep_mean, async->waiting);
    const float keep_square = (float)pow((double)factors.keep_square, async->waiting);
    (void)rate;
    for (size_t i = 0; i < piece->count; i++) {
        const size_t k = piece->first + i;
        piece->parameters[i] -= async->moves[k];
        piece->means[i] =
            mega_running_mean(keep_mean, piece->means[i], factors.take_mean, async->gradients[k]);
        piece->squares[i] =
            mega_running_mean(keep_square, piece->squares[i], factors.take_square, async->squares[k]);
    }
    return move(async, piece, false, message);
}

static int add_all_waiting(mega_async *async, mega_message *message) {
    if (async->waiting == 0) {
        return 0;
    }
    if (count_up(async, COUNT_UPDATES, async->waiting, &async->known.updates, message) < 0 ||
        each_chunk(async, add_waiting, 0, message) < 0) {
        return -1;
    }
    async->waiting = 0;
    async->desc.optimizer->t = async->known.updates;
    const size_t size = async->desc.learned.count * sizeof(float);
    memset(async->gradients, 0, size);
    memset(async->squares, 0, size);
    memset(async->moves, 0, size);
    return 0;
}

// A gradient that is not finite must not get into the store, where all would take it.
static int check_gradient(const mega_async *async, mega_message *message) {
    mega_compute *compute = async->desc.compute;
    double stats[MEGA_STAT_COUNT], norm;
    if (compute->ops->read_stats(compute, stats, &norm, message) < 0) {
        return -1;
    }
    return isfinite(norm) ? 0
                          : mega_message_set(message,
                                             "the gradient is not finite any more, at %llu frames; a "
                                             "smaller learning_rate or max_gradient may help",
                                             (unsigned long long)async->known.frames);
}

// An update of one's own, and what it did.
static int step_alone(mega_async *async, double rate, double norm_max, mega_message *message) {
    mega_compute *compute = async->desc.compute;
    const mega_slab *slab = &async->desc.learned;
    const mega_optimizer_step factors = mega_optimizer_factors(&async->desc.optimizer->rule, 1, 1);
    const size_t size = slab->count * sizeof(float);
    if (compute->ops->download(compute, async->before, slab->parameters, size, message) < 0 ||
        compute->ops->download(compute, async->slope, slab->gradients, size, message) < 0 ||
        compute->ops->optimise(compute, slab, async->desc.optimizer, rate, norm_max, message) < 0 ||
        compute->ops->download(compute, async->now, slab->parameters, size, message) < 0 ||
        check_gradient(async, message) < 0) {
        return -1;
    }
    (void)mega_optimizer_clip(async->slope, slab->count, norm_max);
    for (size_t i = 0; i < slab->count; i++) {
        const float g = async->slope[i];
        async->gradients[i] = factors.keep_mean * async->gradients[i] + g;
        async->squares[i] = factors.keep_square * async->squares[i] + g * g;
        async->moves[i] += async->before[i] - async->now[i];
    }
    return 0;
}

int mega_async_descend(mega_async *async, double rate, double norm_max, mega_message *message) {
    mega_compute *compute = async->desc.compute;
    if (async->desc.sync_every == 1) {
        if (compute->ops->clip(compute, &async->desc.learned, norm_max, message) < 0 ||
            check_gradient(async, message) < 0 ||
            count_up(async, COUNT_UPDATES, 1, &async->known.updates, message) < 0) {
            return -1;
        }
        async->desc.optimizer->t = async->known.updates;
        return each_chunk(async, step, rate, message);
    }
    if (step_alone(async, rate, norm_max, message) < 0) {
        return -1;
    }
    return ++async->waiting < async->desc.sync_every ? 0 : add_all_waiting(async, message);
}

int mega_async_pull(mega_async *async, mega_message *message) {
    return async->waiting > 0 ? 0 : each_chunk(async, take, 0, message);
}

// ---- beginnings and ends ----

// What rank 0 has, to the store.
static int put_all(mega_async *async, mega_async_count count, mega_message *message) {
    uint64_t after;
    if (count_up(async, COUNT_FRAMES, count.frames, &after, message) < 0 ||
        count_up(async, COUNT_UPDATES, count.updates, &after, message) < 0 ||
        count_up(async, COUNT_SAMPLES, count.samples, &after, message) < 0) {
        return -1;
    }
    return each_chunk(async, put, 0, message);
}

int mega_async_begin(mega_async *async, mega_async_count count, mega_message *message) {
    mega_dist *dist = async->desc.dist;
    if (dist->ops->broadcast(dist, &count, sizeof count, 0, message) < 0) {
        return -1;
    }
    async->known = count;
    async->desc.optimizer->t = count.updates;
    const int result = dist->rank == 0 ? put_all(async, count, message) : 0;
    return mega_dist_agree(dist, result, message) < 0 ? -1 : mega_async_pull(async, message);
}

int mega_async_settle(mega_async *async, mega_message *message) {
    mega_dist *dist = async->desc.dist;
    if (add_all_waiting(async, message) < 0 || dist->ops->barrier(dist, message) < 0 ||
        mega_async_pull(async, message) < 0 ||
        count_up(async, COUNT_FRAMES, 0, &async->known.frames, message) < 0 ||
        count_up(async, COUNT_SAMPLES, 0, &async->known.samples, message) < 0) {
        return -1;
    }
    return count_up(async, COUNT_UPDATES, 0, &async->known.updates, message);
}

// ---- counts ----

int mega_async_add(mega_async *async, uint64_t frames, uint64_t samples, mega_message *message) {
    if (samples == 0) {
        return count_up(async, COUNT_FRAMES, frames, &async->known.frames, message);
    }
    return count_up(async, COUNT_SAMPLES, samples, &async->known.samples, message);
}

mega_async_count mega_async_counted(const mega_async *async) {
    return async->known;
}

int mega_async_ask_to_stop(mega_async *async, mega_message *message) {
    uint64_t stops;
    return count_up(async, COUNT_STOPS, 1, &stops, message);
}

int mega_async_is_stopped(mega_async *async, bool *is_stopped, mega_message *message) {
    uint64_t stops = 0;
    const int result = count_up(async, COUNT_STOPS, 0, &stops, message);
    *is_stopped = stops > 0;
    return result;
}
