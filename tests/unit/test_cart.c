// test_cart.c - bank switching: which byte of an image an address reaches, for every scheme, by read and by
// write, over the fast and the plain bus; what a reset does; and how a scheme is recognised.
#include "cartridge.h"
#include "mega_test_program.h"

#include "mega_test.h"

static test_rig rig;
static uint8_t image[131072];
static int fast; // which bus

// Every byte tells where it is.
static uint8_t mark(uint32_t offset) {
    const uint32_t mixed = offset * 2654435761u;
    return (uint8_t)(mixed >> 24 ^ offset >> 10);
}

static void insert(uint8_t scheme, uint32_t size) {
    const mega_cartridge cartridge = test_cartridge(scheme, size);
    for (uint32_t i = 0; i < size; i++) {
        image[i] = mark(i);
    }
    test_rig_open(&rig, &cartridge, image);
    test_rig_begin_request(&rig, fast);
}
static uint8_t peek(uint32_t address) {
    rig.console.cycles += 5;
    return fast ? bus_read_fast(&rig.machine, address, rig.console.cycles, 0)
                : bus_read_plain(&rig.machine, address, rig.console.cycles, 0);
}
static void poke(uint32_t address, uint8_t value) {
    rig.console.cycles += 5;
    if (fast) {
        bus_write_fast(&rig.machine, address, value, rig.console.cycles);
    } else {
        bus_write_plain(&rig.machine, address, value, rig.console.cycles, 0);
    }
}

// Addresses from..to (12 bits) show the image from `offset` on, in every mirror.
static void shows(uint32_t from, uint32_t to, uint32_t offset) {
    int right = 1;
    for (uint32_t a = from; a <= to; a++) {
        for (uint32_t page = 0x1000; page <= 0xF000; page += 0x2000) {
            right = right && peek(page | a) == mark(offset + a - from);
        }
    }
    MEGA_CHECK(right);
    if (!right) {
        fprintf(stderr, "scheme %s: $%03X to $%03X do not show offset %u\n",
                mega_scheme_name(rig.cartridge.scheme), from, to, offset);
    }
}
// RAM behind two ports, with `size` bytes each.
static void holds(uint32_t write_port, uint32_t read_port, uint32_t size) {
    for (uint32_t i = 0; i < size; i++) {
        poke(0xF000u + write_port + i, (uint8_t)(mark(i + size) ^ 0x55u));
    }
    int right = 1;
    for (uint32_t i = 0; i < size; i++) {
        poke(0xF000u + read_port + i, 0); // ignored, unless it is the same address
        poke(0xF000u + write_port + i, (uint8_t)(mark(i + size) ^ 0x55u));
        right = right && peek(0x1000u + read_port + i) == (uint8_t)(mark(i + size) ^ 0x55u);
    }
    MEGA_CHECK(right);
}

// ---- schemes -------------------------------------------------------------------------------------------

static void test_unbanked(void) {
    insert(MEGA_SCHEME_2K, 2048);
    shows(0x000, 0x7FF, 0);
    shows(0x800, 0xFFF, 0);
    insert(MEGA_SCHEME_4K, 4096);
    shows(0x000, 0xFFF, 0);
    poke(0xF123, 0);
    shows(0x000, 0xFFF, 0);
    MEGA_CHECK_EQ(rig.console.cpu.pc, mark(0xFFD) << 8 | mark(0xFFC));
}

// Whole banks of 4 KiB, chosen by hot spots first .. first + count - 1.
static void test_banks(uint8_t scheme, uint32_t first, uint32_t count, uint32_t reset_bank, uint32_t from,
                       int writes_switch) {
    insert(scheme, 4096 * count);
    shows(from, first - 1, 4096 * reset_bank + from);
    for (uint32_t bank = 0; bank < count; bank++) {
        MEGA_CHECK_EQ(peek(0x1000u + first + bank), mark(4096 * bank + first + bank)); // out of the new bank
        shows(from, first - 1, 4096 * bank + from);
    }
    for (uint32_t bank = 0; bank < count; bank++) {
        poke(0x3000u + first + bank, 0xFF);
        shows(from, first - 1, 4096 * (writes_switch ? bank : count - 1) + from);
    }
    peek(0x1000u + first - 1u);
    peek(0xF000u + ((first + count) & 0xFFFu));
    poke(0x0000u + first, 0); // not in cartridge space
    poke(0x0F00u + (first & 0xFFu), 0);
    shows(from, first - 1, 4096 * (count - 1) + from);
    test_rig_reset(&rig);
    MEGA_CHECK_EQ(rig.console.cart.bank[0], reset_bank);
    MEGA_CHECK_EQ(rig.console.cpu.pc & 0xFF, mark(4096 * reset_bank + 0xFFC));
}

static void test_all_banked(void) {
    test_banks(MEGA_SCHEME_F8, 0xFF8, 2, 1, 0, 1);
    test_banks(MEGA_SCHEME_F6, 0xFF6, 4, 0, 0, 1);
    test_banks(MEGA_SCHEME_F4, 0xFF4, 8, 0, 0, 1);
    test_banks(MEGA_SCHEME_F8SC, 0xFF8, 2, 1, 0x100, 1);
    test_banks(MEGA_SCHEME_F6SC, 0xFF6, 4, 0, 0x100, 1);
    test_banks(MEGA_SCHEME_F4SC, 0xFF4, 8, 0, 0x100, 0);
    test_banks(MEGA_SCHEME_FASC, 0xFF8, 3, 2, 0x200, 1);
}

// RAM on the cartridge: reading the write port gives the image's byte and changes nothing.
static void test_superchip(uint8_t scheme, uint32_t size, uint32_t ram, uint32_t reset_bank) {
    insert(scheme, size);
    int random = 0;
    for (uint32_t i = 1; i < ram; i++) {
        random += peek(0x1000u + ram + i) != peek(0x1000u + ram);
    }
    MEGA_CHECK(random > 0); // power-on contents
    holds(0, ram, ram);
    shows(0, ram - 1, 4096 * reset_bank);
    MEGA_CHECK_EQ(peek(0x1000u + ram + 3u), mark(3 + ram) ^ 0x55);
    const uint32_t draws = rig.console.draws;
    test_rig_reset(&rig);
    MEGA_CHECK_EQ(rig.console.draws, draws + 1 + ram);
    MEGA_CHECK_EQ(rig.machine.cart_ram[ram - 1], (uint8_t)rig.draws[ram]);
}

static void test_e0(void) {
    insert(MEGA_SCHEME_E0, 8192);
    for (uint32_t window = 0; window < 4; window++) {
        shows(0x400 * window, 0x400 * window + 0x3DF, 0x400 * (4 + window));
    }
    for (uint32_t i = 0; i < 64; i++) {
        const uint32_t window = i % 3u, slice = i * 5u % 8u, spot = 0xFE0u + 8u * window + slice;
        if (i % 2u == 0) {
            MEGA_CHECK_EQ(peek(0xF000u + spot), mark(7 * 0x400 + (spot & 0x3FFu)));
        } else {
            poke(0x1000u + spot, 0);
        }
        shows(0x400 * window, 0x400 * window + 0x3DF, 0x400 * slice);
    }
    shows(0xC00, 0xFDF, 7 * 0x400);
}

static void test_e7(void) {
    insert(MEGA_SCHEME_E7, 16384);
    shows(0x000, 0x7FF, 0);
    shows(0xA00, 0xFDF, 7 * 2048 + 0x200);
    for (uint32_t slice = 0; slice < 7; slice++) {
        peek(0x1FE0u + slice);
        shows(0x000, 0x7FF, 2048 * slice);
        poke(0x1000, (uint8_t)~mark(2048 * slice));
        shows(0x000, 0x7FF, 2048 * slice);
    }
    poke(0x1FE7, 0);
    holds(0x000, 0x400, 0x400);
    shows(0x000, 0x3FF, 7 * 2048);
    for (uint32_t bank = 0; bank < 4; bank++) {
        peek(0x1FE8u + bank);
        for (uint32_t i = 0; i < 256; i++) {
            poke(0xF800u + i, (uint8_t)(i ^ bank));
        }
    }
    for (uint32_t bank = 0; bank < 4; bank++) {
        peek(0x1FE8u + bank);
        MEGA_CHECK_EQ(peek(0xF9C7), 0xC7 ^ bank);
        shows(0x800, 0x8FF, 7 * 2048); // the write port
    }
    MEGA_CHECK_EQ(peek(0x1400), mark(0x400) ^ 0x55); // the other RAM is still there
    shows(0xA00, 0xFDF, 7 * 2048 + 0x200);
}

static void test_fe(void) {
    insert(MEGA_SCHEME_FE, 8192);
    for (uint32_t a = 0; a < 4096; a += 7) {
        MEGA_CHECK_EQ(peek(0xF000u | a), mark(a));
        MEGA_CHECK_EQ(peek(0xD000u | a), mark(4096 + a));
        MEGA_CHECK_EQ(peek(0x3000u | a), mark(a));
        MEGA_CHECK_EQ(peek(0x1000u | a), mark(4096 + a));
    }
    MEGA_CHECK_EQ(rig.console.cpu.pc, mark(0xFFD) << 8 | mark(0xFFC));
}

static void test_3f(void) {
    insert(MEGA_SCHEME_3F, 8192);
    shows(0x000, 0x7FF, 0);
    shows(0x800, 0xFFF, 3 * 2048);
    for (uint32_t bank = 0; bank < 9; bank++) { // numbers past the last wrap
        poke(bank, (uint8_t)bank);
        shows(0x000, 0x7FF, 2048 * (bank % 4u));
        shows(0x800, 0xFFF, 3 * 2048);
    }
    poke(0x1009, 2); // in cartridge space, passed on to the TIA
    shows(0x000, 0x7FF, 2 * 2048);
    poke(0x0040 | TIA_COLUBK, 1); // a mirror of the TIA is none of its business
    shows(0x000, 0x7FF, 2 * 2048);
    MEGA_CHECK_EQ(peek(0x0011), mark(2 * 2048 + 0x11)); // reads come from the cartridge ...
    MEGA_CHECK_EQ(peek(0x004E), 0x00);                  // ... but not in a mirror
    poke(0x1840, 3);                                    // above $3F: only the TIA sees it
    shows(0x000, 0x7FF, 2 * 2048);
}

static void test_3f_reaches_tia(void) {
    insert(MEGA_SCHEME_3F, 8192);
    poke(0x1000 | TIA_ENABL, 2);
    poke(0x1F00 | TIA_PF1, 0xA5);
    poke(TIA_CTRLPF, 0x01);
    if (fast) {
        log_end(&rig.machine);
    }
    MEGA_CHECK_EQ(rig.console.tia.enable_ball, 1);
    MEGA_CHECK_EQ(rig.console.tia.playfield, 0xA5u << 4);
    MEGA_CHECK_EQ(rig.console.tia.ctrlpf, 1);
}

static void test_3e(void) {
    insert(MEGA_SCHEME_3E, 16384);
    shows(0x000, 0x7FF, 0);
    shows(0x800, 0xFFF, 7 * 2048);
    poke(0x3F, 5);
    shows(0x000, 0x7FF, 5 * 2048);
    poke(0x10, 2); // nothing but $3E and $3F
    shows(0x000, 0x7FF, 5 * 2048);
    poke(0x3E, 3);
    for (uint32_t i = 0; i < 0x400; i++) {
        poke(0x1400u + i, (uint8_t)(i * 7u));
        MEGA_CHECK_EQ(peek(0x1000u + i), (uint8_t)(i * 7u));
        MEGA_CHECK_EQ(peek(0x1400u + i), (uint8_t)(i * 7u));
    }
    MEGA_CHECK_EQ(peek(0x0021), (uint8_t)(0x21 * 7)); // through the zero page as well
    poke(0x1123, 0xEE);                               // the read port
    MEGA_CHECK_EQ(peek(0x1123), (uint8_t)(0x123 * 7));
    poke(0x103E, 3 + 32); // mod 32
    MEGA_CHECK_EQ(peek(0x1123), (uint8_t)(0x123 * 7));
    poke(0x3E, 4);
    poke(0x1400, 0x99);
    poke(0x3E, 3);
    MEGA_CHECK_EQ(peek(0x1000), 0);
    poke(0x103F, 6);
    shows(0x000, 0x7FF, 6 * 2048);
    shows(0x800, 0xFFF, 7 * 2048);
    test_rig_reset(&rig);
    test_rig_begin_request(&rig, fast);
    shows(0x000, 0x7FF, 0);
}

static void test_ua(void) {
    insert(MEGA_SCHEME_UA, 8192);
    shows(0x000, 0xFFF, 0);
    peek(0x0240);
    shows(0x000, 0xFFF, 4096);
    peek(0x0221);
    peek(0x0222);
    peek(0x1220);
    peek(0x0A20); // another address on 13 lines
    shows(0x000, 0xFFF, 4096);
    poke(0x2220, 0); // the same
    shows(0x000, 0xFFF, 0);
    poke(0xE240, 0);
    shows(0x000, 0xFFF, 4096);
}

static void test_cv(void) {
    insert(MEGA_SCHEME_CV, 2048);
    shows(0x800, 0xFFF, 0);
    holds(0x400, 0x000, 0x400);
    shows(0x400, 0x7FF, 0x400);
    insert(MEGA_SCHEME_CV, 4096);
    shows(0x800, 0xFFF, 2048);
    shows(0x000, 0x3FF, 0); // the first 1 KiB is what RAM begins with
    holds(0x400, 0x000, 0x400);
    shows(0x400, 0x7FF, 2048 + 0x400);
    test_rig_reset(&rig);
    test_rig_begin_request(&rig, fast);
    shows(0x000, 0x3FF, 0);
}

static void test_mb(void) {
    insert(MEGA_SCHEME_MB, 65536);
    uint32_t bank = 1;
    for (uint32_t i = 0; i < 20; i++) {
        shows(0x000, 0xFEF, 4096 * bank);
        bank = (bank + 1u) % 16u;
        if (i % 2u == 0) {
            MEGA_CHECK_EQ(peek(0xFFF0), mark(4096 * bank + 0xFF0));
        } else {
            poke(0x1FF0, 0);
        }
    }
}

static void test_mc(void) {
    insert(MEGA_SCHEME_MC, 131072);
    shows(0xC00, 0xFFF, 127 * 1024); // forced until the lower windows are accessed
    poke(0x3C, 0x85);
    poke(0x3D, 0xFE);
    poke(0x3E, 0x07);
    poke(0x3F, 0x90);
    shows(0x000, 0x3FF, 5 * 1024);
    shows(0x400, 0x7FF, 126 * 1024);
    shows(0xC00, 0xFFB, 16 * 1024);
    poke(0x1812, 0x5A);
    MEGA_CHECK_EQ(peek(0x1A12), 0x5A);
    poke(0x1A12, 0x11);
    MEGA_CHECK_EQ(peek(0x1A12), 0x5A);
    MEGA_CHECK_EQ(peek(0x1812), 0); // reading the write port
    MEGA_CHECK_EQ(peek(0x1A12), 0);
    peek(0x1FFC);
    shows(0xC00, 0xFFF, 127 * 1024);
    peek(0x1000);
    shows(0xC00, 0xFFB, 16 * 1024);
    MEGA_CHECK_EQ(peek(0x0005), 0);
}

// ---- DPC -----------------------------------------------------------------------------------------------

static uint8_t clocked(uint8_t r) {
    const uint32_t bit = ((r >> 7 & 1u) + (r >> 5 & 1u) + (r >> 4 & 1u) + (r >> 3 & 1u) + 1u) & 1u;
    return (uint8_t)((uint32_t)r << 1 | bit);
}

static void test_dpc(void) {
    insert(MEGA_SCHEME_DPC, 10240);
    shows(0x080, 0xFBF, 4096 + 0x80);
    peek(0x1FF8);
    shows(0x040, 0xFBF, 0x40);
    poke(0x1FF9, 0);
    shows(0x080, 0xFBF, 4096 + 0x80);
    // The random register: cleared to 1, clocked by each access.
    poke(0x1070, 0);
    uint8_t random = 1;
    for (uint32_t i = 0; i < 300; i++) {
        random = clocked(random);
        MEGA_CHECK_EQ(peek(0x1000u + i % 4u), random);
    }
    // A fetcher: counter, limits, data. The counter runs down with every read.
    for (uint32_t i = 0; i < 8; i++) {
        poke(0x1058u + i, 0x02); // high bits, music off
        poke(0x1050u + i, 0x10);
        poke(0x1040u + i, 0x0D); // top
        poke(0x1048u + i, 0x08); // bottom
        uint8_t flag = 0;
        for (uint32_t n = 0; n < 20; n++) {
            const uint32_t counter = (0x210u - n) & 0x7FFu;
            flag = (counter & 0xFFu) == 0x0D ? 0xFF : (counter & 0xFFu) == 0x08 ? 0 : flag;
            const uint8_t data = mark(8192 + 2047 - counter);
            switch (n % 4u) {
            case 0: MEGA_CHECK_EQ(peek(0x1008u + i), data); break;
            case 1: MEGA_CHECK_EQ(peek(0x1010u + i), data & flag); break;
            case 2: MEGA_CHECK_EQ(peek(0x1038u + i), flag); break;
            default: MEGA_CHECK_EQ(peek(0x1018u + i), 0); break;
            }
        }
    }
    // A reset leaves the fetchers alone.
    const mega_dpc before = rig.console.dpc;
    test_rig_reset(&rig);
    MEGA_CHECK_BYTES(rig.console.dpc.fetcher, before.fetcher, sizeof before.fetcher);
    MEGA_CHECK_EQ(rig.console.cart.bank[0], 1);
}

// Music: 15750 clocks in 1193191.66666667 cycles; the counter runs from top to 0, the flag is set above bottom.
static void test_dpc_music(void) {
    static const uint8_t loudness[8] = {0x00, 0x04, 0x05, 0x09, 0x06, 0x0A, 0x0B, 0x0F};
    insert(MEGA_SCHEME_DPC, 10240);
    int low[3] = {40, 17, 0};
    const int top[3] = {40, 17, 0}, bottom[3] = {20, 3, 0};
    int flag[3] = {0, 0, 0};
    rig.console.cycles = 0;
    rig.console.dpc.music_time = 0;
    for (uint32_t i = 0; i < 3; i++) {
        poke(0x105Du + i, 0x10);
        poke(0x1045u + i, (uint8_t)top[i]);
        poke(0x104Du + i, (uint8_t)bottom[i]);
        poke(0x1055u + i, 0xAA); // in music mode the counter is loaded with the top
        MEGA_CHECK_EQ(rig.console.dpc.fetcher[5 + i].counter & 0xFF, top[i]);
    }
    double fraction = 0.0;
    uint32_t last = 0;
    test_random random = {5};
    for (uint32_t n = 0; n < 2000; n++) {
        rig.console.cycles += test_below(&random, 900);
        const uint32_t now = rig.console.cycles + 5u;
        const double clocks = (15750.0 * (double)(now - last)) / 1193191.66666667 + fraction;
        const int whole = (int)clocks;
        fraction = clocks - (double)whole;
        last = now;
        // Only fetcher 4's register is read here, so no other rule touches the flags.
        int sum = 0;
        for (int i = 0; i < 3; i++) {
            if (whole > 0) {
                low[i] = top[i] == 0 ? 0 : ((low[i] - whole) % (top[i] + 1) + top[i] + 1) % (top[i] + 1);
                flag[i] = low[i] <= bottom[i] ? 0 : low[i] <= top[i] ? 1 : flag[i];
            }
            sum |= flag[i] << i;
        }
        MEGA_CHECK_EQ(peek(0x1004), loudness[sum]);
    }
}

// ---- recognition ---------------------------------------------------------------------------------------

static uint8_t detected(uint32_t size) {
    mega_cartridge cartridge;
    const mega_status status =
        mega_cartridge_identify(image, size, "00000000000000000000000000000000", &cartridge);
    MEGA_CHECK(status == MEGA_OK || status == MEGA_ERROR_ROM);
    MEGA_CHECK_EQ(status == MEGA_OK, cartridge.scheme != MEGA_SCHEME_NONE);
    if (status == MEGA_OK) {
        const mega_cartridge expected = test_cartridge(cartridge.scheme, size);
        MEGA_CHECK_EQ(cartridge.start_bank, expected.start_bank);
        MEGA_CHECK_EQ(cartridge.ram_size, expected.ram_size);
    }
    return cartridge.scheme;
}
// An image without any signature, then with these bytes at `at`.
static void blank(uint32_t size) {
    for (uint32_t i = 0; i < size; i++) {
        image[i] = (uint8_t)(0x02 + 0x10 * (i % 3u) + (i >> 12 & 3u) * 0x40); // opcodes that halt, mostly
    }
}
static void sign(uint32_t at, uint32_t length, uint32_t a, uint32_t b, uint32_t c, uint32_t d, uint32_t e) {
    const uint8_t bytes[5] = {(uint8_t)a, (uint8_t)b, (uint8_t)c, (uint8_t)d, (uint8_t)e};
    memcpy(image + at, bytes, length);
}

static void test_recognition(void) {
    blank(2048);
    MEGA_CHECK_EQ(detected(2048), MEGA_SCHEME_2K);
    sign(100, 3, 0x9D, 0xFF, 0xF3, 0, 0);
    MEGA_CHECK_EQ(detected(2048), MEGA_SCHEME_CV);
    blank(4096);
    image[5] = 0x77;
    MEGA_CHECK_EQ(detected(4096), MEGA_SCHEME_4K);
    sign(4092, 3, 0x99, 0x00, 0xF4, 0, 0);
    MEGA_CHECK_EQ(detected(4096), MEGA_SCHEME_CV);
    blank(4096);
    image[5] = 0x77;
    sign(4093, 3, 0x99, 0x00, 0xF4, 0, 0); // the very last place is not looked at
    MEGA_CHECK_EQ(detected(4096), MEGA_SCHEME_4K);
    blank(2048);
    memcpy(image + 2048, image, 2048);
    MEGA_CHECK_EQ(detected(4096), MEGA_SCHEME_2K);
    blank(8192);
    MEGA_CHECK_EQ(detected(8192), MEGA_SCHEME_F8);
    sign(5000, 5, 0x20, 0x00, 0xD0, 0xC6, 0xC5);
    MEGA_CHECK_EQ(detected(8192), MEGA_SCHEME_FE);
    sign(6000, 3, 0x8D, 0x40, 0x02, 0, 0);
    MEGA_CHECK_EQ(detected(8192), MEGA_SCHEME_UA);
    sign(700, 2, 0x85, 0x3F, 0, 0, 0);
    MEGA_CHECK_EQ(detected(8192), MEGA_SCHEME_UA); // once is not enough
    sign(702, 2, 0x85, 0x3F, 0, 0, 0);
    MEGA_CHECK_EQ(detected(8192), MEGA_SCHEME_UA); // the byte after a hit is passed over
    sign(800, 2, 0x85, 0x3F, 0, 0, 0);
    MEGA_CHECK_EQ(detected(8192), MEGA_SCHEME_3F);
    sign(900, 4, 0x85, 0x3E, 0xA9, 0x00, 0);
    MEGA_CHECK_EQ(detected(8192), MEGA_SCHEME_3E);
    sign(1000, 3, 0xAD, 0xED, 0xFF, 0, 0);
    MEGA_CHECK_EQ(detected(8192), MEGA_SCHEME_E0);
    memset(image, 0x11, 256);
    memset(image + 4096, 0x22, 256);
    MEGA_CHECK_EQ(detected(8192), MEGA_SCHEME_F8SC);
    blank(4096);
    image[5] = 0x77;
    memcpy(image + 4096, image, 4096);
    MEGA_CHECK_EQ(detected(8192), MEGA_SCHEME_4K);
    blank(12288);
    MEGA_CHECK_EQ(detected(10240), MEGA_SCHEME_DPC);
    MEGA_CHECK_EQ(detected(10495), MEGA_SCHEME_DPC);
    MEGA_CHECK_EQ(detected(10496), MEGA_SCHEME_DPC);
    MEGA_CHECK_EQ(detected(12288), MEGA_SCHEME_FASC);
    blank(16384);
    MEGA_CHECK_EQ(detected(16384), MEGA_SCHEME_F6);
    sign(900, 4, 0x85, 0x3E, 0xA9, 0x00, 0);
    MEGA_CHECK_EQ(detected(16384), MEGA_SCHEME_3E);
    memset(image + 0x3800, 0x33, 0x200);
    MEGA_CHECK_EQ(detected(16384), MEGA_SCHEME_E7);
    for (uint32_t bank = 0; bank < 4; bank++) {
        memset(image + 4096 * bank, (int)bank, 256);
    }
    MEGA_CHECK_EQ(detected(16384), MEGA_SCHEME_F6SC);
    blank(131072);
    MEGA_CHECK_EQ(detected(32768), MEGA_SCHEME_F4);
    MEGA_CHECK_EQ(detected(65536), MEGA_SCHEME_MB);
    MEGA_CHECK_EQ(detected(131072), MEGA_SCHEME_MC);
    MEGA_CHECK_EQ(detected(24576), MEGA_SCHEME_NONE);
    MEGA_CHECK_EQ(detected(8448), MEGA_SCHEME_NONE); // another kind of hardware
    MEGA_CHECK_EQ(detected(3000), MEGA_SCHEME_NONE);
    sign(100, 2, 0x85, 0x3F, 0, 0, 0);
    sign(200, 2, 0x85, 0x3F, 0, 0, 0);
    MEGA_CHECK_EQ(detected(24576), MEGA_SCHEME_3F);
    MEGA_CHECK_EQ(detected(65536), MEGA_SCHEME_3F);
    MEGA_CHECK_EQ(detected(131072), MEGA_SCHEME_3F);
    for (uint32_t bank = 0; bank < 8; bank++) {
        memset(image + 4096 * bank, (int)bank, 256);
    }
    MEGA_CHECK_EQ(detected(32768), MEGA_SCHEME_F4SC);
}

int main(void) {
    for (fast = 0; fast < 2; fast++) {
        test_unbanked();
        test_all_banked();
        test_superchip(MEGA_SCHEME_F8SC, 8192, 128, 1);
        test_superchip(MEGA_SCHEME_F6SC, 16384, 128, 0);
        test_superchip(MEGA_SCHEME_F4SC, 32768, 128, 0);
        test_superchip(MEGA_SCHEME_FASC, 12288, 256, 2);
        test_e0();
        test_e7();
        test_fe();
        test_3f();
        test_3f_reaches_tia();
        test_3e();
        test_ua();
        test_cv();
        test_mb();
        test_mc();
        test_dpc();
        test_dpc_music();
    }
    test_recognition();
    return mega_test_result();
}
