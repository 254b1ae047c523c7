// mega_sound.h - the TIA's two sound channels. Shared source.
//
// Sound never influences the game. Samples are made a block at a time from the registers' last values; the
// generator belongs to the environment, not to the console's state, and survives resets.
#ifndef MEGA_SOUND_H
#define MEGA_SOUND_H
#include "mega_base.h"

typedef struct mega_channel {
    uint8_t poly4, poly5; // shift registers
    uint8_t divider;      // samples since the last pulse
} mega_channel;

typedef struct mega_sound {
    mega_channel channel[2];
} mega_sound;

MEGA_FN void sound_power_on(mega_sound *sound) {
    for (uint32_t i = 0; i < 2; i++) {
        sound->channel[i].poly4 = 1;
        sound->channel[i].poly5 = 1;
        sound->channel[i].divider = 0;
    }
}

MEGA_FN void sound_poly5(mega_channel *c) {
    const uint32_t p = c->poly5;
    c->poly5 = (uint8_t)((p & 31u) != 0 ? p << 1 | ((p >> 4 ^ p >> 2) & 1u) : 1u);
}
MEGA_FN void sound_poly4(mega_channel *c) {
    const uint32_t p = c->poly4;
    c->poly4 = (uint8_t)((p & 15u) != 0 ? p << 1 | ((p >> 3 ^ p >> 2) & 1u) : 1u);
}
MEGA_FN void sound_toggle(mega_channel *c) {
    c->poly4 = (uint8_t)((uint32_t)c->poly4 << 1 | (~(uint32_t)c->poly4 & 1u));
}
MEGA_FN void sound_six(mega_channel *c) {
    const uint32_t p = c->poly4;
    c->poly4 = (uint8_t)(~p << 1 | ((p & 4u) == 0 && (p & 7u) != 0 ? 1u : 0u));
}

// What a pulse of the divider does, by AUDC.
MEGA_FN void sound_pulse(mega_channel *c, uint32_t audc) {
    const uint32_t divided = audc == 2 || audc == 6 || audc == 10 || audc == 14; // by 31
    const uint32_t gated = audc == 3 || audc == 7 || audc == 15;                 // by the 5-bit register
    if (divided || gated || audc == 9) {
        sound_poly5(c);
        if ((divided && (c->poly5 & 15u) != 8) || (gated && (c->poly5 & 16u) == 0)) {
            return;
        }
    }
    switch (audc) {
    case 0:
    case 11: c->poly4 = (uint8_t)((uint32_t)c->poly4 << 1 | 1u); break;
    case 1:
    case 2:
    case 3: sound_poly4(c); break;
    case 4:
    case 5:
    case 6:
    case 7: sound_toggle(c); break;
    case 8: {
        const uint32_t p4 = c->poly4, p5 = c->poly5;
        c->poly5 = (uint8_t)((p5 & 31u) != 0 || (p4 & 15u) != 0 ? p5 << 1 | ((p4 >> 3 ^ p5 >> 4) & 1u) : 1u);
        c->poly4 = (uint8_t)(p4 << 1 | (c->poly5 >> 5 & 1u));
        break;
    }
    case 9: c->poly4 = (uint8_t)((uint32_t)c->poly4 << 1 | ((uint32_t)c->poly5 >> 5 & 1u)); break;
    case 10: c->poly4 = (uint8_t)((uint32_t)c->poly4 << 1 | ((uint32_t)c->poly5 >> 4 & 1u)); break;
    default: sound_six(c); break;
    }
}

// Makes `count` samples. `audio` are AUDC0, AUDC1, AUDF0, AUDF1, AUDV0, AUDV1.
MEGA_FN void sound_generate(mega_sound *sound, const uint8_t audio[6], uint8_t *samples, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        uint32_t sample = 128;
        for (uint32_t n = 0; n < 2; n++) {
            mega_channel *c = &sound->channel[n];
            if (++c->divider > (audio[2 + n] & 31u)) {
                c->divider = 0;
                sound_pulse(c, audio[n] & 15u);
            }
            sample += (c->poly4 & 8u) != 0 ? 4u * (audio[4 + n] & 15u) : 0u;
        }
        samples[i] = (uint8_t)sample;
    }
}

#endif
