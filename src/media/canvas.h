// canvas.h - a picture in memory, and what plots are drawn with: rectangles, text, soft lines.
#ifndef CANVAS_H
#define CANVAS_H

#include <stdbool.h>
#include <stdint.h>

enum {
    MEGA_GLYPH_WIDTH = 5, // of a character at scale 1; letters such as g reach two rows further down
    MEGA_GLYPH_HEIGHT = 7,
    MEGA_GLYPH_STEP = 6 // from one character to the next
};

typedef struct mega_canvas {
    uint8_t *rgb; // height rows of width pixels
    int32_t width;
    int32_t height;
} mega_canvas;

// What of a picture may be drawn on: columns left to right - 1, rows top to bottom - 1.
typedef struct mega_area {
    int32_t left, top, right, bottom;
} mega_area;

// All of these draw only what lies in the picture. Colours are 0xRRGGBB.
void mega_canvas_fill(mega_canvas *canvas, mega_area area, uint32_t color);
// Mixes `coverage` (0 to 1) of a colour into a pixel.
void mega_canvas_blend(mega_canvas *canvas, int32_t x, int32_t y, uint32_t color, float coverage);
// Pixels that a text is long.
int32_t mega_text_width(const char *text, int32_t scale);
// Draws a text of printable ASCII; any other byte is a box. (x, y) is the top left corner; with `upwards` the text is
// turned to the left, and that is its bottom left corner.
void mega_canvas_text(mega_canvas *canvas, int32_t x, int32_t y, const char *text, int32_t scale,
                      uint32_t color, bool upwards);
// Adds a line of a width with soft edges and round ends to a mask of the canvas's size; what is there stays if it is
// more. A mask lets the parts of one curve join without seams.
void mega_mask_line(float *mask, const mega_canvas *canvas, double x1, double y1, double x2, double y2,
                    double width);
// Draws the pixels of the mask that lie in the area.
void mega_canvas_mask(mega_canvas *canvas, const float *mask, mega_area area, uint32_t color);

#endif
