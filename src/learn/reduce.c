// reduce.c - see reduce.h.
#include "reduce.h"

#include <stdlib.h>
#include <string.h>

const char *const mega_reduce_names[] = {"auto", "host", "nccl", NULL};

struct mega_reduce {
    mega_dist *dist;
    mega_compute *compute;
    size_t count;
    double join_seconds;
    mega_collective *collective; // of GPUs, or NULL: through the host
    float *host;                 // numbers of a GPU on their way
    mega_message about;
};

// ---- through the host --------------------------------------------------------------------------------

static int average_host(mega_dist *dist, float *numbers, size_t count, mega_message *message) {
    const float share = 1.0f / (float)dist->size;
    if (dist->ops->sum_floats(dist, numbers, count, message) < 0) {
        return -1;
    }
    for (size_t i = 0; i < count; i++) {
        numbers[i] *= share;
    }
    return 0;
}

static int average_copies(mega_reduce *reduce, float *numbers, mega_message *message) {
    mega_compute *compute = reduce->compute;
    const size_t size = reduce->count * sizeof *numbers;
    if (compute->ops->download(compute, reduce->host, numbers, size, message) < 0 ||
        average_host(reduce->dist, reduce->host, reduce->count, message) < 0) {
        return -1;
    }
    return compute->ops->upload(compute, numbers, reduce->host, size, message);
}

static int prepare_host(mega_reduce *reduce, mega_message *message) {
    if (reduce->compute->stream != NULL) {
        reduce->host = malloc(reduce->count * sizeof *reduce->host);
    }
    return reduce->compute->stream == NULL || reduce->host != NULL
               ? 0
               : mega_message_set(message, "there is no memory for gradients of %zu parameters",
                                  reduce->count);
}

// ---- whether all ranks can use NCCL ------------------------------------------------------------------

// What a rank shows the others.
typedef struct rank_card {
    mega_collective_card card;
    int32_t is_open; // it has the library
} rank_card;

static int says_version(const rank_card *cards, uint32_t rank, mega_message *message) {
    char own[MEGA_COLLECTIVE_VERSION_SIZE], first[MEGA_COLLECTIVE_VERSION_SIZE];
    mega_collective_version(cards[rank].card.version, own);
    mega_collective_version(cards[0].card.version, first);
    return mega_message_set(message, "rank %u has NCCL %s and rank 0 has %s; all need the same", rank, own,
                            first);
}

// All ranks come to the same answer: 0, or -1 and what is in the way. Sorting would be faster and is not needed.
static int judge(const rank_card *cards, uint32_t ranks, mega_message *message) {
    for (uint32_t rank = 0; rank < ranks; rank++) {
        if (!cards[rank].is_open) {
            return mega_message_set(message, "rank %u has no NCCL that can be used", rank);
        }
    }
    for (uint32_t rank = 0; rank < ranks; rank++) {
        if (cards[rank].card.version != cards[0].card.version) {
            return says_version(cards, rank, message);
        }
        for (uint32_t other = 0; other < rank; other++) {
            if (memcmp(cards[rank].card.gpu, cards[other].card.gpu, sizeof cards[rank].card.gpu) == 0) {
                return mega_message_set(message, "ranks %u and %u are on the same GPU", other, rank);
            }
        }
    }
    return 0;
}

static int watch_others(void *context, mega_message *message) {
    mega_dist *dist = context;
    return dist->ops->watch(dist, message);
}

// Opens the library, if it is there. What is wrong with it is not a failure yet.
static int open_collective(mega_reduce *reduce, rank_card *card, mega_message *why) {
    mega_compute *compute = reduce->compute;
    memset(card, 0, sizeof *card);
    if (compute->collective == NULL) {
        return mega_message_set(why, "NCCL connects GPUs, and this device is none; set reduce = host");
    }
    if (compute->collective->open(compute, &reduce->collective, why) < 0) {
        return -1;
    }
    reduce->collective->watch = (mega_collective_watch){watch_others, reduce->dist};
    card->card = reduce->collective->card;
    card->is_open = 1;
    return 0;
}

static void close_collective(mega_reduce *reduce, bool are_all_there) {
    if (reduce->collective != NULL) {
        reduce->collective->ops->close(reduce->collective, are_all_there);
        reduce->collective = NULL;
    }
}

// Opens the library on all ranks. Where they cannot go on with it they close it again; if it was insisted on, that is a
// failure.
static int find_collective(mega_reduce *reduce, bool insists, rank_card *cards, mega_message *message) {
    mega_dist *dist = reduce->dist;
    mega_message why = {""}, reason = {""};
    rank_card own;
    const int opened = open_collective(reduce, &own, &why);
    if (insists && mega_dist_agree(dist, opened, &why) < 0) {
        return mega_message_set(message, "%s", why.text);
    }
    if (dist->ops->gather(dist, &own, sizeof own, cards, message) < 0) {
        return -1;
    }
    if (judge(cards, dist->size, &reason) == 0) {
        return 0;
    }
    close_collective(reduce, false);
    if (insists) {
        return mega_message_set(message, "reduce = nccl cannot be: %s", reason.text);
    }
    return mega_message_set(&reduce->about, "the host's memory: %s", reason.text), 0;
}

// ---- joining -----------------------------------------------------------------------------------------

enum {
    JOINED,
    IS_LATE,
    HAS_FAILED
};

// A rank that has failed leaves the others waiting until they are late: then its sentence is the one to hear.
static int agree_on_join(mega_dist *dist, int result, bool is_late, uint64_t *codes, mega_message *why) {
    const uint64_t code = result == 0 ? JOINED : is_late ? IS_LATE : HAS_FAILED;
    bool some_failed = false;
    if (dist->ops->gather(dist, &code, sizeof code, codes, result < 0 ? NULL : why) < 0) {
        return -1;
    }
    for (uint32_t rank = 0; rank < dist->size; rank++) {
        some_failed = some_failed || codes[rank] == HAS_FAILED;
    }
    return mega_dist_agree(dist, some_failed && is_late ? 0 : result, why);
}

static int join(mega_reduce *reduce, uint64_t *codes, mega_message *message) {
    mega_dist *dist = reduce->dist;
    mega_collective *collective = reduce->collective;
    uint8_t key[MEGA_COLLECTIVE_KEY_SIZE] = {0};
    mega_message why = {""};
    char version[MEGA_COLLECTIVE_VERSION_SIZE];
    bool is_late = false;
    int result = dist->rank == 0 ? collective->ops->make_key(collective, key, &why) : 0;
    result = mega_dist_agree(dist, result, &why);
    if (result == 0) {
        result = dist->ops->broadcast(dist, key, sizeof key, 0, &why);
    }
    if (result == 0) {
        result = collective->ops->join(collective, key, dist->rank, dist->size, reduce->join_seconds,
                                       &is_late, &why);
        result = agree_on_join(dist, result, is_late, codes, &why);
    }
    if (result < 0) {
        return mega_message_set(message, "%s", why.text);
    }
    mega_collective_version(collective->card.version, version);
    (void)mega_message_set(&reduce->about, "%s %s", collective->ops->name, version);
    return 0;
}

// ---- life --------------------------------------------------------------------------------------------

// What ranks are told about each other while they decide.
typedef struct room {
    rank_card *cards;
    uint64_t *codes;
} room;

static int prepare_room(mega_dist *dist, room *room, mega_message *message) {
    room->cards = calloc(dist->size, sizeof *room->cards);
    room->codes = calloc(dist->size, sizeof *room->codes);
    return room->cards != NULL && room->codes != NULL ? 0 : mega_message_set(message, "out of memory");
}

static int begin(mega_reduce *reduce, uint32_t how, room *room, mega_message *message) {
    mega_message why = {""};
    const bool insists = how == MEGA_REDUCE_NCCL;
    const bool may_try = insists || (how == MEGA_REDUCE_AUTO && reduce->compute->collective != NULL);
    if (mega_dist_agree(reduce->dist, prepare_room(reduce->dist, room, &why), &why) < 0) {
        return mega_message_set(message, "%s", why.text);
    }
    if (may_try && find_collective(reduce, insists, room->cards, message) < 0) {
        return -1;
    }
    if (reduce->collective != NULL) {
        return join(reduce, room->codes, message);
    }
    if (mega_dist_agree(reduce->dist, prepare_host(reduce, &why), &why) < 0) {
        return mega_message_set(message, "%s", why.text);
    }
    return 0;
}

int mega_reduce_create(const mega_reduce_desc *desc, mega_reduce **out, mega_message *message) {
    mega_dist *dist = desc->dist;
    room room = {NULL, NULL};
    *out = NULL;
    if (dist == NULL || (dist->size == 1 && desc->how != MEGA_REDUCE_NCCL)) {
        return 0;
    }
    mega_message why = {""};
    mega_reduce *reduce = calloc(1, sizeof *reduce);
    if (mega_dist_agree(dist, reduce != NULL ? 0 : mega_message_set(&why, "out of memory"), &why) < 0) {
        free(reduce);
        return mega_message_set(message, "%s", why.text);
    }
    reduce->dist = dist;
    reduce->compute = desc->compute;
    reduce->count = desc->count;
    reduce->join_seconds = desc->join_seconds > 0 ? desc->join_seconds : 60;
    (void)mega_message_set(&reduce->about, "the host's memory");
    const int result = begin(reduce, desc->how, &room, message);
    free(room.cards);
    free(room.codes);
    if (result < 0) {
        close_collective(reduce, false);
        mega_reduce_destroy(reduce);
        return -1;
    }
    *out = reduce;
    return 0;
}

// After a failure somebody is missing, or does not know of the end: then nobody waits.
void mega_reduce_destroy(mega_reduce *reduce) {
    if (reduce != NULL) {
        close_collective(reduce, reduce->dist->ops->watch(reduce->dist, NULL) == 0);
        free(reduce->host);
        free(reduce);
    }
}

const char *mega_reduce_name(const mega_reduce *reduce) {
    return mega_reduce_names[reduce->collective != NULL ? MEGA_REDUCE_NCCL : MEGA_REDUCE_HOST];
}

const char *mega_reduce_about(const mega_reduce *reduce) {
    return reduce->about.text;
}

// ---- use ---------------------------------------------------------------------------------------------

int mega_reduce_average(mega_reduce *reduce, float *numbers, mega_message *message) {
    mega_collective *collective = reduce->collective;
    if (collective != NULL) {
        return collective->ops->average(collective, numbers, reduce->count, message);
    }
    return reduce->host != NULL ? average_copies(reduce, numbers, message)
                                : average_host(reduce->dist, numbers, reduce->count, message);
}

int mega_reduce_wait(mega_reduce *reduce, mega_message *message) {
    mega_collective *collective = reduce->collective;
    return collective == NULL ? 0 : collective->ops->wait(collective, message);
}
