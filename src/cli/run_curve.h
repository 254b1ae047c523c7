// run_curve.h - the learning curve of a run, from its log.
#ifndef RUN_CURVE_H
#define RUN_CURVE_H
#include "message.h"

// Draws FOLDER/curve.png from FOLDER/log.csv. A log without scores leaves an empty plot.
int mega_run_curve(const char *folder, const char *game, mega_message *message);

#endif
