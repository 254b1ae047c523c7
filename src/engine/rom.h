// rom.h - cartridge images in memory. Host code.
#ifndef ROM_H
#define ROM_H
#include "md5.h"
#include "mega_cartridge.h"
#include "megacade.h"

#define MEGA_ROM_SIZE_MAX (512u * 1024u)
#define MEGA_ROM_NAME_SIZE 256
#define MEGA_ROM_PATH_SIZE 4096

// `info` points into the rest of the struct, so a rom is never copied by assignment. Read-only once made: any
// number of environments and threads may share it.
struct mega_rom {
    uint8_t *bytes; // the image, decompressed
    size_t size;
    mega_cartridge cartridge;
    mega_rom_info info;
    char name[MEGA_ROM_NAME_SIZE];
    char path[MEGA_ROM_PATH_SIZE];
    char md5[MEGA_MD5_TEXT_SIZE];
};

// The content of a file, decompressed if it was a gzip file.
typedef struct mega_image {
    uint8_t *bytes;
    size_t size;
    char md5[MEGA_MD5_TEXT_SIZE];
} mega_image;

// Reads 1 to MEGA_ROM_SIZE_MAX bytes. On failure *out is zero.
mega_status mega_image_read(const char *path, mega_image *out);
void mega_image_release(mega_image *image);

// Makes a rom of an image read from `path`. Takes the image's bytes, also on failure.
mega_status mega_rom_from_image(mega_image *image, const char *path, mega_rom **out);

#endif
