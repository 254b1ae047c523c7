// remote_format.h - what a learner and its samplers tell each other.
//
// A message is a head and `size` bytes. The learner asks, and the sampler answers each message with one of the same kind
// and group, in the order in which it was asked, or with a sentence why it could not. Groups are those of the learner; of
// each the sampler has `count` environments. Numbers are in the order of bytes of those who send; the magic tells.
#ifndef REMOTE_FORMAT_H
#define REMOTE_FORMAT_H
#include "megacade.h"

enum {
    MEGA_REMOTE_MAGIC = 0x4D475352
};

typedef enum mega_remote_kind {
    // Make a group of `count` environments, of which the first has the number `first` among all of the run. Answer: a
    // mega_remote_about.
    MEGA_REMOTE_OPEN,
    // Start episodes: `parts` of what follows is there, each with `count` entries: masks (bytes), seeds (int32). Answer: all
    // observations, if they were wanted.
    MEGA_REMOTE_RESET,
    // Play a step: an action (byte) for each. Answer: rewards (int32); bytes of ends by the rules, ends by the limit, ends of
    // episodes, and whether all of the stack is there; `parts` episodes, whose env_id counts within the message; and the
    // newest frame or the stack of each.
    MEGA_REMOTE_STEP,
    MEGA_REMOTE_SAVE,    // Answer: states of `count` environments of the group from `first` on
    MEGA_REMOTE_RESTORE, // these states. Answer: nothing
    MEGA_REMOTE_END,     // Leave, with `parts` as exit code. No answer
    MEGA_REMOTE_FAILED   // answer: a mega_message
} mega_remote_kind;

enum {
    MEGA_REMOTE_HAS_MASK = 1,
    MEGA_REMOTE_HAS_SEEDS = 2,
    MEGA_REMOTE_WANTS_OBSERVATIONS = 4
};

typedef struct mega_remote_head {
    uint32_t magic;
    uint32_t kind;
    uint32_t group;
    uint32_t first;
    uint32_t count;
    uint32_t parts;
    uint64_t size;
} mega_remote_head;

typedef struct mega_remote_about {
    uint64_t actions;
    uint64_t observation_size;
    uint64_t state_size;
} mega_remote_about;

enum {
    MEGA_REMOTE_OUTCOME =
        sizeof(int32_t) + 4 // bytes of a step's answer for each environment, besides its frames
};

#endif
