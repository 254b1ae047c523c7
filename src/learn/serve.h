// serve.h - a sampler: a process that plays the environments of a learner (remote.h) and learns nothing.
#ifndef SERVE_H
#define SERVE_H
#include "dist.h"
#include "megacade.h"
#include "train_settings.h"

// Plays what the learner at the other end of dist->wires asks for, until it says that all is over, and with which exit code.
// Fails when the learner is gone.
int mega_serve(const mega_train_settings *settings, const mega_rom *rom, mega_dist *dist, int *exit_code,
               mega_message *message);

#endif
