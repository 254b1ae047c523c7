// run.h - a training run with its folder: config.json, log.csv, checkpoint, TensorBoard's events, the trained policy.
#ifndef RUN_H
#define RUN_H
#include "trainer.h"

typedef struct mega_run_row { // of log.csv
    double seconds;           // of wall-clock time, since the run began
    double raw_fps;           // emulated frames per second since the last row
    double eval_mean;         // NaN in rows without an evaluation
    double eval_deviation;
    mega_train_count count;
    mega_train_means means;
} mega_run_row;

typedef enum mega_run_end {
    MEGA_RUN_ALL_FRAMES, // all were played
    MEGA_RUN_SCORE,      // the score to stop at was reached
    MEGA_RUN_INTERRUPTED // *stop became true; the checkpoint is there
} mega_run_end;

typedef struct mega_run_result {
    mega_run_end end;
    mega_train_count count;
    double seconds;   // with those before a resume
    double raw_fps;   // frames of this process, evaluations aside, over the time that they took
    double eval_mean; // of the last evaluation; NaN without
    double eval_deviation;
    double time_to_score_s; // NaN: not reached
    bool failed_together;   // with several processes: all of them have failed with this sentence
} mega_run_result;

typedef struct mega_run_desc {
    const mega_train_settings *settings;
    const mega_rom *rom;
    mega_dist *dist;          // processes that train together, of which rank 0 writes the folder; or NULL
    const char *folder;       // made if it is not there; with several processes one that all can read
    bool resume;              // go on with the folder's checkpoint
    double start;             // when the process began, by the clock of mega_run_seconds()
    const volatile int *stop; // set by a signal's handler; rank 0's counts
    // Called after each row, and often, by rank 0. May be NULL.
    void (*on_row)(void *context, const mega_run_row *row);
    void (*on_progress)(void *context, const mega_train_count *count);
    // Called once by rank 0, before the first update, where gradients of processes become their mean. May be NULL.
    void (*on_reduce)(void *context, const mega_reduce *reduce);
    // Called when this process fails in mid-run, while others may be waiting for it: to end them (mega_dist_ops.abort). May be
    // NULL where there are no others.
    void (*on_failure)(void *context, const mega_message *message);
    void *context;
} mega_run_desc;

// Seconds of a clock that only goes forward.
double mega_run_seconds(void);
// Trains. A failure in mid-run leaves the last checkpoint; the message says so where there is one. With several processes
// all call it; what fails before the first update fails for all of them with one sentence.
int mega_run(const mega_run_desc *desc, mega_run_result *out, mega_message *message);

// The path of a file of the folder, in `path` of MEGA_RUN_PATH bytes; fails if it is too long.
enum {
    MEGA_RUN_PATH = 4096
};
int mega_run_path(const char *folder, const char *name, char path[MEGA_RUN_PATH], mega_message *message);
// Reads a folder's config.json.
int mega_run_read_settings(const char *folder, mega_train_settings *settings, mega_message *message);

#endif
