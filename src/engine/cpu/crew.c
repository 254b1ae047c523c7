// crew.c - see crew.h.
#include "crew.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "affinity.h"
#include "status.h"

static void *hand_main(void *argument) {
    const mega_hand *hand = argument;
    mega_crew *crew = hand->crew;
    const mega_deadline never = deadline_in(-1);
    for (;;) {
        const unsigned seen = gate_look(&crew->work);
        while (crew->run_one(crew->context, hand->index)) {}
        if (atomic_load(&crew->stopping)) {
            return NULL;
        }
        (void)gate_wait(&crew->work, seen, &never);
    }
}

// Signals are for the program's own threads.
static mega_status start_hands(mega_crew *crew) {
    sigset_t all, before;
    mega_status status = MEGA_OK;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    for (crew->started = 1; crew->started < crew->count; crew->started++) {
        mega_hand *hand = &crew->hands[crew->started];
        if (pthread_create(&hand->thread, NULL, hand_main, hand) != 0) {
            status = mega_fail(MEGA_ERROR_THREAD, "thread %u of %u cannot be started; use fewer",
                               crew->started + 1, crew->count);
            break;
        }
        if (crew->pin != 0) {
            affinity_pin(hand->thread, crew->pin - 1 + crew->started);
        }
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return status;
}

static mega_status open_gates(mega_crew *crew) {
    if (!gate_open(&crew->work)) {
        return mega_fail(MEGA_ERROR_THREAD, "a lock cannot be made");
    }
    if (!gate_open(&crew->done)) {
        gate_close(&crew->work);
        return mega_fail(MEGA_ERROR_THREAD, "a lock cannot be made");
    }
    return MEGA_OK;
}

mega_status crew_open(mega_crew *crew, uint32_t count, uint32_t pin, bool (*run_one)(void *, uint32_t),
                      void *context) {
    memset(crew, 0, sizeof(*crew));
    mega_hand *hands = calloc(count, sizeof(*hands));
    if (hands == NULL) {
        return mega_fail_memory(count * sizeof(*hands));
    }
    for (uint32_t i = 0; i < count; i++) {
        hands[i].crew = crew;
        hands[i].index = i;
    }
    crew->count = count;
    crew->pin = pin;
    crew->run_one = run_one;
    crew->context = context;
    crew->process = getpid();
    atomic_init(&crew->stopping, false);
    mega_status status = open_gates(crew);
    if (status != MEGA_OK) {
        free(hands);
        return status;
    }
    crew->hands = hands; // from here on there is something to close
    status = start_hands(crew);
    if (status != MEGA_OK) {
        crew_close(crew);
    }
    return status;
}

void crew_close(mega_crew *crew) {
    if (crew->hands == NULL) {
        return;
    }
    if (!crew_is_stranded(crew)) {
        atomic_store(&crew->stopping, true);
        gate_signal(&crew->work);
        for (uint32_t i = 1; i < crew->started; i++) {
            pthread_join(crew->hands[i].thread, NULL);
        }
        gate_close(&crew->work);
        gate_close(&crew->done);
    }
    free(crew->hands);
    crew->hands = NULL;
}

bool crew_is_stranded(const mega_crew *crew) {
    return crew->process != getpid();
}

mega_status crew_restart(mega_crew *crew) {
    MEGA_TRY(open_gates(crew)); // the old ones may be locked by a thread that is not here
    crew->process = getpid();
    return start_hands(crew);
}
