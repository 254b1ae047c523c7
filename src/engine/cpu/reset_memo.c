// reset_memo.c - see reset_memo.h.
//
// Entries are only added, by one thread at a time, and never change once `count` shows them; so readers need no
// lock. When the table is full, or somebody else is adding, a reset is simply played.
#include "reset_memo.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "mega_parking.h"
#include "status.h"

#define ENTRIES 80       // in many games the timer's random start, one of 75, is all that differs
#define STORE_SIZE 12288 // of two logs; none of the known games needs more

typedef struct memo_entry {
    uint64_t hash; // of what the rest of the reset depends on
    mega_session before, after;
    mega_input input;
    mega_parked parked;
    uint8_t other_picture; // 1: the last frame is in the other picture buffer than the one before it all
    uint8_t store[STORE_SIZE];
} memo_entry;

enum {
    UNKNOWN,
    BEING_WRITTEN,
    KNOWN
};

struct mega_reset_memo {
    atomic_uint count;         // entries that anybody may read
    atomic_flag adding;        // held by the one who adds an entry
    atomic_uint powered_known; // of `powered`
    mega_console powered;
    memo_entry entry[ENTRIES]; // untouched memory costs nothing until it is used
};

mega_status reset_memo_create(const mega_settings *settings, const mega_cartridge *cartridge,
                              mega_reset_memo **out) {
    *out = NULL;
    if (settings->plain || cartridge->ram_size != 0 || mega_rules_outlast_resets(settings->game)) {
        return MEGA_OK;
    }
    mega_reset_memo *memo = calloc(1, sizeof(*memo));
    if (memo == NULL) {
        return mega_fail_memory(sizeof(*memo));
    }
    *out = memo;
    return MEGA_OK;
}

void reset_memo_destroy(mega_reset_memo *memo) {
    free(memo);
}

// ---- power ---------------------------------------------------------------------------------------------

int reset_memo_powered(const mega_reset_memo *memo, mega_console *console) {
    if (atomic_load_explicit(&memo->powered_known, memory_order_acquire) != KNOWN) {
        return 0;
    }
    *console = memo->powered;
    return 1;
}

void reset_memo_set_powered(mega_reset_memo *memo, const mega_console *console) {
    unsigned expected = UNKNOWN;
    if (atomic_compare_exchange_strong(&memo->powered_known, &expected, BEING_WRITTEN)) {
        memo->powered = *console;
        atomic_store_explicit(&memo->powered_known, KNOWN, memory_order_release);
    }
}

// ---- keys ----------------------------------------------------------------------------------------------

// What the rest of a reset depends on, with zeros for the rest of a session: the counters only count, and the
// rules are set back later. The position in the console's sequence matters for the next reset only.
static mega_session key_of(const mega_session *session) {
    mega_session key;
    memset(&key, 0, sizeof(key));
    key.console = session->console;
    key.console.draws = 0;
    memcpy(key.paddle, session->paddle, sizeof(key.paddle));
    key.paddle_min = session->paddle_min;
    key.paddle_max = session->paddle_max;
    key.mode = session->mode;
    key.difficulty = session->difficulty;
    return key;
}

// FNV-1a over words.
static uint64_t hash_of(const mega_session *key) {
    uint64_t hash = 0xCBF29CE484222325u;
    for (size_t i = 0; i + sizeof(uint64_t) <= sizeof(*key); i += sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, (const uint8_t *)key + i, sizeof(word));
        hash = (hash ^ word) * 0x100000001B3u;
    }
    return hash;
}

static const memo_entry *find_entry(const mega_reset_memo *memo, const mega_session *key, uint64_t hash) {
    const unsigned count = atomic_load_explicit(&memo->count, memory_order_acquire);
    for (unsigned i = 0; i < count; i++) {
        const memo_entry *entry = &memo->entry[i];
        if (entry->hash == hash && memcmp(&entry->before, key, sizeof(*key)) == 0) {
            return entry;
        }
    }
    return NULL;
}

// ---- copying and adding --------------------------------------------------------------------------------

static void copy_entry(const memo_entry *entry, mega_stage *stage) {
    mega_session *session = stage->session;
    const uint32_t draws = session->console.draws, frame_number = session->frame_number;
    *session = entry->after;
    session->console.draws = draws;
    session->frame_number += frame_number;
    stage->sticky_action = 0;
    stage->sticky_strength = 1.0f;
    stage->machine.input = entry->input;
    stage->machine.video->current ^= entry->other_picture;
    video_unpark(&stage->machine, &entry->parked, entry->store);
}

// Fills an entry after a reset. Returns 0 if it cannot be: when the reset drew from the environment's generator,
// which goes on between resets, or when older pictures may show through its last ones.
static int fill_entry(memo_entry *entry, const mega_stage *stage, uint32_t first_frame, int drawn) {
    if (drawn || stage->failed || stage->session->console.cpu.jammed ||
        !video_park(&stage->machine, &entry->parked, entry->store, sizeof(entry->store)) ||
        !entry->parked.picture[0].is_log || !entry->parked.picture[1].is_log) {
        return 0;
    }
    entry->after = *stage->session;
    entry->after.frame_number -= first_frame;
    entry->input = stage->machine.input;
    return 1;
}

int reset_memo_finish(mega_reset_memo *memo, const mega_play *play, mega_stage *stage) {
    const mega_session key = key_of(stage->session);
    const uint64_t hash = hash_of(&key);
    const memo_entry *known = find_entry(memo, &key, hash);
    if (known != NULL) {
        copy_entry(known, stage);
        return 1;
    }
    const uint32_t first_frame = stage->session->frame_number, drawn = stage->random->index;
    const uint8_t picture = stage->machine.video->current;
    play->finish_reset(stage);
    if (!atomic_flag_test_and_set_explicit(&memo->adding, memory_order_acquire)) {
        const unsigned count = atomic_load_explicit(&memo->count, memory_order_relaxed);
        if (count < ENTRIES &&
            fill_entry(&memo->entry[count], stage, first_frame, drawn != stage->random->index)) {
            memo->entry[count].hash = hash;
            memo->entry[count].before = key;
            memo->entry[count].other_picture = stage->machine.video->current ^ picture;
            atomic_store_explicit(&memo->count, count + 1, memory_order_release);
        }
        atomic_flag_clear_explicit(&memo->adding, memory_order_release);
    }
    return 0;
}
