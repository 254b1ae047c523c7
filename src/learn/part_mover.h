// part_mover.h - parts of a run on their way to a checkpoint or back, in one process or several.
//
// A checkpoint does not depend on how many processes wrote it. What they have in common is there once, by rank 0; what
// each has of its own environments is put side by side, so that a row is one of all environments. Rank 0 writes, and the
// others send it theirs; all of them read. Calls are collective.
#ifndef PART_MOVER_H
#define PART_MOVER_H
#include "checkpoint.h"
#include "compute.h"
#include "field.h"
#include "share.h"

typedef struct mega_part_mover {
    mega_checkpoint_writer *writer; // of rank 0 when it saves; else NULL
    mega_checkpoint_reader *reader; // NULL: parts are saved
    mega_compute *compute;
    mega_dist *dist;   // NULL: one process
    bool network_only; // without environments and memories: asynchronous processes
} mega_part_mover;

static inline bool mega_part_restores(const mega_part_mover *mover) {
    return mover->reader != NULL;
}

// A ring of rows in the device's memory, of this rank's environments.
typedef struct mega_part_rows {
    void *memory;
    size_t size;    // of a row
    uint64_t ring;  // rows in memory
    uint64_t first; // of them that moves, and
    uint64_t count; // how many do; they go on at the beginning of the ring
    // What a file says is checked before it is used, unless this is NULL.
    bool (*is_sound)(const void *bytes, size_t size, uint32_t limit);
    uint32_t limit;
} mega_part_rows;

// Numbers of actions, all below the limit; floats that are finite and not negative.
bool mega_part_are_actions(const void *bytes, size_t size, uint32_t limit);
bool mega_part_are_weights(const void *bytes, size_t size, uint32_t limit);

// Memory of the device that is the same on all ranks.
int mega_part_move_same(const mega_part_mover *mover, const char *name, void *memory, size_t size,
                        mega_message *message);
// Rows of all ranks side by side.
int mega_part_move_rows(const mega_part_mover *mover, const char *name, const mega_part_rows *rows,
                        mega_message *message);
// Bytes of the host, of which each rank has its own. If there were as many ranks as now, *is_own says so; else all get
// those of rank 0.
int mega_part_move_own(const mega_part_mover *mover, const char *name, void *bytes, size_t size, bool *is_own,
                       mega_message *message);
// All environments of a field, in order.
int mega_part_move_environments(const mega_part_mover *mover, mega_field *field, mega_message *message);

#endif
