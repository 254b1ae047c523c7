// part_mover.c - see part_mover.h.
#include "part_mover.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    PIECE = 4 << 20 // bytes on their way at a time
};

static uint32_t ranks_of(const mega_part_mover *mover) {
    return mega_share_ranks(mover->dist);
}
static uint32_t rank_of(const mega_part_mover *mover) {
    return mega_share_rank(mover->dist);
}

static int no_memory(const char *name, mega_message *message) {
    return mega_message_set(message, "there is no memory to move %s to or from a checkpoint", name);
}

// Rank 0 gets what `rank` has, in `bytes` of both. The one that has nothing to do returns at once.
static int bring(const mega_part_mover *mover, uint32_t rank, void *bytes, size_t size,
                 mega_message *message) {
    if (rank == 0) {
        return 0;
    }
    if (rank_of(mover) == 0) {
        return mover->dist->ops->receive(mover->dist, bytes, size, rank, message);
    }
    return rank_of(mover) == rank ? mover->dist->ops->send(mover->dist, bytes, size, 0, message) : 0;
}

static int begin(const mega_part_mover *mover, const char *name, uint64_t total, mega_message *message) {
    if (mega_part_restores(mover)) {
        return mega_checkpoint_read_begin(mover->reader, name, total, message);
    }
    return mover->writer != NULL ? mega_checkpoint_begin(mover->writer, name, true, message) : 0;
}

static int append(const mega_part_mover *mover, const void *bytes, size_t size, mega_message *message) {
    return mover->writer != NULL ? mega_checkpoint_append(mover->writer, bytes, size, message) : 0;
}

static int end(const mega_part_mover *mover, mega_message *message) {
    if (mega_part_restores(mover)) {
        return mega_checkpoint_read_end(mover->reader, message);
    }
    return mover->writer != NULL ? mega_checkpoint_end(mover->writer, message) : 0;
}

// ---- what is the same on all ranks ----

static int move_piece(const mega_part_mover *mover, uint8_t *memory, void *bytes, size_t size,
                      mega_message *message) {
    const mega_compute_ops *ops = mover->compute->ops;
    if (mega_part_restores(mover)) {
        return mega_checkpoint_read_part(mover->reader, bytes, size, message) < 0
                   ? -1
                   : ops->upload(mover->compute, memory, bytes, size, message);
    }
    return ops->download(mover->compute, bytes, memory, size, message) < 0
               ? -1
               : append(mover, bytes, size, message);
}

int mega_part_move_same(const mega_part_mover *mover, const char *name, void *memory, size_t size,
                        mega_message *message) {
    if (!mega_part_restores(mover) && mover->writer == NULL) {
        return 0; // rank 0 has it
    }
    void *bytes = malloc(PIECE);
    int result = bytes == NULL ? no_memory(name, message) : begin(mover, name, size, message);
    for (size_t at = 0; result == 0 && at < size; at += PIECE) {
        const size_t n = size - at < PIECE ? size - at : PIECE;
        result = move_piece(mover, (uint8_t *)memory + at, bytes, n, message);
    }
    free(bytes);
    return result < 0 ? -1 : end(mover, message);
}

// ---- rows ----

typedef struct row_buffers {
    size_t row;     // bytes of this rank's
    size_t at_once; // rows
    uint8_t *mine;  // [at_once][row]
    uint8_t *all;   // [at_once][ranks][row]; with one rank the same
} row_buffers;

// Between the device and `mine`: rows from `at` on, which are in one piece or two.
static int copy_rows(const mega_part_mover *mover, const mega_part_rows *rows, uint64_t at, uint64_t count,
                     uint8_t *bytes, mega_message *message) {
    mega_compute *compute = mover->compute;
    while (count > 0) {
        const uint64_t place = (rows->first + at) % rows->ring;
        const uint64_t n = rows->ring - place < count ? rows->ring - place : count;
        uint8_t *memory = (uint8_t *)rows->memory + place * rows->size;
        if ((mega_part_restores(mover)
                 ? compute->ops->upload(compute, memory, bytes, n * rows->size, message)
                 : compute->ops->download(compute, bytes, memory, n * rows->size, message)) < 0) {
            return -1;
        }
        at += n;
        count -= n;
        bytes += n * rows->size;
    }
    return 0;
}

// Puts a rank's rows between those of the others, or takes them out.
static void interleave(const mega_part_mover *mover, const row_buffers *buffers, uint32_t rank,
                       uint64_t count) {
    const size_t row = buffers->row, all = row * ranks_of(mover);
    for (uint64_t i = 0; i < count && buffers->all != buffers->mine; i++) {
        uint8_t *mine = buffers->mine + i * row, *place = buffers->all + i * all + rank * row;
        memcpy(mega_part_restores(mover) ? mine : place, mega_part_restores(mover) ? place : mine, row);
    }
}

static int save_rows(const mega_part_mover *mover, const mega_part_rows *rows, const row_buffers *buffers,
                     uint64_t at, uint64_t count, mega_message *message) {
    if (copy_rows(mover, rows, at, count, buffers->mine, message) < 0) {
        return -1;
    }
    for (uint32_t rank = 0; rank < ranks_of(mover); rank++) {
        if (bring(mover, rank, buffers->mine, count * buffers->row, message) < 0) {
            return -1;
        }
        if (rank_of(mover) == 0) {
            interleave(mover, buffers, rank, count);
        }
    }
    return append(mover, buffers->all, count * buffers->row * ranks_of(mover), message);
}

bool mega_part_are_actions(const void *bytes, size_t size, uint32_t limit) {
    const uint8_t *at = bytes;
    for (size_t i = 0; i + sizeof(uint32_t) <= size; i += sizeof(uint32_t)) {
        uint32_t action;
        memcpy(&action, at + i, sizeof action);
        if (action >= limit) {
            return false;
        }
    }
    return true;
}

bool mega_part_are_weights(const void *bytes, size_t size, uint32_t limit) {
    const uint8_t *at = bytes;
    (void)limit;
    for (size_t i = 0; i + sizeof(float) <= size; i += sizeof(float)) {
        float weight;
        memcpy(&weight, at + i, sizeof weight);
        if (!(weight >= 0.0f && isfinite(weight))) {
            return false;
        }
    }
    return true;
}

static int restore_rows(const mega_part_mover *mover, const char *name, const mega_part_rows *rows,
                        const row_buffers *buffers, uint64_t at, uint64_t count, mega_message *message) {
    if (mega_checkpoint_read_part(mover->reader, buffers->all, count * buffers->row * ranks_of(mover),
                                  message) < 0) {
        return -1;
    }
    interleave(mover, buffers, rank_of(mover), count);
    if (rows->is_sound != NULL && !rows->is_sound(buffers->mine, count * buffers->row, rows->limit)) {
        return mega_message_set(message, "the checkpoint is damaged: its %s cannot be", name);
    }
    return copy_rows(mover, rows, at, count, buffers->mine, message);
}

int mega_part_move_rows(const mega_part_mover *mover, const char *name, const mega_part_rows *rows,
                        mega_message *message) {
    const size_t all = rows->size * ranks_of(mover);
    row_buffers buffers = {.row = rows->size, .at_once = all < PIECE ? PIECE / all : 1};
    buffers.mine = malloc(buffers.at_once * rows->size);
    buffers.all = ranks_of(mover) == 1 ? buffers.mine : malloc(buffers.at_once * all);
    int result = buffers.mine == NULL || buffers.all == NULL ? no_memory(name, message)
                                                             : begin(mover, name, rows->count * all, message);
    for (uint64_t at = 0; result == 0 && at < rows->count; at += buffers.at_once) {
        const uint64_t n = rows->count - at < buffers.at_once ? rows->count - at : buffers.at_once;
        result = mega_part_restores(mover) ? restore_rows(mover, name, rows, &buffers, at, n, message)
                                           : save_rows(mover, rows, &buffers, at, n, message);
    }
    if (buffers.all != buffers.mine) {
        free(buffers.all);
    }
    free(buffers.mine);
    return result < 0 ? -1 : end(mover, message);
}

// ---- each rank's own ----

static int save_own(const mega_part_mover *mover, const char *name, const void *bytes, size_t size,
                    mega_message *message) {
    void *theirs = malloc(size);
    int result = theirs == NULL ? no_memory(name, message) : begin(mover, name, 0, message);
    for (uint32_t rank = 0; rank < ranks_of(mover) && result == 0; rank++) {
        memcpy(theirs, bytes, size);
        result = bring(mover, rank, theirs, size, message);
        if (result == 0) {
            result = append(mover, theirs, size, message);
        }
    }
    free(theirs);
    return result < 0 ? -1 : end(mover, message);
}

static int restore_own(const mega_part_mover *mover, const char *name, void *bytes, size_t size, bool *is_own,
                       mega_message *message) {
    uint64_t total;
    if (mega_checkpoint_size(mover->reader, name, &total, message) < 0) {
        return -1;
    }
    *is_own = total == (uint64_t)size * ranks_of(mover);
    // A size that is none of so many ranks is refused when it is read.
    const uint64_t count = total == 0 || total % size != 0 ? ranks_of(mover) : total / size;
    const uint64_t mine = *is_own ? rank_of(mover) : 0;
    void *other = malloc(size);
    int result = other == NULL ? no_memory(name, message) : begin(mover, name, count * size, message);
    for (uint64_t rank = 0; rank < count && result == 0; rank++) {
        result = mega_checkpoint_read_part(mover->reader, rank == mine ? bytes : other, size, message);
    }
    free(other);
    return result < 0 ? -1 : end(mover, message);
}

int mega_part_move_own(const mega_part_mover *mover, const char *name, void *bytes, size_t size, bool *is_own,
                       mega_message *message) {
    *is_own = true;
    return mega_part_restores(mover) ? restore_own(mover, name, bytes, size, is_own, message)
                                     : save_own(mover, name, bytes, size, message);
}

// ---- environments ----

// States of some environments of this rank, to memory or from it.
static int copy_states(const mega_part_mover *mover, mega_field *field, uint32_t first, uint32_t count,
                       uint8_t *states, mega_message *message) {
    return mega_part_restores(mover) ? mega_field_restore(field, first, count, states, message)
                                     : mega_field_save(field, first, count, states, message);
}

static int move_states(const mega_part_mover *mover, mega_field *field, uint32_t rank, uint32_t first,
                       uint32_t count, uint8_t *states, mega_message *message) {
    const size_t size = count * mega_field_state_size(field);
    const bool is_mine = rank == rank_of(mover);
    if (mega_part_restores(mover)) {
        return mega_checkpoint_read_part(mover->reader, states, size, message) < 0 ? -1
               : is_mine ? copy_states(mover, field, first, count, states, message)
                         : 0;
    }
    if ((is_mine && copy_states(mover, field, first, count, states, message) < 0) ||
        bring(mover, rank, states, size, message) < 0) {
        return -1;
    }
    return append(mover, states, size, message);
}

int mega_part_move_environments(const mega_part_mover *mover, mega_field *field, mega_message *message) {
    static const char name[] = "environments";
    const uint32_t count = mega_field_count(field);
    const uint64_t total = (uint64_t)count * ranks_of(mover) * mega_field_state_size(field);
    uint8_t *states = malloc(MEGA_FIELD_STATES * mega_field_state_size(field));
    int result = states == NULL ? no_memory(name, message) : begin(mover, name, total, message);
    for (uint32_t rank = 0; rank < ranks_of(mover); rank++) {
        for (uint32_t first = 0; result == 0 && first < count; first += MEGA_FIELD_STATES) {
            const uint32_t n = count - first < MEGA_FIELD_STATES ? count - first : MEGA_FIELD_STATES;
            result = move_states(mover, field, rank, first, n, states, message);
        }
    }
    free(states);
    return result < 0 ? -1 : end(mover, message);
}
