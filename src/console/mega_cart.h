// mega_cart.h - cartridges: which byte of the image or of the cartridge's RAM an address reaches.
// Shared source.
//
// Most accesses are plain ROM and need only run.window (an offset per 1 KiB of address space); the
// functions here serve the rest: hot spots, RAM ports and the DPC chip. They keep run.window up to date.
//
// Use of cart.bank[]: schemes with one bank keep it in bank[0]. E0 and MC keep a block per 1 KiB window. E7
// keeps ROM slice and RAM bank; 3E keeps ROM bank, RAM bank and whether RAM is mapped.
#ifndef MEGA_CART_H
#define MEGA_CART_H
#include "mega_dpc.h"
#include "mega_machine.h"

// Maps the 1 KiB windows first..last of cartridge space to the image from `offset` on.
MEGA_FN void cart_map(mega_run *run, uint32_t first, uint32_t last, uint32_t offset) {
    for (uint32_t window = first; window <= last; window++) {
        const uint32_t start = offset + 0x400u * (window - first);
        run->window[4 + window] = start;  // A13 = 0
        run->window[12 + window] = start; // A13 = 1
    }
    run->events |= MEGA_EVENT_REMAP;
}

// Banks of `size` bytes that fit in the image; numbers past the last wrap.
MEGA_FN uint32_t cart_bank_offset(const mega_machine *m, uint32_t bank, uint32_t size) {
    const uint32_t banks = m->cartridge->image_size / size;
    return (banks != 0 ? bank % banks : 0u) * size;
}

// Rebuilds run.window from the state. Called when a request begins and after each switch.
MEGA_FN void cart_update_windows(mega_machine *m) {
    const mega_cart *cart = &m->console->cart;
    const uint32_t size = m->cartridge->image_size;
    mega_run *run = &m->run;
    switch (m->cartridge->scheme) {
    case MEGA_SCHEME_2K:
        cart_map(run, 0, 1, 0);
        cart_map(run, 2, 3, 0);
        break;
    case MEGA_SCHEME_CV:
        cart_map(run, 0, 1, size - 2048u);
        cart_map(run, 2, 3, size - 2048u);
        break;
    case MEGA_SCHEME_E0:
        for (uint32_t window = 0; window < 3; window++) {
            cart_map(run, window, window, 0x400u * (cart->bank[window] & 7u));
        }
        cart_map(run, 3, 3, 0x400u * 7u);
        break;
    case MEGA_SCHEME_E7:
        cart_map(run, 0, 1, 0x800u * (cart->bank[0] & 7u));
        cart_map(run, 2, 3, size - 2048u);
        break;
    case MEGA_SCHEME_FE:
        for (uint32_t window = 0; window < 4; window++) {
            run->window[4 + window] = 4096u + 0x400u * window;
            run->window[12 + window] = 0x400u * window;
        }
        break;
    case MEGA_SCHEME_3F:
    case MEGA_SCHEME_3E:
        cart_map(run, 0, 1, cart_bank_offset(m, cart->bank[0], 2048));
        cart_map(run, 2, 3, (size / 2048u - 1u) * 2048u);
        break;
    case MEGA_SCHEME_MC:
        for (uint32_t window = 0; window < 4; window++) {
            cart_map(run, window, window, 0x400u * (cart->bank[window] & 127u));
        }
        break;
    default: cart_map(run, 0, 3, cart_bank_offset(m, cart->bank[0], 4096)); break;
    }
}

// Which addresses (12 bits) are nothing but ROM in this scheme, and whether it watches others.
MEGA_FN void cart_plain_range(mega_run *run, uint32_t scheme) {
    uint32_t low = 0, end = 0x1000;
    switch (scheme) {
    case MEGA_SCHEME_2K:
    case MEGA_SCHEME_4K:
    case MEGA_SCHEME_FE:
    case MEGA_SCHEME_UA: break;
    case MEGA_SCHEME_F8: end = 0xFF8; break;
    case MEGA_SCHEME_F6: end = 0xFF6; break;
    case MEGA_SCHEME_F4: end = 0xFF4; break;
    case MEGA_SCHEME_F8SC:
    case MEGA_SCHEME_F6SC:
    case MEGA_SCHEME_F4SC:
        low = 0x100;
        end = 0xFF4;
        break;
    case MEGA_SCHEME_FASC:
        low = 0x200;
        end = 0xFF8;
        break;
    case MEGA_SCHEME_E0: end = 0xFE0; break;
    case MEGA_SCHEME_E7:
        low = 0xA00;
        end = 0xFE0;
        break;
    case MEGA_SCHEME_DPC:
        low = 0x80;
        end = 0xFC0;
        break;
    case MEGA_SCHEME_CV:
    case MEGA_SCHEME_3E: low = 0x800; break;
    case MEGA_SCHEME_3F: break;
    case MEGA_SCHEME_MB: end = 0xFF0; break;
    default:
        end = 0; // MC: every access may switch
        break;
    }
    run->plain_low = low;
    run->plain_span = end - low;
    run->watches_low = scheme == MEGA_SCHEME_3F || scheme == MEGA_SCHEME_3E || scheme == MEGA_SCHEME_MC ||
                       scheme == MEGA_SCHEME_UA;
}

MEGA_FN uint8_t cart_rom(const mega_machine *m, uint32_t address) {
    return m->image[m->run.window[address >> 10 & 15u] + (address & 0x3FFu)];
}

MEGA_FN void cart_select(mega_machine *m, uint32_t slot, uint32_t bank) {
    if (m->console->cart.bank[slot] != bank) {
        m->console->cart.bank[slot] = (uint16_t)bank;
        cart_update_windows(m);
    }
}

// Hot spots that react to reads and writes alike.
MEGA_FN void cart_hot_spot(mega_machine *m, uint32_t a) {
    switch (m->cartridge->scheme) {
    case MEGA_SCHEME_F8:
    case MEGA_SCHEME_F8SC:
    case MEGA_SCHEME_DPC:
        if (a == 0xFF8 || a == 0xFF9) {
            cart_select(m, 0, a - 0xFF8u);
        }
        break;
    case MEGA_SCHEME_F6:
    case MEGA_SCHEME_F6SC:
        if (a >= 0xFF6 && a <= 0xFF9) {
            cart_select(m, 0, a - 0xFF6u);
        }
        break;
    case MEGA_SCHEME_F4:
    case MEGA_SCHEME_F4SC:
        if (a >= 0xFF4 && a <= 0xFFB) {
            cart_select(m, 0, a - 0xFF4u);
        }
        break;
    case MEGA_SCHEME_FASC:
        if (a >= 0xFF8 && a <= 0xFFA) {
            cart_select(m, 0, a - 0xFF8u);
        }
        break;
    case MEGA_SCHEME_E0:
        if (a >= 0xFE0 && a <= 0xFF7) {
            cart_select(m, (a - 0xFE0u) >> 3, a & 7u);
        }
        break;
    case MEGA_SCHEME_E7:
        if (a >= 0xFE0 && a <= 0xFE7) {
            cart_select(m, 0, a & 7u);
        } else if (a >= 0xFE8 && a <= 0xFEB) {
            cart_select(m, 1, a & 3u);
        }
        break;
    case MEGA_SCHEME_MB:
        if (a == 0xFF0) {
            cart_select(m, 0, (m->console->cart.bank[0] + 1u) & 15u);
        }
        break;
    default: break;
    }
}

// ---- MC: four windows of 1 KiB, each a ROM block or a RAM block ---------------------------------------

// bank[] holds the blocks chosen; the top bit of bank[3] forces the last block of ROM, as after power-on.
#define CART_MC_FORCED 0x100u

MEGA_FN uint32_t cart_mc_block(mega_machine *m, uint32_t a) {
    uint16_t *bank = m->console->cart.bank;
    if (a == 0xFFC || a == 0xFFD) {
        bank[3] |= CART_MC_FORCED;
    } else if (a < 0xC00) {
        bank[3] &= 0xFFu;
    }
    const uint32_t window = a >> 10;
    return window == 3 && (bank[3] & CART_MC_FORCED) != 0 ? 0xFFu : bank[window] & 0xFFu;
}

MEGA_FN uint8_t cart_mc_read(mega_machine *m, uint32_t a) {
    const uint32_t block = cart_mc_block(m, a);
    if ((block & 0x80u) != 0) {
        return m->image[0x400u * (block & 0x7Fu) + (a & 0x3FFu)];
    }
    uint8_t *byte = &m->cart_ram[0x200u * (block & 0x3Fu) + (a & 0x1FFu)];
    if ((a & 0x200u) == 0) {
        *byte = 0; // reading the write port
    }
    return *byte;
}

MEGA_FN void cart_mc_write(mega_machine *m, uint32_t a, uint8_t value) {
    const uint32_t block = cart_mc_block(m, a);
    if ((block & 0x80u) == 0 && (a & 0x200u) == 0) {
        m->cart_ram[0x200u * (block & 0x3Fu) + (a & 0x1FFu)] = value;
    }
}

// ---- accesses to cartridge space ($1000..$1FFF) --------------------------------------------------------

MEGA_NOINLINE uint8_t cart_read(mega_machine *m, uint32_t address, uint32_t cycles) {
    const uint32_t a = address & 0xFFFu;
    const mega_cart *cart = &m->console->cart;
    switch (m->cartridge->scheme) {
    case MEGA_SCHEME_DPC:
        if (a < 0x80 || a >= 0xFC0) {
            dpc_clock_random(&m->console->dpc);
        }
        if (a < 0x40) {
            return dpc_read(&m->console->dpc, m->image, a, cycles);
        }
        break;
    case MEGA_SCHEME_F8SC:
    case MEGA_SCHEME_F6SC:
    case MEGA_SCHEME_F4SC:
        if (a >= 0x80 && a < 0x100) {
            return m->cart_ram[a & 0x7Fu];
        }
        break;
    case MEGA_SCHEME_FASC:
        if (a >= 0x100 && a < 0x200) {
            return m->cart_ram[a & 0xFFu];
        }
        break;
    case MEGA_SCHEME_E7:
        if (a >= 0x400 && a < 0x800 && (cart->bank[0] & 7u) == 7) {
            return m->cart_ram[a & 0x3FFu];
        }
        if (a >= 0x900 && a < 0xA00) {
            return m->cart_ram[0x400u + 0x100u * (cart->bank[1] & 3u) + (a & 0xFFu)];
        }
        break;
    case MEGA_SCHEME_CV:
        if (a < 0x400) {
            return m->cart_ram[a];
        }
        break;
    case MEGA_SCHEME_3E:
        if (a < 0x800 && cart->bank[2] != 0) {
            return m->cart_ram[0x400u * (cart->bank[1] & 31u) + (a & 0x3FFu)];
        }
        break;
    case MEGA_SCHEME_MC: return cart_mc_read(m, a);
    default: break;
    }
    cart_hot_spot(m, a);
    return cart_rom(m, address);
}

// A bank-switching write that 3F, 3E and MC watch: to $0000-$003F, and for 3F and 3E also in cartridge space.
MEGA_FN void cart_write_low(mega_machine *m, uint32_t a, uint8_t value) {
    mega_cart *cart = &m->console->cart;
    switch (m->cartridge->scheme) {
    case MEGA_SCHEME_3F:
        if (a <= 0x3F) {
            cart_select(m, 0, value);
        }
        break;
    case MEGA_SCHEME_3E:
        if (a == 0x3F) {
            cart->bank[2] = 0;
            cart_select(m, 0, value);
        } else if (a == 0x3E) {
            cart->bank[1] = value & 31u;
            cart->bank[2] = 1;
        }
        break;
    case MEGA_SCHEME_MC:
        if (a >= 0x3C && a <= 0x3F) {
            cart_select(m, a - 0x3Cu, (m->console->cart.bank[a - 0x3Cu] & CART_MC_FORCED) | value);
        }
        break;
    default: break;
    }
}

// Returns 1 when the write is to be passed on to the TIA.
MEGA_NOINLINE uint32_t cart_write(mega_machine *m, uint32_t address, uint8_t value) {
    const uint32_t a = address & 0xFFFu;
    const mega_cart *cart = &m->console->cart;
    switch (m->cartridge->scheme) {
    case MEGA_SCHEME_DPC:
        dpc_clock_random(&m->console->dpc);
        if (a >= 0x40 && a < 0x80) {
            dpc_write(&m->console->dpc, a, value);
        }
        break;
    case MEGA_SCHEME_F8SC:
    case MEGA_SCHEME_F6SC:
        if (a < 0x80) {
            m->cart_ram[a] = value;
        }
        break;
    case MEGA_SCHEME_F4SC:
        if (a < 0x80) {
            m->cart_ram[a] = value;
        }
        return 0; // only reads of its hot spots switch
    case MEGA_SCHEME_FASC:
        if (a < 0x100) {
            m->cart_ram[a] = value;
        }
        break;
    case MEGA_SCHEME_E7:
        if (a < 0x400 && (cart->bank[0] & 7u) == 7) {
            m->cart_ram[a] = value;
        } else if (a >= 0x800 && a < 0x900) {
            m->cart_ram[0x400u + 0x100u * (cart->bank[1] & 3u) + (a & 0xFFu)] = value;
        }
        break;
    case MEGA_SCHEME_CV:
        if (a >= 0x400 && a < 0x800) {
            m->cart_ram[a & 0x3FFu] = value;
        }
        break;
    case MEGA_SCHEME_3F: cart_write_low(m, a, value); return 1;
    case MEGA_SCHEME_3E:
        if (cart->bank[2] != 0 && a >= 0x400 && a < 0x800) {
            m->cart_ram[0x400u * (cart->bank[1] & 31u) + (a & 0x3FFu)] = value;
            return 0;
        }
        cart_write_low(m, a, value);
        return 1;
    case MEGA_SCHEME_MC: cart_mc_write(m, a, value); return 0;
    default: break;
    }
    cart_hot_spot(m, a);
    return 0;
}

MEGA_FN void cart_watch_ua(mega_machine *m, uint32_t address) {
    if (m->cartridge->scheme == MEGA_SCHEME_UA) {
        const uint32_t bus = address & 0x1FFFu;
        if (bus == 0x220 || bus == 0x240) {
            cart_select(m, 0, bus == 0x240);
        }
    }
}

// System reset. `draws` holds cartridge->ram_size numbers.
MEGA_FN void cart_reset(mega_machine *m, const uint32_t *draws) {
    mega_cart *cart = &m->console->cart;
    for (uint32_t i = 0; i < 4; i++) {
        cart->bank[i] = 0;
    }
    cart->bank[0] = m->cartridge->start_bank;
    if (m->cartridge->scheme == MEGA_SCHEME_E0) {
        cart->bank[0] = 4;
        cart->bank[1] = 5;
        cart->bank[2] = 6;
    } else if (m->cartridge->scheme == MEGA_SCHEME_MC) {
        cart->bank[3] = CART_MC_FORCED;
    }
    for (uint32_t i = 0; i < m->cartridge->ram_size; i++) {
        // A 4K cartridge of the CV kind brings the contents of its RAM along.
        const uint32_t from_image =
            m->cartridge->scheme == MEGA_SCHEME_CV && m->cartridge->image_size == 4096;
        m->cart_ram[i] = from_image ? m->image[i] : (uint8_t)draws[i];
    }
    m->console->dpc.music_time = 0;
    m->console->dpc.fraction = 0.0;
    cart_update_windows(m);
}

#endif
