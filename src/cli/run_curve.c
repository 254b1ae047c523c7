// run_curve.c - see run_curve.h.
#include "run_curve.h"

#include "plot.h"
#include "run.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LINE_SIZE = 8192
};

typedef struct curve {
    double *frames, *score, *evaluation;
    size_t count, room;
    int frames_column, score_column, evaluation_column;
} curve;

// The number in a column of a row, or NaN.
static double cell(const char *line, int column) {
    for (; column > 0 && line != NULL; column--) {
        line = strchr(line, ',');
        line = line == NULL ? NULL : line + 1;
    }
    char *end = NULL;
    const double value = line == NULL ? NAN : strtod(line, &end);
    return end == line ? NAN : value;
}

static int find_column(const char *header, const char *name) {
    const size_t length = strlen(name);
    for (int column = 0; header != NULL; column++) {
        if (strncmp(header, name, length) == 0 && strchr(",\r\n", header[length]) != NULL) {
            return column;
        }
        header = strchr(header, ',');
        header = header == NULL ? NULL : header + 1;
    }
    return -1;
}

static int grow(curve *c, mega_message *message) {
    const size_t room = c->room == 0 ? 256 : 2 * c->room;
    double **const arrays[] = {&c->frames, &c->score, &c->evaluation};
    for (size_t i = 0; i < 3; i++) {
        double *larger = realloc(*arrays[i], room * sizeof *larger);
        if (larger == NULL) {
            return mega_message_set(message, "there is no memory for the learning curve");
        }
        *arrays[i] = larger;
    }
    c->room = room;
    return 0;
}

static int add_row(curve *c, const char *line, mega_message *message) {
    if (c->count == c->room && grow(c, message) < 0) {
        return -1;
    }
    c->frames[c->count] = cell(line, c->frames_column) / 1e6;
    c->score[c->count] = cell(line, c->score_column);
    c->evaluation[c->count] = cell(line, c->evaluation_column);
    c->count++;
    return 0;
}

static int read_log(const char *path, curve *c, mega_message *message) {
    char line[LINE_SIZE];
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        return mega_message_set(message, "cannot read %s: %s", path, strerror(errno));
    }
    int result = 0;
    if (fgets(line, sizeof line, file) != NULL) {
        c->frames_column = find_column(line, "frames");
        c->score_column = find_column(line, "score");
        c->evaluation_column = find_column(line, "eval_mean");
        while (result == 0 && fgets(line, sizeof line, file) != NULL) {
            result = add_row(c, line, message);
        }
    }
    (void)fclose(file);
    return result;
}

// Evaluations are rarer than rows: their line leaves the others out.
static size_t pack_evaluations(const curve *c, double *x, double *y) {
    size_t count = 0;
    for (size_t i = 0; i < c->count; i++) {
        if (isfinite(c->evaluation[i])) {
            x[count] = c->frames[i];
            y[count++] = c->evaluation[i];
        }
    }
    return count;
}

static int draw(const char *folder, const char *game, const curve *c, mega_message *message) {
    char path[MEGA_RUN_PATH], title[128];
    double *packed = calloc(2 * c->count + 2, sizeof *packed);
    if (packed == NULL || mega_run_path(folder, "curve.png", path, message) < 0) {
        free(packed);
        return packed == NULL ? mega_message_set(message, "there is no memory for the learning curve") : -1;
    }
    (void)snprintf(title, sizeof title, "%s", game[0] == '\0' ? "comet_catch" : game);
    const size_t evaluations = pack_evaluations(c, packed, packed + c->count + 1);
    const mega_plot_line lines[] = {
        {c->frames, c->score, c->count, MEGA_PLOT_BLUE, "last 100 episodes"},
        {packed, packed + c->count + 1, evaluations, MEGA_PLOT_ORANGE, "evaluation"},
    };
    const mega_plot plot = {
        .title = title,
        .x_label = "million frames",
        .y_label = "score",
        .lines = lines,
        .line_count = 2,
    };
    const int result = mega_plot_write(&plot, path, message);
    free(packed);
    return result;
}

int mega_run_curve(const char *folder, const char *game, mega_message *message) {
    char path[MEGA_RUN_PATH];
    curve c = {0};
    int result = mega_run_path(folder, "log.csv", path, message);
    if (result == 0) {
        result = read_log(path, &c, message);
    }
    if (result == 0) {
        result = draw(folder, game, &c, message);
    }
    free(c.frames);
    free(c.score);
    free(c.evaluation);
    return result;
}
