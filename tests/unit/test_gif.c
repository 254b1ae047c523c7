// test_gif.c - what the GIF writer stores is what a reader shows. The reader here is made from the format's
// description and shares no code with the writer.
#include "gif.h"
#include "mega_test.h"
#include "mega_test_files.h"
#include "pixels.h"

enum {
    WIDTH = 160,
    HEIGHT = 50,
    COUNT = WIDTH * HEIGHT,
    FRAMES_MAX = 64,
    FILE_MAX = 4 << 20
};

typedef struct reader {
    uint8_t bytes[FILE_MAX];
    size_t size;
    size_t at;
    uint32_t width, height;
    uint8_t *canvas;          // width * height indices
    uint8_t packed[FILE_MAX]; // compressed bytes of one picture
    size_t packed_size;
    uint32_t transparent; // 256 for none
    uint32_t delay;
    uint32_t frame_count;
    uint32_t delays[FRAMES_MAX];
    uint8_t *frames[FRAMES_MAX]; // the canvas after each frame
    uint64_t picture_pixels;     // stored in all pictures together
    int failed;
} reader;

static reader file;
static uint8_t palette[768];

// ---- reading -----------------------------------------------------------------------------------------

static uint32_t get(void) {
    if (file.at >= file.size) {
        file.failed = 1;
        return 0;
    }
    return file.bytes[file.at++];
}

static uint32_t get_word(void) {
    const uint32_t low = get();
    return low | get() << 8;
}

static void get_blocks(void) {
    file.packed_size = 0;
    for (uint32_t count = get(); count != 0 && !file.failed; count = get()) {
        for (uint32_t i = 0; i < count; i++) {
            file.packed[file.packed_size++] = (uint8_t)get();
        }
    }
}

// Decodes `file.packed` into `count` indices; fails unless there are exactly so many.
static void decode(uint8_t *out, size_t count, uint32_t literal_bits) {
    static uint32_t prefix[4096];
    static uint8_t last[4096];
    uint8_t stack[4096];
    const uint32_t clear = 1u << literal_bits;
    uint32_t width = literal_bits + 1, next = clear + 2, bits = 0, bit_count = 0, previous = clear;
    size_t written = 0;
    for (size_t at = 0;;) {
        while (bit_count < width && at < file.packed_size) {
            bits |= (uint32_t)file.packed[at++] << bit_count;
            bit_count += 8;
        }
        if (bit_count < width) {
            file.failed = 1;
            return;
        }
        const uint32_t code = bits & ((1u << width) - 1u);
        bits >>= width;
        bit_count -= width;
        if (code == clear) {
            width = literal_bits + 1;
            next = clear + 2;
            previous = clear;
            continue;
        }
        if (code == clear + 1) {
            file.failed |= written != count || at != file.packed_size;
            return;
        }
        if (code > next || (code == next && previous == clear)) {
            file.failed = 1;
            return;
        }
        size_t depth = 0;
        uint32_t c = code == next ? previous : code;
        for (; c > clear; c = prefix[c]) {
            stack[depth++] = last[c];
        }
        const uint8_t first = (uint8_t)c;
        stack[depth++] = first;
        if (written + depth + (code == next) > count) {
            file.failed = 1;
            return;
        }
        while (depth > 0) {
            out[written++] = stack[--depth];
        }
        if (code == next) {
            out[written++] = first;
        }
        if (previous != clear && next < 4096) {
            prefix[next] = previous;
            last[next++] = first;
            width += next == 1u << width && width < 12;
        }
        previous = code;
    }
}

static void read_picture(void) {
    const uint32_t left = get_word(), top = get_word(), width = get_word(), height = get_word();
    MEGA_CHECK_EQ(get(), 0);
    const uint32_t literal_bits = get();
    const size_t count = (size_t)width * height;
    get_blocks();
    if (left + width > file.width || top + height > file.height || file.frame_count == FRAMES_MAX) {
        file.failed = 1;
        return;
    }
    uint8_t *pixels = calloc(count, 1);
    decode(pixels, count, literal_bits);
    for (size_t i = 0; i < count; i++) {
        if (pixels[i] != file.transparent) {
            file.canvas[(top + i / width) * file.width + left + i % width] = pixels[i];
        }
    }
    free(pixels);
    file.picture_pixels += count;
    const size_t size = (size_t)file.width * file.height;
    file.frames[file.frame_count] = malloc(size);
    memcpy(file.frames[file.frame_count], file.canvas, size);
    file.delays[file.frame_count++] = file.delay;
}

static void read_extension(void) {
    if (get() == 0xF9) {
        MEGA_CHECK_EQ(get(), 4);
        const uint32_t flags = get();
        MEGA_CHECK_EQ(flags >> 2, 1); // the picture stays
        file.delay = get_word();
        const uint32_t index = get();
        file.transparent = flags & 1 ? index : 256;
        MEGA_CHECK_EQ(get(), 0);
    } else {
        get_blocks();
    }
}

static void read_gif(const char *path) {
    FILE *stream = fopen(path, "rb");
    memset(&file, 0, sizeof file);
    MEGA_CHECK(stream != NULL);
    if (stream == NULL) {
        return;
    }
    file.size = fread(file.bytes, 1, sizeof file.bytes, stream);
    fclose(stream);
    MEGA_CHECK_BYTES(file.bytes, "GIF89a", 6);
    file.at = 6;
    file.width = get_word();
    file.height = get_word();
    MEGA_CHECK_EQ(get(), 0xF7);
    file.at += 2;
    MEGA_CHECK_BYTES(file.bytes + file.at, palette, sizeof palette);
    file.at += sizeof palette;
    file.canvas = calloc((size_t)file.width * file.height, 1);
    for (uint32_t kind = get(); kind != 0x3B && !file.failed; kind = get()) {
        if (kind == 0x21) {
            read_extension();
        } else if (kind == 0x2C) {
            read_picture();
        } else {
            file.failed = 1;
        }
    }
    MEGA_CHECK(!file.failed);
    MEGA_CHECK_EQ(file.at, file.size);
}

static void forget_gif(void) {
    for (uint32_t i = 0; i < file.frame_count; i++) {
        free(file.frames[i]);
    }
    free(file.canvas);
}

// ---- tests -------------------------------------------------------------------------------------------

static uint64_t random_state = 1;

static uint32_t random_byte(void) {
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(random_state >> 56);
}

static void check_frame(uint32_t index, const uint8_t *pixels, uint32_t scale) {
    const uint32_t factor = MEGA_PIXEL_ASPECT * scale;
    int same = index < file.frame_count;
    for (size_t i = 0; same && i < (size_t)file.width * file.height; i++) {
        const size_t x = i % file.width / factor, y = i / file.width / scale;
        same = file.frames[index][i] == pixels[y * WIDTH + x];
    }
    MEGA_CHECK(same);
}

static mega_gif *create(const char *path, uint32_t scale, int32_t transparent) {
    const mega_gif_desc desc = {WIDTH, HEIGHT, scale, palette, transparent};
    mega_message message;
    mega_gif *gif = NULL;
    MEGA_CHECK_EQ(mega_gif_create(&desc, path, &gif, &message), 0);
    return gif;
}

// Noise fills the dictionary many times; small changes use rectangles; a frame with the transparent index
// must survive too.
static void test_frames(uint32_t scale, int32_t transparent) {
    static uint8_t frames[8][COUNT];
    const char *path = mega_test_path("frames.gif");
    mega_gif *gif = create(path, scale, transparent);
    mega_message message;
    for (uint32_t f = 0; f < 8; f++) {
        if (f > 0) {
            memcpy(frames[f], frames[f - 1], COUNT);
        }
        for (uint32_t i = 0; i < COUNT; i++) {
            if (f == 1) {
                frames[f][i] = (uint8_t)(random_byte() & 0xFE);
            } else if (f == 5) {
                frames[f][i] = (uint8_t)random_byte();
            }
        }
        for (uint32_t y = 10 + f; y < 14 + f; y++) {
            memset(frames[f] + y * WIDTH + 20 * f, (int)(2 * f), 7);
        }
        MEGA_CHECK_EQ(mega_gif_add(gif, frames[f], 3 + f, &message), 0);
    }
    MEGA_CHECK_EQ(mega_gif_finish(gif, &message), 0);
    read_gif(path);
    MEGA_CHECK_EQ(file.width, WIDTH * 2 * scale);
    MEGA_CHECK_EQ(file.height, HEIGHT * scale);
    MEGA_CHECK_EQ(file.frame_count, 8);
    for (uint32_t f = 0; f < 8; f++) {
        check_frame(f, frames[f], scale);
        MEGA_CHECK_EQ(file.delays[f], 3 + f);
    }
    forget_gif();
}

// Every length of a run of one colour: the last code of a picture may be the one that widens the codes.
static void test_sizes(void) {
    static uint8_t pixels[COUNT];
    const char *path = mega_test_path("size.gif");
    for (uint32_t width = 1; width < 160; width++) {
        const mega_gif_desc desc = {width, 7, 1, palette, -1};
        mega_message message;
        mega_gif *gif = NULL;
        for (uint32_t i = 0; i < COUNT; i++) {
            pixels[i] = width % 3 == 0 ? 0 : (uint8_t)random_byte();
        }
        MEGA_CHECK_EQ(mega_gif_create(&desc, path, &gif, &message), 0);
        MEGA_CHECK_EQ(mega_gif_add(gif, pixels, 1, &message), 0);
        MEGA_CHECK_EQ(mega_gif_finish(gif, &message), 0);
        read_gif(path);
        int same = file.frame_count == 1;
        for (uint32_t i = 0; same && i < 2 * width * 7; i++) {
            same = file.frames[0][i] == pixels[i / 2];
        }
        MEGA_CHECK(same);
        forget_gif();
    }
}

static void test_equal_frames_are_merged(void) {
    static uint8_t pixels[COUNT];
    const char *path = mega_test_path("still.gif");
    mega_gif *gif = create(path, 1, 1);
    mega_message message;
    for (int i = 0; i < 20; i++) {
        MEGA_CHECK_EQ(mega_gif_add(gif, pixels, 60000 / 10, &message), 0);
    }
    pixels[5 * WIDTH + 9] = 2;
    MEGA_CHECK_EQ(mega_gif_add(gif, pixels, 7, &message), 0);
    MEGA_CHECK_EQ(mega_gif_finish(gif, &message), 0);
    read_gif(path);
    MEGA_CHECK_EQ(file.frame_count, 3);
    MEGA_CHECK_EQ(file.delays[0], 60000); // a delay has 16 bits
    MEGA_CHECK_EQ(file.delays[1], 60000);
    MEGA_CHECK_EQ(file.delays[2], 7);
    MEGA_CHECK_EQ(file.picture_pixels, 2 * COUNT + 2 + 2); // all, one pixel, one pixel
    check_frame(2, pixels, 1);
    forget_gif();
}

static void test_errors(void) {
    static uint8_t pixels[COUNT];
    const mega_gif_desc large = {40000, 10, 1, palette, -1};
    const mega_gif_desc good = {WIDTH, HEIGHT, 1, palette, -1};
    mega_message message = {""};
    mega_gif *gif = NULL;
    MEGA_CHECK_EQ(mega_gif_create(&large, mega_test_path("large.gif"), &gif, &message), -1);
    MEGA_CHECK(gif == NULL && message.text[0] != '\0');
    MEGA_CHECK_EQ(mega_gif_create(&good, mega_test_path("none/no.gif"), &gif, &message), -1);
    MEGA_CHECK(strstr(message.text, "No such file") != NULL);
    MEGA_CHECK_EQ(mega_gif_create(&good, mega_test_folder, &gif, &message), -1);
    MEGA_CHECK(strstr(message.text, "is a folder") != NULL);

    // An aborted file leaves an older one of its name alone, and nothing else behind.
    const char *path = mega_test_write("old.gif", "old", 3);
    gif = create(path, 1, -1);
    MEGA_CHECK_EQ(mega_gif_add(gif, pixels, 1, &message), 0);
    mega_gif_abort(gif);
    MEGA_CHECK(access(mega_test_path("old.gif.part"), F_OK) != 0);
    FILE *stream = fopen(path, "rb");
    char old[8] = "";
    MEGA_CHECK(stream != NULL && fread(old, 1, sizeof old, stream) == 3 && memcmp(old, "old", 3) == 0);
    fclose(stream);
}

static void test_full_disk(void) {
    static uint8_t pixels[COUNT];
    if (access("/dev/full", W_OK) != 0) {
        fputs("no /dev/full here: a full disk is not tested\n", stderr);
        return;
    }
    mega_message message = {""};
    mega_gif *gif = create("/dev/full", 4, -1);
    int failed = 0;
    for (int i = 0; i < 50 && !failed; i++) {
        for (uint32_t k = 0; k < COUNT; k++) {
            pixels[k] = (uint8_t)random_byte();
        }
        failed = mega_gif_add(gif, pixels, 1, &message);
    }
    MEGA_CHECK(failed && strstr(message.text, "No space left") != NULL);
    mega_gif_abort(gif);
    MEGA_CHECK(access("/dev/full", W_OK) == 0);
}

int main(void) {
    for (uint32_t i = 0; i < sizeof palette; i++) {
        palette[i] = (uint8_t)(i * 7);
    }
    test_frames(1, -1);
    test_frames(1, 1);
    test_frames(3, 1);
    test_sizes();
    test_equal_frames_are_merged();
    test_errors();
    test_full_disk();
    mega_test_remove_files();
    return mega_test_result();
}
