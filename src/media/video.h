// video.h - MP4 files through the program ffmpeg, which gets raw RGB frames on its standard input.
//
// ffmpeg is looked for on PATH at run time and is not needed otherwise. One thread per video.
#ifndef VIDEO_H
#define VIDEO_H
#include "message.h"

#include <stdint.h>

typedef struct mega_video mega_video;

typedef struct mega_video_desc {
    uint32_t width; // of the frames in pixels; odd sides get one black row or column more
    uint32_t height;
    uint32_t rate;      // frames per `rate_base` seconds: 30 and 1 are 30 per second
    uint32_t rate_base; // 0 means 1
} mega_video_desc;

int mega_video_create(const mega_video_desc *desc, const char *path, mega_video **out, mega_message *message);
// Adds a frame of width * height * 3 bytes. After a failure only abort is allowed.
int mega_video_add(mega_video *video, const uint8_t *rgb, mega_message *message);
// Waits for ffmpeg to complete the file and frees the writer, also on failure, when no file is left behind.
int mega_video_finish(mega_video *video, mega_message *message);
// Stops ffmpeg, frees the writer and removes the file. NULL is allowed.
void mega_video_abort(mega_video *video);

#endif
