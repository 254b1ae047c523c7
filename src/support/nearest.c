// nearest.c - see nearest.h.
#include "nearest.h"

#include <string.h>

enum {
    LENGTH_MAX = 63
};

// Levenshtein distance of two words of at most LENGTH_MAX bytes.
static size_t distance(const char *a, size_t a_length, const char *b, size_t b_length) {
    size_t row[LENGTH_MAX + 1];
    for (size_t j = 0; j <= b_length; j++) {
        row[j] = j;
    }
    for (size_t i = 1; i <= a_length; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            const size_t replace = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            const size_t insert = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
            row[j] = replace < insert ? replace : insert;
        }
    }
    return row[b_length];
}

mega_nearest mega_nearest_begin(const char *word) {
    // Up to a third of the letters (two in a short word) may be wrong.
    const size_t length = strlen(word);
    const size_t limit = length < 6 ? 2 : length / 3;
    return (mega_nearest){word, NULL, limit + 1};
}

void mega_nearest_offer(mega_nearest *nearest, const char *candidate) {
    const size_t a = strlen(nearest->word);
    const size_t b = strlen(candidate);
    if (a < 2 || a > LENGTH_MAX || b > LENGTH_MAX) {
        return;
    }
    const size_t found = distance(nearest->word, a, candidate, b);
    if (found < nearest->distance) {
        nearest->distance = found;
        nearest->best = candidate;
    }
}
