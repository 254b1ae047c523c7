// png.c - see mega_png.h. libpng reports errors through longjmp, which never leaves this file.
#include "mega_png.h"

#include "out_file.h"

#include <png.h>
#include <setjmp.h>

static void on_error(png_structp png, png_const_charp text) {
    (void)mega_message_set(png_get_error_ptr(png), "libpng: %s", text);
    png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp text) {
    (void)png;
    (void)text;
}

// A short write is remembered by the stream and reported with its cause by mega_out_file_commit.
static void on_write(png_structp png, png_bytep bytes, size_t size) {
    (void)fwrite(bytes, 1, size, png_get_io_ptr(png));
}

static void on_flush(png_structp png) {
    (void)png;
}

// Everything between setjmp and longjmp; the locals are not changed after setjmp.
static int encode(FILE *stream, const uint8_t *rgb, uint32_t width, uint32_t height, mega_message *message) {
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, message, on_error, on_warning);
    png_infop info = png != NULL ? png_create_info_struct(png) : NULL;
    if (info == NULL) {
        png_destroy_write_struct(&png, NULL);
        return mega_message_set(message, "libpng could not be set up: out of memory or another version");
    }
    if (setjmp(png_jmpbuf(png)) != 0) {
        png_destroy_write_struct(&png, &info);
        return -1;
    }
    png_set_write_fn(png, stream, on_write, on_flush);
    png_set_IHDR(png, info, width, height, 8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png, info);
    for (uint32_t y = 0; y < height; y++) {
        png_write_row(png, rgb + (size_t)y * width * 3);
    }
    png_write_end(png, info);
    png_destroy_write_struct(&png, &info);
    return 0;
}

int mega_png_write(const char *path, const uint8_t *rgb, uint32_t width, uint32_t height,
                   mega_message *message) {
    mega_out_file file;
    if (mega_out_file_open(&file, path, message) != 0) {
        return -1;
    }
    if (encode(file.stream, rgb, width, height, message) != 0) {
        mega_out_file_abort(&file);
        return -1;
    }
    return mega_out_file_commit(&file, message);
}
