// gif.c - see gif.h. Format: CompuServe's GIF89a specification (1990), loop extension by Netscape.
#include "gif.h"

#include "out_file.h"
#include "pixels.h"

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
    LITERAL_BITS = 8,               // the palette has 256 entries
    CODE_CLEAR = 1 << LITERAL_BITS, // forget the dictionary
    CODE_END = CODE_CLEAR + 1,      // end of the picture
    CODE_FIRST = CODE_CLEAR + 2,    // the first entry of the dictionary
    CODE_LIMIT = 4096,              // codes have at most 12 bits
    TABLE_SIZE = 16384,             // a power of two well above CODE_LIMIT
    BLOCK_SIZE = 255,               // bytes in a data block
    DELAY_MAX = 65535
};

// The dictionary as a hash table with open addressing: (code of a string, next byte) -> code.
typedef struct lzw {
    uint32_t key[TABLE_SIZE]; // prefix << 8 | byte, plus one; 0 is an empty slot
    uint16_t code[TABLE_SIZE];
    uint32_t next;  // the next free code
    uint32_t width; // bits of a code now
    int32_t prefix; // code of the string read so far, or -1
    uint32_t bits;  // bits waiting to be written, lowest first
    uint32_t bit_count;
    uint32_t block_count; // bytes in `block`
    uint8_t block[BLOCK_SIZE];
} lzw;

typedef struct rectangle {
    uint32_t left, top, width, height; // in pixels before stretching
} rectangle;

struct mega_gif {
    mega_out_file file;
    uint32_t width, height, scale;
    int32_t transparent;
    bool started; // the first frame is in the file
    bool waiting; // `pending` holds a frame
    uint32_t pending_delay;
    uint8_t *canvas;  // what a viewer shows after the frames in the file
    uint8_t *pending; // the frame that is written when the next one differs
    uint8_t *row;     // one stretched row
    lzw coder;
};

// ---- bytes -------------------------------------------------------------------------------------------

// Failures of the stream are sticky; check_stream looks at them once per frame.
static void put_byte(mega_gif *gif, uint32_t byte) {
    (void)putc((int)(byte & 0xFF), gif->file.stream);
}

static void put_word(mega_gif *gif, uint32_t word) {
    put_byte(gif, word);
    put_byte(gif, word >> 8);
}

static void put_bytes(mega_gif *gif, const void *bytes, size_t size) {
    (void)fwrite(bytes, 1, size, gif->file.stream);
}

static int check_stream(mega_gif *gif, mega_message *message) {
    if (!ferror(gif->file.stream)) {
        return 0;
    }
    return mega_message_set(message, "cannot write %s: %s", gif->file.path, strerror(errno));
}

// ---- compression -------------------------------------------------------------------------------------

static void flush_block(mega_gif *gif) {
    lzw *const coder = &gif->coder;
    if (coder->block_count > 0) {
        put_byte(gif, coder->block_count);
        put_bytes(gif, coder->block, coder->block_count);
        coder->block_count = 0;
    }
}

static void put_packed_byte(mega_gif *gif) {
    lzw *const coder = &gif->coder;
    coder->block[coder->block_count++] = (uint8_t)(coder->bits & 0xFF);
    if (coder->block_count == BLOCK_SIZE) {
        flush_block(gif);
    }
}

static void put_code(mega_gif *gif, uint32_t code) {
    lzw *const coder = &gif->coder;
    coder->bits |= code << coder->bit_count;
    coder->bit_count += coder->width;
    while (coder->bit_count >= 8) {
        put_packed_byte(gif);
        coder->bits >>= 8;
        coder->bit_count -= 8;
    }
}

static void clear_dictionary(lzw *coder) {
    memset(coder->key, 0, sizeof coder->key);
    coder->next = CODE_FIRST;
    coder->width = LITERAL_BITS + 1;
}

static void lzw_begin(mega_gif *gif) {
    lzw *const coder = &gif->coder;
    clear_dictionary(coder);
    coder->prefix = -1;
    coder->bits = 0;
    coder->bit_count = 0;
    coder->block_count = 0;
    put_byte(gif, LITERAL_BITS);
    put_code(gif, CODE_CLEAR);
}

// The slot that holds `key`, or the empty one where it belongs.
static uint32_t find_slot(const lzw *coder, uint32_t key) {
    uint32_t slot = (key * 0x9E3779B1u) >> 18;
    while (coder->key[slot] != 0 && coder->key[slot] != key) {
        slot = (slot + 1) % TABLE_SIZE;
    }
    return slot;
}

static void lzw_put(mega_gif *gif, uint8_t byte) {
    lzw *const coder = &gif->coder;
    if (coder->prefix < 0) {
        coder->prefix = byte;
        return;
    }
    const uint32_t key = ((uint32_t)coder->prefix << 8 | byte) + 1;
    const uint32_t slot = find_slot(coder, key);
    if (coder->key[slot] == key) {
        coder->prefix = coder->code[slot];
        return;
    }
    put_code(gif, (uint32_t)coder->prefix);
    coder->prefix = byte;
    if (coder->next == CODE_LIMIT) {
        put_code(gif, CODE_CLEAR);
        clear_dictionary(coder);
        return;
    }
    // A reader learns an entry one code later than the writer, so the codes grow when the entry just made
    // no longer fits, not when the next one would not.
    if (coder->next == 1u << coder->width) {
        coder->width++;
    }
    coder->key[slot] = key;
    coder->code[slot] = (uint16_t)coder->next++;
}

static void lzw_end(mega_gif *gif) {
    lzw *const coder = &gif->coder;
    if (coder->prefix >= 0) {
        put_code(gif, (uint32_t)coder->prefix);
        // The reader makes one more entry from that code, and may widen its codes for it.
        if (coder->next == 1u << coder->width && coder->width < 12) {
            coder->width++;
        }
    }
    put_code(gif, CODE_END);
    if (coder->bit_count > 0) {
        put_packed_byte(gif);
    }
    flush_block(gif);
    put_byte(gif, 0); // an empty block ends the picture
}

// ---- frames ------------------------------------------------------------------------------------------

static void put_header(mega_gif *gif, const uint8_t *palette) {
    put_bytes(gif, "GIF89a", 6);
    put_word(gif, gif->width * MEGA_PIXEL_ASPECT * gif->scale);
    put_word(gif, gif->height * gif->scale);
    put_byte(gif, 0xF7); // a global palette of 256 entries with 8 bits per channel
    put_byte(gif, 0);    // background
    put_byte(gif, 0);    // pixel aspect ratio: not given
    put_bytes(gif, palette, 768);
    put_bytes(gif, "\x21\xFF\x0BNETSCAPE2.0\x03\x01\x00\x00\x00", 19); // repeat forever
}

static bool row_differs(const mega_gif *gif, uint32_t y) {
    const size_t offset = (size_t)y * gif->width;
    return memcmp(gif->canvas + offset, gif->pending + offset, gif->width) != 0;
}

static bool column_differs(const mega_gif *gif, uint32_t x) {
    for (uint32_t y = 0; y < gif->height; y++) {
        const size_t offset = (size_t)y * gif->width + x;
        if (gif->canvas[offset] != gif->pending[offset]) {
            return true;
        }
    }
    return false;
}

// The smallest rectangle around all pixels that change; one pixel when none does, since a frame cannot be
// empty.
static rectangle changed_rectangle(const mega_gif *gif) {
    rectangle area = {0, 0, gif->width, gif->height};
    if (!gif->started) {
        return area;
    }
    while (area.height > 1 && !row_differs(gif, area.top + area.height - 1)) {
        area.height--;
    }
    while (area.height > 1 && !row_differs(gif, area.top)) {
        area.top++;
        area.height--;
    }
    while (area.width > 1 && !column_differs(gif, area.left + area.width - 1)) {
        area.width--;
    }
    while (area.width > 1 && !column_differs(gif, area.left)) {
        area.left++;
        area.width--;
    }
    return area;
}

// The transparent index for this frame, or -1.
static int32_t transparent_index(const mega_gif *gif) {
    const size_t count = (size_t)gif->width * gif->height;
    if (!gif->started || gif->transparent < 0 || memchr(gif->pending, gif->transparent, count) != NULL) {
        return -1;
    }
    return gif->transparent;
}

static void put_picture(mega_gif *gif, rectangle area, int32_t transparent) {
    const uint32_t factor = MEGA_PIXEL_ASPECT * gif->scale;
    uint8_t line[65536 / MEGA_PIXEL_ASPECT];
    lzw_begin(gif);
    for (uint32_t y = area.top; y < area.top + area.height; y++) {
        const size_t offset = (size_t)y * gif->width + area.left;
        for (uint32_t x = 0; x < area.width; x++) {
            const bool same = gif->canvas[offset + x] == gif->pending[offset + x];
            line[x] = transparent >= 0 && same ? (uint8_t)transparent : gif->pending[offset + x];
        }
        mega_pixels_stretch(line, area.width, factor, gif->row);
        for (uint32_t i = 0; i < gif->scale; i++) {
            for (uint32_t x = 0; x < area.width * factor; x++) {
                lzw_put(gif, gif->row[x]);
            }
        }
    }
    lzw_end(gif);
}

static int put_pending(mega_gif *gif, mega_message *message) {
    const rectangle area = changed_rectangle(gif);
    const int32_t transparent = transparent_index(gif);
    put_bytes(gif, "\x21\xF9\x04", 3);             // graphic control extension
    put_byte(gif, transparent >= 0 ? 0x05 : 0x04); // the picture stays on the canvas
    put_word(gif, gif->pending_delay);
    put_byte(gif, transparent >= 0 ? (uint32_t)transparent : 0);
    put_byte(gif, 0);
    put_byte(gif, 0x2C); // image descriptor
    put_word(gif, area.left * MEGA_PIXEL_ASPECT * gif->scale);
    put_word(gif, area.top * gif->scale);
    put_word(gif, area.width * MEGA_PIXEL_ASPECT * gif->scale);
    put_word(gif, area.height * gif->scale);
    put_byte(gif, 0);
    put_picture(gif, area, transparent);
    memcpy(gif->canvas, gif->pending, (size_t)gif->width * gif->height);
    gif->started = true;
    gif->waiting = false;
    return check_stream(gif, message);
}

// ---- public ------------------------------------------------------------------------------------------

static void release(mega_gif *gif) {
    free(gif->canvas);
    free(gif->pending);
    free(gif->row);
    free(gif);
}

static int check_desc(const mega_gif_desc *desc, uint32_t scale, mega_message *message) {
    const uint32_t limit = 65535;
    if (desc->width < 1 || desc->height < 1 || scale > MEGA_SCALE_MAX ||
        desc->width > limit / (MEGA_PIXEL_ASPECT * scale) || desc->height > limit / scale) {
        return mega_message_set(message, "a GIF of %ux%u at scale %u is not possible: sides are 1 to 65535",
                                (unsigned)desc->width, (unsigned)desc->height, (unsigned)scale);
    }
    return 0;
}

int mega_gif_create(const mega_gif_desc *desc, const char *path, mega_gif **out, mega_message *message) {
    *out = NULL;
    const uint32_t scale = desc->scale == 0 ? 1 : desc->scale;
    if (check_desc(desc, scale, message) != 0) {
        return -1;
    }
    mega_gif *gif = calloc(1, sizeof *gif);
    if (gif == NULL) {
        return mega_message_set(message, "out of memory");
    }
    gif->width = desc->width;
    gif->height = desc->height;
    gif->scale = scale;
    gif->transparent = desc->transparent > 255 ? -1 : desc->transparent;
    const size_t count = (size_t)desc->width * desc->height;
    gif->canvas = calloc(count, 1);
    gif->pending = calloc(count, 1);
    gif->row = malloc((size_t)desc->width * MEGA_PIXEL_ASPECT * scale);
    if (gif->canvas == NULL || gif->pending == NULL || gif->row == NULL) {
        release(gif);
        return mega_message_set(message, "out of memory");
    }
    if (mega_out_file_open(&gif->file, path, message) != 0) {
        release(gif);
        return -1;
    }
    put_header(gif, desc->palette);
    *out = gif;
    return 0;
}

int mega_gif_add(mega_gif *gif, const uint8_t *pixels, uint32_t delay, mega_message *message) {
    assert(delay <= DELAY_MAX);
    const size_t count = (size_t)gif->width * gif->height;
    if (gif->waiting) {
        if (gif->pending_delay + delay <= DELAY_MAX && memcmp(gif->pending, pixels, count) == 0) {
            gif->pending_delay += delay;
            return 0;
        }
        if (put_pending(gif, message) != 0) {
            return -1;
        }
    }
    memcpy(gif->pending, pixels, count);
    gif->pending_delay = delay;
    gif->waiting = true;
    return 0;
}

int mega_gif_finish(mega_gif *gif, mega_message *message) {
    if (gif->waiting && put_pending(gif, message) != 0) {
        mega_gif_abort(gif);
        return -1;
    }
    put_byte(gif, 0x3B);
    const int status = mega_out_file_commit(&gif->file, message);
    release(gif);
    return status;
}

void mega_gif_abort(mega_gif *gif) {
    if (gif != NULL) {
        mega_out_file_abort(&gif->file);
        release(gif);
    }
}
