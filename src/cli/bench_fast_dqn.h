// bench_fast_dqn.h - `megacade bench --table fast-dqn`: the 14 variants of table 1 of Fast DQN.
#ifndef BENCH_FAST_DQN_H
#define BENCH_FAST_DQN_H
#include "bench_learn.h"

// Measures DQN with 1, 2, 4 and 8 samplers, with and without Concurrent Training and Synchronized Execution, and prints
// the hours that each would take for 200 million frames. What the variants do not differ in is bench->settings;
// `shares_cores` says that variants which train while they play give half of the cores to each. Returns an exit code.
int mega_bench_fast_dqn_run(mega_bench_learn *bench, bool shares_cores);

#endif
