// test_ragged.c - frames that are too short, drawn by all lanes of a warp (mega_warp.h), show what the plain renderer
// shows. 32 consoles of one program, each of which ends its frames elsewhere, against 32 that are alone. Built with
// MEGA_AHEAD (tests/CMakeLists.txt).
#include "mega_test_warp.h"

#include "mega_test_program.h"
#include "mega_warp.h"

#include "mega_test.h"

#define FRAMES 10u

static test_image image;
static test_random random_numbers = {1};
static test_rig plain[TEST_LANES], lanes[TEST_LANES];
static mega_warp warp;
static uint32_t lives[TEST_LANES], hows[TEST_LANES], lines[TEST_LANES];

// Kinds of frames that the warp drew, and those that it left to the plain renderer.
static struct {
    uint32_t painted, left, seen, unseen, above, within, turned, over, unlined, unfinished;
} counts;

static void count_kind(const mega_machine *m, uint32_t how, const mega_log *below, uint32_t below_lined) {
    const uint32_t x = tia_beam_x(&m->console->tia);
    if (log_is_clean(m, m->run.log)) {
        return;
    }
    if (!m->run.painted) {
        counts.left++;
        return;
    }
    counts.painted++;
    counts.seen += how == MEGA_RUN_FAST;
    counts.unseen += how == MEGA_RUN_UNSEEN;
    counts.above += m->console->tia.drawn_to == m->ahead.window_start;
    counts.within += x != 0 && x < MEGA_WIDTH;
    counts.turned += x % 4u != 0;
    counts.over += below != NULL;
    counts.unlined += below != NULL && !below_lined;
    counts.unfinished += m->console->sync.unfinished;
}

// A frame as batch_step() plays it.
static void play(uint32_t lane) {
    mega_machine *m = &lanes[lane].machine;
    const uint32_t live = lives[lane];
    if (live) {
        console_begin_request(m, hows[lane]);
    }
    MEGA_WARP_BARRIER();
    warp_run_frame(m, m->console, &warp, live, 0);
    warp_settle(m, &warp, live);
    const mega_log *below = live ? ragged_find_below(m) : NULL;
    const uint32_t below_lined = below != NULL && below->lined;
    warp_draw_ragged(m, live);
    if (live) {
        count_kind(m, hows[lane], below, below_lined);
        lines[lane] = console_end_request(m, hows[lane]);
    }
}

// The first difference of a lane's console from the one that is alone, or NULL. One that is not looked at still owes
// pictures to its later frames.
static const char *compare(uint32_t lane, uint32_t plain_lines) {
    test_rig *alone = &plain[lane], *other = &lanes[lane];
    const char *difference = test_state_difference(alone, other);
    if (difference == NULL && plain_lines != lines[lane]) {
        difference = "number of lines";
    }
    if (difference == NULL && test_below(&random_numbers, 3) != 0) {
        difference = test_picture_difference(alone, other, test_below(&random_numbers, 2));
    }
    return difference;
}

// Returns the number of lanes that differed.
static uint32_t play_and_compare(uint32_t frame) {
    uint32_t plain_lines[TEST_LANES] = {0}, differing = 0;
    for (uint32_t i = 0; i < TEST_LANES; i++) {
        lives[i] = test_below(&random_numbers, 8) != 0; // some have no console that plays
        hows[i] = test_once_in(&random_numbers, 2) ? MEGA_RUN_UNSEEN : MEGA_RUN_FAST;
        if (lives[i]) {
            plain_lines[i] = console_run_frame(&plain[i].machine, MEGA_RUN_PLAIN);
        }
    }
    test_lanes_run(play);
    for (uint32_t i = 0; i < TEST_LANES; i++) {
        const char *difference = lives[i] ? compare(i, plain_lines[i]) : NULL;
        if (difference != NULL && differing++ == 0) {
            fprintf(stderr, "%s: frame %u, lane %u: %s\n", image.kind, frame, i, difference);
        }
    }
    return differing;
}

static void check_image(uint32_t frames) {
    uint32_t differing = 0;
    for (uint32_t i = 0; i < TEST_LANES; i++) {
        test_rig_open(&plain[i], &image.cartridge, image.bytes);
        test_rig_open(&lanes[i], &image.cartridge, image.bytes);
        plain[i].console.riot.ram[0] = lanes[i].console.riot.ram[0] = (uint8_t)(8u * i + 3u);
    }
    for (uint32_t frame = 0; frame < frames && differing == 0; frame++) {
        differing = play_and_compare(frame);
    }
    MEGA_CHECK_EQ(differing, 0);
}

static void test_ends(void) {
    for (uint32_t few = 0; few < 3; few++) {
        for (uint32_t i = 0; i < 2u * TEST_ENDS; i++) {
            test_ragged_image(&image, i % TEST_ENDS, i / TEST_ENDS, few, &random_numbers);
            check_image(FRAMES);
        }
    }
}

// Some lines, and then so many instructions without an access that the limit cuts the frame, more than once.
static void test_unfinished(void) {
    static const uint8_t program[] = {
        0xA5, 0x80, 0x18, 0x69, 0x25, 0x85, 0x80, 0x4A, 0xAA, // LDA $80, CLC, ADC #37, STA $80, LSR, TAX
        0x85, 0x02, 0x86, 0x09, 0xCA, 0xD0, 0xF9,             // STA WSYNC, STX COLUBK, DEX, BNE
        0xA0, 0x78, 0xCA, 0xD0, 0xFD, 0x88, 0xD0, 0xFA,       // LDY #120, DEX, BNE, DEY, BNE to DEX
        0x4C, 0x00, 0xF2,                                     // JMP $F200
    };
    test_ragged_image(&image, TEST_END_SHOWN, 0, 0, &random_numbers);
    memcpy(image.bytes + 0x200, program, sizeof program);
    snprintf(image.kind, sizeof image.kind, "unfinished frames");
    check_image(FRAMES);
}

int main(void) {
    test_ends();
    test_unfinished();
    printf(
        "%u ragged frames drawn by a warp, %u not; seen %u, unseen %u, above the picture %u, ended within a row "
        "%u, not by four %u, over another %u, that had no segments %u, unfinished %u\n",
        counts.painted, counts.left, counts.seen, counts.unseen, counts.above, counts.within, counts.turned,
        counts.over, counts.unlined, counts.unfinished);
    MEGA_CHECK(counts.seen > 100 && counts.unseen > 100 && counts.left > 100);
    MEGA_CHECK(counts.above > 10 && counts.within > 100 && counts.turned > 50);
    MEGA_CHECK(counts.over > 50 && counts.unlined > 20 && counts.unfinished > 10);
    return mega_test_result();
}
