// run_log.h - log.csv: what a run measured, a row at a time.
//
// The first column is how far the run is (frames); it never decreases from row to row. A run that is resumed from a
// checkpoint cuts off the rows that came after it, so that in the end the file is that of a run that was never
// interrupted, columns of wall-clock time aside. For this, the row of a frame count is written before the checkpoint of
// the same count.
#ifndef RUN_LOG_H
#define RUN_LOG_H
#include "message.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    MEGA_LOG_COLUMNS = 64 // at most
};

typedef struct mega_log_column {
    const char *name; // no commas, quotes or line feeds
    bool whole;       // written without a fraction: "4" and not "4.0". Exact up to 2^53.
} mega_log_column;

typedef struct mega_run_log mega_run_log;

// Starts a new file; an older one of that name is replaced. The columns are copied, their names are borrowed.
int mega_run_log_create(const char *path, const mega_log_column *columns, uint32_t count, mega_run_log **out,
                        mega_message *message);
// Goes on with a file: keeps its rows up to the first whose first column is larger than `last`, or which was cut short.
// The columns must be those of the file. A missing or empty file is started anew.
int mega_run_log_resume(const char *path, const mega_log_column *columns, uint32_t count, double last,
                        mega_run_log **out, mega_message *message);
// Adds a row of as many values as there are columns, and hands it to the system. Values that are not finite become
// empty cells, which is how a row says that something was not measured.
int mega_run_log_row(mega_run_log *log, const double *values, mega_message *message);
// Frees the log, also on failure. NULL is allowed and fine.
int mega_run_log_close(mega_run_log *log, mega_message *message);

#endif
