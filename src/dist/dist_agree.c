// dist_agree.c - whether all ranks have the same, and whether all have done what they had to; see dist.h.
#include "dist.h"

#include <string.h>

enum {
    BLOCK_SIZE = 16384 // bytes that are compared at a time
};

// Gives the first rank whose number is not that of `wanted`, or dist->size where all have it.
static int first_other(mega_dist *dist, uint64_t mine, uint64_t wanted, uint32_t *rank,
                       mega_message *message) {
    if (dist->ops->gather(dist, &mine, sizeof mine, dist->notes, message) != 0) {
        return -1;
    }
    *rank = 0;
    while (*rank < dist->size && dist->notes[*rank] == wanted) {
        ++*rank;
    }
    return 0;
}

static int differs(const char *what, uint32_t rank, mega_message *message) {
    return mega_message_set(message, "rank %u has other %s than rank 0; all ranks need the same", rank, what);
}

// Gives whether rank 0 has the same bytes. All ranks have `size` of them.
static int compare(mega_dist *dist, const uint8_t *bytes, size_t size, bool *same, mega_message *message) {
    uint8_t block[BLOCK_SIZE];
    *same = true;
    for (size_t at = 0; at < size; at += sizeof block) {
        const size_t part = size - at < sizeof block ? size - at : sizeof block;
        memcpy(block, bytes + at, part);
        if (dist->ops->broadcast(dist, block, part, 0, message) != 0) {
            return -1;
        }
        *same = *same && memcmp(block, bytes + at, part) == 0;
    }
    return 0;
}

int mega_dist_same(mega_dist *dist, const char *what, const void *bytes, size_t size, mega_message *message) {
    uint32_t other = 0;
    uint64_t size_0 = size;
    if (dist->ops->broadcast(dist, &size_0, sizeof size_0, 0, message) != 0 ||
        first_other(dist, size, size_0, &other, message) != 0) {
        return -1;
    }
    if (other < dist->size) {
        return differs(what, other, message);
    }
    bool same = true;
    if (compare(dist, bytes, size, &same, message) != 0 ||
        first_other(dist, same, true, &other, message) != 0) {
        return -1;
    }
    return other < dist->size ? differs(what, other, message) : 0;
}

int mega_dist_agree(mega_dist *dist, int result, mega_message *message) {
    const bool failed = result < 0;
    mega_message said = {""};
    if (failed) {
        said = *message;
    }
    uint32_t first = 0;
    // A rank whose own call failed has more to say than that the others have left meanwhile.
    if (first_other(dist, failed, false, &first, failed ? NULL : message) != 0) {
        return -1;
    }
    if (first == dist->size) {
        return 0;
    }
    if (dist->ops->broadcast(dist, said.text, sizeof said.text, first, failed ? NULL : message) != 0) {
        return -1;
    }
    said.text[sizeof said.text - 1] = '\0';
    if (first == 0) {
        return mega_message_set(message, "%s", said.text);
    }
    return mega_message_set(message, "rank %u: %s", first, said.text);
}
