// mega_test_port.h - where processes of a test meet.
#ifndef MEGA_TEST_PORT_H
#define MEGA_TEST_PORT_H
#include "mega_test.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

// A variable that says which of the processes this is, or where they meet.
static inline void test_set_number(const char *name, uint32_t number) {
    char text[16];
    snprintf(text, sizeof text, "%u", number);
    setenv(name, text, 1);
}

// A port of this machine that nobody listens at. The system gives ports from 32768 on to any program that connects
// somewhere, so that such a one could be taken before it is used; these it gives to nobody.
static inline uint16_t test_free_port(void) {
    enum {
        LOWEST = 20000,
        COUNT = 12000
    };
    static uint32_t asked;
    for (uint32_t i = 0; i < COUNT; i++) {
        const uint16_t port = (uint16_t)(LOWEST + ((uint32_t)getpid() * 61u + asked++ * 7u) % COUNT);
        const struct sockaddr_in address = {
            .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
        const int handle = socket(AF_INET, SOCK_STREAM, 0);
        const int is_free =
            handle >= 0 && bind(handle, (const struct sockaddr *)&address, sizeof address) == 0;
        close(handle);
        if (is_free) {
            return port;
        }
    }
    MEGA_CHECK(!"a port is free");
    return 0;
}

#endif
