// cmd_translate.c - `megacade translate`: what becomes of a cartridge on this computer.
#include "commands.h"
#include "json.h"
#include "load.h"
#include "out_file.h"
#include "report.h"

#include <inttypes.h>
#include <string.h>

typedef struct translate_run {
    mega_load load;
    mega_options options;
    // settings
    int64_t frames;
    const char *emit;
    bool stats, json;
    // the run
    mega_rom *rom;
    mega_program *program;
} translate_run;

static int write_text(const translate_run *run) {
    const char *text = mega_program_text(run->program);
    mega_out_file file;
    mega_message message;
    if (text[0] == '\0') {
        return mega_report_failure("%s has no code that can be translated",
                                   mega_rom_get_info(run->rom)->name);
    }
    if (mega_out_file_open(&file, run->emit, &message) != 0) {
        return mega_report_failure("%s", message.text);
    }
    (void)fputs(text, file.stream); // a failure shows in commit
    return mega_out_file_commit(&file, &message) == 0 ? MEGA_EXIT_OK
                                                      : mega_report_failure("%s", message.text);
}

static double coverage(const mega_program_info *info) {
    return info->played != 0 ? 100.0 * (double)info->translated / (double)info->played : 0.0;
}

static void print_json(const translate_run *run, const mega_program_info *info) {
    const mega_rom_info *rom = mega_rom_get_info(run->rom);
    mega_json json = mega_json_begin(stdout);
    mega_json_text(&json, "game", rom->name);
    mega_json_text(&json, "scheme", rom->scheme);
    mega_json_int(&json, "units", info->units);
    mega_json_int(&json, "blocks", info->blocks);
    mega_json_int(&json, "instructions", info->instructions);
    mega_json_float(&json, "translate_seconds", info->translate_seconds);
    mega_json_float(&json, "compile_seconds", info->compile_seconds);
    mega_json_int(&json, "code_size", (int64_t)info->code_size);
    mega_json_int(&json, "frames", run->frames);
    mega_json_int(&json, "played", (int64_t)info->played);
    mega_json_int(&json, "translated", (int64_t)info->translated);
    mega_json_float(&json, "coverage", coverage(info));
    mega_json_text(&json, "compiler", info->compiler);
    mega_json_text(&json, "version", mega_version());
    mega_json_end(&json);
}

static void print_table(const translate_run *run, const mega_program_info *info) {
    const mega_rom_info *rom = mega_rom_get_info(run->rom);
    (void)printf("game        %s, %zu bytes, %s\n", rom->name, rom->size, rom->scheme);
    (void)printf("program     %" PRIu32 " instructions in %" PRIu32 " blocks in %" PRIu32 " unit%s\n",
                 info->instructions, info->blocks, info->units, info->units == 1 ? "" : "s");
    (void)printf("time        %.2f s to translate, %.2f s to compile\n", info->translate_seconds,
                 info->compile_seconds);
    (void)printf("code        %zu bytes, by %s\n", info->code_size, info->compiler);
    (void)printf("coverage    %.4f %% of %" PRIu64 " instructions in %" PRId64
                 " frames; the rest was interpreted\n",
                 coverage(info), info->played, run->frames);
}

static int translate(translate_run *run) {
    const bool stats = run->stats || run->json || run->emit == NULL;
    const mega_status status =
        mega_program_create(run->rom, stats ? (uint32_t)run->frames : 0, &run->program);
    if (status != MEGA_OK) {
        return mega_report_status(status);
    }
    const int exit_code = run->emit != NULL ? write_text(run) : MEGA_EXIT_OK;
    if (stats && exit_code == MEGA_EXIT_OK) {
        (run->json ? print_json : print_table)(run, mega_program_get_info(run->program));
    }
    return exit_code;
}

int mega_cmd_translate(int argc, char *const argv[]) {
    const char *words[1];
    int exit_code = MEGA_EXIT_OK;
    translate_run run = {
        .options =
            {
                .command = "translate",
                .usage = "megacade translate [GAME] [options]",
                .summary =
                    "Translates a cartridge to C, has it compiled, plays it at random and says how much of\n"
                    "what was executed is translated. The code is kept in the cache folder, where\n"
                    "environments find it. docs/translate.md explains the C.",
                .example = "  megacade translate pong --emit pong.c --stats",
                .words = words,
                .words_max = 1,
            },
        .frames = 10000,
    };
    mega_options *options = &run.options;
    mega_load_add_rom(&run.load, options);
    (void)mega_options_text(options, "emit", "FILE.c", &run.emit,
                            "write the C here; it holds the image, so keep it to yourself");
    (void)mega_options_flag(options, "stats", &run.stats, "numbers, also with --emit");
    (void)mega_options_int(options, "frames", "N", &run.frames, 1, 100000000, "frames to play");
    (void)mega_options_flag(options, "json", &run.json, "print the numbers as one JSON object");
    if (!mega_options_run(options, argc, argv, &exit_code)) {
        return exit_code;
    }
    exit_code = mega_load_rom(&run.load, options, &run.rom);
    if (exit_code == MEGA_EXIT_OK) {
        exit_code = translate(&run);
    }
    mega_program_destroy(run.program);
    mega_rom_destroy(run.rom);
    return exit_code;
}
