// json.h - writes JSON objects, each on one line, or with a line for each of their keys. (json_reader.h reads them.)
//
//     mega_json json = mega_json_begin(stdout);
//     mega_json_text(&json, "game", "pong");
//     mega_json_end(&json);                     // {"game": "pong"} and a line feed
//
// Inside an array keys are NULL. Failures of the stream are left to its owner.
#ifndef JSON_H
#define JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct mega_json {
    FILE *out;
    bool comma;     // the next value needs a comma before it
    bool lines;     // keys of the outermost object have lines of their own
    uint32_t depth; // objects and arrays that are open inside the outermost one
} mega_json;

mega_json mega_json_begin(FILE *out);
mega_json mega_json_begin_lines(FILE *out);
void mega_json_end(mega_json *json);
// A text of bytes in UTF-8; bytes that are not become U+FFFD. NULL becomes null.
void mega_json_text(mega_json *json, const char *key, const char *value);
void mega_json_int(mega_json *json, const char *key, int64_t value);
// The shortest decimal that reads back as the same number; null when not finite.
void mega_json_float(mega_json *json, const char *key, double value);
void mega_json_bool(mega_json *json, const char *key, bool value);
void mega_json_object_begin(mega_json *json, const char *key);
void mega_json_object_end(mega_json *json);
void mega_json_array_begin(mega_json *json, const char *key);
void mega_json_array_end(mega_json *json);

enum {
    MEGA_NUMBER_SIZE = 32
};
// The shortest decimal that reads back as `value`, with a point or an exponent ("1.0", "0.25", "1e+20").
void mega_number_text(double value, char text[MEGA_NUMBER_SIZE]);

#endif
