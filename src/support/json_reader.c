// json_reader.c - see json_reader.h.
#include "json_reader.h"

#include "utf8.h"

#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    DEPTH_MAX = 32,    // of values that are skipped
    NO_CODE = 0x110000 // no character has it
};

// Where a text goes; with `bytes` NULL nowhere.
typedef struct sink {
    char *bytes;
    size_t size;
    size_t used;
} sink;

mega_json_reader mega_json_reader_begin(const char *text, size_t size) {
    return (mega_json_reader){text, text, text + size, NULL};
}

size_t mega_json_reader_line(const mega_json_reader *reader) {
    size_t line = 1;
    for (const char *at = reader->start; at < reader->at; at++) {
        line += *at == '\n';
    }
    return line;
}

bool mega_json_reader_fail(mega_json_reader *reader, const char *mistake) {
    if (reader->mistake == NULL) {
        reader->mistake = mistake;
    }
    return false;
}

char mega_json_read_peek(mega_json_reader *reader) {
    while (reader->at < reader->end && strchr(" \t\r\n", *reader->at) != NULL && *reader->at != '\0') {
        reader->at++;
    }
    return reader->mistake == NULL && reader->at < reader->end ? *reader->at : '\0';
}

static bool take(mega_json_reader *reader, char wanted, const char *mistake) {
    if (mega_json_read_peek(reader) != wanted) {
        return mega_json_reader_fail(reader, mistake);
    }
    reader->at++;
    return true;
}

bool mega_json_read_open(mega_json_reader *reader, char bracket) {
    const bool object = bracket == '{';
    if (!take(reader, bracket, object ? "an object was expected" : "an array was expected")) {
        return false;
    }
    if (mega_json_read_peek(reader) == (object ? '}' : ']')) {
        reader->at++;
        return false;
    }
    return true;
}

bool mega_json_read_more(mega_json_reader *reader, char bracket) {
    const char next = mega_json_read_peek(reader);
    if (next != ',' && next != bracket) {
        return mega_json_reader_fail(reader,
                                     bracket == '}' ? "',' or '}' was expected" : "',' or ']' was expected");
    }
    reader->at++;
    return next == ',';
}

bool mega_json_read_key(mega_json_reader *reader, char *text, size_t size) {
    return mega_json_read_text(reader, text, size) && take(reader, ':', "':' was expected");
}

// ---- strings -----------------------------------------------------------------------------------------

static bool put(mega_json_reader *reader, sink *out, const char *bytes, size_t count) {
    if (out->bytes == NULL) {
        return true;
    }
    if (count >= out->size - out->used) {
        return mega_json_reader_fail(reader, "a text is too long");
    }
    memcpy(out->bytes + out->used, bytes, count);
    out->used += count;
    return true;
}

// Four hexadecimal digits, or NO_CODE.
static uint32_t hex_code(mega_json_reader *reader) {
    uint32_t code = 0;
    for (int i = 0; i < 4; i++) {
        if (reader->at == reader->end || !isxdigit((unsigned char)*reader->at)) {
            (void)mega_json_reader_fail(reader, "\\u needs four hexadecimal digits");
            return NO_CODE;
        }
        const char digit = *reader->at++;
        code = code << 4 | (uint32_t)(digit <= '9' ? digit - '0' : (digit | 32) - 'a' + 10);
    }
    return code;
}

// What follows \u, with the second half of a pair of surrogates; NO_CODE after a mistake.
static uint32_t escaped_code(mega_json_reader *reader) {
    const uint32_t high = hex_code(reader);
    if (high == NO_CODE || high < 0xD800 || high > 0xDFFF) {
        return high;
    }
    uint32_t low = 0;
    if (high <= 0xDBFF && reader->end - reader->at >= 2 && reader->at[0] == '\\' && reader->at[1] == 'u') {
        reader->at += 2;
        low = hex_code(reader);
    }
    if (low < 0xDC00 || low > 0xDFFF) {
        (void)mega_json_reader_fail(reader, "half of a surrogate pair");
        return NO_CODE;
    }
    return 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
}

static bool put_code(mega_json_reader *reader, sink *out, uint32_t code) {
    char bytes[4];
    if (code == NO_CODE) {
        return false;
    }
    if (code == 0) {
        return mega_json_reader_fail(reader, "a text has a zero in it");
    }
    return put(reader, out, bytes, mega_utf8_encode(code, bytes));
}

static bool put_escape(mega_json_reader *reader, sink *out) {
    static const char letters[] = "\"\\/bfnrt";
    static const char meaning[] = "\"\\/\b\f\n\r\t";
    const char letter = reader->at < reader->end ? *reader->at : '\0';
    const char *found = letter != '\0' ? strchr(letters, letter) : NULL;
    if (letter != 'u' && found == NULL) {
        return mega_json_reader_fail(reader, "an unknown escape");
    }
    reader->at++;
    return letter == 'u' ? put_code(reader, out, escaped_code(reader))
                         : put(reader, out, &meaning[found - letters], 1);
}

static bool read_string(mega_json_reader *reader, sink *out) {
    if (!take(reader, '"', "a string was expected")) {
        return false;
    }
    while (reader->at < reader->end && *reader->at != '"') {
        if (*reader->at == '\\') {
            reader->at++;
            if (!put_escape(reader, out)) {
                return false;
            }
            continue;
        }
        const size_t length = mega_utf8_length(reader->at, (size_t)(reader->end - reader->at));
        if (length == 0 || (unsigned char)*reader->at < 0x20) {
            return mega_json_reader_fail(reader, "a byte that texts may not have");
        }
        if (!put(reader, out, reader->at, length)) {
            return false;
        }
        reader->at += length;
    }
    if (reader->at == reader->end) {
        return mega_json_reader_fail(reader, "a text without an end");
    }
    reader->at++;
    return true;
}

bool mega_json_read_text(mega_json_reader *reader, char *text, size_t size) {
    sink out = {text, size, 0};
    const bool fine = read_string(reader, &out);
    text[fine ? out.used : 0] = '\0';
    return fine;
}

// ---- other values ------------------------------------------------------------------------------------

// Takes digits; the result is how many there were.
static size_t digits(mega_json_reader *reader) {
    const char *first = reader->at;
    while (reader->at < reader->end && isdigit((unsigned char)*reader->at)) {
        reader->at++;
    }
    return (size_t)(reader->at - first);
}

static bool accept(mega_json_reader *reader, const char *characters) {
    if (reader->at < reader->end && *reader->at != '\0' && strchr(characters, *reader->at) != NULL) {
        reader->at++;
        return true;
    }
    return false;
}

static bool scan_number(mega_json_reader *reader) {
    (void)accept(reader, "-");
    const char *first = reader->at;
    const size_t whole = digits(reader);
    if (whole == 0 || (whole > 1 && *first == '0')) {
        return mega_json_reader_fail(reader, "a number was expected");
    }
    if (accept(reader, ".") && digits(reader) == 0) {
        return mega_json_reader_fail(reader, "a number without digits after its point");
    }
    if (accept(reader, "eE")) {
        (void)accept(reader, "+-");
        if (digits(reader) == 0) {
            return mega_json_reader_fail(reader, "a number without digits in its exponent");
        }
    }
    return true;
}

bool mega_json_read_number_text(mega_json_reader *reader, char text[MEGA_JSON_NUMBER_SIZE]) {
    text[0] = '\0';
    const char kind = mega_json_read_peek(reader);
    const char *first = reader->at;
    if ((kind != '-' && !isdigit((unsigned char)kind)) || !scan_number(reader)) {
        return mega_json_reader_fail(reader, "a number was expected");
    }
    const size_t length = (size_t)(reader->at - first);
    if (length >= MEGA_JSON_NUMBER_SIZE) {
        return mega_json_reader_fail(reader, "a number with too many digits");
    }
    memcpy(text, first, length);
    text[length] = '\0';
    return true;
}

bool mega_json_read_number(mega_json_reader *reader, double *number) {
    char text[MEGA_JSON_NUMBER_SIZE];
    *number = 0.0;
    if (!mega_json_read_number_text(reader, text)) {
        return false;
    }
    *number = strtod(text, NULL);
    return isfinite(*number) ? true : mega_json_reader_fail(reader, "a number is too large");
}

static bool take_word(mega_json_reader *reader, const char *word) {
    const size_t length = strlen(word);
    if ((size_t)(reader->end - reader->at) < length || memcmp(reader->at, word, length) != 0) {
        return false;
    }
    reader->at += length;
    return true;
}

bool mega_json_read_bool(mega_json_reader *reader, bool *value) {
    const char kind = mega_json_read_peek(reader);
    *value = kind == 't';
    if ((kind != 't' && kind != 'f') || !take_word(reader, kind == 't' ? "true" : "false")) {
        return mega_json_reader_fail(reader, "true or false was expected");
    }
    return true;
}

static bool skip_scalar(mega_json_reader *reader) {
    char number[MEGA_JSON_NUMBER_SIZE];
    bool flag;
    switch (mega_json_read_peek(reader)) {
    case '"': return read_string(reader, &(sink){NULL, 0, 0});
    case 't':
    case 'f': return mega_json_read_bool(reader, &flag);
    case 'n': return take_word(reader, "null") || mega_json_reader_fail(reader, "a value was expected");
    default: return mega_json_read_number_text(reader, number);
    }
}

static bool skip_key(mega_json_reader *reader) {
    return read_string(reader, &(sink){NULL, 0, 0}) && take(reader, ':', "':' was expected");
}

// After a value: leaves every bracket that ends here. True if another value follows.
static bool skip_closing(mega_json_reader *reader, const char *closing, size_t *depth) {
    while (*depth > 0) {
        if (mega_json_read_more(reader, closing[*depth - 1])) {
            return closing[*depth - 1] == ']' || skip_key(reader);
        }
        if (reader->mistake != NULL) {
            return false;
        }
        --*depth;
    }
    return false;
}

bool mega_json_read_skip(mega_json_reader *reader) {
    char closing[DEPTH_MAX];
    size_t depth = 0;
    bool more = true;
    while (more) {
        const char kind = mega_json_read_peek(reader);
        if (kind == '{' || kind == '[') {
            if (depth == DEPTH_MAX) {
                return mega_json_reader_fail(reader, "values are nested too deeply");
            }
            if (mega_json_read_open(reader, kind)) {
                closing[depth++] = kind == '{' ? '}' : ']';
                more = kind == '[' || skip_key(reader);
                continue;
            }
        } else if (!skip_scalar(reader)) {
            return false;
        }
        more = skip_closing(reader, closing, &depth);
    }
    return reader->mistake == NULL;
}

bool mega_json_read_end(mega_json_reader *reader) {
    if (reader->mistake == NULL && (mega_json_read_peek(reader) != '\0' || reader->at != reader->end)) {
        return mega_json_reader_fail(reader, "something follows the end");
    }
    return reader->mistake == NULL;
}
