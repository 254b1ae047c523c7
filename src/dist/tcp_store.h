// tcp_store.h - a store that each rank reaches by TCP, whatever else connects them; tcp_server.h keeps it.
#ifndef TCP_STORE_H
#define TCP_STORE_H
#include "dist.h"
#include "tcp_meet.h"

// As the operations of the same names (dist.h). Rank 0 listens already, and the others know its place or its name.
int mega_tcp_store_create(mega_dist *dist, tcp_meeting *meeting, size_t chunk_size, uint32_t chunks,
                          mega_store **out, mega_message *message);
void mega_tcp_store_destroy(mega_store *store);
int mega_tcp_store_lock(mega_store *store, uint32_t chunk, void **bytes, mega_message *message);
int mega_tcp_store_unlock(mega_store *store, uint32_t chunk, mega_message *message);
int mega_tcp_store_count(mega_store *store, uint32_t counter, int64_t add, int64_t *before,
                         mega_message *message);

#endif
