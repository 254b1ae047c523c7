// program_api.c - the functions of megacade.h, section program.
#include <stdlib.h>
#include <string.h>

#include "environment.h"
#include "native_code.h"
#include "status.h"

#define HELD_FRAMES 4 // an action is held for so long

struct mega_program {
    mega_program_info info;
    mega_translated_text text;
    mega_host_compiler compiler;
};

// ---- playing -------------------------------------------------------------------------------------------

// Stands between a console and its code, and counts. The console belongs to this thread for the time being.
static _Thread_local struct {
    mega_translated *run;
    uint64_t translated, interpreted;
    uint32_t left; // of the budget when the code returned
} counter;

static uint32_t count_run(mega_machine *m, uint32_t budget, const mega_outside *outside) {
    if (budget < counter.left) { // else it is a new frame
        counter.interpreted += counter.left - budget;
    }
    counter.left = counter.run(m, budget, outside);
    counter.translated += budget - counter.left;
    return counter.left;
}

static uint32_t next_random(uint32_t *state) {
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static void play_frames(mega_environment *env, uint32_t frames) {
    const uint32_t legal = env->setup->settings.legal_actions;
    uint32_t random = 12345, action = 0;
    for (uint32_t frame = 0; frame < frames && !env->session.console.cpu.jammed; frame++) {
        if (env_game_over(&env->stage)) {
            (void)environment_reset(env);
        }
        if (frame % HELD_FRAMES == 0) {
            do {
                action = next_random(&random) % MEGA_ACTION_COUNT;
            } while ((legal >> action & 1u) == 0);
        }
        env->stage.machine.translated = count_run;
        counter.left = 0;
        env->setup->play->act(&env->stage, action, 1.0f);
    }
}

static mega_status play_program(mega_program *program, const mega_rom *rom, const mega_native *native,
                                uint32_t frames) {
    const mega_env_desc desc = {.struct_size = sizeof(desc), .translate = MEGA_TRANSLATE_OFF};
    mega_setup *setup = NULL;
    mega_scratch *scratch = NULL;
    mega_environment *env = calloc(1, sizeof(*env));
    mega_status status = env != NULL ? setup_open(&desc, rom, &setup) : mega_fail_memory(sizeof(*env));
    status = status == MEGA_OK ? scratch_open(setup->cartridge.ram_size, &scratch) : status;
    status = status == MEGA_OK ? environment_open(env, setup) : status;
    if (status == MEGA_OK) {
        environment_connect(env, scratch);
        (void)environment_power_on(env, 0);
        memset(&counter, 0, sizeof(counter));
        counter.run = native->run;
        play_frames(env, frames);
        program->info.translated = counter.translated;
        program->info.played = counter.translated + counter.interpreted;
        environment_close(env);
    }
    setup_close(setup);
    free(scratch);
    free(env);
    return status;
}

// ---- public --------------------------------------------------------------------------------------------

static mega_status make_program(mega_program *program, const mega_rom *rom, uint32_t frames) {
    char key[MEGA_SHA256_TEXT_SIZE];
    mega_native_facts facts;
    mega_native native;
    if (frames == 0) {
        MEGA_TRY(native_translate(&rom->cartridge, rom->bytes, &facts, &program->text));
    } else {
        MEGA_TRY(host_compiler_find(&program->compiler));
        MEGA_TRY(native_translate(&rom->cartridge, rom->bytes, &facts, &program->text));
        native_key(&program->compiler, &rom->cartridge, rom->bytes, key);
        MEGA_TRY(native_compile(&program->compiler, &program->text, key, &facts, &native));
        const mega_status status = native.run != NULL ? play_program(program, rom, &native, frames) : MEGA_OK;
        native_close(&native);
        MEGA_TRY(status);
    }
    mega_program_info *info = &program->info;
    info->units = program->text.facts.units;
    info->blocks = program->text.facts.blocks;
    info->instructions = program->text.facts.instructions;
    info->translate_seconds = facts.translate_seconds;
    info->compile_seconds = facts.compile_seconds;
    info->code_size = facts.code_size;
    info->compiler = program->compiler.path;
    return MEGA_OK;
}

mega_status mega_program_create(const mega_rom *rom, uint32_t frames, mega_program **out) {
    if (out == NULL || rom == NULL) {
        return mega_fail(MEGA_ERROR_ARGUMENT, "mega_program_create needs a ROM and a place for its result");
    }
    *out = NULL;
    mega_program *program = calloc(1, sizeof(*program));
    if (program == NULL) {
        return mega_fail_memory(sizeof(*program));
    }
    const mega_status status = make_program(program, rom, frames);
    if (status != MEGA_OK) {
        mega_program_destroy(program);
        return status;
    }
    *out = program;
    return MEGA_OK;
}

void mega_program_destroy(mega_program *program) {
    if (program != NULL) {
        translator_release(&program->text);
        free(program);
    }
}

const mega_program_info *mega_program_get_info(const mega_program *program) {
    return &program->info;
}

const char *mega_program_text(const mega_program *program) {
    return program->text.text != NULL ? program->text.text : "";
}
