// plot.c - see plot.h. From top to bottom: title, legend, the plot with its axes, numbers, the label of x. What is
// not given takes no room.
#include "plot.h"

#include "canvas.h"
#include "mega_png.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    TICKS_MAX = 64,
    TEXT_SIZE = 32
};

// Colours
#define PAPER 0xFFFFFFu
#define INK 0x222222u
#define SOFT_INK 0x555555u
#define AXIS 0x666666u
#define GRID 0xE6E6E6u
#define TARGET 0xC9302Cu

typedef struct axis {
    double low, high; // at the ends
    double step;      // between ticks
    double first;     // tick
    uint32_t count;
    double unit; // numbers are written in these, with this letter
    const char *letter;
    int decimals; // -1: in scientific notation
} axis;

typedef struct drawing {
    const mega_plot *plot;
    mega_canvas canvas;
    float *mask;
    int32_t scale; // of small text and of all distances
    mega_area area;
    axis x, y;
} drawing;

// ---- axes --------------------------------------------------------------------------------------------

typedef struct range {
    double low, high;
} range;

static void widen(range *range, double value) {
    range->low = fmin(range->low, value);
    range->high = fmax(range->high, value);
}

// The smallest and largest of all points that are drawn.
static void find_ranges(const mega_plot *plot, range *x, range *y) {
    *x = *y = (range){(double)INFINITY, (double)-INFINITY};
    for (uint32_t i = 0; i < plot->line_count; i++) {
        const mega_plot_line *line = &plot->lines[i];
        for (size_t k = 0; k < line->count; k++) {
            if (isfinite(line->x[k]) && isfinite(line->y[k])) {
                widen(x, line->x[k]);
                widen(y, line->y[k]);
            }
        }
    }
    if (plot->target != NULL && isfinite(*plot->target)) {
        widen(y, *plot->target);
    }
}

// A range that can be divided: empty ones become 0 to 1, and points get some room.
static range usable(range range) {
    if (!(range.low <= range.high)) {
        return (struct range){0.0, 1.0};
    }
    // Numbers at the end of what doubles hold would overflow below.
    range.low = fmax(range.low, -1e300);
    range.high = fmin(range.high, 1e300);
    const double least = fmax(fmax(fabs(range.low), fabs(range.high)) * 1e-9, 1e-300);
    if (range.high - range.low < least) {
        const double room = range.low != 0.0 ? fabs(range.low) * 0.5 : 0.5;
        return (struct range){range.low - room, range.high + room};
    }
    return range;
}

// The smallest of 1, 2, 5 times a power of ten that is not below `value`.
static double nice_step(double value) {
    const double power = pow(10.0, floor(log10(value)));
    const double part = value / power;
    const double allowance = 1.0 + 1e-9;
    return power * (part <= 1.0 * allowance   ? 1.0
                    : part <= 2.0 * allowance ? 2.0
                    : part <= 5.0 * allowance ? 5.0
                                              : 10.0);
}

// Thousands, millions and so on are written with a letter.
static void choose_unit(axis *axis) {
    static const struct {
        double unit;
        const char *letter;
    } units[] = {{1e9, "G"}, {1e6, "M"}, {1e3, "k"}, {1.0, ""}};
    const double largest = fmax(fabs(axis->low), fabs(axis->high));
    // 5000 is short enough.
    size_t i = largest >= 10000.0 ? 0 : 3;
    while (largest < units[i].unit && i < 3) {
        i++;
    }
    axis->unit = units[i].unit;
    axis->letter = units[i].letter;
    const double digits = -floor(log10(axis->step / axis->unit) + 1e-9);
    axis->decimals = digits > 6.0 || largest >= 1e13 ? -1 : digits > 0.0 ? (int)digits : 0;
}

static axis make_axis(double low, double high, double tick_count) {
    axis axis = {.low = low, .high = high};
    axis.step = nice_step((high - low) / tick_count);
    axis.first = ceil(low / axis.step - 1e-9) * axis.step;
    const double count = floor((high - axis.first) / axis.step + 1e-9) + 1.0;
    axis.count = count < 1.0 ? 0 : count > TICKS_MAX ? TICKS_MAX : (uint32_t)count;
    choose_unit(&axis);
    return axis;
}

static double tick_at(const axis *axis, uint32_t index) {
    const double value = axis->first + index * axis->step;
    return fabs(value) < axis->step * 1e-6 ? 0.0 : value; // no "-0"
}

static void tick_text(const axis *axis, uint32_t index, char text[TEXT_SIZE]) {
    const double value = tick_at(axis, index);
    if (axis->decimals < 0) {
        (void)snprintf(text, TEXT_SIZE, "%.6g", value);
    } else if (value == 0.0) {
        (void)snprintf(text, TEXT_SIZE, "0");
    } else {
        (void)snprintf(text, TEXT_SIZE, "%.*f%s", axis->decimals, value / axis->unit, axis->letter);
    }
}

static int32_t widest_tick(const drawing *drawing) {
    int32_t widest = 0;
    for (uint32_t i = 0; i < drawing->y.count; i++) {
        char text[TEXT_SIZE];
        tick_text(&drawing->y, i, text);
        const int32_t width = mega_text_width(text, drawing->scale);
        widest = width > widest ? width : widest;
    }
    return widest;
}

// ---- layout ------------------------------------------------------------------------------------------

static bool has_text(const char *text) {
    return text != NULL && *text != '\0';
}

static bool has_legend(const mega_plot *plot) {
    bool any = plot->target != NULL && has_text(plot->target_label);
    for (uint32_t i = 0; i < plot->line_count; i++) {
        any = any || has_text(plot->lines[i].label);
    }
    return any;
}

static void lay_out(drawing *drawing) {
    const mega_plot *plot = drawing->plot;
    const int32_t s = drawing->scale;
    range x, y;
    find_ranges(plot, &x, &y);
    x = usable(x);
    y = usable(y);
    if (x.low > 0.0 && x.low < 0.25 * x.high) {
        x.low = 0.0; // a run begins at 0, even if its first point does not
    }
    const double room = (y.high - y.low) * 0.05;
    drawing->area.top = 12 * s + (has_text(plot->title) ? 20 * s : 0) + (has_legend(plot) ? 16 * s : 0);
    drawing->area.bottom = drawing->canvas.height - (26 + (has_text(plot->x_label) ? 16 : 0)) * s;
    drawing->area.right = drawing->canvas.width - 20 * s;
    const int32_t height = drawing->area.bottom - drawing->area.top;
    drawing->y = make_axis(y.low - room, y.high + room, fmax(2.0, height / (36.0 * s)));
    drawing->area.left = (18 + (has_text(plot->y_label) ? 16 : 0)) * s + widest_tick(drawing);
    const int32_t width = drawing->area.right - drawing->area.left;
    const double tick_count = fmax(2.0, width / (80.0 * s));
    drawing->x = make_axis(x.low, x.high, tick_count);
    // A run that ends a little before a round number gets that number.
    const double next = drawing->x.first + drawing->x.count * drawing->x.step;
    if (next - x.high < 0.03 * (x.high - x.low)) {
        drawing->x = make_axis(x.low, next, tick_count);
    }
}

// The pixel of a place, which may be far out of the picture.
static int32_t pixel_of(double place) {
    const double far = 2.0 * MEGA_PLOT_SIDE_MAX;
    return (int32_t)floor(fmin(fmax(place, -far), far));
}

static double x_of(const drawing *drawing, double value) {
    const double share = (value - drawing->x.low) / (drawing->x.high - drawing->x.low);
    return drawing->area.left + share * (drawing->area.right - drawing->area.left);
}

static double y_of(const drawing *drawing, double value) {
    const double share = (value - drawing->y.low) / (drawing->y.high - drawing->y.low);
    return drawing->area.bottom - share * (drawing->area.bottom - drawing->area.top);
}

// ---- drawing -----------------------------------------------------------------------------------------

static void draw_y_ticks(drawing *drawing) {
    const int32_t s = drawing->scale;
    const mega_area area = drawing->area;
    for (uint32_t i = 0; i < drawing->y.count; i++) {
        char text[TEXT_SIZE];
        const int32_t y = pixel_of(y_of(drawing, tick_at(&drawing->y, i)));
        mega_canvas_fill(&drawing->canvas, (mega_area){area.left, y, area.right, y + s}, GRID);
        tick_text(&drawing->y, i, text);
        mega_canvas_text(&drawing->canvas, area.left - 8 * s - mega_text_width(text, s), y - 3 * s, text, s,
                         SOFT_INK, false);
    }
}

static void draw_x_ticks(drawing *drawing) {
    const int32_t s = drawing->scale;
    const mega_area area = drawing->area;
    for (uint32_t i = 0; i < drawing->x.count; i++) {
        char text[TEXT_SIZE];
        const int32_t x = pixel_of(x_of(drawing, tick_at(&drawing->x, i)));
        mega_canvas_fill(&drawing->canvas, (mega_area){x, area.top, x + s, area.bottom}, GRID);
        mega_canvas_fill(&drawing->canvas, (mega_area){x, area.bottom, x + s, area.bottom + 4 * s}, AXIS);
        tick_text(&drawing->x, i, text);
        const int32_t width = mega_text_width(text, s);
        // The last number stays in the picture.
        const int32_t right = drawing->canvas.width - 4 * s - width;
        const int32_t left = x - width / 2 < right ? x - width / 2 : right;
        mega_canvas_text(&drawing->canvas, left, area.bottom + 9 * s, text, s, SOFT_INK, false);
    }
}

static void draw_frame(drawing *drawing) {
    const int32_t s = drawing->scale;
    const mega_area area = drawing->area;
    mega_canvas_fill(&drawing->canvas, (mega_area){area.left - s, area.top, area.left, area.bottom + s},
                     AXIS);
    mega_canvas_fill(&drawing->canvas, (mega_area){area.left - s, area.bottom, area.right, area.bottom + s},
                     AXIS);
}

static void clear_mask(drawing *drawing) {
    memset(drawing->mask, 0,
           (size_t)drawing->canvas.width * (size_t)drawing->canvas.height * sizeof *drawing->mask);
}

static void draw_line(drawing *drawing, const mega_plot_line *line) {
    const double width = 2.0 * drawing->scale;
    bool inside = false; // the last point was drawn
    double last_x = 0.0, last_y = 0.0;
    clear_mask(drawing);
    for (size_t i = 0; i < line->count; i++) {
        const bool finite = isfinite(line->x[i]) && isfinite(line->y[i]);
        const double x = finite ? x_of(drawing, line->x[i]) : 0.0;
        const double y = finite ? y_of(drawing, line->y[i]) : 0.0;
        if (finite) {
            // A point by itself is a dot.
            mega_mask_line(drawing->mask, &drawing->canvas, inside ? last_x : x, inside ? last_y : y, x, y,
                           width);
        }
        inside = finite;
        last_x = x;
        last_y = y;
    }
    const int32_t s = drawing->scale;
    const mega_area area = {drawing->area.left, drawing->area.top, drawing->area.right + s,
                            drawing->area.bottom + s};
    mega_canvas_mask(&drawing->canvas, drawing->mask, area, line->color);
}

static void draw_dashes(drawing *drawing, int32_t left, int32_t right, int32_t y) {
    const int32_t s = drawing->scale;
    for (int32_t x = left; x < right; x += 10 * s) {
        const int32_t end = x + 6 * s < right ? x + 6 * s : right;
        mega_canvas_fill(&drawing->canvas, (mega_area){x, y, end, y + (3 * s + 1) / 2}, TARGET);
    }
}

// A sample and a label; the result is where the next may begin.
static int32_t draw_legend_entry(drawing *drawing, int32_t x, int32_t y, const char *label, uint32_t color,
                                 bool dashed) {
    const int32_t s = drawing->scale;
    if (!has_text(label)) {
        return x;
    }
    if (dashed) {
        draw_dashes(drawing, x, x + 16 * s, y + 3 * s);
    } else {
        mega_canvas_fill(&drawing->canvas, (mega_area){x, y + 2 * s, x + 16 * s, y + 5 * s}, color);
    }
    mega_canvas_text(&drawing->canvas, x + 21 * s, y, label, s, INK, false);
    return x + 21 * s + mega_text_width(label, s) + 18 * s;
}

static void draw_legend(drawing *drawing) {
    const mega_plot *plot = drawing->plot;
    const int32_t y = drawing->area.top - 16 * drawing->scale;
    int32_t x = drawing->area.left;
    for (uint32_t i = 0; i < plot->line_count; i++) {
        x = draw_legend_entry(drawing, x, y, plot->lines[i].label, plot->lines[i].color, false);
    }
    if (plot->target != NULL) {
        (void)draw_legend_entry(drawing, x, y, plot->target_label, TARGET, true);
    }
}

static void draw_texts(drawing *drawing) {
    const mega_plot *plot = drawing->plot;
    const mega_area area = drawing->area;
    const int32_t s = drawing->scale;
    if (has_text(plot->title)) {
        // Long titles are written small.
        const int32_t large =
            mega_text_width(plot->title, 2 * s) <= drawing->canvas.width - area.left ? 2 * s : s;
        mega_canvas_text(&drawing->canvas, area.left, 10 * s, plot->title, large, INK, false);
    }
    if (has_text(plot->x_label)) {
        const int32_t middle = (area.left + area.right - mega_text_width(plot->x_label, s)) / 2;
        mega_canvas_text(&drawing->canvas, middle, area.bottom + 25 * s, plot->x_label, s, INK, false);
    }
    if (has_text(plot->y_label)) {
        const int32_t middle = (area.top + area.bottom + mega_text_width(plot->y_label, s)) / 2;
        mega_canvas_text(&drawing->canvas, 10 * s, middle, plot->y_label, s, INK, true);
    }
}

static void draw(drawing *drawing) {
    const mega_plot *plot = drawing->plot;
    mega_canvas_fill(&drawing->canvas, (mega_area){0, 0, drawing->canvas.width, drawing->canvas.height},
                     PAPER);
    lay_out(drawing);
    draw_y_ticks(drawing);
    draw_x_ticks(drawing);
    draw_frame(drawing);
    if (plot->target != NULL && isfinite(*plot->target)) {
        const int32_t y = pixel_of(y_of(drawing, *plot->target));
        draw_dashes(drawing, drawing->area.left, drawing->area.right, y);
    }
    for (uint32_t i = 0; i < plot->line_count; i++) {
        draw_line(drawing, &plot->lines[i]);
    }
    draw_legend(drawing);
    draw_texts(drawing);
}

// ---- public ------------------------------------------------------------------------------------------

static uint32_t side_of(uint32_t side, uint32_t usual) {
    return side == 0 ? usual : side;
}

uint8_t *mega_plot_draw(const mega_plot *plot, mega_message *message) {
    const uint32_t width = side_of(plot->width, MEGA_PLOT_WIDTH);
    const uint32_t height = side_of(plot->height, MEGA_PLOT_HEIGHT);
    if (width < MEGA_PLOT_SIDE_MIN || width > MEGA_PLOT_SIDE_MAX || height < MEGA_PLOT_SIDE_MIN ||
        height > MEGA_PLOT_SIDE_MAX) {
        (void)mega_message_set(message, "a plot of %ux%u is not possible: sides are %d to %d",
                               (unsigned)width, (unsigned)height, MEGA_PLOT_SIDE_MIN, MEGA_PLOT_SIDE_MAX);
        return NULL;
    }
    drawing drawing = {.plot = plot, .canvas = {.width = (int32_t)width, .height = (int32_t)height}};
    const uint32_t times = width / MEGA_PLOT_WIDTH < height / MEGA_PLOT_HEIGHT ? width / MEGA_PLOT_WIDTH
                                                                               : height / MEGA_PLOT_HEIGHT;
    drawing.scale = times < 1 ? 1 : (int32_t)times;
    drawing.canvas.rgb = malloc((size_t)width * height * 3);
    drawing.mask = malloc((size_t)width * height * sizeof *drawing.mask);
    if (drawing.canvas.rgb == NULL || drawing.mask == NULL) {
        free(drawing.canvas.rgb);
        free(drawing.mask);
        (void)mega_message_set(message, "out of memory");
        return NULL;
    }
    draw(&drawing);
    free(drawing.mask);
    return drawing.canvas.rgb;
}

int mega_plot_write(const mega_plot *plot, const char *path, mega_message *message) {
    uint8_t *rgb = mega_plot_draw(plot, message);
    if (rgb == NULL) {
        return -1;
    }
    const int status = mega_png_write(path, rgb, side_of(plot->width, MEGA_PLOT_WIDTH),
                                      side_of(plot->height, MEGA_PLOT_HEIGHT), message);
    free(rgb);
    return status;
}
