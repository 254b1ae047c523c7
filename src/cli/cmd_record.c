// cmd_record.c - `megacade record`: a screen or a game as a PNG, GIF or MP4 file.
#include "commands.h"
#include "gif.h"
#include "load.h"
#include "mega_png.h"
#include "pixels.h"
#include "player.h"
#include "progress.h"
#include "report.h"
#include "run.h"
#include "stream.h"
#include "video.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
    PNG_FRAMES = 300,       // played before a picture is taken when nothing else is said
    GIF_FRAMES_MAX = 1800,  // of an episode, 30 s
    MP4_FRAMES_MAX = 36000, // of an episode, 10 min
    UNUSED_INDEX = 1,       // screens hold even palette indices only
    HOLD_FRAMES = 4         // a random action is kept so long
};

typedef enum format {
    FORMAT_PNG,
    FORMAT_GIF,
    FORMAT_MP4
} format;

typedef struct record_run {
    mega_load load;
    mega_options options;
    // settings
    const char *out_path;
    const char *actions_text;
    const char *policy; // folder of a run, or NULL
    int64_t frames, frame, seed, scale, fps;
    format format;
    uint32_t stride;  // frames of the console per frame of the file
    uint32_t tv_rate; // frames of the console per second
    int64_t total;    // frames to play at most
    bool episode;     // stop at the end of the episode
    // the run
    mega_rom *rom;
    mega_env *env;
    mega_train_settings settings; // of the policy's run
    mega_player *player;
    uint32_t actions[MEGA_ACTION_COUNT];
    uint32_t action_count;
    uint32_t height;
    uint8_t *screen; // palette indices
    size_t screen_size;
    uint8_t *rgb; // enlarged
    mega_gif *gif;
    mega_video *video;
    uint64_t written; // frames given to the file
} record_run;

// ---- settings ----------------------------------------------------------------------------------------

static int choose_format(record_run *run) {
    if (run->out_path == NULL) {
        return mega_report_usage("record: say where to write with --out FILE.png, FILE.gif or FILE.mp4");
    }
    const char *dot = strrchr(run->out_path, '.');
    if (dot != NULL && strcasecmp(dot, ".png") == 0) {
        run->format = FORMAT_PNG;
    } else if (dot != NULL && strcasecmp(dot, ".gif") == 0) {
        run->format = FORMAT_GIF;
    } else if (dot != NULL && strcasecmp(dot, ".mp4") == 0) {
        run->format = FORMAT_MP4;
    } else {
        return mega_report_usage("--out: the name %s must end in .png, .gif or .mp4", run->out_path);
    }
    return MEGA_EXIT_OK;
}

static int choose_length(record_run *run) {
    const bool frames_given = mega_options_given(&run->options, "frames");
    if (mega_options_given(&run->options, "frame")) {
        if (run->format != FORMAT_PNG || frames_given) {
            return mega_report_usage("--frame picks the screen of a .png; --frames is the length of a .gif "
                                     "or .mp4");
        }
        run->total = run->frame;
    } else if (frames_given) {
        run->total = run->frames;
    } else {
        run->episode = run->format != FORMAT_PNG;
        run->total = run->format == FORMAT_PNG   ? PNG_FRAMES
                     : run->format == FORMAT_GIF ? GIF_FRAMES_MAX
                                                 : MP4_FRAMES_MAX;
    }
    return MEGA_EXIT_OK;
}

static int choose_actions(record_run *run) {
    if (strcmp(run->actions_text, "random") == 0) {
        run->action_count = mega_load_action_list(mega_load_minimal_actions(run->rom), run->actions);
    } else if (strcmp(run->actions_text, "noop") == 0) {
        run->action_count = 1;
        run->actions[0] = MEGA_ACTION_NOOP;
    } else {
        return mega_report_usage("--actions: '%s' is not random or noop", run->actions_text);
    }
    return MEGA_EXIT_OK;
}

// What the policy's run says about the game.
static int read_policy(record_run *run) {
    mega_message message;
    if (run->options.word_count > 0 || run->load.game != NULL) {
        return mega_report_usage("record: the run of --policy says which game it is; leave the game out");
    }
    if (mega_options_given(&run->options, "actions") || mega_load_changes_game(&run->options)) {
        return mega_report_usage("record: --actions, --mode and --difficulty do not go with --policy");
    }
    if (mega_run_read_settings(run->policy, &run->settings, &message) < 0) {
        return mega_report_failure("%s", message.text);
    }
    (void)snprintf(run->settings.device, sizeof run->settings.device, "cpu");
    if (!mega_options_given(&run->options, "sticky")) {
        run->load.sticky = run->settings.eval_sticky >= 0 ? run->settings.eval_sticky : run->settings.sticky;
    }
    run->settings.eval_sticky = run->load.sticky;
    run->load.game = run->settings.game[0] == '\0' || run->load.rom != NULL ? NULL : run->settings.game;
    return MEGA_EXIT_OK;
}

static int open_player(record_run *run) {
    mega_message message;
    char path[MEGA_RUN_PATH];
    if (mega_run_path(run->policy, "checkpoint", path, &message) < 0 ||
        mega_player_create(&run->settings, run->rom, path, (int32_t)(run->seed & INT32_MAX), &run->player,
                           &message) < 0) {
        return mega_report_failure("%s", message.text);
    }
    return MEGA_EXIT_OK;
}

static void choose_rate(record_run *run) {
    run->tv_rate = strcmp(mega_rom_get_info(run->rom)->format, "PAL") == 0 ? 50 : 60;
    const uint32_t fps = (uint32_t)run->fps;
    const uint32_t stride = (run->tv_rate + fps / 2) / fps;
    run->stride = stride < 1 ? 1 : stride;
}

static int open_env(record_run *run) {
    const mega_env_desc desc = {
        .struct_size = sizeof desc,
        .seed = (int32_t)run->seed,
        .frame_skip = 1,
        .sticky = (float)run->load.sticky,
        .translate = mega_load_translate(&run->load, MEGA_TRANSLATE_AUTO),
    };
    const int exit_code = mega_load_env(&run->load, &run->options, &desc, 0, run->rom, &run->env);
    if (exit_code != MEGA_EXIT_OK) {
        return exit_code;
    }
    run->height = mega_env_screen_height(run->env);
    run->screen_size = (size_t)run->height * MEGA_SCREEN_WIDTH;
    run->screen = malloc(run->screen_size);
    run->rgb = malloc(mega_pixels_rgb_size(MEGA_SCREEN_WIDTH, run->height, (uint32_t)run->scale));
    return run->screen != NULL && run->rgb != NULL ? MEGA_EXIT_OK : mega_report_failure("out of memory");
}

// ---- the file ----------------------------------------------------------------------------------------

static uint32_t out_width(const record_run *run) {
    return MEGA_SCREEN_WIDTH * MEGA_PIXEL_ASPECT * (uint32_t)run->scale;
}

static uint32_t out_height(const record_run *run) {
    return run->height * (uint32_t)run->scale;
}

static int open_file(record_run *run) {
    mega_message message;
    int failed = 0;
    if (run->format == FORMAT_GIF) {
        const mega_gif_desc desc = {
            .width = MEGA_SCREEN_WIDTH,
            .height = run->height,
            .scale = (uint32_t)run->scale,
            .palette = mega_env_palette(run->env),
            .transparent = UNUSED_INDEX,
        };
        failed = mega_gif_create(&desc, run->out_path, &run->gif, &message);
    } else if (run->format == FORMAT_MP4) {
        const mega_video_desc desc = {
            .width = out_width(run),
            .height = out_height(run),
            .rate = run->tv_rate,
            .rate_base = run->stride,
        };
        failed = mega_video_create(&desc, run->out_path, &run->video, &message);
    }
    return failed ? mega_report_failure("%s", message.text) : MEGA_EXIT_OK;
}

static void make_rgb(record_run *run) {
    mega_pixels_to_rgb(run->screen, MEGA_SCREEN_WIDTH, run->height, mega_env_palette(run->env),
                       (uint32_t)run->scale, run->rgb);
}

// How long frame `index` of the file is shown, in hundredths of a second. The rounding is carried on, so that
// the whole keeps its speed; viewers slow down at less than 2.
static uint32_t gif_delay(const record_run *run, uint64_t index) {
    const uint64_t step = 100u * run->stride;
    const uint64_t delay = (index + 1) * step / run->tv_rate - index * step / run->tv_rate;
    return delay < 2 ? 2 : (uint32_t)delay;
}

// Adds the console's screen to the GIF or the video.
static int add_frame(record_run *run) {
    mega_message message;
    const mega_status status = mega_env_screen(run->env, run->screen, run->screen_size);
    if (status != MEGA_OK) {
        return mega_report_status(status);
    }
    int failed = 0;
    if (run->gif != NULL) {
        failed = mega_gif_add(run->gif, run->screen, gif_delay(run, run->written), &message);
    } else if (run->video != NULL) {
        make_rgb(run);
        failed = mega_video_add(run->video, run->rgb, &message);
    }
    run->written++;
    return failed ? mega_report_failure("%s", message.text) : MEGA_EXIT_OK;
}

static int finish_file(record_run *run) {
    mega_message message;
    int failed = 0;
    if (run->gif != NULL) {
        failed = mega_gif_finish(run->gif, &message);
        run->gif = NULL;
    } else if (run->video != NULL) {
        failed = mega_video_finish(run->video, &message);
        run->video = NULL;
    } else {
        const mega_status status = mega_env_screen(run->env, run->screen, run->screen_size);
        if (status != MEGA_OK) {
            return mega_report_status(status);
        }
        make_rgb(run);
        failed = mega_png_write(run->out_path, run->rgb, out_width(run), out_height(run), &message);
    }
    return failed ? mega_report_failure("%s", message.text) : MEGA_EXIT_OK;
}

// ---- the game ----------------------------------------------------------------------------------------

static int play_frame(record_run *run, uint32_t action) {
    int32_t reward = 0;
    mega_status status = MEGA_OK;
    if (mega_env_game_over(run->env)) {
        status = mega_env_reset(run->env);
    }
    if (status == MEGA_OK) {
        status = mega_env_act(run->env, action, 1.0f, &reward);
    }
    return status == MEGA_OK ? MEGA_EXIT_OK : mega_report_status(status);
}

// The policy acts every few frames; the console that is filmed follows, frame by frame.
static int play_policy_step(record_run *run, int64_t first) {
    mega_message message;
    uint32_t action;
    if (mega_player_choose(run->player, &action, &message) < 0 ||
        mega_player_copy(run->player, run->env, &message) < 0) {
        return mega_report_failure("%s", message.text);
    }
    int exit_code = MEGA_EXIT_OK;
    for (int64_t i = 0; i < run->settings.frame_skip && exit_code == MEGA_EXIT_OK; i++) {
        if (i > 0 && mega_env_game_over(run->env)) {
            break; // the policy's step ended here, too
        }
        exit_code = play_frame(run, action);
        if (exit_code == MEGA_EXIT_OK && run->format != FORMAT_PNG && (first + i) % run->stride == 0) {
            exit_code = add_frame(run);
        }
    }
    if (exit_code == MEGA_EXIT_OK && mega_player_step(run->player, &message) < 0) {
        exit_code = mega_report_failure("%s", message.text);
    }
    return exit_code;
}

static int play_policy(record_run *run) {
    mega_progress progress = mega_progress_begin("record", (uint64_t)run->total);
    int exit_code = MEGA_EXIT_OK;
    for (int64_t i = 0; i < run->total && exit_code == MEGA_EXIT_OK; i += run->settings.frame_skip) {
        if (mega_player_is_over(run->player)) {
            mega_message message;
            if (run->episode) {
                break;
            }
            if (mega_player_step(run->player, &message) < 0) { // starts the next episode
                exit_code = mega_report_failure("%s", message.text);
                break;
            }
        }
        exit_code = play_policy_step(run, i);
        mega_progress_update(&progress, (uint64_t)i);
    }
    mega_progress_end(&progress);
    return exit_code;
}

static int play(record_run *run) {
    mega_stream stream = {(uint64_t)run->seed};
    mega_progress progress = mega_progress_begin("record", (uint64_t)run->total);
    const bool moving = run->format != FORMAT_PNG;
    uint32_t action = MEGA_ACTION_NOOP;
    int exit_code = MEGA_EXIT_OK;
    for (int64_t i = 0; i < run->total && exit_code == MEGA_EXIT_OK; i++) {
        if (run->episode && mega_env_game_over(run->env)) {
            break;
        }
        if (i % HOLD_FRAMES == 0) {
            action = run->actions[mega_stream_below(&stream, run->action_count)];
        }
        exit_code = play_frame(run, action);
        if (exit_code == MEGA_EXIT_OK && moving && i % run->stride == 0) {
            exit_code = add_frame(run);
        }
        mega_progress_update(&progress, (uint64_t)i);
    }
    mega_progress_end(&progress);
    return exit_code;
}

// ---- command -----------------------------------------------------------------------------------------

static void add_options(record_run *run) {
    mega_options *options = &run->options;
    mega_option *option;
    option = mega_options_text(options, "out", "FILE", &run->out_path, "file to write: .png, .gif or .mp4");
    option->letter = 'o';
    mega_load_add_rom(&run->load, options);
    mega_load_add_play(&run->load, options);
    mega_load_add_translate(&run->load, options);
    option = mega_options_int(options, "frames", "N", &run->frames, 1, INT32_MAX,
                              "frames to play; without it one episode");
    option->has_default = false;
    option = mega_options_int(options, "frame", "K", &run->frame, 0, INT32_MAX,
                              "the screen after K frames, for .png");
    option->has_default = false;
    (void)mega_options_int(options, "seed", "S", &run->seed, INT32_MIN, INT32_MAX,
                           "seed of the game and of the actions");
    (void)mega_options_text(options, "actions", "WHAT", &run->actions_text, "random or noop");
    (void)mega_options_text(options, "policy", "DIR", &run->policy, "played by the policy of this run");
    (void)mega_options_int(options, "scale", "X", &run->scale, 1, MEGA_SCALE_MAX,
                           "enlarge: X pixels high, twice as wide");
    (void)mega_options_int(options, "fps", "R", &run->fps, 1, 60, "frames per second of the file");
}

static int set_up(record_run *run) {
    int exit_code = choose_format(run);
    if (exit_code == MEGA_EXIT_OK) {
        exit_code = choose_length(run);
    }
    if (exit_code == MEGA_EXIT_OK && run->policy != NULL) {
        exit_code = read_policy(run);
    }
    if (exit_code == MEGA_EXIT_OK) {
        exit_code = mega_load_rom(&run->load, &run->options, &run->rom);
    }
    if (exit_code == MEGA_EXIT_OK) {
        exit_code = choose_actions(run);
    }
    if (exit_code != MEGA_EXIT_OK) {
        return exit_code;
    }
    choose_rate(run);
    exit_code = open_env(run);
    if (exit_code == MEGA_EXIT_OK && run->policy != NULL) {
        exit_code = open_player(run);
    }
    return exit_code == MEGA_EXIT_OK ? open_file(run) : exit_code;
}

static void tear_down(record_run *run) {
    mega_gif_abort(run->gif);
    mega_video_abort(run->video);
    free(run->screen);
    free(run->rgb);
    mega_player_destroy(run->player);
    mega_env_destroy(run->env);
    mega_rom_destroy(run->rom);
}

int mega_cmd_record(int argc, char *const argv[]) {
    const char *words[1];
    int exit_code = MEGA_EXIT_OK;
    record_run run = {
        .options =
            {
                .command = "record",
                .usage = "megacade record [GAME] --out FILE [options]",
                .summary =
                    "Plays a game and writes a screen (.png) or the moving picture (.gif; .mp4 if the\n"
                    "program ffmpeg is installed). GAME is a name or an image file; without it the\n"
                    "built-in game is played. An episode is cut after 30 s (.gif) or 10 min (.mp4).",
                .example =
                    "  megacade record --out game.gif\n  megacade record pong --frame 500 --out pong.png\n"
                    "  megacade record --policy run --out trained.gif",
                .words = words,
                .words_max = 1,
            },
        .scale = 2,
        .fps = 30,
        .actions_text = "random",
    };
    add_options(&run);
    if (!mega_options_run(&run.options, argc, argv, &exit_code)) {
        return exit_code;
    }
    exit_code = set_up(&run);
    if (exit_code == MEGA_EXIT_OK) {
        exit_code = run.player != NULL ? play_policy(&run) : play(&run);
    }
    if (exit_code == MEGA_EXIT_OK) {
        exit_code = finish_file(&run);
    }
    tear_down(&run);
    return exit_code;
}
