// gif.h - animated GIF89a files from screens of palette indices.
//
// Frames are streamed: only the rectangle that changed is stored, and a frame equal to the one before only
// lengthens its delay. The animation repeats forever. Pixels are stretched as pixels.h says.
//
//     mega_gif *gif;
//     if (mega_gif_create(&desc, "out.gif", &gif, &message)) ...
//     mega_gif_add(gif, pixels, 3, &message);   // for each frame
//     mega_gif_finish(gif, &message);           // or mega_gif_abort(gif)
#ifndef GIF_H
#define GIF_H
#include "message.h"

#include <stdint.h>

typedef struct mega_gif mega_gif;

typedef struct mega_gif_desc {
    uint32_t width; // of the frames, before stretching
    uint32_t height;
    uint32_t scale;         // 1 to MEGA_SCALE_MAX; 0 means 1
    const uint8_t *palette; // 256 entries of R, G, B; copied
    int32_t transparent;    // an index that no frame uses, or -1. With it unchanged pixels inside the changed
                            // rectangle compress well. A frame that uses it all the same is stored without.
} mega_gif_desc;

int mega_gif_create(const mega_gif_desc *desc, const char *path, mega_gif **out, mega_message *message);
// Adds a frame of width * height palette indices that is shown for `delay` hundredths of a second (at most
// 65535). After a failure only abort is allowed.
int mega_gif_add(mega_gif *gif, const uint8_t *pixels, uint32_t delay, mega_message *message);
// Completes the file and frees the writer, also on failure, in which case no file is left behind.
int mega_gif_finish(mega_gif *gif, mega_message *message);
// Frees the writer and removes the file. NULL is allowed.
void mega_gif_abort(mega_gif *gif);

#endif
