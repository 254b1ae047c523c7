// vector_format.c - see vector_format.h.
#include "vector_format.h"

#include <math.h>
#include <string.h>

#include "status.h"

#define SCORE_MAX ((int64_t)1 << 40) // far more than any game gives

// ---- sizes ---------------------------------------------------------------------------------------------

size_t state_extra_ram(const mega_setup *setup) {
    return setup->cartridge.ram_size > MEGA_CART_RAM ? setup->cartridge.ram_size : 0;
}

size_t state_picture_size(const mega_setup *setup) {
    return (size_t)MEGA_WIDTH * setup->cartridge.height;
}

size_t state_bytes(const mega_lane_setup *setup) {
    return sizeof(mega_state_header) + sizeof(mega_state_core) + state_extra_ram(setup->environment) +
           setup->observation_size + setup->screen_size + 2 * state_picture_size(setup->environment);
}

size_t state_largest(const mega_vector_games *games) {
    size_t most = 0;
    for (uint32_t i = 0; i < games->count; i++) {
        const size_t size = state_bytes(games->setups[i]);
        most = size > most ? size : most;
    }
    return most;
}

mega_state_header state_header_of(const mega_lane_setup *setup) {
    mega_state_header header = {{'M', 'E', 'G', 'V'}, STATE_VERSION, state_bytes(setup), {0}, 0, 0, 0, 0};
    memcpy(header.md5, setup->environment->image_md5, sizeof(header.md5));
    header.stack = setup->settings.stack;
    header.height = setup->resizer.height;
    header.width = setup->resizer.width;
    header.channels = setup->settings.channels;
    return header;
}

// ---- checks --------------------------------------------------------------------------------------------

mega_status state_check_header(const mega_lane_setup *setup, const uint8_t *bytes, size_t size) {
    const mega_state_header expected = state_header_of(setup);
    mega_state_header header;
    if (size < sizeof(header) || memcmp(bytes, expected.magic, sizeof(expected.magic)) != 0) {
        return mega_fail(MEGA_ERROR_STATE, "these bytes are not a saved state of a vector");
    }
    memcpy(&header, bytes, sizeof(header));
    if (header.version != STATE_VERSION) {
        return mega_fail(MEGA_ERROR_STATE_VERSION, "the state has version %u, and this library reads %u",
                         header.version, STATE_VERSION);
    }
    if (memcmp(header.md5, expected.md5, sizeof(header.md5)) != 0) {
        return mega_fail(MEGA_ERROR_STATE, "the state belongs to the cartridge with md5 %.32s", header.md5);
    }
    if (header.stack != expected.stack || header.height != expected.height ||
        header.width != expected.width || header.channels != expected.channels) {
        return mega_fail(MEGA_ERROR_STATE,
                         "the state has observations of %u x %u x %u x %u, expected %u x %u x %u "
                         "x %u (stack, height, width, channels)",
                         header.stack, header.height, header.width, header.channels, expected.stack,
                         expected.height, expected.width, expected.channels);
    }
    if (header.size != expected.size || size < expected.size) {
        return mega_fail(MEGA_ERROR_STATE, "the state has %zu bytes, expected %zu; it may be cut short", size,
                         (size_t)expected.size);
    }
    return MEGA_OK;
}

mega_status state_check(const mega_lane_setup *setup, const uint8_t *bytes, size_t size) {
    mega_state_core core;
    MEGA_TRY(state_check_header(setup, bytes, size));
    memcpy(&core, bytes + sizeof(mega_state_header), sizeof(core));
    const int sane = environment_check_session(setup->environment, &core.session) == 0 &&
                     core.random.index <= MEGA_MT_WORDS && core.noop_random.index <= MEGA_MT_WORDS &&
                     core.sticky_action < MEGA_ACTION_COUNT && !isnan(core.sticky_strength) &&
                     core.failed <= 1 && core.over <= 1 && core.running.score < SCORE_MAX &&
                     core.running.score > -SCORE_MAX;
    return sane ? MEGA_OK : mega_fail(MEGA_ERROR_STATE, "the state is damaged: a field is out of its range");
}
