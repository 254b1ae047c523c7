// translation.h - which cartridges of this process run as machine code. Host code.
//
// All users of a cartridge share one translation. It is filled in once, from the cache or by a thread that starts the
// compiler, and users look at it whenever they begin to play: frames come out the same, so they may change over at
// any time. Where there is no code everything is interpreted; a process says once on standard error why.
#ifndef TRANSLATION_H
#define TRANSLATION_H
#include <stdatomic.h>

#include "mega_machine.h"
#include "megacade.h"

typedef struct mega_translation {
    _Atomic(mega_translated *) run; // NULL until there is code
} mega_translation;

// What was asked for (MEGA_TRANSLATE_*), with what $MEGACADE_TRANSLATE says.
uint8_t translation_choose(uint8_t how);

// `how` is MEGA_TRANSLATE_*; $MEGACADE_TRANSLATE can change it. Returns NULL where everything is interpreted. The
// image is copied. Any thread may call. Nothing is waited for, so that several can be made side by side.
mega_translation *translation_acquire(const mega_cartridge *cartridge, const uint8_t *image, uint8_t how);
// With MEGA_TRANSLATE_NOW: until the code is there, or it is known that there will be none. NULL is allowed.
void translation_wait(mega_translation *translation);
// NULL is allowed. The code stays in the process for a while, for the next user.
void translation_release(mega_translation *translation);

// What is to be run now. NULL is allowed.
static inline mega_translated *translation_code(mega_translation *translation) {
    return translation != NULL ? atomic_load_explicit(&translation->run, memory_order_acquire) : NULL;
}

#endif
