// json.c - see json.h.
#include "json.h"

#include "utf8.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void mega_number_text(double value, char text[MEGA_NUMBER_SIZE]) {
    const double size = fabs(value);
    const bool plain = size == 0.0 || (size >= 1e-4 && size < 1e16); // no exponent wanted
    for (int digits = 1; digits <= 17; digits++) {
        (void)snprintf(text, MEGA_NUMBER_SIZE, "%.*g", digits, value);
        if (strtod(text, NULL) == value && !(plain && strchr(text, 'e') != NULL)) {
            break;
        }
    }
    const size_t length = strlen(text);
    if (isfinite(value) && strpbrk(text, ".e") == NULL && length + 3 <= MEGA_NUMBER_SIZE) {
        memcpy(text + length, ".0", 3);
    }
}

static void put_text(FILE *out, const char *text) {
    const unsigned char *bytes = (const unsigned char *)text;
    const unsigned char *const end = bytes + strlen(text);
    (void)fputc('"', out);
    while (bytes < end) {
        const size_t length = mega_utf8_length((const char *)bytes, (size_t)(end - bytes));
        if (length == 0) {
            (void)fputs("\\ufffd", out);
        } else if (*bytes == '"' || *bytes == '\\') {
            (void)fprintf(out, "\\%c", *bytes);
        } else if (*bytes < 0x20 || *bytes == 0x7F) {
            (void)fprintf(out, "\\u%04x", (unsigned)*bytes);
        } else {
            (void)fwrite(bytes, 1, length, out);
        }
        bytes += length == 0 ? 1 : length;
    }
    (void)fputc('"', out);
}

static void put_key(mega_json *json, const char *key) {
    if (json->lines && json->depth == 0) {
        (void)fputs(json->comma ? ",\n  " : "\n  ", json->out);
    } else if (json->comma) {
        (void)fputs(", ", json->out);
    }
    json->comma = true;
    if (key != NULL) {
        put_text(json->out, key);
        (void)fputs(": ", json->out);
    }
}

mega_json mega_json_begin(FILE *out) {
    (void)fputc('{', out);
    return (mega_json){.out = out};
}

mega_json mega_json_begin_lines(FILE *out) {
    (void)fputc('{', out);
    return (mega_json){.out = out, .lines = true};
}

void mega_json_end(mega_json *json) {
    (void)fputs(json->lines && json->comma ? "\n}\n" : "}\n", json->out);
}

void mega_json_text(mega_json *json, const char *key, const char *value) {
    put_key(json, key);
    if (value == NULL) {
        (void)fputs("null", json->out);
    } else {
        put_text(json->out, value);
    }
}

void mega_json_int(mega_json *json, const char *key, int64_t value) {
    put_key(json, key);
    (void)fprintf(json->out, "%" PRId64, value);
}

void mega_json_float(mega_json *json, const char *key, double value) {
    char number[MEGA_NUMBER_SIZE];
    mega_number_text(value, number);
    put_key(json, key);
    (void)fputs(isfinite(value) ? number : "null", json->out);
}

void mega_json_bool(mega_json *json, const char *key, bool value) {
    put_key(json, key);
    (void)fputs(value ? "true" : "false", json->out);
}

void mega_json_object_begin(mega_json *json, const char *key) {
    put_key(json, key);
    (void)fputc('{', json->out);
    json->comma = false;
    json->depth++;
}

void mega_json_object_end(mega_json *json) {
    (void)fputc('}', json->out);
    json->comma = true;
    json->depth--;
}

void mega_json_array_begin(mega_json *json, const char *key) {
    put_key(json, key);
    (void)fputc('[', json->out);
    json->comma = false;
    json->depth++;
}

void mega_json_array_end(mega_json *json) {
    (void)fputc(']', json->out);
    json->comma = true;
    json->depth--;
}
