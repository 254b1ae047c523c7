// bench_learn.h - `megacade bench --load infer` and `--load train`: the loads of CuLE's figure 5 with a network in them.
#ifndef BENCH_LEARN_H
#define BENCH_LEARN_H
#include "megacade.h"
#include "train_settings.h"

typedef struct mega_bench_learn {
    const mega_rom *rom;
    mega_train_settings settings;
    bool trains;    // else the network only plays
    int64_t warmup; // steps of each environment that are not timed
    double seconds;
    int64_t repeat;
    bool json;
} mega_bench_learn;

typedef struct mega_bench_timing {
    double seconds;
    uint64_t frames;
    uint64_t updates;
    double fps;
} mega_bench_timing;

// Measures `repeat` runs and sorts them by their speed; `label` is for the progress bar. If it trains, what comes before
// the first update is not timed. Returns an exit code.
int mega_bench_learn_measure(mega_bench_learn *bench, const char *label, mega_bench_timing *timings);
// Measures and prints. Returns an exit code.
int mega_bench_learn_run(mega_bench_learn *bench);

#endif
