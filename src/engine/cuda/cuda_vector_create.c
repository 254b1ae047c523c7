// cuda_vector_create.c - makes a vector on a GPU: description, kernels, memory.
#include "cuda_vector.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mega_palettes.h"
#include "mega_resize.h"

#define PROGRAM "kernels.cu"
#define WARP 32u
#define WARPS_PER_PROCESSOR 32u // that it holds at once
#define CHUNK 1024u             // cells that are sent at a time
#define MEMO_ROOM 16384u
#define LOOK_ROWS 250u // that mega_look has room for
#define BLOCKS 64u     // allocations beside those of games and groups

_Static_assert(sizeof(mega_ending) == sizeof(mega_episode), "an ending has the bytes of a mega_episode");
_Static_assert(offsetof(mega_tally, running) == sizeof(mega_vector_statistics),
               "a tally begins with the bytes of a mega_vector_statistics");

// ---- kernels -------------------------------------------------------------------------------------------

static mega_status check_layout(mega_cuda_vector *vector) {
    const mega_cuda_driver *cuda = vector->device->driver;
    CUdeviceptr address;
    size_t size = 0;
    uint32_t layout[8] = {0};
    CUDA_TRY(cuda, cuModuleGetGlobal, &address, &size, vector->module, "mega_layout");
    CUDA_TRY(cuda, cuMemcpyDtoH, layout, address, sizeof(layout));
    if (layout[0] != sizeof(mega_batch) || layout[1] != sizeof(mega_course) ||
        layout[2] != sizeof(mega_cell) || layout[3] != sizeof(mega_tally) ||
        layout[4] != sizeof(mega_notice) || layout[7] != sizeof(mega_starts)) {
        return mega_fail(MEGA_ERROR_CUDA_COMPILE,
                         "%s was compiled with another layout of structs than the library's", PROGRAM);
    }
    vector->video_size = layout[5];
    vector->memo_size = layout[6];
    return MEGA_OK;
}

static mega_status open_kernels(mega_cuda_vector *vector) {
    static const char *const names[KERNEL_COUNT] = {
#define KERNEL(name) #name,
        CUDA_KERNELS(KERNEL)
#undef KERNEL
    };
    const mega_cuda_request request = {
        .program = PROGRAM,
        .defines = cuda_programs_counting,
        .define_count = vector->counts,
    };
    MEGA_TRY(cuda_module_open(vector->device, &request, &vector->module));
    for (uint32_t i = 0; i < KERNEL_COUNT; i++) {
        MEGA_TRY(cuda_module_kernel(vector->device, vector->module, names[i], &vector->kernels[i]));
    }
    return check_layout(vector);
}

// ---- memory --------------------------------------------------------------------------------------------

void *cuda_vector_take(mega_cuda_vector *vector, size_t size, mega_status *status) {
    const mega_cuda_driver *cuda = vector->device->driver;
    char purpose[64];
    CUdeviceptr address = 0;
    if (*status != MEGA_OK || size == 0) {
        return NULL;
    }
    snprintf(purpose, sizeof purpose, "%u environments", vector->count);
    *status = cuda_device_alloc(vector->device, size, purpose, &address);
    if (*status != MEGA_OK) {
        return NULL;
    }
    vector->blocks[vector->block_count++] = address;
    const CUresult result = cuda->cuMemsetD8Async(address, 0, size, NULL);
    if (result != CUDA_SUCCESS) {
        *status = cuda_fail(cuda, result, "cuMemsetD8Async");
    }
    return (void *)(uintptr_t)address;
}

static void find_sizes(mega_cuda_vector *vector) {
    mega_batch *all = &vector->all;
    all->draw_room = sizeof(mega_mt19937) / sizeof(uint32_t); // also holds a generator (mega_memo.h)
    for (uint32_t i = 0; i < vector->games.count; i++) {
        const mega_lane_setup *setup = vector->games.setups[i];
        const uint32_t ram = setup->environment->cartridge.ram_size;
        const uint32_t screen = (uint32_t)(setup->screen_size + 63) / 64 * 64;
        all->screen_size = screen > all->screen_size ? screen : all->screen_size;
        all->draw_room = ram + 1 > all->draw_room ? ram + 1 : all->draw_room;
        if (ram > MEGA_CART_RAM && ram > all->cart_ram_size) {
            all->cart_ram_size = ram;
        }
        vector->unusual = vector->unusual || setup->settings.channels != 1 ||
                          setup->environment->cartridge.height > LOOK_ROWS ||
                          (setup->resizer.kind != MEGA_RESIZE_84 && setup->resizer.kind != MEGA_RESIZE_AREA);
    }
    all->observation_size = (uint32_t)vector->games.observation_size;
}

// Most games have a few thousand beginnings. Places are powers of two, no more than are worth it.
static void find_memo_room(mega_cuda_vector *vector) {
    const uint32_t most = MEMO_ROOM / vector->games.count;
    const char *off = getenv("MEGACADE_CUDA_MEMO");
    if (off != NULL && strcmp(off, "0") == 0) {
        return;
    }
    uint32_t room = 64;
    while (2 * room <= most && room < 4 * (uint64_t)vector->count) {
        room *= 2;
    }
    vector->all.memo.room = room;
}

static size_t bytes_of_memo(const mega_cuda_vector *vector) {
    return (size_t)vector->games.count *
           (vector->all.memo.room * (vector->memo_size + 8) + MEMO_PICTURES * MEMO_PICTURE_SIZE + 8);
}

static size_t bytes_of_environment(const mega_cuda_vector *vector) {
    const mega_batch *all = &vector->all;
    const size_t finals = vector->autoreset == MEGA_AUTORESET_SAME_STEP ? all->observation_size : 0;
    return sizeof(mega_cell) + vector->video_size + all->screen_size + all->observation_size + finals +
           all->cart_ram_size + sizeof(uint32_t) * all->draw_room + sizeof(mega_result) + sizeof(mega_tally) +
           sizeof(mega_notice) + 64;
}

static mega_status check_memory(const mega_cuda_vector *vector) {
    size_t free_size = 0, total_size = 0;
    const size_t each = bytes_of_environment(vector), starts = cuda_vector_bytes_of_starts(vector);
    const size_t reserve = ((size_t)64 << 20) + bytes_of_memo(vector) + starts;
    CUDA_TRY(vector->device->driver, cuMemGetInfo, &free_size, &total_size);
    const size_t room = free_size > reserve ? (free_size - reserve) / each : 0;
    if (room >= vector->count) {
        return MEGA_OK;
    }
    if (starts >= free_size) {
        return mega_fail(
            MEGA_ERROR_CUDA_MEMORY,
            "%u start states for each of %u games or modes need %.1f GiB, and of the memory of cuda:%d "
            "%.1f GiB are free; ask for fewer start_states",
            vector->starts.count, vector->pool_count, (double)starts / (1 << 30), vector->device->index,
            (double)free_size / (1 << 30));
    }
    return mega_fail(
        MEGA_ERROR_CUDA_MEMORY,
        "%u environments of %zu KiB need %.1f GiB, and of the memory of cuda:%d %.1f GiB are free; "
        "%zu environments would fit",
        vector->count, each >> 10, (double)(each * vector->count) / (1 << 30), vector->device->index,
        (double)free_size / (1 << 30), room);
}

static mega_status take_memory(mega_cuda_vector *vector) {
    mega_batch *all = &vector->all;
    mega_columns *columns = &all->columns;
    const size_t count = vector->count;
    const bool finals = vector->autoreset == MEGA_AUTORESET_SAME_STEP;
    mega_status status = MEGA_OK;
    all->cells = cuda_vector_take(vector, count * sizeof(mega_cell), &status);
    all->videos = cuda_vector_take(vector, count * vector->video_size, &status);
    all->pooled = cuda_vector_take(vector, count * all->screen_size, &status);
    all->observations = cuda_vector_take(vector, count * all->observation_size, &status);
    all->cart_ram = cuda_vector_take(vector, count * all->cart_ram_size, &status);
    all->results = cuda_vector_take(vector, count * sizeof(mega_result), &status);
    all->draws = cuda_vector_take(vector, count * all->draw_room * sizeof(uint32_t), &status);
    all->tallies = cuda_vector_take(vector, count * sizeof(mega_tally), &status);
    all->notices = cuda_vector_take(vector, (size_t)all->notice_room * sizeof(mega_notice), &status);
    all->notice_count = cuda_vector_take(vector, sizeof(uint32_t), &status);
    columns->final_observations =
        finals ? cuda_vector_take(vector, count * all->observation_size, &status) : NULL;
    columns->rewards = cuda_vector_take(vector, count * sizeof(int32_t), &status);
    columns->lives = cuda_vector_take(vector, count * sizeof(int32_t), &status);
    columns->frame_numbers = cuda_vector_take(vector, count * sizeof(int32_t), &status);
    columns->episode_frame_numbers = cuda_vector_take(vector, count * sizeof(int32_t), &status);
    columns->terminations = cuda_vector_take(vector, count, &status);
    columns->truncations = cuda_vector_take(vector, count, &status);
    columns->episode_ends = cuda_vector_take(vector, count, &status);
    vector->indices = cuda_vector_take(vector, count * sizeof(int32_t), &status);
    vector->numbers = cuda_vector_take(vector, count * sizeof(int32_t), &status);
    vector->strengths = cuda_vector_take(vector, count * sizeof(float), &status);
    vector->orders = cuda_vector_take(vector, count, &status);
    vector->seeds = cuda_vector_take(vector, count * sizeof(int32_t), &status);
    vector->pixels = cuda_vector_take(vector, (size_t)2 * MEGA_WIDTH * MEGA_PICTURE_ROWS, &status);
    const size_t places = (size_t)vector->games.count * all->memo.room;
    all->memo.tags = cuda_vector_take(vector, places * sizeof(uint32_t), &status);
    all->memo.known = cuda_vector_take(vector, places * sizeof(uint32_t), &status);
    all->memo.counts = cuda_vector_take(vector, 2 * sizeof(uint32_t), &status);
    all->memo.entries = cuda_vector_take(vector, places * vector->memo_size, &status);
    all->counts = cuda_vector_take(vector, vector->counts ? 2 * sizeof(*all->counts) : 0, &status);
    all->memo.selects = cuda_vector_take(vector, vector->games.count * sizeof(uint32_t), &status);
    all->memo.pictured = cuda_vector_take(vector, vector->games.count * sizeof(uint32_t), &status);
    all->memo.pictures =
        cuda_vector_take(vector, (size_t)vector->games.count * MEMO_PICTURES * MEMO_PICTURE_SIZE, &status);
    columns->indices = vector->indices;
    all->actions = vector->numbers;
    all->orders = vector->orders;
    all->seeds = vector->seeds;
    return status;
}

static mega_status take_host_memory(mega_cuda_vector *vector) {
    const size_t count = vector->count;
    vector->course_of = calloc(count, sizeof(*vector->course_of));
    vector->started = calloc(count, 1);
    vector->powered = calloc(count, 1);
    vector->host_orders = calloc(count, 1);
    vector->host_ends = calloc(count, 1);
    vector->host_seeds = calloc(count, sizeof(*vector->host_seeds));
    vector->ram = calloc(count, MEGA_RAM_SIZE);
    vector->blocks = calloc(BLOCKS + vector->games.count + vector->group_count, sizeof(*vector->blocks));
    vector->groups = calloc(vector->group_count, sizeof(*vector->groups));
    vector->episodes = calloc(vector->episode_capacity, sizeof(*vector->episodes));
    if (vector->course_of == NULL || vector->started == NULL || vector->powered == NULL ||
        vector->host_orders == NULL || vector->host_ends == NULL || vector->host_seeds == NULL ||
        vector->ram == NULL || vector->blocks == NULL || vector->groups == NULL || vector->episodes == NULL) {
        return mega_fail_memory(count * (MEGA_RAM_SIZE + 16));
    }
    return MEGA_OK;
}

// ---- games ---------------------------------------------------------------------------------------------

// A course on the GPU lies behind the bytes that it points to.
static mega_status send_course(mega_cuda_vector *vector, const mega_lane_setup *setup, mega_course *course) {
    const mega_setup *environment = setup->environment;
    const mega_cuda_driver *cuda = vector->device->driver;
    const size_t image_size = environment->cartridge.image_size;
    const size_t resizer_at = (image_size + 256 + 63) / 64 * 64;
    const size_t starting_at = resizer_at + sizeof(mega_resizer);
    const uint32_t starting = environment->settings.starting_action_count;
    mega_status status = MEGA_OK;
    uint8_t *base = cuda_vector_take(vector, starting_at + starting + 1, &status);
    MEGA_TRY(status);
    CUDA_TRY(cuda, cuMemcpyHtoD, CUDA_ADDRESS(base), environment->image, image_size);
    CUDA_TRY(cuda, cuMemcpyHtoD, CUDA_ADDRESS(base + image_size),
             mega_palette_gray[environment->cartridge.pal], 256);
    CUDA_TRY(cuda, cuMemcpyHtoD, CUDA_ADDRESS(base + resizer_at), &setup->resizer, sizeof(mega_resizer));
    if (starting != 0) {
        CUDA_TRY(cuda, cuMemcpyHtoD, CUDA_ADDRESS(base + starting_at), environment->settings.starting_actions,
                 starting);
    }
    memset(course, 0, sizeof(*course));
    course->settings = environment->settings;
    course->settings.starting_actions = base + starting_at;
    course->task = setup->settings;
    course->cartridge = environment->cartridge;
    course->image = base;
    course->shades = base + image_size;
    course->resizer = (const mega_resizer *)(const void *)(base + resizer_at);
    memcpy(course->actions, setup->actions, sizeof(setup->actions));
    course->action_count = setup->action_count;
    course->memorable =
        environment->cartridge.ram_size == 0 && !mega_rules_outlast_resets(environment->settings.game);
    course->console_seed = environment->console_seed;
    course->mode = environment->facts != NULL ? environment->facts->modes[0] : 0;
    return MEGA_OK;
}

static mega_status send_courses(mega_cuda_vector *vector) {
    const size_t size = vector->games.count * sizeof(mega_course);
    mega_course *courses = calloc(vector->games.count, sizeof(*courses));
    mega_status status = courses != NULL ? MEGA_OK : mega_fail_memory(size);
    for (uint32_t i = 0; status == MEGA_OK && i < vector->games.count; i++) {
        status = send_course(vector, vector->games.setups[i], &courses[i]);
    }
    void *address = cuda_vector_take(vector, size, &status);
    if (status == MEGA_OK) {
        const mega_cuda_driver *cuda = vector->device->driver;
        const CUresult result = cuda->cuMemcpyHtoD(CUDA_ADDRESS(address), courses, size);
        status = result == CUDA_SUCCESS ? MEGA_OK : cuda_fail(cuda, result, "cuMemcpyHtoD");
    }
    free(courses);
    vector->all.courses = address;
    vector->all.course_count = vector->games.count;
    return status;
}

// ---- environments --------------------------------------------------------------------------------------

static mega_status fill_cell(mega_cuda_vector *vector, const mega_vector_desc *desc, uint32_t i,
                             mega_cell *cell) {
    mega_lane_setup *setup;
    MEGA_TRY(vector_games_find(&vector->games, desc, desc->roms[desc->rom_count == 1 ? 0 : i], &setup));
    const mega_setup *environment = setup->environment;
    memset(cell, 0, sizeof(*cell));
    while (vector->games.setups[cell->course] != setup) {
        cell->course++;
    }
    vector->course_of[i] = (int32_t)cell->course;
    cell->session.paddle_min = environment->paddle_min;
    cell->session.paddle_max = environment->paddle_max;
    cell->console_position = UINT32_MAX;
    cell->sticky_strength = 1.0f;
    cell->mode = environment->facts != NULL ? environment->facts->modes[0] : 0;
    if (desc->modes != NULL && desc->modes[i] != MEGA_MODE_DEFAULT) {
        MEGA_TRY(setup_check_mode(environment, desc->modes[i]));
        cell->mode = desc->modes[i];
    }
    if (desc->difficulties != NULL && desc->difficulties[i] != 0) {
        MEGA_TRY(setup_check_difficulty(environment, desc->difficulties[i]));
        cell->difficulty = desc->difficulties[i];
    }
    return MEGA_OK;
}

// The first cell is there and all others are to be like it: what there is, is doubled.
static mega_status spread_cell(mega_cuda_vector *vector) {
    const mega_cuda_driver *cuda = vector->device->driver;
    for (uint32_t filled = 1; filled < vector->count; filled *= 2) {
        const uint32_t rest = vector->count - filled, count = filled < rest ? filled : rest;
        CUDA_TRY(cuda, cuMemcpyDtoD, CUDA_ADDRESS(vector->all.cells + filled),
                 CUDA_ADDRESS(vector->all.cells), count * sizeof(mega_cell));
    }
    return MEGA_OK;
}

static mega_status send_chunks(mega_cuda_vector *vector, const mega_vector_desc *desc, uint32_t total,
                               mega_cell *cells) {
    for (uint32_t first = 0; first < total; first += CHUNK) {
        const uint32_t count = total - first < CHUNK ? total - first : CHUNK;
        for (uint32_t i = 0; i < count; i++) {
            MEGA_TRY(fill_cell(vector, desc, first + i, &cells[i]));
        }
        CUDA_TRY(vector->device->driver, cuMemcpyHtoD, CUDA_ADDRESS(vector->all.cells + first), cells,
                 count * sizeof(*cells));
    }
    return MEGA_OK;
}

static mega_status send_cells(mega_cuda_vector *vector, const mega_vector_desc *desc) {
    const bool all_same = desc->rom_count == 1 && desc->modes == NULL && desc->difficulties == NULL;
    mega_cell *cells = calloc(CHUNK, sizeof(*cells));
    if (cells == NULL) {
        return mega_fail_memory(CHUNK * sizeof(*cells));
    }
    const mega_status status = send_chunks(vector, desc, all_same ? 1 : vector->count, cells);
    free(cells);
    return status == MEGA_OK && all_same ? spread_cell(vector) : status;
}

// ---- groups --------------------------------------------------------------------------------------------

// Consoles in a warp. Those that share one wait for each other, so where there are warps enough each console has one of
// its own. In between, widths of 4 to 16 gain in some games and lose in others.
static uint32_t choose_width(const mega_cuda_vector *vector) {
    return vector->count <= WARPS_PER_PROCESSOR * (uint32_t)vector->device->processors ? 1u : WARP;
}

// Lanes by game: each begins with a warp of its own. Returns how many lanes there are.
static uint32_t assign_lanes(const mega_cuda_vector *vector, uint32_t first, uint32_t count,
                             int32_t *env_of_lane, uint32_t *first_lane) {
    const uint32_t width = choose_width(vector);
    uint32_t lanes = 0;
    for (uint32_t course = 0; course < vector->games.count; course++) {
        first_lane[course] = lanes;
        for (uint32_t i = first; i < first + count; i++) {
            if (vector->course_of[i] == (int32_t)course) {
                env_of_lane[lanes++] = (int32_t)i;
                while (lanes % WARP >= width) {
                    env_of_lane[lanes++] = -1;
                }
            }
        }
        while (lanes % WARP != 0) {
            env_of_lane[lanes++] = -1;
        }
    }
    first_lane[vector->games.count] = lanes;
    return lanes;
}

static mega_status open_group(mega_cuda_vector *vector, uint32_t number, int32_t *lanes,
                              uint32_t *first_lane) {
    const mega_cuda_driver *cuda = vector->device->driver;
    const uint64_t count = vector->count, groups = vector->group_count;
    mega_cuda_group *group = &vector->groups[number];
    mega_batch *batch = &group->batch;
    const uint32_t courses = vector->games.count;
    mega_status status = MEGA_OK;
    *batch = vector->all;
    batch->first = (uint32_t)(count * number / groups);
    batch->count = (uint32_t)(count * (number + 1) / groups) - batch->first;
    batch->lanes = assign_lanes(vector, batch->first, batch->count, lanes, first_lane);
    group->first_lane = calloc(courses + 1, sizeof(*group->first_lane));
    if (group->first_lane == NULL) {
        return mega_fail_memory((courses + 1) * sizeof(*group->first_lane));
    }
    memcpy(group->first_lane, first_lane, (courses + 1) * sizeof(*group->first_lane));
    // Counters, those by course, the failure's place, where courses begin, lanes of two kinds, queue.
    const size_t words = 3 + 2 * (size_t)courses + 2 * (size_t)batch->lanes + batch->count;
    uint32_t *memory = cuda_vector_take(vector, words * sizeof(uint32_t), &status);
    MEGA_TRY(status);
    batch->roster.count = memory;
    batch->roster.count_of_course = memory + 1;
    batch->failed = memory + 1 + courses;
    uint32_t *starts = memory + 2 + courses;
    int32_t *own = (int32_t *)(starts + courses + 1);
    batch->first_lane = starts;
    batch->env_of_lane = own;
    batch->roster.lanes = own + batch->lanes;
    batch->roster.queue = own + 2 * (size_t)batch->lanes;
    CUDA_TRY(cuda, cuMemcpyHtoD, CUDA_ADDRESS(starts), first_lane, (courses + 1) * sizeof(uint32_t));
    CUDA_TRY(cuda, cuMemcpyHtoD, CUDA_ADDRESS(own), lanes, batch->lanes * sizeof(int32_t));
    CUDA_TRY(cuda, cuStreamCreate, &group->stream, CU_STREAM_NON_BLOCKING);
    CUDA_TRY(cuda, cuStreamCreate, &group->side, CU_STREAM_NON_BLOCKING);
    CUDA_TRY(cuda, cuEventCreate, &group->forked, CU_EVENT_DISABLE_TIMING);
    CUDA_TRY(cuda, cuEventCreate, &group->joined, CU_EVENT_DISABLE_TIMING);
    if (courses > 1 && vector->translated) {
        MEGA_TRY(cuda_parts_open(cuda, courses, &group->steps));
        MEGA_TRY(cuda_parts_open(cuda, courses, &group->starts));
    }
    return MEGA_OK;
}

static mega_status open_groups(mega_cuda_vector *vector) {
    const size_t lanes_per_env = WARP / choose_width(vector);
    const size_t lanes_size = (lanes_per_env * vector->count + WARP * vector->games.count) * sizeof(int32_t);
    int32_t *lanes = malloc(lanes_size);
    uint32_t *first_lane = calloc(vector->games.count + 1, sizeof(*first_lane));
    mega_status status = lanes != NULL && first_lane != NULL ? MEGA_OK : mega_fail_memory(lanes_size);
    for (uint32_t g = 0; status == MEGA_OK && g < vector->group_count; g++) {
        status = open_group(vector, g, lanes, first_lane);
    }
    free(lanes);
    free(first_lane);
    return status;
}

// A multiprocessor's memory is split into a cache and shared memory. Lanes keep their consoles in local memory, so the
// larger its cache the better. But a block needs some shared memory, and without it only one fits; that is enough for a
// game of many environments, while the small blocks of games with few must find room beside each other. These are
// wishes: the driver may do as it likes.
static void split_memory(mega_cuda_vector *vector) {
    const mega_cuda_driver *cuda = vector->device->driver;
    const uint32_t few = 16u * (uint32_t)vector->device->processors;
    const int percent = vector->count / vector->games.count <= few ? 25 : 0;
    for (uint32_t i = 0; i < vector->games.count; i++) {
        if (vector->programs[i].step != NULL) {
            cuda->cuFuncSetAttribute(vector->programs[i].step,
                                     CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, percent);
        }
    }
}

// ---- public --------------------------------------------------------------------------------------------

static void fill_numbers(mega_cuda_vector *vector, const mega_vector_desc *desc) {
    vector->count = desc->count;
    vector->autoreset = desc->autoreset;
    vector->seed = desc->seed;
    vector->group_count = desc->groups != 0 ? desc->groups : 1;
    vector->episode_capacity = desc->episode_log != 0 ? desc->episode_log
                               : desc->count > 1024   ? desc->count
                                                      : 1024;
    vector->unstarted = desc->count;
    vector->failed = -1;
    vector->all.count = desc->count;
    vector->all.same_step = desc->autoreset == MEGA_AUTORESET_SAME_STEP;
    vector->all.notice_room = vector->episode_capacity;
}

static mega_status open_inside(mega_cuda_vector *vector, const mega_vector_desc *desc) {
    const char *counts = getenv("MEGACADE_CUDA_COUNT");
    vector->counts = counts != NULL && strcmp(counts, "1") == 0;
    MEGA_TRY(open_kernels(vector));
    find_sizes(vector);
    find_memo_room(vector);
    MEGA_TRY(cuda_programs_open(vector->device, &vector->games, desc->task.translate, vector->counts,
                                &vector->programs));
    for (uint32_t i = 0; i < vector->games.count; i++) {
        vector->translated = vector->translated || vector->programs[i].step != NULL;
    }
    split_memory(vector);
    MEGA_TRY(cuda_vector_plan_starts(vector, desc));
    MEGA_TRY(check_memory(vector));
    MEGA_TRY(take_memory(vector));
    MEGA_TRY(send_courses(vector));
    MEGA_TRY(send_cells(vector, desc));
    MEGA_TRY(cuda_vector_send_starts(vector, desc));
    vector->all.index_count = vector->games.action_count;
    memcpy(vector->all.action_of_index, vector->games.actions, sizeof(vector->games.actions));
    MEGA_TRY(open_groups(vector));
    CUDA_TRY(vector->device->driver, cuStreamSynchronize, NULL);
    return MEGA_OK;
}

static mega_status open_parts(mega_cuda_vector *vector, const mega_vector_desc *desc) {
    bool on_gpu;
    int32_t index;
    fill_numbers(vector, desc);
    MEGA_TRY(cuda_device_parse(desc->device, &on_gpu, &index));
    mega_vector_desc host = *desc;
    host.task.translate = MEGA_TRANSLATE_OFF; // nothing is played there
    MEGA_TRY(vector_games_open(&vector->games, &host));
    MEGA_TRY(take_host_memory(vector));
    MEGA_TRY(cuda_device_open(index, &vector->device));
    CUDA_INSIDE(vector, open_inside(vector, desc));
}

mega_status cuda_vector_create(const mega_vector_desc *desc, mega_vector **out) {
    *out = NULL;
    MEGA_TRY(vector_check_desc(desc));
    if (desc->batch != 0 && desc->batch != desc->count) {
        return mega_fail(MEGA_ERROR_ARGUMENT,
                         "a batch of %u of %u environments; on a GPU a batch is all of them, so leave it 0",
                         desc->batch, desc->count);
    }
    mega_cuda_vector *vector = calloc(1, sizeof(*vector));
    if (vector == NULL) {
        return mega_fail_memory(sizeof(*vector));
    }
    const mega_status status = open_parts(vector, desc);
    if (status != MEGA_OK) {
        cuda_vector_destroy(vector);
        return status;
    }
    vector->base.engine = MEGA_ENGINE_CUDA;
    *out = &vector->base;
    return MEGA_OK;
}

static void close_group(const mega_cuda_driver *cuda, mega_cuda_group *group) {
    free(group->first_lane);
    if (group->stream != NULL) {
        cuda->cuStreamSynchronize(group->stream);
        cuda->cuStreamDestroy(group->stream);
    }
    if (group->side != NULL) {
        cuda->cuStreamDestroy(group->side);
    }
    if (group->forked != NULL) {
        cuda->cuEventDestroy(group->forked);
    }
    if (group->joined != NULL) {
        cuda->cuEventDestroy(group->joined);
    }
    cuda_parts_close(cuda, &group->steps);
    cuda_parts_close(cuda, &group->starts);
}

static void close_inside(mega_cuda_vector *vector) {
    const mega_cuda_driver *cuda = vector->device->driver;
    for (uint32_t g = 0; vector->groups != NULL && g < vector->group_count; g++) {
        close_group(cuda, &vector->groups[g]);
    }
    for (uint32_t i = 0; i < vector->block_count; i++) {
        cuda->cuMemFree(vector->blocks[i]);
    }
    cuda_programs_close(vector->device, vector->programs, vector->games.count);
}

void cuda_vector_destroy(mega_cuda_vector *vector) {
    if (vector->device != NULL && cuda_device_enter(vector->device) == MEGA_OK) {
        close_inside(vector);
        cuda_device_leave(vector->device);
        cuda_module_close(vector->device, vector->module);
    }
    cuda_device_close(vector->device);
    vector_games_close(&vector->games);
    free(vector->course_of);
    free(vector->pools);
    free(vector->pool_of);
    free(vector->started);
    free(vector->powered);
    free(vector->host_orders);
    free(vector->host_ends);
    free(vector->host_seeds);
    free(vector->ram);
    free(vector->observations);
    free(vector->groups);
    free(vector->blocks);
    free(vector->episodes);
    free(vector);
}
