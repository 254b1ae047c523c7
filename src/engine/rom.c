// rom.c - reads cartridge images from files and memory, and finds out what they are.
//
// Every message names the file, or the name that was given with bytes from memory.
#include "rom.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "builtin_rom.h"
#include "cartridge.h"
#include "catalogue.h"
#include "status.h"

// A gzip file of the largest image may be a little larger than the image itself.
#define FILE_SIZE_MAX (MEGA_ROM_SIZE_MAX + 64u * 1024u)

// ---- files -------------------------------------------------------------------------------------------

static mega_status fail_too_large(const char *label) {
    return mega_fail(
        MEGA_ERROR_ROM,
        "ROM '%s' has more than %u bytes, the largest cartridge there is; is it another kind of file?", label,
        MEGA_ROM_SIZE_MAX);
}

static mega_status fail_file(const char *path, int error) {
    char reason[128];
    if (error == ENOENT) {
        return mega_fail(MEGA_ERROR_FILE,
                         "ROM '%s' does not exist; check the path, or name a game to search for its ROM",
                         path);
    }
    if (strerror_r(error, reason, sizeof reason) != 0) {
        snprintf(reason, sizeof reason, "error %d", error);
    }
    return mega_fail(MEGA_ERROR_FILE, "cannot read ROM '%s': %s", path, reason);
}

// Reads an open file up to its end, or to `limit` bytes. Returns an errno value.
static int read_all(int file, uint8_t *bytes, size_t limit, size_t *size) {
    *size = 0;
    while (*size < limit) {
        const ssize_t count = read(file, bytes + *size, limit - *size);
        if (count == 0) {
            break;
        }
        if (count > 0) {
            *size += (size_t)count;
        } else if (errno != EINTR) {
            return errno;
        }
    }
    return 0;
}

static mega_status read_file(const char *path, uint8_t *bytes, size_t limit, size_t *size) {
    struct stat status;
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return fail_file(path, errno);
    }
    if (fstat(file, &status) == 0 && S_ISDIR(status.st_mode)) {
        close(file);
        return mega_fail(
            MEGA_ERROR_FILE,
            "'%s' is a folder, not a ROM; name a file in it, or put it into $MEGACADE_ROMS and name a game",
            path);
    }
    const int error = read_all(file, bytes, limit, size);
    close(file);
    return error != 0 ? fail_file(path, error) : MEGA_OK;
}

// ---- images ------------------------------------------------------------------------------------------

static int is_gzip(const uint8_t *bytes, size_t size) {
    return size >= 3 && bytes[0] == 0x1F && bytes[1] == 0x8B && bytes[2] == 8;
}

// Inflates all members of a gzip file; what follows the last is ignored, as gzip does.
static mega_status inflate_members(const char *label, const uint8_t *packed, size_t packed_size,
                                   uint8_t *bytes, size_t limit, size_t *size) {
    z_stream stream = {0};
    if (inflateInit2(&stream, 16 + MAX_WBITS) != Z_OK) {
        return mega_fail_memory(limit);
    }
    stream.next_in = (z_const Bytef *)packed;
    stream.avail_in = (uInt)packed_size;
    stream.next_out = bytes;
    stream.avail_out = (uInt)limit;
    int result;
    do {
        result = inflate(&stream, Z_NO_FLUSH);
    } while (result == Z_OK || (result == Z_STREAM_END && is_gzip(stream.next_in, stream.avail_in) &&
                                inflateReset(&stream) == Z_OK));
    *size = limit - stream.avail_out;
    const int full = stream.avail_out == 0;
    inflateEnd(&stream);
    if (result == Z_STREAM_END || full) {
        return MEGA_OK; // the caller rejects an image that fills the buffer
    }
    return mega_fail(MEGA_ERROR_ROM, "ROM '%s' is a gzip file that is %s; copy it again", label,
                     result == Z_BUF_ERROR ? "cut short" : "damaged");
}

// Makes an image of a file's content, which stays the caller's.
static mega_status unpack(const char *label, const uint8_t *data, size_t data_size, mega_image *image) {
    const size_t limit = MEGA_ROM_SIZE_MAX + 1;
    uint8_t *bytes = malloc(limit);
    size_t size = data_size < limit ? data_size : limit;
    mega_status status = MEGA_OK;
    if (bytes == NULL) {
        return mega_fail_memory(limit);
    }
    if (is_gzip(data, data_size)) {
        status = inflate_members(label, data, data_size, bytes, limit, &size);
    } else if (size > 0) {
        memcpy(bytes, data, size);
    }
    if (status == MEGA_OK && size == 0) {
        status = mega_fail(MEGA_ERROR_ROM, "ROM '%s' is empty; copy it again", label);
    }
    if (status == MEGA_OK && size > MEGA_ROM_SIZE_MAX) {
        status = fail_too_large(label);
    }
    if (status != MEGA_OK) {
        free(bytes);
        return status;
    }
    uint8_t *shrunk = realloc(bytes, size);
    image->bytes = shrunk != NULL ? shrunk : bytes;
    image->size = size;
    mega_md5(image->bytes, size, image->md5);
    return MEGA_OK;
}

mega_status mega_image_read(const char *path, mega_image *out) {
    memset(out, 0, sizeof *out);
    const size_t limit = FILE_SIZE_MAX + 1;
    uint8_t *data = malloc(limit);
    size_t size = 0;
    if (data == NULL) {
        return mega_fail_memory(limit);
    }
    mega_status status = read_file(path, data, limit, &size);
    if (status == MEGA_OK && size > FILE_SIZE_MAX) {
        status = fail_too_large(path);
    }
    if (status == MEGA_OK) {
        status = unpack(path, data, size, out);
    }
    free(data);
    return status;
}

void mega_image_release(mega_image *image) {
    free(image->bytes);
    memset(image, 0, sizeof *image);
}

// ---- roms --------------------------------------------------------------------------------------------

// Cuts an extension off, if it is `extension` or that is NULL.
static void cut_extension(char *name, const char *extension) {
    char *dot = strrchr(name, '.');
    if (dot != NULL && dot != name && (extension == NULL || strcasecmp(dot, extension) == 0)) {
        *dot = '\0';
    }
}

// "some/where/Pong.bin.gz" becomes "Pong".
static void copy_stem(char *stem, size_t size, const char *path) {
    const char *slash = strrchr(path, '/');
    snprintf(stem, size, "%s", slash != NULL ? slash + 1 : path);
    cut_extension(stem, ".gz");
    cut_extension(stem, NULL);
}

// Which game's rules and which name an image gets: by its content, else by its file's name.
static void name_rom(mega_rom *rom, const char *stem) {
    const mega_cart_facts *cart = mega_catalogue_find_cart(rom->md5);
    char lower[MEGA_ROM_NAME_SIZE];
    snprintf(rom->name, sizeof rom->name, "%s", stem[0] != '\0' ? stem : "unnamed");
    snprintf(lower, sizeof lower, "%s", rom->name);
    for (char *c = lower; *c != '\0'; c++) {
        *c = (char)tolower((unsigned char)*c);
    }
    int32_t game = mega_catalogue_find_md5(rom->md5);
    if (game < 0) {
        game = mega_catalogue_find_name(lower);
    }
    if (game >= 0) {
        snprintf(rom->name, sizeof rom->name, "%s", mega_catalogue_game(game)->name);
    } else if (cart != NULL) {
        copy_stem(rom->name, sizeof rom->name, cart->file);
    }
    rom->info.game = game;
}

static void fill_info(mega_rom *rom) {
    const mega_cartridge *cartridge = &rom->cartridge;
    rom->info.name = rom->name;
    rom->info.path = rom->path;
    rom->info.md5 = rom->md5;
    rom->info.scheme = mega_scheme_name(cartridge->scheme);
    rom->info.format = cartridge->pal ? "PAL" : "NTSC";
    rom->info.size = rom->size;
    rom->info.screen_height = cartridge->height;
    rom->info.paddles = cartridge->left_paddles || cartridge->right_paddles;
}

// Takes the image's bytes, also on failure. `label` is what messages call the image.
static mega_status make_rom(mega_image *image, const char *label, const char *path, const char *stem,
                            mega_rom **out) {
    mega_rom *rom = calloc(1, sizeof *rom);
    if (rom == NULL) {
        mega_image_release(image);
        return mega_fail_memory(sizeof *rom);
    }
    rom->bytes = image->bytes;
    rom->size = image->size;
    memcpy(rom->md5, image->md5, sizeof rom->md5);
    memset(image, 0, sizeof *image);
    const mega_status status = mega_cartridge_identify(rom->bytes, rom->size, rom->md5, &rom->cartridge);
    if (status != MEGA_OK) {
        mega_rom_destroy(rom);
        return mega_fail(status, "ROM '%s': %s", label, mega_last_error());
    }
    snprintf(rom->path, sizeof rom->path, "%s", path);
    name_rom(rom, stem);
    fill_info(rom);
    *out = rom;
    return MEGA_OK;
}

mega_status mega_rom_from_image(mega_image *image, const char *path, mega_rom **out) {
    char stem[MEGA_ROM_NAME_SIZE];
    copy_stem(stem, sizeof stem, path);
    return make_rom(image, path, path, stem, out);
}

mega_status mega_rom_load(const char *path, mega_rom **out) {
    mega_image image;
    if (out == NULL) {
        return mega_fail(MEGA_ERROR_ARGUMENT, "mega_rom_load: out is NULL");
    }
    *out = NULL;
    if (path == NULL) {
        return mega_fail(MEGA_ERROR_ARGUMENT, "mega_rom_load: path is NULL");
    }
    MEGA_TRY(mega_image_read(path, &image));
    return mega_rom_from_image(&image, path, out);
}

mega_status mega_rom_from_memory(const void *bytes, size_t size, const char *name, mega_rom **out) {
    const char *label = name != NULL ? name : "unnamed";
    mega_image image;
    if (out == NULL) {
        return mega_fail(MEGA_ERROR_ARGUMENT, "mega_rom_from_memory: out is NULL");
    }
    *out = NULL;
    if (bytes == NULL && size > 0) {
        return mega_fail(MEGA_ERROR_ARGUMENT, "mega_rom_from_memory: bytes is NULL");
    }
    if (size > FILE_SIZE_MAX) {
        return fail_too_large(label);
    }
    MEGA_TRY(unpack(label, bytes, size, &image));
    return make_rom(&image, label, "", label, out);
}

mega_status mega_rom_builtin(mega_rom **out) {
    return mega_rom_from_memory(mega_builtin_rom, mega_builtin_rom_size, NULL, out);
}

const mega_rom_info *mega_rom_get_info(const mega_rom *rom) {
    return &rom->info;
}

const void *mega_rom_get_bytes(const mega_rom *rom) {
    return rom->bytes;
}

void mega_rom_destroy(mega_rom *rom) {
    if (rom != NULL) {
        free(rom->bytes);
        free(rom);
    }
}
