// test_net_signals.c - signals while a network works: a handler runs on the stack of its thread or not at all.
//
// oneDNN moves the stack pointer into the heap for products of matrices. A handler's frame there would overwrite what
// lies before that block, and a free much later would end the process.
#define _GNU_SOURCE // pthread_getattr_np
#include "net.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>

#include "mega_test.h"

enum {
    BATCH = 20,
    ACTIONS = 3,
    INTERVAL = 50,    // microseconds between signals
    SIGNALS_MIN = 200 // that must have come
};

static uintptr_t stack_start, stack_end;
static volatile sig_atomic_t signals, strays;

static void look_at_stack(int number) {
    (void)number;
    char here;
    const uintptr_t place = (uintptr_t)&here;
    signals = signals + 1;
    strays = strays + (place < stack_start || place >= stack_end);
}

static void find_stack(void) {
    pthread_attr_t attributes;
    void *start = NULL;
    size_t size = 0;
    MEGA_CHECK_EQ(pthread_getattr_np(pthread_self(), &attributes), 0);
    MEGA_CHECK_EQ(pthread_attr_getstack(&attributes, &start, &size), 0);
    (void)pthread_attr_destroy(&attributes);
    stack_start = (uintptr_t)start;
    stack_end = stack_start + size;
}

static void send_signals(suseconds_t interval) {
    const struct itimerval timer = {{0, interval}, {0, interval}};
    MEGA_CHECK_EQ(setitimer(ITIMER_REAL, &timer, NULL), 0);
}

static void work(mega_pass *pass, const uint8_t *observations) {
    mega_message message;
    for (uint32_t i = 0; i < 20000 && signals < SIGNALS_MIN; i++) {
        for (uint32_t k = 0; k < 100; k++) {
            if (mega_pass_forward(pass, observations, NULL, &message) || mega_pass_backward(pass, &message)) {
                MEGA_FAIL(message.text);
                return;
            }
        }
    }
}

int main(void) {
    mega_message message;
    mega_network network;
    mega_net *net = NULL;
    mega_pass *pass = NULL;
    MEGA_CHECK_EQ(mega_network_describe("conv 8x8/4, fc 32", 2, 44, 44, ACTIONS, &network, &message), 0);
    uint8_t *observations = (uint8_t *)calloc(BATCH, mega_network_observation_size(&network));
    MEGA_CHECK(observations != NULL);
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = look_at_stack;
    action.sa_flags = (int)SA_RESTART;
    MEGA_CHECK_EQ(sigaction(SIGALRM, &action, NULL), 0);
    find_stack();
    send_signals(INTERVAL);
    MEGA_CHECK_EQ(mega_net_create(mega_net_cpu(), &network, 1, &net, &message), 0);
    MEGA_CHECK_EQ(mega_pass_create(net, BATCH, true, &pass, &message), 0);
    work(pass, observations);
    send_signals(0);
    fprintf(stderr, "%s: %d signals\n", mega_net_cpu()->name, (int)signals);
    MEGA_CHECK(signals >= SIGNALS_MIN);
    MEGA_CHECK_EQ(strays, 0);
    mega_pass_destroy(pass);
    mega_net_destroy(net);
    free(observations);
    return mega_test_result();
}
