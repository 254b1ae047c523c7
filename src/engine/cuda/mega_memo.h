// mega_memo.h - beginnings of episodes that are copied instead of played, exactly. Shared source.
//
// What src/engine/cpu/reset_memo.c does for resets, and more, because on a GPU all environments of a step
// wait for one that plays a hundred frames. After the first frames of a reset, the rest of the way to an
// episode is a function of the console's bytes, mode, difficulty and paddles, of the number of acts that
// follow (FIRE and no-ops), and of how many of them, by sticky actions, still hold FIRE; where acts select the
// mode, also of which of them stick. An entry stores what that led to: a session and its last two pictures, as
// logs or, after ragged frames, as pixels. Nothing is assumed: all that it depends on is compared, and what is
// not found is played.
//
// Entries are written once, by whoever claims their tag, and are read when `known` says that they are
// complete.
#ifndef MEGA_MEMO_H
#define MEGA_MEMO_H
#include "mega_batch.h"

#define MEMO_SEGMENTS 1024
#define MEMO_PROBES 16u
#define MEMO_ACTS_MAX 256u
#define MEMO_SELECTS 32u // more acts that select the mode are not foreseen

typedef struct mega_memo_log {
    mega_tia start;
    uint32_t base_cycle;
    int32_t end_clock;
    uint32_t segments;
    uint32_t picture; // 0: this is a log; or the number of the picture that stands for it, + 1
    uint16_t first[MEGA_PICTURE_ROWS + 4];
    uint32_t from[MEMO_SEGMENTS];
    mega_segment_body body[MEMO_SEGMENTS];
} mega_memo_log;

struct mega_memo_entry {
    mega_session before, after;
    uint32_t acts, fires, selects, sticks;
    uint32_t sticky_action;
    uint32_t pad;
    mega_memo_log log[2]; // of the last picture, and of the one before
};

// What is known about the beginning of an episode on the way to it.
typedef struct mega_recall {
    mega_session key;
    uint32_t tag; // of the key; 0: this one is not stored
    uint32_t acts, fires;
    uint32_t selects, sticks; // acts that select the mode, as foreseen, and which of them stick, as bits
    uint32_t frame_number;    // when the rest began: frames so far
    uint32_t cleaned;         // picture buffers, as bits, that were drawn as a whole since
    uint32_t found;           // number of the entry + 1
} mega_recall;

// Word by word: CUDA's memcpy() may go byte by byte.
MEGA_FN void memo_copy(void *to, const void *from, uint64_t size) {
    for (uint64_t i = 0; i < size / 4u; i++) {
        ((uint32_t *)to)[i] = ((const uint32_t *)from)[i];
    }
}

// ---- keys ------------------------------------------------------------------------------------------------

// What the rest of a reset depends on, with zeros for the rest of a session: counters only count, the rules
// are set back later, and the position in the console's sequence matters for the next reset.
MEGA_FN void memo_make_key(const mega_session *session, mega_session *key) {
    MEGA_FILL(key, 0, sizeof(*key));
    key->console = session->console;
    key->console.draws = 0;
    key->paddle[0] = session->paddle[0];
    key->paddle[1] = session->paddle[1];
    key->paddle_min = session->paddle_min;
    key->paddle_max = session->paddle_max;
    key->mode = session->mode;
    key->difficulty = session->difficulty;
}

MEGA_FN uint32_t memo_tag(const mega_recall *recall) {
    const uint64_t *words = (const uint64_t *)&recall->key;
    uint64_t hash = 0xCBF29CE484222325u ^ ((uint64_t)recall->acts << 32 | recall->fires);
    hash ^= ((uint64_t)recall->selects << 32 | recall->sticks) * 0x9E3779B97F4A7C15u;
    for (uint32_t i = 0; i < sizeof(mega_session) / 8u; i++) {
        hash = (hash ^ words[i]) * 0x100000001B3u;
        hash ^= hash >> 29;
    }
    return (uint32_t)(hash ^ hash >> 32) | 1u;
}

MEGA_FN uint32_t memo_same(const mega_memo_entry *entry, const mega_recall *recall) {
    const uint64_t *a = (const uint64_t *)&entry->before, *b = (const uint64_t *)&recall->key;
    uint32_t same = entry->acts == recall->acts && entry->fires == recall->fires &&
                    entry->selects == recall->selects && entry->sticks == recall->sticks;
    for (uint32_t i = 0; i < sizeof(mega_session) / 8u && same; i++) {
        same = a[i] == b[i];
    }
    return same;
}
MEGA_STATIC_ASSERT(sizeof(mega_session) % 8 == 0, "a session is compared in words");

// The place of a tag's probe in the tables.
MEGA_FN uint32_t memo_place(const mega_batch *batch, uint32_t course, uint32_t tag, uint32_t probe) {
    return batch->memo.room * course + (((tag >> 1) * 0x9E3779B1u >> 8) + probe) % batch->memo.room;
}

// ---- finding ---------------------------------------------------------------------------------------------

// How many of the acts hold FIRE: the one with number `press`, if it does not stick to doing nothing, and those
// that stick to it.
MEGA_FN uint32_t memo_draw_fires(mega_mt19937 *random, double sticky, uint32_t acts, uint32_t press) {
    uint32_t fires = 0, held = 0;
    for (uint32_t i = 0; i < acts; i++) {
        const double a = mega_mt_next(random) / 4294967296.0;
        mega_mt_next(random);
        held = i == press ? a >= sticky : held && a < sticky;
        fires += held;
    }
    return fires;
}

// Which of the acts that select the mode stick to what was done before.
MEGA_FN uint32_t memo_draw_sticks(mega_mt19937 *random, double sticky, uint32_t acts) {
    uint32_t sticks = 0;
    for (uint32_t i = 0; i < acts; i++) {
        sticks |= (uint32_t)(mega_mt_next(random) / 4294967296.0 < sticky) << i;
        mega_mt_next(random);
    }
    return sticks;
}

MEGA_FN uint32_t memo_look_up(const mega_batch *batch, uint32_t course, const mega_recall *recall) {
    for (uint32_t probe = 0; probe < MEMO_PROBES; probe++) {
        const uint32_t place = memo_place(batch, course, recall->tag, probe);
        const uint32_t tag = *(volatile uint32_t *)&batch->memo.tags[place];
        if (tag == 0) {
            return 0;
        }
        if (tag == recall->tag && *(volatile uint32_t *)&batch->memo.known[place]) {
            MEGA_FENCE();
            if (memo_same(&batch->memo.entries[place], recall)) {
                return place + 1u;
            }
        }
    }
    return 0;
}

// After the first frames of a reset, with `noops` drawn: if the rest is known, the session becomes what it
// leads to.
// `spare` has room for a generator.
MEGA_NOINLINE uint32_t memo_find(const mega_batch *batch, uint32_t course, mega_player *player,
                                 uint32_t noops, uint32_t *spare, mega_recall *recall) {
    mega_stage *stage = &player->stage;
    mega_session *session = &player->session;
    mega_mt19937 *random = stage->random;
    const uint32_t fire = task_needs_fire(&player->view), index = random->index;
    const uint32_t press = !fire ? ~0u : player->view.settings->envpool ? noops : 0u;
    recall->acts = fire + noops;
    recall->selects = batch->memo.room != 0 ? *(volatile uint32_t *)&batch->memo.selects[course] : 0u;
    recall->cleaned = recall->tag = recall->found = 0;
    if (batch->memo.room == 0 || !batch->courses[course].memorable || session->console.cpu.jammed ||
        recall->acts > MEMO_ACTS_MAX) {
        return 0;
    }
    const uint32_t refills = index + 2u * (recall->selects + recall->acts) > MEGA_MT_WORDS;
    if (refills) {
        memo_copy(spare, random, sizeof(*random));
    }
    recall->sticks = memo_draw_sticks(random, stage->settings->sticky, recall->selects);
    recall->fires = memo_draw_fires(random, stage->settings->sticky, recall->acts, press);
    memo_make_key(session, &recall->key);
    recall->tag = memo_tag(recall);
    recall->found = memo_look_up(batch, course, recall);
    if (recall->found == 0) {
        random->index = index;
        if (refills) {
            memo_copy(random, spare, sizeof(*random));
        }
        recall->frame_number = session->frame_number;
        return 0;
    }
    const mega_memo_entry *entry = &batch->memo.entries[recall->found - 1u];
    const uint32_t draws = session->console.draws, frame_number = session->frame_number;
    *session = entry->after;
    session->console.draws = draws;
    session->frame_number += frame_number;
    stage->sticky_action = entry->sticky_action;
    stage->sticky_strength = 1.0f;
    return 1;
}

// A reset has been played to its end: did it draw the numbers that were foreseen? If not, the next ones know better.
MEGA_FN void memo_compare_acts(const mega_batch *batch, uint32_t course, const mega_script *script,
                               mega_recall *recall) {
    if (recall->tag != 0 && (script->picked || script->acts != recall->selects)) {
        recall->tag = 0;
        if (!script->picked && script->acts <= MEMO_SELECTS) {
            *(volatile uint32_t *)&batch->memo.selects[course] = script->acts;
        }
    }
}

// A frame has been run on the way.
MEGA_FN void memo_see_frame(const mega_video *video, mega_recall *recall) {
    const mega_log *log = &video->log[video->slot];
    if (log->state == MEGA_SLOT_PENDING) {
        recall->cleaned |= 1u << log->picture;
    }
}

MEGA_FN uint8_t *memo_picture(const mega_batch *batch, uint32_t course, uint32_t number) {
    return batch->memo.pictures + (uint64_t)MEMO_PICTURE_SIZE * (MEMO_PICTURES * course + number);
}

// The pictures of an entry that was found, by all threads of a block.
MEGA_FN void memo_block_show(const mega_batch *batch, uint32_t env, uint32_t thread, uint32_t threads) {
    const uint32_t found = batch->cells[env].memo;
    if (found == 0) {
        return;
    }
    mega_video *video = &batch->videos[env];
    const uint32_t slot = video->slot, current = video->current, course = batch->cells[env].course;
    for (uint32_t ago = 0; ago < 2; ago++) {
        const mega_memo_log *from = &batch->memo.entries[found - 1u].log[ago];
        mega_log *log = &video->log[(slot + 3u - ago) % 3u];
        if (from->picture != 0) {
            const uint32_t *pixels = (const uint32_t *)memo_picture(batch, course, from->picture - 1u);
            const uint32_t size = MEGA_WIDTH * (uint32_t)batch->courses[course].cartridge.height;
            for (uint32_t i = thread; i < size / 4u; i += threads) {
                ((uint32_t *)video->picture[current ^ ago])[i] = pixels[i];
            }
            if (thread == 0) {
                log->state = MEGA_SLOT_EMPTY;
                log->shaded = 0;
            }
            continue;
        }
        const uint32_t words = from->segments * (uint32_t)(sizeof(mega_segment_body) / 4u);
        for (uint32_t i = thread; i < words; i += threads) {
            ((uint32_t *)log->body)[i] = ((const uint32_t *)from->body)[i];
        }
        for (uint32_t i = thread; i < from->segments; i += threads) {
            log->from[i] = from->from[i];
        }
        for (uint32_t i = thread; i < MEGA_PICTURE_ROWS + 4u; i += threads) {
            log->first[i] = from->first[i];
        }
        if (thread == 0) {
            log->start = from->start;
            log->base_cycle = from->base_cycle;
            log->count = log->replayed = 0; // it is drawn from its segments
            log->end_clock = from->end_clock;
            log->segments = from->segments;
            log->state = MEGA_SLOT_PENDING;
            log->picture = (uint8_t)(current ^ ago);
            log->shaded = 0;
            log->lined = 1;
        }
    }
    if (thread == 0) {
        video->log[(slot + 1u) % 3u].state = MEGA_SLOT_EMPTY;
        video->log[(slot + 1u) % 3u].shaded = 0;
    }
}

// ---- storing ---------------------------------------------------------------------------------------------

// The log that a picture is to be made of, or NULL.
MEGA_FN const mega_log *memo_log_of(const mega_video *video, uint32_t ago) {
    for (uint32_t i = 0; i < 3; i++) {
        const mega_log *log = &video->log[i];
        if (log->state == MEGA_SLOT_PENDING && log->picture == (video->current ^ ago)) {
            return log;
        }
    }
    return NULL;
}

// Pixels depend on nothing that was before, once their buffer has been drawn as a whole.
MEGA_FN uint32_t memo_can_store(const mega_video *video, uint32_t ago, const mega_recall *recall) {
    const mega_log *log = memo_log_of(video, ago);
    return log != NULL ? log->lined && log->segments <= MEMO_SEGMENTS
                       : recall->cleaned >> (video->current ^ ago) & 1u;
}

// Returns 0 if there is no room for more pixels.
MEGA_FN uint32_t memo_store_pixels(const mega_batch *batch, uint32_t course, mega_memo_log *to,
                                   const uint8_t *pixels) {
    const uint32_t number = MEGA_ATOMIC_ADD(&batch->memo.pictured[course], 1u);
    if (number >= MEMO_PICTURES) {
        return 0;
    }
    memo_copy(memo_picture(batch, course, number), pixels,
              MEGA_WIDTH * (uint32_t)batch->courses[course].cartridge.height);
    to->picture = number + 1u;
    return 1;
}

MEGA_FN void memo_store_log(mega_memo_log *to, const mega_log *log) {
    to->picture = 0;
    to->start = log->start;
    to->base_cycle = log->base_cycle;
    to->end_clock = log->end_clock;
    to->segments = log->segments;
    memo_copy(to->first, log->first, sizeof(to->first));
    memo_copy(to->from, log->from, 4u * log->segments);
    memo_copy(to->body, log->body, (uint32_t)sizeof(mega_segment_body) * log->segments);
}

// A free place for the tag, claimed, or ~0: there is none, or somebody has stored this already.
MEGA_FN uint32_t memo_claim(const mega_batch *batch, uint32_t course, uint32_t tag) {
    for (uint32_t probe = 0; probe < MEMO_PROBES; probe++) {
        const uint32_t place = memo_place(batch, course, tag, probe);
        const uint32_t there = MEGA_ATOMIC_SWAP(&batch->memo.tags[place], 0u, tag);
        if (there == 0) {
            return place;
        }
        if (there == tag) {
            break;
        }
    }
    return 0xFFFFFFFFu;
}

// The episode has begun and was played from where `recall` was made.
MEGA_NOINLINE void memo_store(const mega_batch *batch, uint32_t course, const mega_player *player,
                              const mega_recall *recall) {
    const mega_stage *stage = &player->stage;
    const mega_video *video = stage->machine.video;
    if (recall->tag == 0 || stage->failed || player->session.console.cpu.jammed ||
        !memo_can_store(video, 0, recall) || !memo_can_store(video, 1, recall)) {
        return;
    }
    const uint32_t place = memo_claim(batch, course, recall->tag);
    if (place == 0xFFFFFFFFu) {
        return;
    }
    mega_memo_entry *entry = &batch->memo.entries[place];
    entry->before = recall->key;
    entry->after = player->session;
    entry->after.frame_number -= recall->frame_number;
    entry->acts = recall->acts;
    entry->fires = recall->fires;
    entry->selects = recall->selects;
    entry->sticks = recall->sticks;
    entry->sticky_action = stage->sticky_action;
    uint32_t stored = 1;
    for (uint32_t ago = 0; ago < 2 && stored; ago++) {
        const mega_log *log = memo_log_of(video, ago);
        if (log != NULL) {
            memo_store_log(&entry->log[ago], log);
        } else {
            stored = memo_store_pixels(batch, course, &entry->log[ago], video->picture[video->current ^ ago]);
        }
    }
    MEGA_FENCE();
    *(volatile uint32_t *)&batch->memo.known[place] = stored;
}

#endif
