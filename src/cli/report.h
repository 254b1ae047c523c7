// report.h - errors of the program: one line on standard error, and an exit code.
#ifndef REPORT_H
#define REPORT_H
#include "megacade.h"

enum {
    MEGA_EXIT_OK = 0,
    MEGA_EXIT_FAILURE = 1, // it could not be done
    MEGA_EXIT_USAGE = 2    // the command line is wrong
};

// Prints "megacade: SENTENCE" and returns MEGA_EXIT_FAILURE. Control characters are printed as '?', so that
// the message stays one line whatever a file is called.
int mega_report_failure(const char *format, ...) __attribute__((format(printf, 1, 2)));
// Likewise for mistakes on the command line; returns MEGA_EXIT_USAGE.
int mega_report_usage(const char *format, ...) __attribute__((format(printf, 1, 2)));
// Reports the library's sentence for a call that just failed with `status`. A value that the library does not
// take (an unknown game, a mode that it lacks) is a mistake on the command line, anything else a failure.
int mega_report_status(mega_status status);

// For processes that work together: sentences are kept from now on, so that one of them can speak for all. The last one is
// returned by mega_report_kept(), "" without any. mega_report_speak() ends it.
void mega_report_keep(void);
const char *mega_report_kept(void);
void mega_report_speak(void);

#endif
