// json_reader.h - reads JSON (RFC 8259) from memory, a value at a time.
//
// The text may be hostile: nothing is allocated, nothing is read beyond its end, and nesting is limited. The first
// mistake is kept; every later call fails at once, so that a caller may look at the end only. The caller knows what it
// expects next:
//
//     mega_json_reader reader = mega_json_reader_begin(text, size);
//     for (bool more = mega_json_read_open(&reader, '{'); more; more = mega_json_read_more(&reader, '}')) {
//         mega_json_read_key(&reader, key, sizeof key);
//         mega_json_read_number(&reader, &number);
//     }
//     mega_json_read_end(&reader);
//     if (reader.mistake != NULL) ...
#ifndef JSON_READER_H
#define JSON_READER_H

#include <stdbool.h>
#include <stddef.h>

typedef struct mega_json_reader {
    const char *start;
    const char *at;
    const char *end;
    const char *mistake; // what is wrong at `at`, or NULL
} mega_json_reader;

enum {
    MEGA_JSON_NUMBER_SIZE = 64 // no number has more characters; 17 digits say everything
};

mega_json_reader mega_json_reader_begin(const char *text, size_t size);
// The line of `at`, from 1.
size_t mega_json_reader_line(const mega_json_reader *reader);
// Keeps a mistake, if it is the first; always returns false. `mistake` is borrowed.
bool mega_json_reader_fail(mega_json_reader *reader, const char *mistake);

// The first character of the next value, which says its kind ('{', '[', '"', 't', 'f', 'n', '-' or a digit); 0 at the
// end and after a mistake.
char mega_json_read_peek(mega_json_reader *reader);
// Enters an object ('{') or an array ('['). True if it is not empty.
bool mega_json_read_open(mega_json_reader *reader, char bracket);
// After a value: true if another follows, false after the closing bracket.
bool mega_json_read_more(mega_json_reader *reader, char bracket);
// A key and its colon.
bool mega_json_read_key(mega_json_reader *reader, char *text, size_t size);
// A string as UTF-8 with a zero at its end. Zeros in it, texts that do not fit, lone surrogates and bytes that are not
// UTF-8 are mistakes.
bool mega_json_read_text(mega_json_reader *reader, char *text, size_t size);
// A number as it is written.
bool mega_json_read_number_text(mega_json_reader *reader, char text[MEGA_JSON_NUMBER_SIZE]);
bool mega_json_read_number(mega_json_reader *reader, double *number);
bool mega_json_read_bool(mega_json_reader *reader, bool *value);
// Any value, which is checked and forgotten.
bool mega_json_read_skip(mega_json_reader *reader);
// Only blanks may follow. True if there was no mistake in all the text.
bool mega_json_read_end(mega_json_reader *reader);

#endif
