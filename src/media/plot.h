// plot.h - draws lines over numbers, such as a learning curve, into a PNG file.
#ifndef PLOT_H
#define PLOT_H
#include "message.h"

#include <stddef.h>
#include <stdint.h>

enum {
    MEGA_PLOT_WIDTH = 640,
    MEGA_PLOT_HEIGHT = 400,
    MEGA_PLOT_SIDE_MIN = 160, // of either side
    MEGA_PLOT_SIDE_MAX = 8192,
    MEGA_PLOT_BLUE = 0x1F77B4, // colours that go together
    MEGA_PLOT_ORANGE = 0xE8710A,
    MEGA_PLOT_GREEN = 0x2E9E44,
    MEGA_PLOT_RED = 0xC9302C,
    MEGA_PLOT_PALE_BLUE = 0xB3CFE5, // for what is behind: single episodes under their mean
    MEGA_PLOT_GREY = 0x8A8A8A
};

typedef struct mega_plot_line {
    const double *x;
    const double *y; // points that are not finite interrupt the line
    size_t count;
    uint32_t color;    // 0xRRGGBB
    const char *label; // for the legend; may be NULL
} mega_plot_line;

typedef struct mega_plot {
    const char *title; // ASCII, as all texts; other bytes are drawn as boxes. Any text may be NULL.
    const char *x_label;
    const char *y_label;
    const mega_plot_line *lines; // later ones are drawn over earlier ones
    uint32_t line_count;
    const double *target; // a dashed horizontal line, or NULL
    const char *target_label;
    uint32_t width; // of the picture; 0 means the constants above
    uint32_t height;
} mega_plot;

int mega_plot_write(const mega_plot *plot, const char *path, mega_message *message);
// The same into memory: height rows of width pixels of R, G, B. NULL when out of memory; freed by the caller.
uint8_t *mega_plot_draw(const mega_plot *plot, mega_message *message);

#endif
