// megacade.h - Atari 2600 consoles for reinforcement learning. The one public C header.
//
// The library in one minute:
//
//     mega_rom *rom;
//     mega_env *env;
//     int32_t reward;
//     if (mega_rom_find("pong", NULL, &rom)) goto fail;            // or mega_rom_builtin(&rom)
//     if (mega_env_create(&(mega_env_desc){sizeof(mega_env_desc)}, rom, &env)) goto fail;
//     while (!mega_env_game_over(env)) {
//         if (mega_env_act(env, MEGA_ACTION_FIRE, 1.0f, &reward)) goto fail;
//     }
//     ...
//     fail: puts(mega_last_error());
//
// Sections: status - roms - games - env (one console as the Arcade Learning Environment plays it) -
// task (one environment as a learner sees it: skipped, pooled, resized and stacked frames) -
// program (a cartridge translated to C) -
// vector (many of these, stepped together by several threads or on a GPU).
//
// Errors:    functions that can fail return mega_status; mega_last_error() is the sentence.
// Ownership: pointers in arguments are borrowed for the call; create/destroy come in pairs, destroy
//            takes NULL; a returned view lives until its object is destroyed. Results leave through the
//            last parameters and are NULL or 0 on failure.
// Threads:   an object belongs to one thread at a time; different objects are independent.
#ifndef MEGACADE_H
#define MEGACADE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define MEGA_API __attribute__((visibility("default")))
#else
#define MEGA_API
#endif

#define MEGA_VERSION_MAJOR 0
#define MEGA_VERSION_MINOR 1
#define MEGA_VERSION_PATCH 0
#define MEGA_VERSION "0.1.0"

// The version of the library that is running, as text ("0.1.0"); MEGA_VERSION is the header's.
MEGA_API const char *mega_version(void);

// ---- status ------------------------------------------------------------------------------------------

// Numbers are pinned and grouped by tens; new ones are only added.
typedef enum mega_status {
    MEGA_OK = 0,
    MEGA_ERROR_ARGUMENT = 10,      // a parameter is out of its range
    MEGA_ERROR_MODE = 11,          // the game has no such mode or difficulty
    MEGA_ERROR_ACTION = 12,        // not an action number
    MEGA_ERROR_ORDER = 13,         // a call at the wrong time: before a reset, while work is outstanding
    MEGA_ERROR_TIMEOUT = 14,       // the time was up before the work was done; call again
    MEGA_ERROR_FILE = 20,          // a file or folder cannot be read or written
    MEGA_ERROR_ROM = 21,           // not a cartridge image that a console could run
    MEGA_ERROR_ROM_NOT_FOUND = 22, // no image of that game in any of the places searched
    MEGA_ERROR_GAME = 23,          // no rules are known for that game
    MEGA_ERROR_MEMORY = 30,        // out of memory
    MEGA_ERROR_THREAD = 31,        // a thread could not be started
    MEGA_ERROR_CUDA = 40,          // no usable GPU, or a call of its driver failed
    MEGA_ERROR_CUDA_MEMORY = 41,   // out of the GPU's memory
    MEGA_ERROR_CUDA_LOST = 42,     // the GPU failed; this process cannot use it any more
    MEGA_ERROR_CUDA_COMPILE = 43,  // code for the GPU could not be compiled
    MEGA_ERROR_STATE = 50,         // bytes that are not a saved state, or one of another cartridge
    MEGA_ERROR_STATE_VERSION = 51, // a state of another version of the format
    MEGA_ERROR_JAMMED = 52         // the program executed an opcode that halts the processor
} mega_status;

// Static text for a status ("out of memory").
MEGA_API const char *mega_status_string(mega_status status);
// The sentence for this thread's last failing call; valid until the next call into the library.
MEGA_API const char *mega_last_error(void);

// ---- roms --------------------------------------------------------------------------------------------

// A cartridge image in memory with what is known about it.
typedef struct mega_rom mega_rom;

typedef struct mega_rom_info {
    const char *name;       // game ("pong"), or the file's stem when the image is unknown
    const char *path;       // where it was read from; "" for images from memory
    const char *md5;        // 32 hex digits
    const char *scheme;     // bank switching: "2K", "4K", "F8", ...
    const char *format;     // "NTSC" or "PAL", as it will be run
    size_t size;            // bytes
    int32_t game;           // index for mega_game_info, or -1 when no rules are known
    uint32_t screen_height; // rows of a screen; its width is always 160
    uint32_t paddles;       // 1 when it is played with paddles
} mega_rom_info;

// The game of our own that is part of the library.
MEGA_API mega_status mega_rom_builtin(mega_rom **out);
// Reads an image of at most 512 KiB. An image that no rules are known for is played by the rules of the
// game named like the file, as the reference does, or without rules.
MEGA_API mega_status mega_rom_load(const char *path, mega_rom **out);
// As mega_rom_load, from memory. `name` may be NULL.
MEGA_API mega_status mega_rom_from_memory(const void *bytes, size_t size, const char *name, mega_rom **out);
// Looks for a game's image by content: in `folder` if it is not NULL; else in the folders of
// mega_rom_search_path. The built-in game is always found.
MEGA_API mega_status mega_rom_find(const char *game, const char *folder, mega_rom **out);
// The index-th folder that is searched ($MEGACADE_ROMS, the user's data folder, installed ale_py packages),
// or NULL past the last. The text is valid until the thread's next call.
MEGA_API const char *mega_rom_search_path(uint32_t index);
// The user's data folder for images ("~/.local/share/megacade/roms"), where imports go.
MEGA_API const char *mega_rom_user_folder(void);
MEGA_API const mega_rom_info *mega_rom_get_info(const mega_rom *rom);
MEGA_API const void *mega_rom_get_bytes(const mega_rom *rom);
MEGA_API void mega_rom_destroy(mega_rom *rom);

// ---- games -------------------------------------------------------------------------------------------

enum {
    MEGA_ACTION_NOOP,
    MEGA_ACTION_FIRE,
    MEGA_ACTION_UP,
    MEGA_ACTION_RIGHT,
    MEGA_ACTION_LEFT,
    MEGA_ACTION_DOWN,
    MEGA_ACTION_UPRIGHT,
    MEGA_ACTION_UPLEFT,
    MEGA_ACTION_DOWNRIGHT,
    MEGA_ACTION_DOWNLEFT,
    MEGA_ACTION_UPFIRE,
    MEGA_ACTION_RIGHTFIRE,
    MEGA_ACTION_LEFTFIRE,
    MEGA_ACTION_DOWNFIRE,
    MEGA_ACTION_UPRIGHTFIRE,
    MEGA_ACTION_UPLEFTFIRE,
    MEGA_ACTION_DOWNRIGHTFIRE,
    MEGA_ACTION_DOWNLEFTFIRE,
    MEGA_ACTION_COUNT
};

typedef struct mega_game_info {
    const char *name;         // "ms_pacman"
    const char *title;        // "Ms. Pac-Man"
    const char *gym_id;       // "ALE/MsPacman-v5"
    const char *md5;          // of the image that the rules belong to
    uint32_t minimal_actions; // bit a is set when action a is in the minimal set
    uint32_t legal_actions;   // likewise for the full set
    const int32_t *modes;     // the first is the default
    uint32_t mode_count;
    const uint8_t *difficulties; // 0 is in force until another is set
    uint32_t difficulty_count;
    uint32_t builtin; // 1 for the game of our own
} mega_game_info;

// Games that rules are known for, sorted by name.
MEGA_API uint32_t mega_game_count(void);
// NULL past the last.
MEGA_API const mega_game_info *mega_game_get_info(int32_t index);
// The index of a game by name, or -1.
MEGA_API int32_t mega_game_find(const char *name);
// "NOOP", "FIRE", ...; NULL past the last.
MEGA_API const char *mega_action_name(uint32_t action);

// ---- env ---------------------------------------------------------------------------------------------

// One console with its game's rules: what the Arcade Learning Environment calls an interface. The same
// settings and seed give the same RAM, screens, rewards and lives as ale-py 0.12.1.
typedef struct mega_env mega_env;

// How the program of a cartridge is run. Frames are the same, bit for bit, in all cases (docs/translate.md).
enum {
    // As machine code that was made from it, if there is some: from the cache folder, or as soon as a thread has it
    // made by the system's C compiler, which takes seconds. Until then, and without a compiler, it is interpreted.
    MEGA_TRANSLATE_AUTO,
    MEGA_TRANSLATE_OFF, // it is interpreted
    MEGA_TRANSLATE_NOW  // create waits for the machine code
};

typedef struct mega_env_desc {
    uint32_t struct_size;     // sizeof(mega_env_desc) as the caller compiled it; zero the rest for defaults
    int32_t seed;             // of the environment's generator (sticky actions)
    uint32_t frame_skip;      // frames per act; 0 means 1
    uint32_t frame_skip_high; // not 0: an act plays frame_skip to frame_skip_high - 1 frames, drawn each time
    float sticky;             // probability that a frame repeats the previous action, 0 to 1
    int32_t max_episode_frames; // the episode is cut after so many; 0 means never
    int32_t reward_min;         // limits of an act's reward; both 0 means none
    int32_t reward_max;
    int32_t paddle_min; // limits of the paddles' resistance; 0 means the usual ones, -1 means 0. Two games
                        // (backgammon, blackjack) have a maximum of their own in any case
    int32_t paddle_max;
    uint32_t console_seed; // with own_console_seed: of the console's generator, which fills RAM at power-on
    uint8_t truncate_on_life_loss; // 1: the episode is cut when a life is lost
    uint8_t color_averaging;       // 1: screens are blended with the previous frame
    uint8_t sound;                 // 1: mega_env_audio delivers samples
    uint8_t plain;            // 1: no fast paths; the slow reference that the fast ones are tested against
    uint8_t own_console_seed; // 1: console_seed counts, else it is the reference's
    uint8_t translate;        // MEGA_TRANSLATE_*
    uint8_t pad[2];
} mega_env_desc;

MEGA_API mega_status mega_env_create(const mega_env_desc *desc, const mega_rom *rom, mega_env **out);
MEGA_API void mega_env_destroy(mega_env *env);
// Starts a new episode: a system reset, not a power cycle, so RAM and the generators carry over.
MEGA_API mega_status mega_env_reset(mega_env *env);
// Power cycle with a new seed: as if the environment had just been created.
MEGA_API mega_status mega_env_reseed(mega_env *env, int32_t seed);
// Power cycle and reset as Gymnasium's AtariEnv.reset(seed=...) does them: `seed` is split into the seed of
// the environment's generator and that of the frame skip's. Mode and difficulty stay.
MEGA_API mega_status mega_env_gym_reset(mega_env *env, uint64_t seed);
// Plays one action for `frame_skip` frames. `strength` scales a paddle's movement and is otherwise ignored
// (NaN is an error). After the end of an episode nothing is emulated and the reward is 0.
MEGA_API mega_status mega_env_act(mega_env *env, uint32_t action, float strength, int32_t *reward);

MEGA_API int mega_env_game_over(const mega_env *env); // by the game's rules or by a limit
MEGA_API int mega_env_terminal(const mega_env *env);  // by the game's rules
MEGA_API int mega_env_truncated(const mega_env *env); // by a limit
MEGA_API int32_t mega_env_lives(const mega_env *env);
MEGA_API uint32_t mega_env_frame_number(const mega_env *env);         // frames since creation
MEGA_API uint32_t mega_env_episode_frame_number(const mega_env *env); // frames since the last reset

// A mode applies from the next reset on, a difficulty from the next frame on. Both must be in the game's
// list.
MEGA_API mega_status mega_env_set_mode(mega_env *env, int32_t mode);
MEGA_API mega_status mega_env_set_difficulty(mega_env *env, uint32_t difficulty);
MEGA_API int32_t mega_env_mode(const mega_env *env);
MEGA_API uint32_t mega_env_difficulty(const mega_env *env);

MEGA_API uint32_t mega_env_screen_height(const mega_env *env); // 210 for most games
#define MEGA_SCREEN_WIDTH 160
// The screen after the last frame, row by row, into `pixels` of `size` bytes: height * 160 palette indices
// or gray values, or three times as many for RGB.
MEGA_API mega_status mega_env_screen(mega_env *env, uint8_t *pixels, size_t size);
MEGA_API mega_status mega_env_screen_gray(mega_env *env, uint8_t *pixels, size_t size);
MEGA_API mega_status mega_env_screen_rgb(mega_env *env, uint8_t *pixels, size_t size);
// The palette of the console's television format: 256 entries of R, G, B; valid as long as the environment.
MEGA_API const uint8_t *mega_env_palette(const mega_env *env);

#define MEGA_RAM_SIZE 128
MEGA_API const uint8_t *mega_env_ram(const mega_env *env); // view of the 128 bytes at $80..$FF
MEGA_API mega_status mega_env_set_ram(mega_env *env, uint32_t index, uint32_t value);

#define MEGA_AUDIO_SIZE 512
#define MEGA_AUDIO_RATE 31400
// View of the 512 unsigned 8-bit samples of the last act; zero unless `sound` was asked for.
MEGA_API const uint8_t *mega_env_audio(const mega_env *env);

// Save states: versioned bytes that fit the same cartridge in any environment of this version. With
// `with_random` the environment's generator is in them, and is replaced on load.
MEGA_API size_t mega_env_state_size(const mega_env *env);
MEGA_API mega_status mega_env_save(const mega_env *env, int with_random, void *bytes, size_t size);
MEGA_API mega_status mega_env_load(mega_env *env, const void *bytes, size_t size);

// ---- task --------------------------------------------------------------------------------------------

// One environment as a learner sees it, with the behaviour of one lane of ale-py's AtariVectorEnv: no-op
// starts, a press of FIRE, frame skip, the maximum of the last two frames, resizing, stacking.
typedef struct mega_task mega_task;

typedef struct mega_task_desc {
    uint32_t struct_size;       // sizeof(mega_task_desc); zero the rest for the defaults named below
    uint32_t frame_skip;        // frames per step; 0 means 4
    uint32_t height;            // of the observation; 0 means 84
    uint32_t width;             // 0 means 84
    uint32_t stack;             // frames in an observation; 0 means 4
    int32_t noop_max;           // starts are delayed by 0 to noop_max - 1 frames; 0 means 30, -1 none
    int32_t max_episode_frames; // 0 means 108000
    float sticky;               // 0 to 1
    uint8_t rgb;                // 1: three channels per pixel instead of gray
    uint8_t no_maxpool;         // 1: only the last frame of a step is seen
    uint8_t no_fire_reset;      // 1: FIRE is not pressed at the start
    uint8_t no_reward_clipping; // 1: rewards are not limited to -1..1
    uint8_t full_actions;       // 1: the full action set instead of the minimal one
    uint8_t episodic_life;      // 1: an episode ends with a life, and the game restarts
    uint8_t life_loss_info;     // 1: a lost life is reported as terminated, and play goes on
    uint8_t plain;              // 1: no fast paths
    uint8_t envpool;            // 1: episodes start, are seen and end as in EnvPool 1.2 (docs/python.md)
    uint8_t translate;          // MEGA_TRANSLATE_*
    uint8_t pad[2];
} mega_task_desc;

typedef struct mega_task_result {
    int32_t reward;
    int32_t lives;
    uint32_t frame_number;
    uint32_t episode_frame_number;
    uint8_t terminated;
    uint8_t truncated;
    uint8_t episode_over; // 1: call mega_task_reset before the next step
    uint8_t pad;
} mega_task_result;

MEGA_API mega_status mega_task_create(const mega_task_desc *desc, const mega_rom *rom, mega_task **out);
MEGA_API void mega_task_destroy(mega_task *task);
MEGA_API uint32_t mega_task_action_count(const mega_task *task);
MEGA_API size_t mega_task_observation_size(const mega_task *task); // bytes: stack * height * width (* 3)
// Starts an episode. A seed >= 0 also reseeds and power cycles; a negative one continues. `result` may be
// NULL. `observation` is written stack-first, oldest frame first.
MEGA_API mega_status mega_task_reset(mega_task *task, int64_t seed, uint8_t *observation, size_t size,
                                     mega_task_result *result);
// Plays the action with this index in the action set.
MEGA_API mega_status mega_task_step(mega_task *task, uint32_t action_index, float strength,
                                    uint8_t *observation, size_t size, mega_task_result *result);

// Continuous actions: radius, angle and fire become an action number, as AtariEnv(continuous=True) does.
MEGA_API mega_status mega_action_from_polar(float radius, float theta, float fire, float threshold,
                                            uint32_t *action);

// ---- program -----------------------------------------------------------------------------------------

// What the translator makes of a cartridge (docs/translate.md). Environments do this by themselves; this is for
// those who want to look.
typedef struct mega_program mega_program;

typedef struct mega_program_info {
    uint32_t units;  // parts of the image that are functions; 0 for a cartridge that is always interpreted
    uint32_t blocks; // of instructions that are entered at their first one only
    uint32_t instructions; // in all blocks
    double translate_seconds;
    // The rest is 0 unless frames were asked for.
    double compile_seconds;
    size_t code_size;     // bytes of the shared library
    uint64_t played;      // instructions that the console executed ...
    uint64_t translated;  // ... of these in blocks
    const char *compiler; // its path
} mega_program_info;

// Translates a cartridge. With `frames` it is also compiled, the code is kept in the cache folder, and so many frames
// are played at random. Without a compiler that fails with MEGA_ERROR_FILE.
MEGA_API mega_status mega_program_create(const mega_rom *rom, uint32_t frames, mega_program **out);
MEGA_API void mega_program_destroy(mega_program *program);
MEGA_API const mega_program_info *mega_program_get_info(const mega_program *program);
// The program in C, with the image in it, so it is not to be given away; "" if there is none.
MEGA_API const char *mega_program_text(const mega_program *program);

// ---- vector ------------------------------------------------------------------------------------------

// Many environments stepped by several threads, or on a GPU. Each has the behaviour of a mega_task, and its
// results do not depend on the device, on the number of threads, on their cores, on groups, or on who else is
// in the batch.
//
// Three ways to use it:
//     step        all environments, and wait for them
//     group_send  alternating groups: while one is being stepped, the caller computes the actions of another.
//     group_recv  Group g of G is the environments count * g / G to count * (g + 1) / G - 1
//     send, recv  any environments; recv takes the first `batch` results that are ready
// With batch < count, step is a send and a recv. Actions are indices into mega_vector_actions().
//
// The thread that calls is one of the vector's threads while it waits in step, reset, recv or group_recv.
// Nothing is allocated after create. After a fork the child may go on with a vector that had no work
// outstanding.
typedef struct mega_vector mega_vector;

enum {
    MEGA_AUTORESET_NEXT_STEP, // the step after the end of an episode ignores its action and resets instead
    MEGA_AUTORESET_SAME_STEP, // the step that ends an episode also resets; see final_observations
    // Who calls says when: an environment whose episode has ended plays nothing, by any step, until a reset or
    // mega_vector_group_restart. Such a step shows its last picture once more, with a reward of 0.
    MEGA_AUTORESET_OFF
};
#define MEGA_MODE_DEFAULT (-1)

typedef struct mega_vector_desc {
    uint32_t struct_size; // sizeof(mega_vector_desc); zero the rest for the defaults named below
    uint32_t count;       // environments, at least 1
    uint32_t batch;       // results of a recv; 0 means count
    uint32_t threads;     // with the caller's; 0 means as many as cores, but not more than batch
    uint32_t pin;       // 0 off; k: thread i > 0 runs on core (k - 1 + i) modulo cores, the caller's anywhere
    uint32_t groups;    // alternating groups; 0 means 1
    uint32_t autoreset; // MEGA_AUTORESET_*
    uint32_t seed;      // environment i has the seed `seed + i` until a reset gives it one
    uint32_t episode_log; // finished episodes kept for mega_vector_drain_episodes; 0 means 1024 or count
    // 0 off. K, at most 65,536: not what the reference does, but fast resets: K starts of each game, mode and
    // difficulty are made at creation, on the CPU, with the seeds start_seed to start_seed + K - 1, and every reset
    // copies one of them, which the environment's own generator draws. A seed given to a reset seeds that generator
    // and the sticky actions only. The same on all devices.
    uint32_t start_states;
    uint32_t start_seed;
    uint8_t blind; // 1: no observations are made; RAM and screens can still be looked at
    uint8_t pad[3];
    mega_task_desc task;          // preprocessing, the same for all
    const mega_rom *const *roms;  // images, copied
    uint32_t rom_count;           // 1: all environments play it; else count
    const int32_t *modes;         // one per environment (MEGA_MODE_DEFAULT is allowed), or NULL
    const uint32_t *difficulties; // one per environment, or NULL
    const char *device;           // NULL or "cpu"; "cuda" is the first GPU, "cuda:1" the second
} mega_vector_desc;

// Arrays of the caller, with a row per result. Each may be NULL: not wanted. Rows are the environments in
// order (those of the group, for group_recv); with batch < count they are in the order of completion.
typedef struct mega_vector_out {
    uint8_t *observations; // mega_vector_observation_size() bytes each
    // Likewise, with MEGA_AUTORESET_SAME_STEP: the last of an episode that ended in this step. Other rows are
    // left alone.
    uint8_t *final_observations;
    int32_t *rewards;
    uint8_t *terminations;
    uint8_t *truncations;
    int32_t *env_ids;
    int32_t *lives;
    int32_t *frame_numbers;         // since the last seeded reset
    int32_t *episode_frame_numbers; // since the last reset
    uint8_t *episode_ends;          // 1: an episode ended with this step (a lost life may only be reported)
} mega_vector_out;

// Starts the threads. No frame is emulated before the first reset.
MEGA_API mega_status mega_vector_create(const mega_vector_desc *desc, mega_vector **out);
// Waits for outstanding work.
MEGA_API void mega_vector_destroy(mega_vector *vector);

// Starts new episodes in all environments, or where mask[i] is not 0; the others report what they did last.
// The first reset must be of all, and so must every one with batch < count. seeds[i] >= 0 also reseeds and
// power cycles environment i, a negative one, or NULL, continues. Results that were not received are dropped.
// `out` may be NULL, here and below.
MEGA_API mega_status mega_vector_reset(mega_vector *vector, const uint8_t *mask, const int32_t *seeds,
                                       const mega_vector_out *out);
// Steps all environments (the `batch` last received, with batch < count) and waits. `strengths` scale the
// paddles' movement; NULL means 1. Nothing is played if an action is wrong. When a program jammed its
// processor, all rows are filled nevertheless, and the status and mega_vector_failed() tell.
MEGA_API mega_status mega_vector_step(mega_vector *vector, const int32_t *actions, const float *strengths,
                                      const mega_vector_out *out);

// Hands `count` environments an action each. env_ids NULL: those of the last batch, in its order.
MEGA_API mega_status mega_vector_send(mega_vector *vector, const int32_t *env_ids, uint32_t count,
                                      const int32_t *actions, const float *strengths);
// Waits for `batch` results; fails with MEGA_ERROR_ORDER if fewer are outstanding. timeout_ms < 0: forever.
// After MEGA_ERROR_TIMEOUT nothing is lost.
MEGA_API mega_status mega_vector_recv(mega_vector *vector, int32_t timeout_ms, const mega_vector_out *out);

// The same for one group; arrays have an entry per environment of the group. Only with batch == count.
MEGA_API mega_status mega_vector_group_send(mega_vector *vector, uint32_t group, const int32_t *actions,
                                            const float *strengths);
MEGA_API mega_status mega_vector_group_recv(mega_vector *vector, uint32_t group, int32_t timeout_ms,
                                            const mega_vector_out *out);
// With MEGA_AUTORESET_OFF: starts new episodes in those of a group whose episode has ended, in the vector's threads while
// the caller does something else. group_recv takes the results, which show nothing of the step before.
MEGA_API mega_status mega_vector_group_restart(mega_vector *vector, uint32_t group);

// The environment that made the last call fail, or -1.
MEGA_API int32_t mega_vector_failed(const mega_vector *vector);

MEGA_API uint32_t mega_vector_count(const mega_vector *vector);
MEGA_API uint32_t mega_vector_batch(const mega_vector *vector);
MEGA_API uint32_t mega_vector_threads(const mega_vector *vector);
// Environments of a group; *first is the first one's index. 0 past the last group.
MEGA_API uint32_t mega_vector_group(const mega_vector *vector, uint32_t group, uint32_t *first);
// Action numbers by index; *count entries. One game: its minimal set, or its full one with full_actions.
// Several: all 18, and what is illegal in a game does nothing there.
MEGA_API const uint8_t *mega_vector_actions(const mega_vector *vector, uint32_t *count);
// Bytes: stack * height * width (* 3); 0 when blind.
MEGA_API size_t mega_vector_observation_size(const mega_vector *vector);

// How many environments were sent an action whose result was not received yet.
MEGA_API uint32_t mega_vector_outstanding(const mega_vector *vector);

// Views into the vector, and looks at one environment; not of one whose work is outstanding.
// Observations of all, [count][stack][height][width] (or [3] more), 64-byte aligned; NULL when blind.
MEGA_API const uint8_t *mega_vector_observations(const mega_vector *vector);
// 128 bytes, or NULL when there is no such environment or its result is outstanding.
MEGA_API const uint8_t *mega_vector_ram(const mega_vector *vector, uint32_t env_id);
MEGA_API mega_status mega_vector_set_ram(mega_vector *vector, uint32_t env_id, uint32_t index,
                                         uint32_t value);
MEGA_API uint32_t mega_vector_screen_height(const mega_vector *vector,
                                            uint32_t env_id); // 0: no such environment
// The screen after the last frame: height * 160 palette indices, or three times as many bytes of RGB.
MEGA_API mega_status mega_vector_screen(mega_vector *vector, uint32_t env_id, uint8_t *pixels, size_t size);
MEGA_API mega_status mega_vector_screen_rgb(mega_vector *vector, uint32_t env_id, uint8_t *pixels,
                                            size_t size);

// On a GPU: the same calls with the same results, but batch must be count, `threads` and `pin` are ignored, and
// mega_vector_ram and mega_vector_observations copy to the host when they are called: what they return is right
// until the next call. A learner on the GPU reads and writes these arrays in place:
typedef struct
    mega_vector_device_view {    // addresses in the GPU's memory, valid until destroy; count rows each
    uint8_t *observations;       // NULL when blind
    uint8_t *final_observations; // with MEGA_AUTORESET_SAME_STEP, where episode_ends is 1; else NULL
    int32_t *rewards;
    int32_t *lives;
    int32_t *frame_numbers;
    int32_t *episode_frame_numbers;
    uint8_t *terminations;
    uint8_t *truncations;
    uint8_t *episode_ends;
    int32_t *actions; // for mega_vector_step_device: indices, as in mega_vector_step
    void *stream;     // the CUstream that all work is ordered in
    int32_t device;   // the GPU's number
    uint32_t pad;
} mega_vector_device_view;
MEGA_API mega_status mega_vector_get_device_view(mega_vector *vector, mega_vector_device_view *out);

enum {
    MEGA_STEP_SAMPLE =
        1, // actions are drawn on the GPU, uniformly, from `seed` and the number of steps so far
    MEGA_STEP_NO_WAIT = 2 // returns when the work is in the stream; failures show in a later call that waits
};
// As mega_vector_step, with the actions that the view's array holds; one that is out of its range counts as 0.
// `out` must be NULL with MEGA_STEP_NO_WAIT. The step begins after what the caller put into the view's stream.
MEGA_API mega_status mega_vector_step_device(mega_vector *vector, uint32_t flags, const mega_vector_out *out);
// The same for the environments of one group, in a stream of the group's own: the step begins after what is in `stream`
// (see mega_vector_wait_for_stream), the call returns at once, and nothing is to be received.
MEGA_API mega_status mega_vector_group_step_device(mega_vector *vector, uint32_t group, void *stream);
// As mega_vector_group_restart, in the group's stream, after what is in `stream`: nothing is to be received.
MEGA_API mega_status mega_vector_group_restart_device(mega_vector *vector, uint32_t group, void *stream);
// What is put into `stream` from now on begins after what the group was asked for.
MEGA_API mega_status mega_vector_group_make_stream_wait(mega_vector *vector, uint32_t group, void *stream);
// Waits for all that was asked for, and fails as a step would that had waited.
MEGA_API mega_status mega_vector_finish(mega_vector *vector);

// Instructions of consoles that the lanes of a GPU's warps needed, and that their warps executed for them, since the
// vector was made: the quotient is how many of 32 lanes are useful. Both are 0 unless $MEGACADE_CUDA_COUNT was 1 then,
// which makes everything slower. Waits for work that is under way.
MEGA_API mega_status mega_vector_get_lanes(mega_vector *vector, uint64_t *needed, uint64_t *executed);

// A folder in which NVRTC, the compiler for the GPU, is looked for as well; of all vectors of the process, at most 32.
MEGA_API mega_status mega_cuda_add_folder(const char *folder);

// Other streams of the GPU: a CUstream, or 1 and 2 for CUDA's two default streams. What the vector does from now on
// begins after what is in `stream`; what is put into `stream` from now on begins after what the vector was asked for,
// but for groups whose results are outstanding.
MEGA_API mega_status mega_vector_wait_for_stream(mega_vector *vector, void *stream);
MEGA_API mega_status mega_vector_make_stream_wait(mega_vector *vector, void *stream);
// Copies an index for each environment from the GPU's memory into the view's array: an int32 every `pitch` bytes, so 4
// for an array of int32 and 8 for one of int64. The bytes must stay until the vector's next step is done.
MEGA_API mega_status mega_vector_take_actions(mega_vector *vector, const void *actions, size_t pitch);
// Copies from the GPU's memory, for instance a part of the view, when the vector's work is done.
MEGA_API mega_status mega_vector_read(mega_vector *vector, const void *address, void *bytes, size_t size);

// Save states of whole environments: console, generators, stack, counters of the episode. They go on bit for
// bit in any vector of this version, on any device, with the same cartridge, preprocessing and, to play on
// alike, settings.
// Bytes of a state; the largest one's when games differ.
MEGA_API size_t mega_vector_state_size(const mega_vector *vector);
// `bytes` receives `count` states of mega_vector_state_size() bytes; `size` is for all of them.
MEGA_API mega_status mega_vector_save(mega_vector *vector, const int32_t *env_ids, uint32_t count,
                                      void *bytes, size_t size);
// Either all `count` states are good and taken, or none.
MEGA_API mega_status mega_vector_restore(mega_vector *vector, const int32_t *env_ids, uint32_t count,
                                         const void *bytes, size_t size);
// State from_ids[k] of `from` into to_ids[k] of `to`, one after the other. The two may be the same vector, or
// on different devices.
MEGA_API mega_status mega_vector_copy(mega_vector *to, const int32_t *to_ids, mega_vector *from,
                                      const int32_t *from_ids, uint32_t count);

// An environment between a vector, on any device, and a mega_env of the same cartridge: console, sticky actions,
// pictures. Settings stay, and a vector's observation is black until its next step.
MEGA_API mega_status mega_vector_set_env(mega_vector *vector, uint32_t env_id, mega_env *env);
MEGA_API mega_status mega_vector_get_env(mega_vector *vector, uint32_t env_id, mega_env *env);

// Finished episodes. Rewards are counted without clipping; an episode that a reset cut off does not count.
typedef struct mega_episode {
    int64_t score; // sum of rewards
    int32_t env_id;
    uint32_t steps;
    uint32_t frames; // emulated by these steps
    uint8_t terminated;
    uint8_t truncated;
    uint8_t pad[2];
} mega_episode;

typedef struct mega_vector_statistics {
    uint64_t episodes; // finished
    int64_t score_sum;
    uint64_t steps_sum;
    uint64_t frames_sum;
    mega_episode last; // zero before the first
} mega_vector_statistics;

// Of environment `env_id`, or of all for -1, since create.
MEGA_API mega_status mega_vector_get_statistics(const mega_vector *vector, int32_t env_id,
                                                mega_vector_statistics *out);
// Takes up to `capacity` finished episodes, oldest first; returns how many. Those that nobody took in time
// are lost.
MEGA_API uint32_t mega_vector_drain_episodes(mega_vector *vector, mega_episode *episodes, uint32_t capacity);

#ifdef __cplusplus
}
#endif
#endif
