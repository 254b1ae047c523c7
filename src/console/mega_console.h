// mega_console.h - the whole console: power, reset, and one frame at a time. Shared source.
#ifndef MEGA_CONSOLE_H
#define MEGA_CONSOLE_H
#include "mega_interpreter.h"

// How a frame is run.
enum {
    MEGA_RUN_PLAIN,  // the reference: nothing skipped, every pixel drawn as it happens
    MEGA_RUN_FAST,   // the picture can be drawn later, and is not if nobody looks
    MEGA_RUN_DRAWN,  // fast, and somebody will look: the picture is drawn on the way
    MEGA_RUN_SHADED, // the same, in shades of gray
    MEGA_RUN_UNSEEN  // fast, and hardly anybody will look: drawing it may take long
};

MEGA_FN int32_t console_max_lines(const mega_cartridge *cartridge) {
    return cartridge->pal ? 342 : 290;
}

// ---- time ----------------------------------------------------------------------------------------------

// Makes the present moment cycle 0. Every time stamp moves along. Those that nothing will ask for stay 0, so
// that consoles which cannot be told apart have equal bytes.
MEGA_FN void console_rebase_time(mega_console *console, const mega_cartridge *cartridge) {
    const uint32_t cycles = console->cycles;
    console->riot.timer_start -= cycles;
    if (console->riot.timer_was_read) {
        console->riot.timer_read_at -= cycles;
    }
    if (cartridge_has_paddles(cartridge)) {
        console->sync.dump_ended = (int32_t)((uint32_t)console->sync.dump_ended - cycles);
    }
    if (console->sync.vsync_deadline != 0x7FFFFFFF) {
        console->sync.vsync_deadline = (int32_t)((uint32_t)console->sync.vsync_deadline - 3u * cycles);
    }
    console->tia.last_hmove = (int32_t)((uint32_t)console->tia.last_hmove - 3u * cycles);
    if (cartridge->scheme == MEGA_SCHEME_DPC) {
        console->dpc.music_time -= cycles;
    }
    console->cycles = 0;
}

// ---- power and reset -----------------------------------------------------------------------------------

// How many numbers of the console's random sequence a power-on and a reset take.
#define MEGA_POWER_DRAWS 129u
MEGA_FN uint32_t console_reset_draws(const mega_cartridge *cartridge) {
    return 1u + cartridge->ram_size;
}

// Before the first reset: RAM holds random bytes. `draws` are the first MEGA_POWER_DRAWS of the sequence.
MEGA_FN void console_power_on(mega_machine *m, const uint32_t *draws) {
    mega_console *console = m->console;
    uint8_t *bytes = (uint8_t *)console;
    for (uint32_t i = 0; i < sizeof(mega_console); i++) {
        bytes[i] = 0;
    }
    for (uint32_t i = 0; i < 128; i++) {
        console->riot.ram[i] = (uint8_t)draws[i];
    }
    console->dpc.random = 1;
    console->draws = MEGA_POWER_DRAWS;
}

// System reset: everything but RAM, the data bus and the "unfinished" flag. `draws` are the next
// console_reset_draws() numbers of the sequence.
MEGA_FN void console_reset(mega_machine *m, const uint32_t *draws) {
    mega_console *console = m->console;
    console_rebase_time(console, m->cartridge);
    riot_reset(&console->riot, draws[0]);
    tia_reset(&console->tia);
    video_clear(m->video);
    console->sync.vsync_deadline = 0x7FFFFFFF;
    console->sync.dump = 0;
    console->sync.dump_ended = 0;
    console->sync.last_lines = 0;
    cart_plain_range(&m->run, m->cartridge->scheme);
    cart_reset(m, draws + 1);
    console->draws += console_reset_draws(m->cartridge);
    mega_registers r = cpu_load(&console->cpu);
    r.a = r.x = r.y = 0;
    r.sp = 0xFF;
    cpu_set_status(&r, 0);
    r.jammed = 0;
    cpu_save(&r, &console->cpu);
    console->bus = bus_read_plain(m, 0xFFFCu, 0, console->bus);
    const uint32_t low = console->bus;
    console->bus = bus_read_plain(m, 0xFFFDu, 0, console->bus);
    console->cpu.pc = (uint16_t)((uint32_t)console->bus << 8 | low);
}

// ---- frames --------------------------------------------------------------------------------------------

// Starts a new frame. The line goes on where it was: VSYNC does not reset the horizontal counter.
MEGA_FN void console_begin_frame(mega_machine *m) {
    mega_console *console = m->console;
    mega_tia *tia = &console->tia;
    const int32_t clock = (int32_t)(3u * console->cycles);
    const uint32_t into_line = tia_line_clock(tia, clock);
    m->video->current ^= 1u;
    m->video->slot = (uint8_t)((m->video->slot + 1u) % 3u);
    console_rebase_time(console, m->cartridge);
    tia->frame_start = -(int32_t)into_line;
    tia->drawn_to = tia_window_start(tia, m->cartridge);
    tia->line_left = MEGA_CLOCKS_PER_LINE;
    tia->picture_at = 0;
    tia->color_loss = m->cartridge->pal && (console->sync.last_lines & 1u) != 0;
    for (uint32_t i = 0; i < 4 && m->cartridge->pal; i++) {
        tia->colors[i] = (uint8_t)((tia->colors[i] & 0xFEu) | tia->color_loss);
    }
    console->sync.greyed = 0;
}

// What a frame that did not end shows below the last line that was run: shades of grey.
MEGA_FN void console_grey_out(mega_machine *m, int32_t lines) {
    uint8_t *picture = m->video->picture[m->video->current];
    const int32_t top = m->cartridge->y_start, bottom = top + m->cartridge->height;
    for (int32_t line = lines > top ? lines : top; line < bottom; line++) {
        uint8_t *row = picture + MEGA_WIDTH * (line - top);
        for (uint32_t x = 0; x < MEGA_WIDTH; x++) {
            row[x] = (uint8_t)((row[x] & 15u) >> 1);
        }
    }
}

// One frame request in three parts: what comes before the processor runs, its run, and what comes after. A warp of
// consoles does the middle one together (mega_warp.h).
MEGA_FN void console_begin_request(mega_machine *m, uint32_t how) {
    mega_console *console = m->console;
    mega_run *run = &m->run;
    if (!console->sync.unfinished) {
        console_begin_frame(m);
    }
    console->sync.unfinished = 1;
    run->keep_next = 0;
    run->line_origin = console->tia.frame_start / 3;
    run->watchdog = run->line_origin + MEGA_CYCLES_PER_LINE * (console_max_lines(m->cartridge) + 1);
    run->touch_cycle = console->cycles;
    run->touch_register = MEGA_UNTOUCHED;
    run->unseen = how == MEGA_RUN_UNSEEN;
    run->drawing = how == MEGA_RUN_DRAWN    ? MEGA_DRAW_COLORS
                   : how == MEGA_RUN_SHADED ? MEGA_DRAW_SHADES
                                            : MEGA_DRAW_NOTHING;
    cart_plain_range(run, m->cartridge->scheme);
    cart_update_windows(m);
    run->events = 0;
    if (how != MEGA_RUN_PLAIN) {
        shadow_begin(run, &console->tia);
        log_begin(m);
    } else {
        picture_settle(m, m->video->current, NULL);
        picture_forget_logs(m, m->video->current);
    }
}

// Returns the number of scan lines.
MEGA_FN uint32_t console_end_request(mega_machine *m, uint32_t how) {
    mega_console *console = m->console;
    if (how != MEGA_RUN_PLAIN) {
        log_end(m);
    }
    const int32_t clock = (int32_t)(3u * console->cycles);
    const uint32_t lines = (uint32_t)(clock - console->tia.frame_start) / MEGA_CLOCKS_PER_LINE;
    if (!console->sync.unfinished) {
        console->sync.last_lines = (uint16_t)lines;
        console->sync.greyed = 0;
    } else if (!console->sync.greyed) {
        console_grey_out(m, (int32_t)lines);
        console->sync.greyed = 1;
    }
    return lines;
}

// Runs to the end of the frame, or to a limit, in which case the next request continues. Returns the number of
// scan lines.
MEGA_FN uint32_t console_run_frame(mega_machine *m, uint32_t how) {
    console_begin_request(m, how);
    cpu_run_frame(m, how != MEGA_RUN_PLAIN);
    return console_end_request(m, how);
}

// ---- controllers ---------------------------------------------------------------------------------------

// Cycles until a paddle of this resistance (in the environment's units) has charged its capacitor.
// Equal to trunc(1.6 * r * 0.01E-6 * 1.19E6) in double precision for all r up to 1,000,000.
MEGA_FN uint32_t console_charge(int32_t resistance) {
    return resistance <= 0 ? MEGA_CHARGE_AT_ONCE : (uint32_t)((uint64_t)resistance * 119u / 6250u);
}

// What is pressed, by player; bits of MEGA_PRESS_*.
enum {
    MEGA_PRESS_UP = 1,
    MEGA_PRESS_DOWN = 2,
    MEGA_PRESS_LEFT = 4,
    MEGA_PRESS_RIGHT = 8,
    MEGA_PRESS_FIRE = 16
};
typedef struct mega_pads {
    uint32_t press[2];      // joystick, or FIRE for a paddle
    int32_t resistance[2];  // paddles 0 and 1; the other two stand at 0
    uint32_t select, reset; // 1 while held
    uint32_t difficulty;    // bit 0 left, bit 1 right: 1 is position A
} mega_pads;

// Port 0 is the left one. `player` is whose controller is plugged in.
MEGA_FN void console_plug_port(mega_input *input, const mega_cartridge *cartridge, const mega_pads *pads,
                               uint32_t port, uint32_t player) {
    const uint32_t press = pads->press[player];
    uint32_t pins = 15; // up, down, left, right
    input->fire[port] = 0x80;
    if (port == 0 ? cartridge->left_paddles : cartridge->right_paddles) {
        // Paddles 0 and 1 are in the left port, 2 and 3, which nobody turns, in the right one.
        for (uint32_t paddle = 0; paddle < 2; paddle++) {
            const uint32_t five = paddle ^ cartridge->swap_paddles; // 1: analog pin Five and button pin Three
            const int32_t resistance = port == 0 ? pads->resistance[paddle] : 0;
            const uint32_t fire = port == 0 && (pads->press[paddle] & MEGA_PRESS_FIRE) != 0;
            input->charge[2u * port + five] = console_charge(resistance);
            if (fire) {
                pins &= five ? ~4u : ~8u;
            }
        }
    } else {
        pins = ~press & 15u;
        input->charge[2u * port] = input->charge[2u * port + 1u] = MEGA_CHARGE_NEVER;
        input->fire[port] = (press & MEGA_PRESS_FIRE) != 0 ? 0x00 : 0x80;
    }
    input->swcha = (uint8_t)(port == 0 ? (input->swcha & 0x0Fu) | pins << 4 : (input->swcha & 0xF0u) | pins);
}

MEGA_FN void console_set_input(mega_machine *m, const mega_pads *pads) {
    const uint32_t swap = m->cartridge->swap_ports;
    mega_input *input = &m->input;
    input->swcha = 0;
    console_plug_port(input, m->cartridge, pads, 0, swap);
    console_plug_port(input, m->cartridge, pads, 1, swap ^ 1u);
    input->swchb = (uint8_t)(0x3Cu | (pads->difficulty & 1u) << 6 | (pads->difficulty >> 1 & 1u) << 7 |
                             (pads->select ? 0u : 2u) | (pads->reset ? 0u : 1u));
}

#endif
