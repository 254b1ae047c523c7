// play.c - see play.h. Compiled several times with different names for MEGA_PLAY.
#include "play.h"

#ifndef MEGA_PLAY
#define MEGA_PLAY mega_play_generic
#define MEGA_PLAY_NAME "generic"
#endif

static void play_probe(mega_stage *stage, const mega_cartridge *cartridge, const uint32_t *draws) {
    env_probe(stage, cartridge, draws);
}
static void play_system_reset(mega_stage *stage, const uint32_t *draws) {
    console_reset(&stage->machine, draws);
}
static void play_begin_reset(mega_stage *stage, const uint32_t *draws) {
    env_begin_reset(stage, draws);
}
static void play_finish_reset(mega_stage *stage) {
    env_finish_reset(stage);
}
static int32_t play_act(mega_stage *stage, uint32_t action, float strength) {
    return env_act(stage, action, strength);
}
static const uint8_t *play_picture(const mega_stage *stage, uint32_t frames_ago) {
    return picture_look(&stage->machine, stage->machine.video->current ^ frames_ago);
}
static mega_task_outcome play_task_step(mega_task_view *task, uint32_t action, float strength) {
    return task_step(task, action, strength);
}
static void play_task_begin_episode(mega_task_view *task) {
    task_begin_episode(task);
}

extern const mega_play MEGA_PLAY;
const mega_play MEGA_PLAY = {
    MEGA_PLAY_NAME, play_probe,   play_system_reset, play_begin_reset,        play_finish_reset,
    play_act,       play_picture, play_task_step,    play_task_begin_episode,
};
