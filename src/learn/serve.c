// serve.c - see serve.h.
//
// A vector for each of the learner's groups, since a group's environments have numbers in a row, by which they are seeded.
// One plays at a time, with all threads; what it played is on its way to the learner while the next one plays.
#include "serve.h"

#include "field.h"
#include "remote_format.h"
#include "share.h"

#include <stdlib.h>
#include <string.h>

enum {
    GROUPS_MAX = 64,
    STATES_MAX = MEGA_FIELD_STATES
};

typedef struct served_group {
    mega_vector *vector; // NULL: not opened
    uint32_t count;
    size_t observation_size;
    int32_t *actions; // [count]
    uint8_t *stale;   // [count]: the learner has not seen the frames before the next one
    uint8_t *answer;  // a head and what follows, until the learner has it
} served_group;

typedef struct server {
    mega_train_settings settings; // those of a group
    const mega_rom *rom;
    mega_dist *dist;
    mega_wire *wire;
    served_group groups[GROUPS_MAX];
    uint8_t *bytes; // of the present message
    size_t room;
    bool has_failed;
} server;

// ---- answers ----

static int answer(server *s, const mega_remote_head *asked, const void *bytes, size_t size,
                  mega_message *message) {
    mega_remote_head head = *asked;
    head.size = size;
    if (mega_wire_begin_send(s->wire, &head, sizeof head, message) < 0 ||
        mega_wire_begin_send(s->wire, bytes, size, message) < 0) {
        return -1;
    }
    return mega_wire_finish_send(s->wire, message);
}

// Says why, once; then nothing is done any more but waiting for the end.
static int answer_failure(server *s, const mega_remote_head *asked, const mega_message *why,
                          mega_message *message) {
    mega_remote_head head = *asked;
    head.kind = MEGA_REMOTE_FAILED;
    s->has_failed = true;
    return answer(s, &head, why, sizeof *why, message);
}

// ---- groups ----

static size_t answer_room(const served_group *group) {
    return sizeof(mega_remote_head) +
           group->count * (MEGA_REMOTE_OUTCOME + sizeof(mega_episode) + group->observation_size);
}

static void close_group(served_group *group) {
    mega_vector_destroy(group->vector);
    free(group->actions);
    free(group->stale);
    free(group->answer);
    memset(group, 0, sizeof *group);
}

static int open_group(server *s, const mega_remote_head *head, mega_remote_about *about,
                      mega_message *message) {
    served_group *group = &s->groups[head->group];
    const uint32_t threads = (uint32_t)s->settings.threads;
    const mega_field_plan plan = {
        .settings = &s->settings,
        .rom = s->rom,
        .first = head->first,
        .count = head->count,
        .pin = 1 + s->dist->local_rank * threads,
    };
    close_group(group);
    if (mega_field_make_vector(&plan, &group->vector, message) < 0) {
        return -1;
    }
    uint32_t actions = 0;
    (void)mega_vector_actions(group->vector, &actions);
    group->count = head->count;
    group->observation_size = mega_vector_observation_size(group->vector);
    group->actions = calloc(group->count, sizeof *group->actions);
    group->stale = malloc(group->count);
    group->answer = malloc(answer_room(group));
    if (group->actions == NULL || group->stale == NULL || group->answer == NULL) {
        return mega_message_set(message, "there is no memory for %u environments", group->count);
    }
    memset(group->stale, 1, group->count);
    const mega_remote_about all = {
        .actions = actions,
        .observation_size = group->observation_size,
        .state_size = mega_vector_state_size(group->vector),
    };
    *about = all;
    return 0;
}

// ---- steps ----

static size_t copy_frames(const server *s, const served_group *group, const uint8_t *whole, uint8_t *to) {
    const uint8_t *observation = mega_vector_observations(group->vector);
    const size_t size = group->observation_size, frame = size / (size_t)s->settings.stack;
    size_t used = 0;
    for (uint32_t i = 0; i < group->count; i++, observation += size) {
        const size_t n = whole[i] ? size : frame;
        memcpy(to + used, observation + size - n, n);
        used += n;
    }
    return used;
}

// Plays a step, and writes the answer as it will travel.
static int play_step(server *s, const mega_remote_head *asked, mega_message *message) {
    served_group *group = &s->groups[asked->group];
    const uint32_t count = group->count;
    uint8_t *at = group->answer + sizeof *asked;
    uint8_t *ends = at + count * sizeof(int32_t), *whole = ends + (size_t)3 * count;
    const mega_vector_out out = {
        .rewards = (int32_t *)(void *)at, // memory that was allocated, and a head of 32 bytes
        .terminations = ends,
        .truncations = ends + count,
        .episode_ends = ends + (size_t)2 * count,
    };
    mega_episode *episodes = (mega_episode *)(void *)(at + (size_t)count * MEGA_REMOTE_OUTCOME);
    for (uint32_t i = 0; i < count; i++) {
        group->actions[i] = s->bytes[i];
    }
    if (mega_vector_result(mega_vector_step(group->vector, group->actions, NULL, &out), message) < 0) {
        return -1;
    }
    memcpy(whole, group->stale, count);
    memcpy(group->stale, out.episode_ends, count); // the next step is a reset there
    mega_remote_head head = *asked;
    head.parts = mega_vector_drain_episodes(group->vector, episodes, count);
    at = (uint8_t *)(episodes + head.parts);
    at += copy_frames(s, group, whole, at);
    head.size = (size_t)(at - group->answer) - sizeof head;
    memcpy(group->answer, &head, sizeof head);
    return 0;
}

static int do_step(server *s, const mega_remote_head *asked, mega_message *why, mega_message *message) {
    const served_group *group = &s->groups[asked->group];
    mega_remote_head head;
    if (asked->size != group->count) {
        return mega_message_set(why, "%llu actions came for %u environments", (unsigned long long)asked->size,
                                group->count);
    }
    if (play_step(s, asked, why) < 0) {
        return -1;
    }
    memcpy(&head, group->answer, sizeof head);
    // The learner asks for this group's next step when it has got this one.
    return mega_wire_begin_send(s->wire, group->answer, sizeof head + head.size, message);
}

// ---- resets and states ----

static int do_reset(server *s, const mega_remote_head *asked, mega_message *why, mega_message *message) {
    served_group *group = &s->groups[asked->group];
    const bool has_mask = (asked->parts & MEGA_REMOTE_HAS_MASK) != 0,
               wants = asked->parts & MEGA_REMOTE_WANTS_OBSERVATIONS;
    const bool has_seeds = (asked->parts & MEGA_REMOTE_HAS_SEEDS) != 0;
    const size_t masks = has_mask ? group->count : 0, seeds = has_seeds ? group->count * sizeof(int32_t) : 0;
    if (asked->size != masks + seeds) {
        return mega_message_set(why, "a reset of %u environments cannot be read", group->count);
    }
    if (has_seeds) {
        memcpy(group->actions, s->bytes + masks, seeds); // they may lie anywhere
    }
    if (mega_vector_result(mega_vector_reset(group->vector, has_mask ? s->bytes : NULL,
                                             has_seeds ? group->actions : NULL, NULL),
                           why) < 0) {
        return -1;
    }
    for (uint32_t i = 0; i < group->count; i++) {
        group->stale[i] = wants ? 0 : group->stale[i] || !has_mask || s->bytes[i] != 0;
    }
    return answer(s, asked, mega_vector_observations(group->vector),
                  wants ? group->count * group->observation_size : 0, message);
}

static int do_states(server *s, const mega_remote_head *asked, mega_message *why, mega_message *message) {
    served_group *group = &s->groups[asked->group];
    const bool restores = asked->kind == MEGA_REMOTE_RESTORE;
    const size_t size = asked->count * mega_vector_state_size(group->vector);
    if (asked->count > STATES_MAX || asked->first > group->count ||
        asked->count > group->count - asked->first || (restores && asked->size != size)) {
        return mega_message_set(why, "states of %u environments cannot be read", asked->count);
    }
    if (restores) {
        memset(group->stale + asked->first, 1, asked->count);
        return mega_field_restore_vector(group->vector, asked->first, asked->count, s->bytes, why) < 0
                   ? -1
                   : answer(s, asked, NULL, 0, message);
    }
    uint8_t *states = malloc(size);
    int result = states == NULL
                     ? mega_message_set(why, "there is no memory for states of environments")
                     : mega_field_save_vector(group->vector, asked->first, asked->count, states, why);
    if (result == 0) {
        result = answer(s, asked, states, size, message);
    }
    free(states);
    return result;
}

// ---- messages ----

static int do_open(server *s, const mega_remote_head *asked, mega_message *why, mega_message *message) {
    mega_remote_about about;
    return open_group(s, asked, &about, why) < 0 ? -1 : answer(s, asked, &about, sizeof about, message);
}

// What could not be done is told to the learner, whose failure it is then.
static int do_message(server *s, const mega_remote_head *head, mega_message *message) {
    mega_message why = {""};
    int result = -1;
    if (head->group >= GROUPS_MAX ||
        (head->kind != MEGA_REMOTE_OPEN && s->groups[head->group].vector == NULL)) {
        (void)mega_message_set(&why, "there is no group %u of environments", head->group);
    } else {
        switch (head->kind) {
        case MEGA_REMOTE_OPEN: result = do_open(s, head, &why, message); break;
        case MEGA_REMOTE_RESET: result = do_reset(s, head, &why, message); break;
        case MEGA_REMOTE_STEP: result = do_step(s, head, &why, message); break;
        case MEGA_REMOTE_SAVE:
        case MEGA_REMOTE_RESTORE: result = do_states(s, head, &why, message); break;
        default: (void)mega_message_set(&why, "there is no message of kind %u", head->kind);
        }
    }
    if (result == 0 || s->wire->handle < 0) { // done, or there is nobody any more to do it for
        return result;
    }
    return answer_failure(s, head, &why, message);
}

static int hear(server *s, mega_remote_head *head, mega_message *message) {
    if (mega_wire_receive(s->wire, head, sizeof *head, message) < 0) {
        return -1;
    }
    if (head->magic != MEGA_REMOTE_MAGIC || head->size > SIZE_MAX / 2) {
        return mega_message_set(message, "rank %u sends what is no message of Megacade's", s->wire->rank);
    }
    if (head->size > s->room) {
        free(s->bytes);
        s->bytes = malloc(head->size);
        s->room = s->bytes != NULL ? head->size : 0;
        if (s->bytes == NULL) {
            return mega_message_set(message, "there is no memory for a message of %llu bytes",
                                    (unsigned long long)head->size);
        }
    }
    return mega_wire_receive(s->wire, s->bytes, head->size, message);
}

static int serve(server *s, int *exit_code, mega_message *message) {
    mega_remote_head head;
    for (;;) {
        if (hear(s, &head, message) < 0) {
            return -1;
        }
        if (head.kind == MEGA_REMOTE_END) {
            *exit_code = (int)head.parts;
            return 0;
        }
        if (!s->has_failed && do_message(s, &head, message) < 0) {
            return -1;
        }
    }
}

int mega_serve(const mega_train_settings *settings, const mega_rom *rom, mega_dist *dist, int *exit_code,
               mega_message *message) {
    server *s = calloc(1, sizeof *s);
    if (s == NULL) {
        return mega_message_set(message, "there is no memory for a sampler");
    }
    s->settings = *settings;
    s->settings.groups = 1;
    s->settings.threads = mega_share_threads(settings, dist);
    strcpy(s->settings.env_device, "cpu");
    s->rom = rom;
    s->dist = dist;
    s->wire = &dist->wires[0];
    const int result = serve(s, exit_code, message);
    for (uint32_t group = 0; group < GROUPS_MAX; group++) {
        close_group(&s->groups[group]);
    }
    free(s->bytes);
    free(s);
    return result;
}
