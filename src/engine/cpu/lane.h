// lane.h - one environment as a learner sees it, in the parts that mega_task and mega_vector share. Host
// code.
//
// A mega_lane_setup is shared by all lanes of a game and does not change; a mega_lane is what remains of one
// between steps. To play, a lane is bound to scratch memory, of which every thread needs one.
#ifndef LANE_H
#define LANE_H
#include <stdbool.h>

#include "environment.h"
#include "mega_parking.h"

typedef struct mega_lane_setup {
    mega_setup *environment;
    mega_task_settings settings;
    mega_resizer resizer;
    uint8_t actions[MEGA_ACTION_COUNT]; // the action set in ascending order
    uint32_t action_count;
    size_t screen_size;      // bytes of a pooled screen
    size_t observation_size; // bytes of a stack
    size_t store_size;       // bytes of two parked pictures, at most
} mega_lane_setup;

// The struct points into itself and is never copied by assignment.
typedef struct mega_lane {
    const mega_lane_setup *setup;
    mega_environment environment;
    mega_task_state task;
    mega_task_view view;
    mega_parked parked;  // its last two pictures ...
    uint8_t *store;      // ... and their contents
    uint8_t current;     // which picture buffer the last frame is in
    int32_t mode;        // in force from the first reset on
    uint32_t difficulty; // likewise
} mega_lane;

// `observe` 0 leaves out the pictures: there are no observations then. The description's struct_size was
// checked.
mega_status lane_setup_open(const mega_task_desc *desc, const mega_rom *rom, int observe,
                            mega_lane_setup **out);
void lane_setup_close(mega_lane_setup *setup);

// Memory of a lane, zeroed, that its owner lends it.
typedef struct mega_lane_memory {
    uint8_t *pooled; // screen_size bytes
    uint8_t *frames; // observation_size
    uint8_t *store;  // store_size, of which little is touched; NULL for a lane that keeps its scratch memory
} mega_lane_memory;

// `setup` and the memory must outlive the lane.
mega_status lane_open(mega_lane *lane, const mega_lane_setup *setup, const mega_lane_memory *memory);
void lane_close(mega_lane *lane);

// A lane is played, and its screen looked at, between bind and unbind. Its pictures are parked meanwhile.
void lane_bind(mega_lane *lane, mega_scratch *scratch);
void lane_unbind(mega_lane *lane);

// Power cycle with this seed for all generators; an episode must be started next.
mega_status lane_power_on(mega_lane *lane, uint32_t seed);
// The generators alone, without a power cycle.
void lane_seed(mega_lane *lane, uint32_t seed);
// Resets the environment, presses FIRE and waits, as the reference's vector environment does. The lane has an
// observation even after a failure. Where EnvPool is imitated, an episode that was not `forced` by the user may
// go on with the game.
mega_status lane_start_episode(mega_lane *lane, bool forced);
// Plays an action (its number, not its index). environment_fault() says whether all went well.
mega_task_outcome lane_step(mega_lane *lane, uint32_t action, float strength);

#endif
