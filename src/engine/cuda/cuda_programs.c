// cuda_programs.c - see cuda_programs.h.
#include "cuda_programs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mega_cell.h"
#include "program_text.h"
#include "translation.h"

#define GAMES_AT_ONCE 4 // that are translated without being asked to

static void tell(void *context, const char *sentence) {
    const mega_lane_setup *setup = context;
    const mega_game_facts *facts = setup->environment->facts;
    if (isatty(STDERR_FILENO)) {
        fprintf(stderr, "megacade: %s (%s, once)\n", sentence, facts != NULL ? facts->name : "a cartridge");
    }
}

static mega_status check_layout(const mega_cuda_device *device, CUmodule module) {
    CUdeviceptr address;
    size_t size = 0;
    uint32_t layout[3] = {0};
    CUDA_TRY(device->driver, cuModuleGetGlobal, &address, &size, module, "mega_step_layout");
    CUDA_TRY(device->driver, cuMemcpyDtoH, layout, address, sizeof(layout));
    return layout[0] == sizeof(mega_batch) && layout[1] == sizeof(mega_course) &&
                   layout[2] == sizeof(mega_cell)
               ? MEGA_OK
               : mega_fail(MEGA_ERROR_CUDA_COMPILE, "step.cu has another layout of structs than the library");
}

const char *const cuda_programs_counting[1] = {"MEGA_COUNT=1"};

static mega_status open_program(const mega_cuda_device *device, mega_lane_setup *setup, const char *text,
                                bool counts, mega_cuda_program *out) {
    const char *const defines[] = {"MEGA_PROGRAM=\"program.h\"", cuda_programs_counting[0]};
    const mega_cuda_request request = {
        .program = "step.cu",
        .defines = defines,
        .define_count = counts ? 2 : 1,
        .header_name = "program.h",
        .header_text = text,
        .progress = tell,
        .progress_context = setup,
    };
    MEGA_TRY(cuda_module_open(device, &request, &out->module));
    mega_status status = check_layout(device, out->module);
    status = status == MEGA_OK ? cuda_module_kernel(device, out->module, "mega_step", &out->step) : status;
    if (status != MEGA_OK) {
        cuda_module_close(device, out->module);
        memset(out, 0, sizeof(*out));
    }
    return status;
}

mega_status cuda_programs_open(const mega_cuda_device *device, const mega_vector_games *games, uint8_t how,
                               bool counts, mega_cuda_program **out) {
    *out = calloc(games->count, sizeof(**out));
    if (*out == NULL) {
        return mega_fail_memory(games->count * sizeof(**out));
    }
    how = translation_choose(how);
    if (how == MEGA_TRANSLATE_OFF || (how == MEGA_TRANSLATE_AUTO && games->count > GAMES_AT_ONCE)) {
        return MEGA_OK;
    }
    for (uint32_t i = 0; i < games->count; i++) {
        mega_lane_setup *setup = games->setups[i];
        const mega_setup *environment = setup->environment;
        mega_code text;
        if (environment->settings.plain) {
            continue;
        }
        MEGA_TRY(program_text_get(&environment->cartridge, environment->image, &text));
        const mega_status status =
            text.size != 0 ? open_program(device, setup, text.bytes, counts, &(*out)[i]) : MEGA_OK;
        code_release(&text);
        // Without a compiler the interpreter, which may be in the library, does it all.
        if (status != MEGA_OK && status != MEGA_ERROR_CUDA_COMPILE) {
            return status;
        }
    }
    return MEGA_OK;
}

void cuda_programs_close(const mega_cuda_device *device, mega_cuda_program *programs, uint32_t count) {
    for (uint32_t i = 0; programs != NULL && i < count; i++) {
        cuda_module_close(device, programs[i].module);
    }
    free(programs);
}
