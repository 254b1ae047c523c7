// mega_dpc.h - the "display processor chip" of one cartridge: data fetchers, a random number register and
// square-wave music. Shared source. The display data are the 2 KiB after the 8 KiB of program.
#ifndef MEGA_DPC_H
#define MEGA_DPC_H
#include "mega_state.h"

MEGA_FN void dpc_clock_random(mega_dpc *dpc) {
    const uint32_t r = dpc->random;
    const uint32_t feedback = ~(r >> 7 ^ r >> 5 ^ r >> 4 ^ r >> 3) & 1u;
    dpc->random = (uint8_t)(r << 1 | feedback);
}

// Lets the music fetchers run for the time since the last update. The clock ratio is a product of doubles
// in the reference, so it must be one here (and no fused multiply-add).
MEGA_FN void dpc_update_music(mega_dpc *dpc, uint32_t cycles) {
    const uint32_t elapsed = cycles - dpc->music_time;
    const double clocks = (15750.0 * (double)elapsed) / 1193191.66666667 + dpc->fraction;
    const int32_t whole = (int32_t)clocks;
    dpc->music_time = cycles;
    dpc->fraction = clocks - (double)whole;
    if (whole <= 0) {
        return;
    }
    for (uint32_t i = 5; i < 8; i++) {
        mega_fetcher *f = &dpc->fetcher[i];
        if (!f->music) {
            continue;
        }
        int32_t low = 0;
        if (f->top != 0) {
            low = (int32_t)(f->counter & 0xFFu) - whole % (f->top + 1);
            low = low < 0 ? low + f->top + 1 : low;
        }
        if (low <= f->bottom) {
            f->flag = 0;
        } else if (low <= f->top) {
            f->flag = 0xFF;
        }
        f->counter = (uint16_t)((f->counter & 0x700u) | ((uint32_t)low & 0xFFu));
    }
}

// Loudness for each combination of the three music flags.
MEGA_TABLE uint8_t dpc_amplitude[8] = {0x00, 0x04, 0x05, 0x09, 0x06, 0x0A, 0x0B, 0x0F};

// Registers $00..$3F.
MEGA_FN uint8_t dpc_read(mega_dpc *dpc, const uint8_t *image, uint32_t a, uint32_t cycles) {
    const uint32_t i = a & 7u;
    mega_fetcher *f = &dpc->fetcher[i];
    uint8_t result = 0;
    if ((f->counter & 0xFFu) == f->top) {
        f->flag = 0xFF;
    } else if ((f->counter & 0xFFu) == f->bottom) {
        f->flag = 0;
    }
    switch (a >> 3 & 7u) {
    case 0:
        if (i < 4) {
            result = dpc->random;
        } else {
            uint32_t playing = 0;
            dpc_update_music(dpc, cycles);
            for (uint32_t k = 0; k < 3; k++) {
                playing |= (uint32_t)(dpc->fetcher[5 + k].music && dpc->fetcher[5 + k].flag) << k;
            }
            result = dpc_amplitude[playing];
        }
        break;
    case 1: result = image[8192u + 2047u - f->counter]; break;
    case 2: result = (uint8_t)(image[8192u + 2047u - f->counter] & f->flag); break;
    case 7: result = f->flag; break;
    default: break;
    }
    if (i < 5 || !f->music) {
        f->counter = (uint16_t)((f->counter - 1u) & 0x7FFu);
    }
    return result;
}

// Registers $40..$7F.
MEGA_FN void dpc_write(mega_dpc *dpc, uint32_t a, uint8_t value) {
    const uint32_t i = a & 7u;
    mega_fetcher *f = &dpc->fetcher[i];
    switch (a >> 3 & 7u) {
    case 0:
        f->top = value;
        f->flag = 0;
        break;
    case 1: f->bottom = value; break;
    case 2: f->counter = (uint16_t)((f->counter & 0x700u) | (i >= 5 && f->music ? f->top : value)); break;
    case 3:
        f->counter = (uint16_t)((value & 7u) << 8 | (f->counter & 0xFFu));
        if (i >= 5) {
            f->music = (uint8_t)(value >> 4 & 1u);
        }
        break;
    case 6: dpc->random = 1; break;
    default: break;
    }
}

#endif
