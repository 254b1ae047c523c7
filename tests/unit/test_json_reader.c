// test_json_reader.c - the reader of JSON: what RFC 8259 allows is read, all else is a mistake.
#include "json_reader.h"
#include "mega_test.h"

#include <stdlib.h>

// Copies a text into memory of just its size, so that sanitizers see any step over its end.
static bool skips(const char *text, size_t size) {
    char *copy = malloc(size + 1);
    memcpy(copy, text, size);
    char *exact = realloc(copy, size > 0 ? size : 1);
    mega_json_reader reader = mega_json_reader_begin(exact, size);
    (void)mega_json_read_skip(&reader);
    const bool fine = mega_json_read_end(&reader);
    MEGA_CHECK(fine == (reader.mistake == NULL));
    free(exact);
    return fine;
}

static const char *const good[] = {"0",
                                   "-0",
                                   "1.5e+10",
                                   "12E-3",
                                   "\"\"",
                                   "\"a\\u00e4\\ud83d\\ude00\\n\\/\"",
                                   "true",
                                   "false",
                                   "null",
                                   "[]",
                                   "{}",
                                   " [ 1 , [ ] , { } ] ",
                                   "{\"a\":{\"b\":[null]},\"c\":2}",
                                   "\"\xC3\xA4\"",
                                   "\t\r\n 1 \n"};
static const char *const bad[] = {"",
                                  " ",
                                  "01",
                                  "+1",
                                  "1.",
                                  ".5",
                                  "1e",
                                  "1e+",
                                  "-",
                                  "0x1",
                                  "NaN",
                                  "tru",
                                  "nul",
                                  "truee",
                                  "\"",
                                  "\"\\",
                                  "\"\\x\"",
                                  "\"\\u12\"",
                                  "\"\\u12g4\"",
                                  "\"\\ud800\"",
                                  "\"\\ud800\\u0041\"",
                                  "\"\\udc00\"",
                                  "\"\\u0000\"",
                                  "\"\n\"",
                                  "\"\xFF\"",
                                  "\"\xC3\"",
                                  "[",
                                  "[1",
                                  "[1,",
                                  "[1,]",
                                  "[,]",
                                  "[1 2]",
                                  "]",
                                  "{",
                                  "{1:2}",
                                  "{\"a\"}",
                                  "{\"a\":}",
                                  "{\"a\":1,}",
                                  "{\"a\":1 \"b\":2}",
                                  "[1}",
                                  "{\"a\":1]",
                                  "1 2",
                                  "[] x",
                                  "'a'"};

static void test_grammar(void) {
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        MEGA_CHECK(skips(good[i], strlen(good[i])));
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        if (skips(bad[i], strlen(bad[i]))) {
            fprintf(stderr, "accepted: %s\n", bad[i]);
            MEGA_FAIL("a mistake was not found");
        }
    }
    MEGA_CHECK(!skips("1\0", 2));
    MEGA_CHECK(!skips("\"a\0b\"", 5));
}

static void test_depth(void) {
    char text[201];
    for (size_t depth = 1; depth <= 100; depth++) {
        memset(text, '[', depth);
        memset(text + depth, ']', depth);
        MEGA_CHECK_EQ(skips(text, 2 * depth), depth <= 32);
    }
}

static void test_values(void) {
    const char *text = "{\"k\\u0065y\": \"t\\u20acxt\", \"n\": [1, -2.5],\n \"b\": true, \"e\": {}}";
    mega_json_reader reader = mega_json_reader_begin(text, strlen(text));
    char key[8], value[8];
    double number = 0.0;
    bool flag = false;
    MEGA_CHECK(mega_json_read_open(&reader, '{'));
    MEGA_CHECK(mega_json_read_key(&reader, key, sizeof key) && strcmp(key, "key") == 0);
    MEGA_CHECK_EQ(mega_json_read_peek(&reader), '"');
    MEGA_CHECK(mega_json_read_text(&reader, value, sizeof value) && strcmp(value, "t\xE2\x82\xACxt") == 0);
    MEGA_CHECK(mega_json_read_more(&reader, '}'));
    MEGA_CHECK(mega_json_read_key(&reader, key, sizeof key) && strcmp(key, "n") == 0);
    MEGA_CHECK(mega_json_read_open(&reader, '['));
    MEGA_CHECK(mega_json_read_number(&reader, &number) && number == 1.0);
    MEGA_CHECK(mega_json_read_more(&reader, ']'));
    MEGA_CHECK(mega_json_read_number(&reader, &number) && number == -2.5);
    MEGA_CHECK(!mega_json_read_more(&reader, ']'));
    MEGA_CHECK(mega_json_read_more(&reader, '}'));
    MEGA_CHECK(mega_json_read_key(&reader, key, sizeof key));
    MEGA_CHECK(mega_json_read_bool(&reader, &flag) && flag);
    MEGA_CHECK(mega_json_read_more(&reader, '}'));
    MEGA_CHECK(mega_json_read_key(&reader, key, sizeof key));
    MEGA_CHECK(!mega_json_read_open(&reader, '{'));
    MEGA_CHECK(!mega_json_read_more(&reader, '}'));
    MEGA_CHECK_EQ(mega_json_reader_line(&reader), 2);
    MEGA_CHECK(mega_json_read_end(&reader));
}

static void test_limits(void) {
    char text[6];
    double number = 1.0;
    mega_json_reader reader = mega_json_reader_begin("\"12345\"", 7);
    MEGA_CHECK(mega_json_read_text(&reader, text, 6) && strcmp(text, "12345") == 0);
    reader = mega_json_reader_begin("\"12345\"", 7);
    MEGA_CHECK(!mega_json_read_text(&reader, text, 5) && text[0] == '\0');
    MEGA_CHECK(strcmp(reader.mistake, "a text is too long") == 0);
    MEGA_CHECK_EQ(mega_json_read_peek(&reader), 0); // the first mistake is the last
    MEGA_CHECK(!mega_json_read_number(&reader, &number));
    MEGA_CHECK(strcmp(reader.mistake, "a text is too long") == 0);
    reader = mega_json_reader_begin("1e999", 5);
    MEGA_CHECK(!mega_json_read_number(&reader, &number));
    char digits[100];
    memset(digits, '1', sizeof digits);
    reader = mega_json_reader_begin(digits, sizeof digits);
    MEGA_CHECK(!mega_json_read_number(&reader, &number));
}

int main(void) {
    test_grammar();
    test_depth();
    test_values();
    test_limits();
    return mega_test_result();
}
