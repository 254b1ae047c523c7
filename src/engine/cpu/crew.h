// crew.h - the threads of a vector. Host code.
//
// The calling thread is member 0 while it waits; the others are started here. All of them do whatever run_one
// finds. What the work is, the crew does not know.
#ifndef CREW_H
#define CREW_H
#include <stdint.h>
#include <sys/types.h>

#include "gate.h"
#include "megacade.h"

struct mega_crew;
typedef struct mega_hand {
    struct mega_crew *crew;
    uint32_t index;
    pthread_t thread; // not of hand 0
} mega_hand;

typedef struct mega_crew {
    mega_gate work; // moves when there is something to do
    mega_gate done; // moves when something was finished that a caller may wait for
    atomic_bool stopping;
    uint32_t count, started; // hands; those that have a thread, hand 0 included
    uint32_t pin;            // 0 off, else hand i runs on core pin - 1 + i
    pid_t process;           // that the threads belong to
    mega_hand *hands;        // count
    bool (*run_one)(void *context, uint32_t hand);
    void *context;
} mega_crew;

// run_one takes and does one piece of work, or returns false if there is none. `count` is at least 1.
mega_status crew_open(mega_crew *crew, uint32_t count, uint32_t pin, bool (*run_one)(void *, uint32_t),
                      void *context);
// There must be nothing left to do. A crew that is all zero is allowed.
void crew_close(mega_crew *crew);

// True in a child process: the threads stayed behind.
bool crew_is_stranded(const mega_crew *crew);
// Starts the threads again in a child process.
mega_status crew_restart(mega_crew *crew);

#endif
