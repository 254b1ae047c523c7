// net_onednn.c - the backend "onednn".
#include "net.h"

static int onednn_create(const mega_network *network, uint32_t threads, mega_net **out,
                         mega_message *message) {
    (void)network;
    (void)threads;
    *out = NULL;
    return mega_message_set(message, "this build has no oneDNN; the backend 'ref' works without it");
}

const mega_net_backend mega_net_onednn = {.name = "onednn", .create = onednn_create};

const mega_net_backend *mega_net_cpu(void) {
    return &mega_net_ref;
}
