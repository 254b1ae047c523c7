// replay.c - replay memories on any device: their memory, and what may be drawn. See replay.h.
#include "replay.h"

#include <string.h>

// ---- sizes ----

// Steps in the ring that cannot be drawn: the oldest frames, the newest steps, and those that are being
// overwritten.
static uint32_t unseen(const mega_replay_desc *desc) {
    return desc->stack - 1 + desc->n_step + desc->ahead;
}

uint32_t mega_replay_slots(const mega_replay_desc *desc, uint64_t capacity) {
    uint64_t steps = (capacity + desc->envs - 1) / desc->envs;
    steps = steps < 2 ? 2 : steps;
    return steps > UINT32_MAX / 2 ? UINT32_MAX : (uint32_t)steps + unseen(desc);
}

uint64_t mega_replay_capacity(const mega_replay_desc *desc) {
    return (uint64_t)(desc->slots - unseen(desc)) * desc->envs;
}

// Hands out the parts of a slab one after the other; without a slab it only counts.
static void *carve(uint8_t *base, uint64_t *used, uint64_t size) {
    void *part = base == NULL ? NULL : base + *used;
    *used += (size + 255) / 256 * 256; // so that a GPU reads any part in wide words
    return part;
}

static uint64_t frames_size(const mega_replay_desc *desc) {
    return (uint64_t)desc->slots * desc->envs * desc->frame_size;
}

static uint64_t carve_replay(const mega_replay_desc *desc, uint8_t *base, mega_replay_view *view) {
    const uint64_t cells = (uint64_t)desc->slots * desc->envs;
    uint64_t used = 0;
    view->frames = carve(base, &used, desc->frames_on_host ? 0 : frames_size(desc));
    view->actions = carve(base, &used, cells * sizeof *view->actions);
    view->rewards = carve(base, &used, cells * sizeof *view->rewards);
    view->flags = carve(base, &used, cells);
    view->ages = carve(base, &used, cells);
    if (desc->is_prioritised) {
        view->tree = tree_shape((uint32_t)cells);
        view->tree.nodes = carve(base, &used, tree_size(&view->tree) * sizeof *view->tree.nodes);
        view->max_priority = carve(base, &used, sizeof *view->max_priority);
    }
    return used;
}

uint64_t mega_replay_size(const mega_replay_desc *desc) {
    mega_replay_view view;
    return carve_replay(desc, NULL, &view);
}

uint64_t mega_replay_host_size(const mega_replay_desc *desc) {
    return desc->frames_on_host ? frames_size(desc) : 0;
}

// ---- making ----

static int check_desc(const mega_replay_desc *desc, mega_message *message) {
    const uint64_t least = (uint64_t)desc->stack + desc->n_step + desc->ahead;
    if (desc->envs == 0 || desc->stack == 0 || desc->stack > MEGA_REPLAY_AGE_MAX || desc->n_step == 0 ||
        desc->ahead == 0 || desc->frame_size == 0) {
        return mega_message_set(
            message,
            "a replay memory of %u environments, %u frames of %zu bytes in a stack, %u-step "
            "returns and %u steps ahead cannot be made: none may be 0, nor the stack above %d",
            desc->envs, desc->stack, desc->frame_size, desc->n_step, desc->ahead, MEGA_REPLAY_AGE_MAX);
    }
    if (desc->slots <= least) {
        return mega_message_set(
            message,
            "a replay memory of %u steps of %u environments is too small for stacks of %u, "
            "%u-step returns and %u steps ahead: make `replay` more than %llu",
            desc->slots, desc->envs, desc->stack, desc->n_step, desc->ahead,
            (unsigned long long)least * desc->envs);
    }
    if ((uint64_t)desc->slots * desc->envs > MEGA_TREE_LEAVES_MAX) {
        return mega_message_set(
            message,
            "a replay memory of %u steps of %u environments is too large: make `replay` at most "
            "%d",
            desc->slots, desc->envs, MEGA_TREE_LEAVES_MAX / 2);
    }
    return 0;
}

// The message names the transitions that fit: memory is in proportion to slots, but for the padding of the
// tree.
static int check_size(const mega_replay_desc *desc, uint64_t size, uint64_t room, const char *where,
                      mega_message *message) {
    const uint64_t of_slot = size / desc->slots + 1, padding = 1 << 16;
    if (size <= room) {
        return 0;
    }
    const uint64_t slots = room > padding ? (room - padding) / of_slot : 0;
    const uint64_t fit = slots > unseen(desc) ? (slots - unseen(desc)) * desc->envs : 0;
    return mega_message_set(
        message,
        "a replay memory of %llu transitions takes %llu MiB, and the %s has %llu MiB for it: "
        "make `replay` at most %llu, and less for other things to fit beside it",
        (unsigned long long)mega_replay_capacity(desc), (unsigned long long)(size >> 20), where,
        (unsigned long long)(room >> 20), (unsigned long long)fit);
}

static int check_room(mega_compute *compute, const mega_replay_desc *desc, mega_message *message) {
    uint64_t room = 0, host_room = 0;
    if (compute->replay->prepare(compute, &room, message) < 0 ||
        mega_replay_cpu.prepare(compute, &host_room, message) < 0 ||
        check_size(desc, mega_replay_size(desc), room, "device", message) < 0) {
        return -1;
    }
    return check_size(desc, mega_replay_host_size(desc), host_room, "host", message);
}

int mega_replay_create(mega_compute *compute, const mega_replay_desc *desc, mega_replay *replay,
                       mega_message *message) {
    const float first_priority = 1.0f;
    memset(replay, 0, sizeof *replay);
    if (check_desc(desc, message) < 0 || check_room(compute, desc, message) < 0 ||
        compute->ops->allocate(compute, mega_replay_size(desc), &replay->slab, message) < 0 ||
        (desc->frames_on_host &&
         compute->ops->allocate_host(compute, frames_size(desc), &replay->frames, message) < 0)) {
        mega_replay_destroy(compute, replay);
        return -1;
    }
    mega_replay_view *view = &replay->view;
    (void)carve_replay(desc, replay->slab, view);
    view->frames = desc->frames_on_host ? replay->frames : view->frames;
    replay->desc = *desc;
    view->frame_size = desc->frame_size;
    view->slots = desc->slots;
    view->envs = desc->envs;
    view->stack = desc->stack;
    view->n_step = desc->n_step;
    view->discount = desc->discount;
    view->alpha = desc->alpha;
    if (desc->is_prioritised && compute->ops->upload(compute, view->max_priority, &first_priority,
                                                     sizeof first_priority, message) < 0) {
        mega_replay_destroy(compute, replay);
        return -1;
    }
    return 0;
}

void mega_replay_destroy(mega_compute *compute, mega_replay *replay) {
    if (replay->slab != NULL) {
        compute->ops->release(compute, replay->slab);
        compute->ops->release_host(compute, replay->frames);
        memset(replay, 0, sizeof *replay);
    }
}

static uint64_t carve_batch(const mega_replay_desc *desc, uint8_t *base, mega_replay_batch *batch) {
    const uint64_t count = batch->count, pixels = count * desc->stack * desc->frame_size;
    uint64_t used = 0;
    batch->cells = carve(base, &used, count * sizeof *batch->cells);
    batch->next_cells = carve(base, &used, count * sizeof *batch->next_cells);
    batch->observations = carve(base, &used, pixels);
    batch->next_observations = carve(base, &used, pixels);
    batch->actions = carve(base, &used, count * sizeof *batch->actions);
    batch->returns = carve(base, &used, count * sizeof *batch->returns);
    batch->discounts = carve(base, &used, count * sizeof *batch->discounts);
    batch->weights = carve(base, &used, count * sizeof *batch->weights);
    return used;
}

int mega_replay_batch_create(mega_compute *compute, const mega_replay_desc *desc, uint32_t count,
                             mega_replay_batch *batch, mega_message *message) {
    memset(batch, 0, sizeof *batch);
    batch->count = count;
    const uint64_t size = carve_batch(desc, NULL, batch);
    if (compute->ops->allocate(compute, size, &batch->slab, message) < 0) {
        return -1;
    }
    (void)carve_batch(desc, batch->slab, batch);
    return 0;
}

void mega_replay_batch_destroy(mega_compute *compute, mega_replay_batch *batch) {
    if (batch->slab != NULL) {
        compute->ops->release(compute, batch->slab);
        memset(batch, 0, sizeof *batch);
    }
}

// ---- storing and publishing ----

int mega_replay_store(mega_compute *compute, mega_replay *replay, const mega_rollout *rollout, uint32_t slot,
                      mega_message *message) {
    const mega_replay_desc *desc = &replay->desc;
    const size_t cell = (size_t)slot * rollout->envs;
    if (rollout->envs != desc->envs || rollout->observation_size != desc->stack * desc->frame_size) {
        return mega_message_set(
            message,
            "a replay memory of %u environments with %zu bytes each cannot store a step of %u "
            "with %zu",
            desc->envs, desc->stack * desc->frame_size, rollout->envs, rollout->observation_size);
    }
    if (replay->stored - replay->published >= desc->ahead) {
        return mega_message_set(
            message,
            "a replay memory that may be %u steps ahead of its samples was asked to store "
            "another: publish first",
            desc->ahead);
    }
    const mega_replay_step step = {
        .observations = mega_rollout_observations(rollout, slot, 0),
        .actions = rollout->actions + cell,
        .rewards = rollout->rewards + cell,
        .flags = rollout->flags + cell,
        .slot = (uint32_t)(replay->stored % desc->slots),
        .is_first = replay->stored == 0,
    };
    if (compute->replay->store(compute, &replay->view, &step, message) < 0) {
        return -1;
    }
    replay->stored++;
    return 0;
}

// The steps that samples may see, by their numbers since the memory was made.
typedef struct replay_range {
    uint64_t first;
    uint64_t end;
} replay_range;

static replay_range visible(const mega_replay_desc *desc, uint64_t published) {
    const uint64_t used = published + desc->ahead, kept = used > desc->slots ? used - desc->slots : 0;
    replay_range range = {kept + desc->stack - 1, 0};
    range.end = published > range.first + desc->n_step ? published - desc->n_step : range.first;
    return range;
}

static mega_replay_span span_of(const mega_replay_desc *desc, uint64_t first, uint64_t end) {
    const mega_replay_span span = {(uint32_t)(first % desc->slots),
                                   end > first ? (uint32_t)(end - first) : 0};
    return span;
}

static void show(mega_replay *replay, uint64_t published) {
    const replay_range range = visible(&replay->desc, published);
    const mega_replay_span span = span_of(&replay->desc, range.first, range.end);
    replay->published = published;
    replay->view.slot = span.slot;
    replay->view.steps = span.steps;
}

int mega_replay_publish(mega_compute *compute, mega_replay *replay, mega_message *message) {
    const mega_replay_desc *desc = &replay->desc;
    const replay_range old = visible(desc, replay->published), now = visible(desc, replay->stored);
    const mega_replay_span left = span_of(desc, old.first, old.end < now.first ? old.end : now.first);
    const mega_replay_span came = span_of(desc, old.end > now.first ? old.end : now.first, now.end);
    show(replay, replay->stored);
    if (!desc->is_prioritised || left.steps + came.steps == 0) {
        return 0;
    }
    return compute->replay->publish(compute, &replay->view, left, came, message);
}

// ---- sampling ----

int mega_replay_sample(mega_compute *compute, const mega_replay *replay, const mega_replay_batch *batch,
                       uint64_t seed, uint64_t index, float beta, mega_message *message) {
    if (replay->view.steps == 0) {
        return mega_message_set(
            message, "a replay memory of %llu steps has none to draw yet: it needs more than %u",
            (unsigned long long)replay->published, replay->desc.stack - 1 + replay->desc.n_step);
    }
    return compute->replay->sample(compute, &replay->view, batch, seed, index, beta, message);
}

int mega_replay_set_priorities(mega_compute *compute, const mega_replay *replay,
                               const mega_replay_batch *batch, const float *errors, mega_message *message) {
    if (!replay->desc.is_prioritised) {
        return 0;
    }
    return compute->replay->set_priorities(compute, &replay->view, batch, errors, message);
}

// ---- checkpoints ----

uint32_t mega_replay_parts(const mega_replay *replay, mega_replay_part parts[MEGA_REPLAY_PARTS]) {
    const mega_replay_view *view = &replay->view;
    const size_t envs = view->envs;
    const mega_replay_part all[MEGA_REPLAY_PARTS] = {
        {"frames", view->frames, envs * view->frame_size},
        {"actions", view->actions, envs * sizeof *view->actions},
        {"rewards", view->rewards, envs * sizeof *view->rewards},
        {"flags", view->flags, envs},
        {"ages", view->ages, envs},
        {"priorities", view->tree.nodes, envs * sizeof *view->tree.nodes},
    };
    memcpy(parts, all, sizeof all);
    return replay->desc.is_prioritised ? MEGA_REPLAY_PARTS : MEGA_REPLAY_PARTS - 1;
}

void mega_replay_restore(mega_replay *replay, uint64_t stored) {
    replay->stored = stored;
    show(replay, stored);
}

int mega_replay_rebuild(mega_compute *compute, const mega_replay *replay, mega_message *message) {
    if (!replay->desc.is_prioritised) {
        return 0;
    }
    return compute->replay->rebuild(compute, &replay->view, message);
}
