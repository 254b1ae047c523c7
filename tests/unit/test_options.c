// test_options.c - the parts of the program that need no console: options, numbers, JSON, suggestions, the
// action stream. They belong to the program, not to a library, so their source is part of this test.
#include "../../src/cli/options.c"
#include "../../src/cli/report.c"
#include "../../src/cli/stream.h"
#include "mega_test.h"

typedef struct fixture {
    mega_options options;
    const char *words[2];
    mega_message message;
    bool flag;
    int64_t count;
    double share;
    const char *name;
} fixture;

static void begin(fixture *f) {
    *f = (fixture){.count = 7, .share = 0.25};
    f->options.command = "demo";
    f->options.usage = "megacade demo [WORD] [options]";
    f->options.summary = "Shows.";
    f->options.example = "  megacade demo";
    f->options.words = f->words;
    f->options.words_max = 2;
    mega_options_flag(&f->options, "json", &f->flag, "print JSON");
    mega_options_int(&f->options, "frames", "N", &f->count, 1, 1000, "frames");
    mega_options_float(&f->options, "sticky", "P", &f->share, 0.0, 1.0, "probability");
    mega_options_text(&f->options, "out", "FILE", &f->name, "file")->letter = 'o';
}

// Parses up to four words; NULL ends them.
static int parse(fixture *f, const char *a, const char *b, const char *c, const char *d) {
    const char *const words[] = {a, b, c, d};
    char copies[4][64];
    char *argv[4];
    int argc = 0;
    begin(f);
    for (; argc < 4 && words[argc] != NULL; argc++) {
        snprintf(copies[argc], sizeof copies[argc], "%s", words[argc]);
        argv[argc] = copies[argc];
    }
    const int status = mega_options_parse(&f->options, argc, argv, &f->message);
    // The values are views of the copies; keep what the tests look at.
    static char kept[2][64];
    for (size_t i = 0; i < f->options.word_count; i++) {
        f->words[i] = strcpy(kept[i], f->words[i]);
    }
    static char kept_name[64];
    f->name = f->name != NULL ? strcpy(kept_name, f->name) : NULL;
    return status;
}

static int error_has(const fixture *f, const char *text) {
    if (strstr(f->message.text, text) != NULL) {
        return 1;
    }
    fprintf(stderr, "message: %s\n", f->message.text);
    return 0;
}

static void test_values(void) {
    fixture f;
    MEGA_CHECK_EQ(parse(&f, NULL, NULL, NULL, NULL), MEGA_PARSE_OK);
    MEGA_CHECK_EQ(f.count, 7);
    MEGA_CHECK(!mega_options_given(&f.options, "frames"));
    MEGA_CHECK_EQ(parse(&f, "--frames", "12", "--json", "pong"), MEGA_PARSE_OK);
    MEGA_CHECK(f.count == 12 && f.flag && f.options.word_count == 1 && strcmp(f.words[0], "pong") == 0);
    MEGA_CHECK(mega_options_given(&f.options, "frames"));
    MEGA_CHECK_EQ(parse(&f, "--frames=1000", "--sticky=.5", "-o", "x=y"), MEGA_PARSE_OK);
    MEGA_CHECK(f.count == 1000 && f.share == 0.5 && strcmp(f.name, "x=y") == 0);
    MEGA_CHECK_EQ(parse(&f, "--out=a=b", "--", "--json", "-"), MEGA_PARSE_OK);
    MEGA_CHECK(strcmp(f.name, "a=b") == 0 && !f.flag && f.options.word_count == 2);
    MEGA_CHECK_EQ(parse(&f, "x", "--frames", "nonsense", "--help"), MEGA_PARSE_HELP);
    MEGA_CHECK_EQ(parse(&f, "-h", NULL, NULL, NULL), MEGA_PARSE_HELP);
}

static void test_mistakes(void) {
    static const char *const wrong_counts[] = {
        "0", "-1", "1001", "1.5", "12x", "", " 3", "0x10", "1e3", "+", "99999999999999999999"};
    static const char *const wrong_shares[] = {"nan",  "inf", "-0.1",  "1.01", "0x1p-1",
                                               "half", "",    "1e999", "-"};
    fixture f;
    for (size_t i = 0; i < sizeof wrong_counts / sizeof wrong_counts[0]; i++) {
        MEGA_CHECK_EQ(parse(&f, "--frames", wrong_counts[i], NULL, NULL), MEGA_PARSE_ERROR);
        MEGA_CHECK(error_has(&f, "--frames") && error_has(&f, "from 1 to 1000"));
    }
    for (size_t i = 0; i < sizeof wrong_shares / sizeof wrong_shares[0]; i++) {
        MEGA_CHECK_EQ(parse(&f, "--sticky", wrong_shares[i], NULL, NULL), MEGA_PARSE_ERROR);
        MEGA_CHECK(error_has(&f, "--sticky"));
    }
    MEGA_CHECK_EQ(parse(&f, "--frmes", "3", NULL, NULL), MEGA_PARSE_ERROR);
    MEGA_CHECK(error_has(&f, "did you mean --frames?"));
    MEGA_CHECK_EQ(parse(&f, "--frmes=3", NULL, NULL, NULL), MEGA_PARSE_ERROR);
    MEGA_CHECK(error_has(&f, "--frmes;") && error_has(&f, "did you mean --frames?"));
    MEGA_CHECK_EQ(parse(&f, "--completely-different", NULL, NULL, NULL), MEGA_PARSE_ERROR);
    MEGA_CHECK(error_has(&f, "--help"));
    MEGA_CHECK_EQ(parse(&f, "-x", NULL, NULL, NULL), MEGA_PARSE_ERROR);
    MEGA_CHECK_EQ(parse(&f, "--frames", NULL, NULL, NULL), MEGA_PARSE_ERROR);
    MEGA_CHECK(error_has(&f, "needs a value"));
    MEGA_CHECK_EQ(parse(&f, "--out", "", NULL, NULL), MEGA_PARSE_ERROR);
    MEGA_CHECK_EQ(parse(&f, "--json=1", NULL, NULL, NULL), MEGA_PARSE_ERROR);
    MEGA_CHECK_EQ(parse(&f, "a", "b", "c", NULL), MEGA_PARSE_ERROR);
    MEGA_CHECK(error_has(&f, "'c'"));
}

static void test_nearest(void) {
    mega_nearest nearest = mega_nearest_begin("pogn");
    mega_nearest_offer(&nearest, "breakout");
    MEGA_CHECK(nearest.best == NULL);
    mega_nearest_offer(&nearest, "pong");
    mega_nearest_offer(&nearest, "gopher");
    MEGA_CHECK(nearest.best != NULL && strcmp(nearest.best, "pong") == 0);
    MEGA_CHECK_EQ(nearest.distance, 2);
    mega_nearest empty = mega_nearest_begin("");
    mega_nearest_offer(&empty, "x");
    MEGA_CHECK(empty.best == NULL);
}

static void check_json(const char *expected, void (*write)(mega_json *json)) {
    char text[512] = "";
    FILE *stream = tmpfile();
    MEGA_CHECK(stream != NULL);
    if (stream == NULL) {
        return;
    }
    mega_json json = mega_json_begin(stream);
    write(&json);
    mega_json_end(&json);
    rewind(stream);
    text[fread(text, 1, sizeof text - 1, stream)] = '\0';
    fclose(stream);
    MEGA_CHECK(strcmp(text, expected) == 0);
    if (strcmp(text, expected) != 0) {
        fprintf(stderr, "%s", text);
    }
}

static void write_values(mega_json *json) {
    mega_json_text(json, "a", "q\"b\\c\n\x1f\x7f");
    mega_json_text(json, "u", "\xC3\xA4\xF0\x9F\x95\xB9");
    mega_json_text(json, "bad", "\xFF\xC3(\xED\xA0\x80\xE2\x82");
    mega_json_text(json, "n", NULL);
    mega_json_int(json, "i", INT64_MIN);
    mega_json_array_begin(json, "l");
    mega_json_bool(json, NULL, true);
    mega_json_float(json, NULL, 0.1);
    mega_json_float(json, NULL, (double)NAN);
    mega_json_array_end(json);
    mega_json_array_begin(json, "e");
    mega_json_array_end(json);
    mega_json_float(json, "f", 100.0);
}

static void test_json(void) {
    check_json("{\"a\": \"q\\\"b\\\\c\\u000a\\u001f\\u007f\", \"u\": \"\xC3\xA4\xF0\x9F\x95\xB9\", "
               "\"bad\": \"\\ufffd\\ufffd(\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\", \"n\": null, "
               "\"i\": -9223372036854775808, \"l\": [true, 0.1, null], \"e\": [], \"f\": 100.0}\n",
               write_values);
}

static void test_numbers(void) {
    static const struct {
        double value;
        const char *text;
    } cases[] = {{0.0, "0.0"},
                 {1.0, "1.0"},
                 {0.25, "0.25"},
                 {1e20, "1e+20"},
                 {1e-5, "1e-05"},
                 {123456789.0, "123456789.0"},
                 {1.0 / 3.0, "0.3333333333333333"},
                 {-2.5, "-2.5"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[MEGA_NUMBER_SIZE];
        mega_number_text(cases[i].value, text);
        MEGA_CHECK(strcmp(text, cases[i].text) == 0);
    }
}

// Known numbers of the generator (seed 0) and of the hash, from their public descriptions.
static void test_stream(void) {
    mega_stream stream = {0};
    MEGA_CHECK_EQ(mega_stream_next(&stream), (int64_t)0xE220A8397B1DCDAFu);
    MEGA_CHECK_EQ(mega_stream_next(&stream), 0x6E789E6AA1B965F4);
    MEGA_CHECK_EQ(mega_fnv(MEGA_FNV_START, "", 0), (int64_t)0xCBF29CE484222325u);
    MEGA_CHECK_EQ(mega_fnv(MEGA_FNV_START, "foobar", 6), (int64_t)0x85944171F73967E8u);
    for (uint32_t i = 0; i < 1000; i++) {
        MEGA_CHECK(mega_stream_below(&stream, 6) < 6);
    }
}

int main(void) {
    test_values();
    test_mistakes();
    test_nearest();
    test_json();
    test_numbers();
    test_stream();
    return mega_test_result();
}
