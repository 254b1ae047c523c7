// mega_parking.h - the last two pictures of a console in little memory. Shared source.
//
// A mega_video is large, and most of it is scratch: between two requests only the last two pictures can still be
// seen, or show through a ragged frame. A picture whose log is there is parked as the log, which is a few KiB;
// another one as its pixels. So many consoles can share one mega_video, and a state can be stored with its
// pictures. Shades are not parked: picture_look_shaded() makes them anew.
#ifndef MEGA_PARKING_H
#define MEGA_PARKING_H
#include "mega_picture.h"

typedef struct mega_parked_picture {
    uint32_t is_log;
    uint32_t size;  // bytes of pixels or records
    mega_tia start; // this and the rest as in the log, if it is one
    uint32_t base_cycle;
    int32_t end_clock;
} mega_parked_picture;

// The contents follow each other in a store of the caller's, the present picture first.
typedef struct mega_parked {
    mega_parked_picture picture[2]; // the present one, the one before
} mega_parked;

// A store of this size holds any two pictures.
MEGA_FN uint32_t parking_capacity(const mega_cartridge *cartridge) {
    const uint32_t pixels = MEGA_WIDTH * (uint32_t)cartridge->height, records = 4u * MEGA_LOG_RECORDS;
    return 2u * (pixels > records ? pixels : records);
}

// The log from which the picture can be drawn, or NULL.
MEGA_FN const mega_log *parking_log(const mega_video *video, uint32_t picture) {
    for (uint32_t i = 0; i < 3; i++) {
        if (video->log[i].state != MEGA_SLOT_EMPTY && video->log[i].picture == picture) {
            return &video->log[i];
        }
    }
    return NULL;
}

// Returns 1, or 0 if the store is too small.
MEGA_FN uint32_t video_park(const mega_machine *m, mega_parked *parked, uint8_t *store, uint32_t capacity) {
    const mega_video *video = m->video;
    for (uint32_t ago = 0; ago < 2; ago++) {
        const uint32_t picture = video->current ^ ago;
        const mega_log *log = parking_log(video, picture);
        mega_parked_picture *to = &parked->picture[ago];
        to->is_log = log != NULL;
        to->size = log != NULL ? 4u * log->count : MEGA_WIDTH * (uint32_t)m->cartridge->height;
        if (to->size > capacity) {
            return 0;
        }
        if (log != NULL) {
            to->start = log->start;
            to->base_cycle = log->base_cycle;
            to->end_clock = log->end_clock;
            MEGA_COPY(store, log->record, to->size);
        } else {
            MEGA_COPY(store, video->picture[picture], to->size);
        }
        store += to->size;
        capacity -= to->size;
    }
    return 1;
}

// Puts parked pictures into any mega_video; what it held is forgotten.
MEGA_FN void video_unpark(const mega_machine *m, const mega_parked *parked, const uint8_t *store) {
    mega_video *video = m->video;
    for (uint32_t i = 0; i < 3; i++) {
        video->log[i].state = MEGA_SLOT_EMPTY;
        video->log[i].shaded = 0;
    }
    for (uint32_t ago = 0; ago < 2; ago++) {
        const mega_parked_picture *from = &parked->picture[ago];
        const uint32_t picture = video->current ^ ago;
        if (from->is_log) {
            mega_log *log = &video->log[(video->slot + 3u - ago) % 3u];
            log->start = from->start;
            log->base_cycle = from->base_cycle;
            log->count = log->replayed = from->size / 4u;
            log->end_clock = from->end_clock;
            log->state = MEGA_SLOT_PENDING;
            log->lined = 0;
            log->picture = (uint8_t)picture;
            MEGA_COPY(log->record, store, from->size);
        } else if (from->size != 0) { // 0: nothing was ever parked
            MEGA_COPY(video->picture[picture], store, from->size);
        }
        store += from->size;
    }
}

#endif
