// reset_memo.h - resets that are copied instead of played, exactly. Host code.
//
// A reset emulates 68 frames or more, and mostly leads to the same state again. After its first few frames
// (env_begin_reset) the rest is a function of the console's bytes, the mode, the difficulty and the paddles; the
// program has cleared its RAM by then, and whatever the game before left behind is gone. A memo stores what the
// rest led to, and copies it when all of these are the same again. Nothing is assumed: where they never are the
// same, every reset is played.
//
// One memo serves any number of environments of one cartridge and one set of settings, in any threads.
#ifndef RESET_MEMO_H
#define RESET_MEMO_H
#include "megacade.h"
#include "play.h"

typedef struct mega_reset_memo mega_reset_memo;

// Sets *out to NULL where nothing can be remembered: in plain mode, for cartridges with RAM, which start with
// random bytes in it, and for games whose rules remember something over resets.
mega_status reset_memo_create(const mega_settings *settings, const mega_cartridge *cartridge,
                              mega_reset_memo **out);
void reset_memo_destroy(mega_reset_memo *memo);

// In place of play->finish_reset(). Returns 1 when the rest was copied, 0 when it was played.
int reset_memo_finish(mega_reset_memo *memo, const mega_play *play, mega_stage *stage);

// The console as every power-on and the system reset after it leave it. The getter returns 0 until it is known.
int reset_memo_powered(const mega_reset_memo *memo, mega_console *console);
void reset_memo_set_powered(mega_reset_memo *memo, const mega_console *console);

#endif
