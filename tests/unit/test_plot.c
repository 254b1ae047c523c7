// test_plot.c - plots: ticks at round numbers, lines where the numbers are, and no number that breaks them.
#include "../../src/media/plot.c"

#include "mega_test.h"
#include "mega_test_files.h"

static mega_message message;

// ---- axes --------------------------------------------------------------------------------------------

static void check_ticks(double low, double high, double count, const char *expected) {
    char found[512] = "";
    const axis axis = make_axis(low, high, count);
    for (uint32_t i = 0; i < axis.count; i++) {
        char text[TEXT_SIZE];
        tick_text(&axis, i, text);
        snprintf(found + strlen(found), sizeof found - strlen(found), "%s%s", i > 0 ? " " : "", text);
    }
    MEGA_CHECK(strcmp(found, expected) == 0);
    if (strcmp(found, expected) != 0) {
        fprintf(stderr, "found %s, expected %s\n", found, expected);
    }
}

static void test_ticks(void) {
    check_ticks(-21, 21, 5, "-20 -10 0 10 20");
    check_ticks(0, 1e7, 5, "0 2M 4M 6M 8M 10M");
    check_ticks(0, 5e6, 10, "0 0.5M 1.0M 1.5M 2.0M 2.5M 3.0M 3.5M 4.0M 4.5M 5.0M");
    check_ticks(0, 5000, 5, "0 1000 2000 3000 4000 5000");
    check_ticks(0, 50000, 5, "0 10k 20k 30k 40k 50k");
    check_ticks(0, 3e9, 3, "0 1G 2G 3G");
    check_ticks(0, 1, 5, "0 0.2 0.4 0.6 0.8 1.0");
    check_ticks(-0.001, 0.0021, 3, "0 0.002");
    check_ticks(0.1, 0.35, 5, "0.10 0.15 0.20 0.25 0.30 0.35");
    check_ticks(999, 1001, 4, "999.0 999.5 1000.0 1000.5 1001.0");
    check_ticks(0, 4e-9, 4, "0 1e-09 2e-09 3e-09 4e-09");
    check_ticks(0, 1e20, 2, "0 5e+19 1e+20");
}

static void test_steps(void) {
    MEGA_CHECK(nice_step(1.0) == 1.0 && nice_step(1.1) == 2.0 && nice_step(2.0) == 2.0 &&
               nice_step(2.1) == 5.0);
    MEGA_CHECK(nice_step(5.1) == 10.0 && fabs(nice_step(0.03) - 0.05) < 1e-12 && nice_step(1234.0) == 2000.0);
}

// ---- pictures ----------------------------------------------------------------------------------------

static uint32_t color_at(const uint8_t *rgb, int32_t x, int32_t y) {
    const uint8_t *pixel = rgb + ((size_t)y * MEGA_PLOT_WIDTH + (size_t)x) * 3;
    return (uint32_t)pixel[0] << 16 | (uint32_t)pixel[1] << 8 | pixel[2];
}

static uint32_t count_color(const uint8_t *rgb, uint32_t color) {
    uint32_t count = 0;
    for (int32_t i = 0; i < MEGA_PLOT_WIDTH * MEGA_PLOT_HEIGHT; i++) {
        count += color_at(rgb, i % MEGA_PLOT_WIDTH, i / MEGA_PLOT_WIDTH) == color;
    }
    return count;
}

// How much of a colour is in these rows of a column, in pixels; paper is white.
static double ink_in(const uint8_t *rgb, int32_t x, int32_t top, int32_t bottom, uint32_t color) {
    double sum = 0.0;
    for (int32_t y = top; y < bottom; y++) {
        sum += (double)(0xFF - (color_at(rgb, x, y) >> 16)) / (double)(0xFF - (color >> 16));
    }
    return sum;
}

// Where the layout says that a point is, there is the colour of its line.
static void test_places(void) {
    static const double x[] = {0, 10, 20, 30, 40}, y[] = {0, 5, 5, (double)NAN, 10};
    const double target = 8.0;
    const mega_plot_line line = {x, y, 5, MEGA_PLOT_BLUE, "line"};
    const mega_plot plot = {.title = "title",
                            .x_label = "x",
                            .y_label = "y",
                            .lines = &line,
                            .line_count = 1,
                            .target = &target,
                            .target_label = "target"};
    drawing layout = {.plot = &plot, .scale = 1, .canvas = {NULL, MEGA_PLOT_WIDTH, MEGA_PLOT_HEIGHT}};
    lay_out(&layout);
    uint8_t *rgb = mega_plot_draw(&plot, &message);
    MEGA_CHECK(rgb != NULL);
    if (rgb == NULL) {
        return;
    }
    const int32_t flat = (int32_t)y_of(&layout, 5.0);
    const int32_t dashed = (int32_t)y_of(&layout, target);
    uint32_t blue = 0; // where the line is interrupted
    MEGA_CHECK_EQ(color_at(rgb, (int32_t)x_of(&layout, 15.0), flat), MEGA_PLOT_BLUE);
    MEGA_CHECK_EQ(color_at(rgb, (int32_t)x_of(&layout, 5.0), (int32_t)y_of(&layout, 2.5)), MEGA_PLOT_BLUE);
    MEGA_CHECK_EQ(color_at(rgb, (int32_t)x_of(&layout, 25.0), flat), PAPER); // the line is interrupted
    const int32_t column = (int32_t)x_of(&layout, 15.0);
    MEGA_CHECK(fabs(ink_in(rgb, column, flat - 6, flat + 6, MEGA_PLOT_BLUE) - 2.0) < 0.1); // 2 pixels thick
    for (int32_t i = (int32_t)x_of(&layout, 22.0); i < (int32_t)x_of(&layout, 38.0); i++) {
        for (int32_t k = layout.area.top; k < layout.area.bottom; k++) {
            blue += color_at(rgb, i, k) == MEGA_PLOT_BLUE;
        }
    }
    MEGA_CHECK_EQ(blue, 0);
    MEGA_CHECK_EQ(color_at(rgb, layout.area.left + 2, dashed), TARGET);
    MEGA_CHECK(color_at(rgb, layout.area.left + 8, dashed) != TARGET); // between dashes
    // A point by itself is a small dot.
    MEGA_CHECK((color_at(rgb, layout.area.right - 1, (int32_t)y_of(&layout, 10.0)) >> 16) < 0x80);
    MEGA_CHECK_EQ(color_at(rgb, 0, 0), PAPER);
    MEGA_CHECK(count_color(rgb, INK) > 200); // texts
    MEGA_CHECK(count_color(rgb, GRID) > 3000);
    MEGA_CHECK(count_color(rgb, MEGA_PLOT_BLUE) > 400);
    free(rgb);
}

static void test_layers(void) {
    static const double x[] = {0, 1}, y[] = {3, 3};
    const mega_plot_line lines[] = {{x, y, 2, MEGA_PLOT_ORANGE, NULL}, {x, y, 2, MEGA_PLOT_GREEN, NULL}};
    const mega_plot plot = {.lines = lines, .line_count = 2};
    uint8_t *rgb = mega_plot_draw(&plot, &message);
    MEGA_CHECK(rgb != NULL && count_color(rgb, MEGA_PLOT_GREEN) > 500 &&
               count_color(rgb, MEGA_PLOT_ORANGE) == 0);
    free(rgb);
}

// ---- numbers that are hard ---------------------------------------------------------------------------

static void test_hard_numbers(void) {
    static const double hard[] = {
        0.0,    -0.0,      1.0,      -1.0,        1e-320,           1e300,
        -1e300, 1.7e308,   -1.7e308, (double)NAN, (double)INFINITY, (double)-INFINITY,
        1e9,    1e9 + 1e-6};
    enum {
        HARD = sizeof hard / sizeof hard[0]
    };
    for (size_t i = 0; i < HARD * HARD; i++) {
        const double x[] = {hard[i % HARD], hard[i / HARD], hard[(i * 7 + 3) % HARD]};
        const double y[] = {hard[i / HARD], hard[(i * 5 + 1) % HARD], hard[i % HARD]};
        const mega_plot_line line = {x, y, 3, MEGA_PLOT_RED, "x\x80\n"};
        const mega_plot plot = {.title = "t",
                                .lines = &line,
                                .line_count = 1,
                                .target = &hard[i % HARD],
                                .width = MEGA_PLOT_SIDE_MIN,
                                .height = MEGA_PLOT_SIDE_MIN + (uint32_t)i};
        uint8_t *rgb = mega_plot_draw(&plot, &message);
        MEGA_CHECK(rgb != NULL);
        free(rgb);
    }
    static char text[5000];
    memset(text, 'W', sizeof text - 1);
    const mega_plot wordy = {
        .title = text, .x_label = text, .y_label = text, .target = hard, .target_label = text};
    uint8_t *rgb = mega_plot_draw(&wordy, &message);
    MEGA_CHECK(rgb != NULL);
    free(rgb);
}

static void test_files(void) {
    const char *path = mega_test_path("plot.png");
    mega_plot plot = {.title = "empty", .width = 200, .height = 160};
    uint8_t head[24] = {0};
    MEGA_CHECK_EQ(mega_plot_write(&plot, path, &message), 0);
    FILE *stream = fopen(path, "rb");
    MEGA_CHECK(stream != NULL && fread(head, 1, sizeof head, stream) == sizeof head);
    if (stream != NULL) {
        fclose(stream);
    }
    MEGA_CHECK_BYTES(head, "\x89PNG\r\n\x1A\n\0\0\0\x0DIHDR\0\0\0\xC8\0\0\0\xA0", 24);
    MEGA_CHECK_EQ(mega_plot_write(&plot, mega_test_path("absent/plot.png"), &message), -1);
    plot.width = MEGA_PLOT_SIDE_MIN - 1;
    MEGA_CHECK_EQ(mega_plot_write(&plot, path, &message), -1);
    MEGA_CHECK(strstr(message.text, "a plot of 159x160 is not possible: sides are 160 to 8192") != NULL);
    plot.width = MEGA_PLOT_SIDE_MAX + 1;
    MEGA_CHECK_EQ(mega_plot_write(&plot, path, &message), -1);
}

int main(void) {
    test_steps();
    test_ticks();
    test_places();
    test_layers();
    test_hard_numbers();
    test_files();
    mega_test_remove_files();
    return mega_test_result();
}
