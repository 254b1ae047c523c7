// test_sound.c - the sound generator against a model with registers of 4 and 5 bits, written from the hardware
// description.
#include "mega_sound.h"

#include "mega_test_machine.h"

#include "mega_test.h"

typedef struct channel_model {
    uint32_t a, b, n; // 4-bit register, 5-bit register, divider
} channel_model;

static uint32_t bit(uint32_t value, uint32_t index) {
    return value >> index & 1u;
}
static void poly4(channel_model *c) {
    c->a = c->a == 0 ? 1 : (2u * c->a + (bit(c->a, 3) ^ bit(c->a, 2))) & 15u;
}
// Returns the bit that falls out.
static uint32_t poly5(channel_model *c) {
    const uint32_t out = bit(c->b, 4);
    if (c->b == 0) {
        c->b = 1;
        return 0;
    }
    c->b = (2u * c->b + (bit(c->b, 4) ^ bit(c->b, 2))) & 31u;
    return out;
}
static void toggle(channel_model *c) {
    c->a = (2u * c->a + (1u - bit(c->a, 0))) & 15u;
}
static void six(channel_model *c) {
    const uint32_t x = bit(c->a, 2) == 0 && (c->a & 7u) != 0;
    c->a = (2u * (~c->a & 15u) + x) & 15u;
}

static void pulse(channel_model *c, uint32_t audc) {
    uint32_t out = 0, open = 1;
    switch (audc) { // who clocks the 5-bit register, and what it lets through
    case 2:
    case 6:
    case 10:
    case 14:
        poly5(c);
        open = (c->b & 15u) == 8;
        break;
    case 3:
    case 7:
    case 15:
        poly5(c);
        open = bit(c->b, 4);
        break;
    case 9: out = poly5(c); break;
    default: break;
    }
    if (!open) {
        return;
    }
    switch (audc) {
    case 0:
    case 11: c->a = (2u * c->a + 1u) & 15u; break;
    case 1:
    case 2:
    case 3: poly4(c); break;
    case 4:
    case 5:
    case 6:
    case 7: toggle(c); break;
    case 8:
        if (c->a == 0 && c->b == 0) {
            c->b = 1;
        } else {
            out = bit(c->b, 4);
            c->b = (2u * c->b + (bit(c->a, 3) ^ out)) & 31u;
        }
        c->a = (2u * c->a + out) & 15u;
        break;
    case 9: c->a = (2u * c->a + out) & 15u; break;
    case 10: c->a = (2u * c->a + bit(c->b, 4)) & 15u; break;
    default: six(c); break;
    }
}

static uint8_t model_sample(channel_model channels[2], const uint8_t audio[6]) {
    uint32_t sample = 128;
    for (uint32_t i = 0; i < 2; i++) {
        channel_model *c = &channels[i];
        if (++c->n > (audio[2 + i] & 31u)) {
            c->n = 0;
            pulse(c, audio[i] & 15u);
        }
        sample += bit(c->a, 3) * 4u * (audio[4 + i] & 15u);
    }
    return (uint8_t)sample;
}

static void test_against_model(uint64_t seed, uint32_t blocks) {
    test_random random = {seed};
    channel_model channels[2] = {{1, 1, 0}, {1, 1, 0}};
    mega_sound sound;
    uint8_t audio[6] = {0};
    sound_power_on(&sound);
    for (uint32_t block = 0; block < blocks; block++) {
        uint8_t samples[512], expected[512];
        for (uint32_t i = 0; i < 6; i++) {
            if (test_once_in(&random, 3)) {
                audio[i] = test_byte(&random); // the unused bits too
            }
        }
        sound_generate(&sound, audio, samples, 512);
        for (uint32_t i = 0; i < 512; i++) {
            expected[i] = model_sample(channels, audio);
        }
        MEGA_CHECK_BYTES(samples, expected, 512);
    }
}

// Every waveform alone, at three pitches.
static void test_each_waveform(void) {
    for (uint32_t audc = 0; audc < 16; audc++) {
        for (uint32_t audf = 0; audf < 32; audf += 15) {
            channel_model channels[2] = {{1, 1, 0}, {1, 1, 0}};
            const uint8_t audio[6] = {(uint8_t)audc, 0, (uint8_t)audf, 0, 15, 0};
            uint8_t samples[4096], expected[4096];
            mega_sound sound;
            sound_power_on(&sound);
            sound_generate(&sound, audio, samples, 4096);
            for (uint32_t i = 0; i < 4096; i++) {
                expected[i] = model_sample(channels, audio);
            }
            MEGA_CHECK_BYTES(samples, expected, 4096);
        }
    }
}

// Law: a block of n samples is a block of a and one of n - a.
static void test_blocks(void) {
    const uint8_t audio[6] = {8, 14, 3, 7, 10, 5};
    uint8_t whole[1000], parts[1000];
    mega_sound one, two;
    sound_power_on(&one);
    sound_power_on(&two);
    sound_generate(&one, audio, whole, 1000);
    sound_generate(&two, audio, parts, 333);
    sound_generate(&two, audio, parts + 333, 667);
    MEGA_CHECK_BYTES(whole, parts, 1000);
    MEGA_CHECK_BYTES(&one, &two, sizeof one);
}

int main(void) {
    test_each_waveform();
    test_blocks();
    for (uint64_t seed = 0; seed < 20; seed++) {
        test_against_model(seed, 100);
    }
    return mega_test_result();
}
