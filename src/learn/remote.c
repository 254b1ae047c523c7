// remote.c - see remote.h.
#include "remote.h"

#include "remote_format.h"

#include <stdlib.h>
#include <string.h>

enum {
    EPISODES_LEAST = 1024, // as many as a vector keeps
    SMALL = 4096           // bytes that leave together with their head
};

typedef struct part { // of a group, at one sampler
    uint32_t first;   // environment
    uint32_t count;
} part;

struct mega_remote {
    mega_remote_desc desc;
    mega_remote_facts facts;
    bool failed;       // samplers answer nothing after a failure
    size_t frame;      // bytes
    uint8_t *frames;   // [envs][stack]: the last ones of each, in a ring
    uint32_t *newest;  // [groups]: where in the rings the newest is
    uint8_t *bytes;    // of a step's answer: outcomes and episodes,
    uint8_t *arrivals; // and frames
    mega_episode *episodes;
    uint64_t episode_next;
    uint32_t episode_count, episode_capacity;
};

static uint32_t samplers_of(const mega_remote *remote) {
    return remote->desc.dist->wire_count;
}

uint32_t mega_remote_group(const mega_remote *remote, uint32_t group, uint32_t *first) {
    const uint64_t envs = remote->desc.envs, groups = remote->desc.groups;
    *first = (uint32_t)(envs * group / groups);
    return group < groups ? (uint32_t)(envs * (group + 1) / groups) - *first : 0;
}

static part part_of(const mega_remote *remote, uint32_t group, uint32_t sampler) {
    uint32_t first;
    const uint64_t count = mega_remote_group(remote, group, &first), samplers = samplers_of(remote);
    const uint32_t begin = (uint32_t)(count * sampler / samplers),
                   end = (uint32_t)(count * (sampler + 1) / samplers);
    const part p = {first + begin, end - begin};
    return p;
}

// ---- messages ----

static int ask(mega_remote *remote, uint32_t sampler, mega_remote_head head, const void *bytes,
               mega_message *message) {
    mega_wire *wire = &remote->desc.dist->wires[sampler];
    uint8_t small[sizeof head + SMALL];
    if (remote->failed) {
        return mega_message_set(message, "rank %u has failed, and plays no more", wire->rank);
    }
    head.magic = MEGA_REMOTE_MAGIC;
    const bool is_small = head.size <= SMALL;
    memcpy(small, &head, sizeof head);
    if (is_small && head.size > 0) {
        memcpy(small + sizeof head, bytes, head.size);
    }
    if (mega_wire_begin_send(wire, small, sizeof head + (is_small ? head.size : 0), message) < 0 ||
        (!is_small && mega_wire_begin_send(wire, bytes, head.size, message) < 0)) {
        return -1;
    }
    return mega_wire_finish_send(wire, message);
}

static int hear_failure(mega_remote *remote, mega_wire *wire, mega_message *message) {
    mega_message why;
    remote->failed = true;
    if (mega_wire_receive(wire, why.text, sizeof why.text, message) < 0) {
        return -1;
    }
    why.text[sizeof why.text - 1] = '\0';
    return mega_message_set(message, "rank %u: %s", wire->rank, why.text);
}

// The head of the answer to what was asked of a group.
static int hear(mega_remote *remote, uint32_t sampler, mega_remote_kind kind, uint32_t group,
                mega_remote_head *head, mega_message *message) {
    mega_wire *wire = &remote->desc.dist->wires[sampler];
    if (mega_wire_receive(wire, head, sizeof *head, message) < 0) {
        return -1;
    }
    if (head->magic == MEGA_REMOTE_MAGIC && head->kind == MEGA_REMOTE_FAILED &&
        head->size == sizeof(mega_message)) {
        return hear_failure(remote, wire, message);
    }
    if (head->magic != MEGA_REMOTE_MAGIC || head->kind != (uint32_t)kind || head->group != group) {
        return mega_message_set(
            message, "rank %u sends what was not asked for; all ranks need the same program", wire->rank);
    }
    return 0;
}

// And its bytes, of which there are exactly so many.
static int hear_bytes(mega_remote *remote, uint32_t sampler, mega_remote_kind kind, uint32_t group,
                      void *bytes, size_t size, mega_message *message) {
    mega_wire *wire = &remote->desc.dist->wires[sampler];
    mega_remote_head head;
    if (hear(remote, sampler, kind, group, &head, message) < 0) {
        return -1;
    }
    if (head.size != size) {
        return mega_message_set(message, "rank %u sends %llu bytes, not %zu; all ranks need the same program",
                                wire->rank, (unsigned long long)head.size, size);
    }
    return mega_wire_receive(wire, bytes, size, message);
}

// ---- making ----

static int open_part(mega_remote *remote, uint32_t group, uint32_t sampler, mega_message *message) {
    const part p = part_of(remote, group, sampler);
    const mega_remote_head head = {
        .kind = MEGA_REMOTE_OPEN, .group = group, .first = remote->desc.first + p.first, .count = p.count};
    return p.count == 0 ? 0 : ask(remote, sampler, head, NULL, message);
}

static int hear_about(mega_remote *remote, uint32_t group, uint32_t sampler, mega_message *message) {
    mega_remote_about about;
    if (part_of(remote, group, sampler).count == 0) {
        return 0;
    }
    if (hear_bytes(remote, sampler, MEGA_REMOTE_OPEN, group, &about, sizeof about, message) < 0) {
        return -1;
    }
    remote->facts.actions = (uint32_t)about.actions;
    remote->facts.observation_size = about.observation_size;
    remote->facts.state_size = about.state_size;
    return 0;
}

// What is asked of all parts, so that samplers do it at the same time.
typedef int part_function(mega_remote *remote, uint32_t group, uint32_t sampler, mega_message *message);

static int for_all(mega_remote *remote, part_function *function, mega_message *message) {
    for (uint32_t group = 0; group < remote->desc.groups; group++) {
        for (uint32_t sampler = 0; sampler < samplers_of(remote); sampler++) {
            if (function(remote, group, sampler, message) < 0) {
                return -1;
            }
        }
    }
    return 0;
}

static int allocate(mega_remote *remote, mega_message *message) {
    const size_t envs = remote->desc.envs;
    remote->frame = remote->facts.observation_size / remote->desc.stack;
    remote->episode_capacity = remote->desc.envs > EPISODES_LEAST ? remote->desc.envs : EPISODES_LEAST;
    remote->frames = calloc(envs, remote->facts.observation_size);
    remote->newest = calloc(remote->desc.groups, sizeof *remote->newest);
    remote->bytes = malloc(envs * (MEGA_REMOTE_OUTCOME + sizeof(mega_episode)));
    remote->arrivals = malloc(envs * remote->facts.observation_size);
    remote->episodes = calloc(remote->episode_capacity, sizeof *remote->episodes);
    if (remote->frames == NULL || remote->newest == NULL || remote->bytes == NULL ||
        remote->arrivals == NULL || remote->episodes == NULL) {
        return mega_message_set(message, "there is no memory for the observations of %zu environments", envs);
    }
    return 0;
}

int mega_remote_create(const mega_remote_desc *desc, mega_remote **out, mega_message *message) {
    mega_remote *remote = calloc(1, sizeof *remote);
    *out = NULL;
    if (remote == NULL) {
        return mega_message_set(message, "there is no memory for the environments of samplers");
    }
    remote->desc = *desc;
    remote->facts.envs = desc->envs;
    if (for_all(remote, open_part, message) < 0 || for_all(remote, hear_about, message) < 0 ||
        allocate(remote, message) < 0) {
        mega_remote_destroy(remote);
        return -1;
    }
    *out = remote;
    return 0;
}

void mega_remote_destroy(mega_remote *remote) {
    if (remote != NULL) {
        free(remote->frames);
        free(remote->newest);
        free(remote->bytes);
        free(remote->arrivals);
        free(remote->episodes);
        free(remote);
    }
}

void mega_remote_end(mega_dist *dist, int exit_code) {
    for (uint32_t i = 0; i < dist->wire_count; i++) {
        const mega_remote_head head = {
            .magic = MEGA_REMOTE_MAGIC, .kind = MEGA_REMOTE_END, .parts = (uint32_t)exit_code};
        mega_wire *wire = &dist->wires[i];
        if (wire->waiting > 0) { // of what was being sent when something failed
            mega_wire_close(wire);
        } else if (wire->handle >= 0 && mega_wire_begin_send(wire, &head, sizeof head, NULL) == 0) {
            (void)mega_wire_finish_send(wire, NULL);
        }
    }
}

const mega_remote_facts *mega_remote_facts_of(const mega_remote *remote) {
    return &remote->facts;
}

// ---- observations ----

// Takes the newest frame of an environment, or all, into its ring, whose newest one is to be at `newest`.
static void take_frames(mega_remote *remote, uint32_t env, uint32_t newest, const uint8_t *frames, bool all) {
    uint8_t *ring = remote->frames + env * remote->facts.observation_size;
    const uint32_t stack = remote->desc.stack;
    for (uint32_t i = 0; i < stack && all; i++) {
        memcpy(ring + (newest + 1 + i) % stack * remote->frame, frames + i * remote->frame, remote->frame);
    }
    if (!all) {
        memcpy(ring + newest * remote->frame, frames, remote->frame);
    }
}

static void give_stack(const mega_remote *remote, uint32_t env, uint32_t newest, uint8_t *observation) {
    const uint8_t *ring = remote->frames + env * remote->facts.observation_size;
    const size_t old = (size_t)(newest + 1) % remote->desc.stack * remote->frame,
                 size = remote->facts.observation_size;
    memcpy(observation, ring + old, size - old);
    memcpy(observation + size - old, ring, old);
}

// ---- resets ----

static int ask_reset(mega_remote *remote, uint32_t sampler, uint32_t group, const uint8_t *mask,
                     const int32_t *seeds, bool wants, mega_message *message) {
    const part p = part_of(remote, group, sampler);
    const size_t masks = mask != NULL ? p.count : 0,
                 size = masks + (seeds != NULL ? p.count * sizeof *seeds : 0);
    const mega_remote_head head = {.kind = MEGA_REMOTE_RESET,
                                   .group = group,
                                   .count = p.count,
                                   .parts = (mask != NULL ? MEGA_REMOTE_HAS_MASK : 0) |
                                            (seeds != NULL ? MEGA_REMOTE_HAS_SEEDS : 0) |
                                            (wants ? MEGA_REMOTE_WANTS_OBSERVATIONS : 0),
                                   .size = size};
    if (p.count == 0) {
        return 0;
    }
    if (mask != NULL) {
        memcpy(remote->bytes, mask + p.first, masks);
    }
    if (seeds != NULL) {
        memcpy(remote->bytes + masks, seeds + p.first, p.count * sizeof *seeds);
    }
    return ask(remote, sampler, head, remote->bytes, message);
}

static int hear_reset(mega_remote *remote, uint32_t sampler, uint32_t group, uint8_t *observations,
                      mega_message *message) {
    const part p = part_of(remote, group, sampler);
    const size_t size = remote->facts.observation_size, all = observations != NULL ? p.count * size : 0;
    if (p.count == 0) {
        return 0;
    }
    if (hear_bytes(remote, sampler, MEGA_REMOTE_RESET, group, remote->arrivals, all, message) < 0) {
        return -1;
    }
    for (uint32_t i = 0; i < p.count && observations != NULL; i++) {
        take_frames(remote, p.first + i, remote->newest[group], remote->arrivals + i * size, true);
    }
    if (observations != NULL) {
        memcpy(observations + p.first * size, remote->arrivals, all);
    }
    return 0;
}

int mega_remote_reset(mega_remote *remote, const uint8_t *mask, const int32_t *seeds,
                      const mega_vector_out *out, mega_message *message) {
    uint8_t *observations = out != NULL ? out->observations : NULL;
    for (uint32_t group = 0; group < remote->desc.groups; group++) {
        for (uint32_t sampler = 0; sampler < samplers_of(remote); sampler++) {
            if (ask_reset(remote, sampler, group, mask, seeds, observations != NULL, message) < 0) {
                return -1;
            }
        }
    }
    for (uint32_t group = 0; group < remote->desc.groups; group++) {
        for (uint32_t sampler = 0; sampler < samplers_of(remote); sampler++) {
            if (hear_reset(remote, sampler, group, observations, message) < 0) {
                return -1;
            }
        }
    }
    return 0;
}

// ---- steps ----

int mega_remote_group_send(mega_remote *remote, uint32_t group, const int32_t *actions,
                           mega_message *message) {
    uint32_t group_first;
    (void)mega_remote_group(remote, group, &group_first);
    for (uint32_t sampler = 0; sampler < samplers_of(remote); sampler++) {
        const part p = part_of(remote, group, sampler);
        const mega_remote_head head = {
            .kind = MEGA_REMOTE_STEP, .group = group, .count = p.count, .size = p.count};
        for (uint32_t i = 0; i < p.count; i++) {
            remote->bytes[i] = (uint8_t)actions[p.first - group_first + i];
        }
        if (p.count > 0 && ask(remote, sampler, head, remote->bytes, message) < 0) {
            return -1;
        }
    }
    return 0;
}

static void keep_episodes(mega_remote *remote, const part *p, const uint8_t *bytes, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        mega_episode *episode = &remote->episodes[remote->episode_next++ % remote->episode_capacity];
        memcpy(episode, bytes + i * sizeof *episode, sizeof *episode);
        episode->env_id += (int32_t)p->first;
        remote->episode_count += remote->episode_count < remote->episode_capacity;
    }
}

uint32_t mega_remote_drain_episodes(mega_remote *remote, mega_episode *episodes, uint32_t capacity) {
    uint32_t taken = 0;
    for (; taken < capacity && remote->episode_count > 0; taken++) {
        const uint64_t oldest = remote->episode_next - remote->episode_count--;
        episodes[taken] = remote->episodes[oldest % remote->episode_capacity];
    }
    return taken;
}

// Outcomes are arrays of `count` each in the order of the message; `at` is where this part's are in those of `out`.
static void give_outcomes(const uint8_t *bytes, uint32_t count, uint32_t at, const mega_vector_out *out) {
    const size_t rewards = count * sizeof *out->rewards;
    uint8_t *const flags[] = {out->terminations, out->truncations, out->episode_ends};
    if (out->rewards != NULL) {
        memcpy(out->rewards + at, bytes, rewards);
    }
    for (uint32_t i = 0; i < 3; i++) {
        if (flags[i] != NULL) {
            memcpy(flags[i] + at, bytes + rewards + i * count, count);
        }
    }
}

static int hear_frames(mega_remote *remote, uint32_t sampler, const part *p, uint32_t newest,
                       const uint8_t *whole, mega_message *message) {
    const uint8_t *at = remote->arrivals;
    size_t frames = 0;
    for (uint32_t i = 0; i < p->count; i++) {
        frames += whole[i] ? remote->desc.stack : 1;
    }
    if (mega_wire_receive(&remote->desc.dist->wires[sampler], remote->arrivals, frames * remote->frame,
                          message) < 0) {
        return -1;
    }
    for (uint32_t i = 0; i < p->count; i++) {
        take_frames(remote, p->first + i, newest, at, whole[i] != 0);
        at += (whole[i] ? remote->desc.stack : 1) * remote->frame;
    }
    return 0;
}

static int hear_step(mega_remote *remote, uint32_t sampler, uint32_t group, uint32_t group_first,
                     const mega_vector_out *out, mega_message *message) {
    const part p = part_of(remote, group, sampler);
    const uint32_t newest = remote->newest[group], at = p.first - group_first;
    const size_t outcomes = (size_t)p.count * MEGA_REMOTE_OUTCOME, size = remote->facts.observation_size;
    mega_wire *wire = &remote->desc.dist->wires[sampler];
    mega_remote_head head;
    if (p.count == 0) {
        return 0;
    }
    if (hear(remote, sampler, MEGA_REMOTE_STEP, group, &head, message) < 0) {
        return -1;
    }
    if (head.count != p.count || head.parts > p.count) {
        return mega_message_set(message, "rank %u has played %u environments, not %u", wire->rank, head.count,
                                p.count);
    }
    if (mega_wire_receive(wire, remote->bytes, outcomes + head.parts * sizeof(mega_episode), message) < 0 ||
        hear_frames(remote, sampler, &p, newest, remote->bytes + outcomes - p.count, message) < 0) {
        return -1;
    }
    give_outcomes(remote->bytes, p.count, at, out);
    keep_episodes(remote, &p, remote->bytes + outcomes, head.parts);
    for (uint32_t i = 0; i < p.count && out->observations != NULL; i++) {
        give_stack(remote, p.first + i, newest, out->observations + (at + i) * size);
    }
    return 0;
}

int mega_remote_group_recv(mega_remote *remote, uint32_t group, const mega_vector_out *out,
                           mega_message *message) {
    uint32_t first;
    (void)mega_remote_group(remote, group, &first);
    remote->newest[group] = (remote->newest[group] + 1) % remote->desc.stack;
    for (uint32_t sampler = 0; sampler < samplers_of(remote); sampler++) {
        if (hear_step(remote, sampler, group, first, out, message) < 0) {
            return -1;
        }
    }
    return 0;
}

int mega_remote_step(mega_remote *remote, const int32_t *actions, const mega_vector_out *out,
                     mega_message *message) {
    for (uint32_t group = 0; group < remote->desc.groups; group++) {
        uint32_t first;
        (void)mega_remote_group(remote, group, &first);
        if (mega_remote_group_send(remote, group, actions + first, message) < 0) {
            return -1;
        }
    }
    for (uint32_t group = 0; group < remote->desc.groups; group++) {
        uint32_t first;
        (void)mega_remote_group(remote, group, &first);
        const mega_vector_out part_out = {
            .observations =
                out->observations != NULL ? out->observations + first * remote->facts.observation_size : NULL,
            .rewards = out->rewards + first,
            .terminations = out->terminations + first,
            .truncations = out->truncations + first,
            .episode_ends = out->episode_ends + first,
        };
        if (mega_remote_group_recv(remote, group, &part_out, message) < 0) {
            return -1;
        }
    }
    return 0;
}

// ---- states ----

// Where environment `env` is: its place in a part, and how many of the part are left from there on.
static part find(const mega_remote *remote, uint32_t env, uint32_t *group, uint32_t *sampler) {
    part p = {0, 0};
    for (*group = 0; *group < remote->desc.groups; ++*group) {
        for (*sampler = 0; *sampler < samplers_of(remote); ++*sampler) {
            p = part_of(remote, *group, *sampler);
            if (env - p.first < p.count) {
                p.count -= env - p.first;
                p.first = env - p.first;
                return p;
            }
        }
    }
    return p;
}

static int move_states(mega_remote *remote, mega_remote_kind kind, uint32_t env, uint32_t count,
                       uint8_t *states, mega_message *message) {
    const size_t size = remote->facts.state_size;
    for (uint32_t done = 0; done < count;) {
        uint32_t group = 0, sampler = 0;
        const part p = find(remote, env + done, &group, &sampler);
        const uint32_t n = p.count < count - done ? p.count : count - done;
        const bool restores = kind == MEGA_REMOTE_RESTORE;
        const mega_remote_head head = {.kind = (uint32_t)kind,
                                       .group = group,
                                       .first = p.first,
                                       .count = n,
                                       .size = restores ? n * size : 0};
        if (ask(remote, sampler, head, states + done * size, message) < 0 ||
            hear_bytes(remote, sampler, kind, group, states + done * size, restores ? 0 : n * size, message) <
                0) {
            return -1;
        }
        done += n;
    }
    return 0;
}

int mega_remote_save(mega_remote *remote, uint32_t first, uint32_t count, uint8_t *states,
                     mega_message *message) {
    return move_states(remote, MEGA_REMOTE_SAVE, first, count, states, message);
}

int mega_remote_restore(mega_remote *remote, uint32_t first, uint32_t count, const uint8_t *states,
                        mega_message *message) {
    // They are only sent.
    return move_states(remote, MEGA_REMOTE_RESTORE, first, count, (uint8_t *)(uintptr_t)states, message);
}
