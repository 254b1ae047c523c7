// test_settings.c - settings from text, from presets and from config.json, and back; every mistake says where and what.
#include "mega_test.h"
#include "mega_test_files.h"
#include "mega_test_settings.h"

static const mega_settings *const table = &test_settings_table;
static test_settings values;
static mega_message message;

static bool says(const char *text) {
    const bool same = strcmp(message.text, text) == 0;
    if (!same) {
        fprintf(stderr, "said:     %s\nexpected: %s\n", message.text, text);
    }
    return same;
}

static int set(const char *name, const char *text) {
    strcpy(message.text, "nothing");
    return mega_settings_set(table, &values, name, text, &message);
}

static void check_get(const char *name, const char *expected) {
    char text[MEGA_SETTING_TEXT_SIZE];
    mega_settings_get(mega_settings_find(table, name), &values, text);
    MEGA_CHECK(strcmp(text, expected) == 0);
    const test_settings before = values;
    MEGA_CHECK_EQ(set(name, text), 0); // what is got can be set
    MEGA_CHECK_BYTES(&before, &values, sizeof values);
}

// ---- text --------------------------------------------------------------------------------------------

static void test_numbers(void) {
    test_settings_default(&values);
    MEGA_CHECK(set("envs", "65536") == 0 && values.envs == 65536);
    MEGA_CHECK(set("envs", "1e3") == 0 && values.envs == 1000);
    MEGA_CHECK(set("envs", "+7") == 0 && values.envs == 7);
    MEGA_CHECK(set("seed", "-9223372036854775808") == 0 && values.seed == INT64_MIN);
    MEGA_CHECK(set("seed", "9223372036854775807") == 0 && values.seed == INT64_MAX);
    check_get("seed", "9223372036854775807");
    MEGA_CHECK(set("learning-rate", "2.5e-4") == 0 && values.rate == 2.5e-4); // as on a command line
    check_get("learning_rate", "0.00025");
    MEGA_CHECK(set("learning_rate", "1") == 0 && values.rate == 1.0);
    MEGA_CHECK(set("bonus", "-1e300") == 0 && values.bonus == -1e300);
    static const char *const bad[] = {"0",
                                      "65537",
                                      "",
                                      " 1",
                                      "1 ",
                                      "0x10",
                                      "1.5",
                                      "ten",
                                      "1e-3",
                                      "--1",
                                      "1e99",
                                      "nan",
                                      "99999999999999999999"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char expected[256];
        snprintf(expected, sizeof expected, "setting 'envs' cannot be '%s': it is a whole number, 1 to 65536",
                 bad[i]);
        MEGA_CHECK(set("envs", bad[i]) == -1 && says(expected) && values.envs == 7);
    }
    MEGA_CHECK(set("seed", "9223372036854775808") == -1 &&
               says("setting 'seed' cannot be '9223372036854775808': it is a whole number"));
    MEGA_CHECK(set("learning_rate", "1.01") == -1 &&
               says("setting 'learning_rate' cannot be '1.01': it is a number, 0 to 1"));
    MEGA_CHECK(set("learning_rate", "nan") == -1 && values.rate == 1.0);
    MEGA_CHECK(set("bonus", "inf") == -1 && says("setting 'bonus' cannot be 'inf': it is a number"));
    MEGA_CHECK(set("bonus", "1e999") == -1);
}

static void test_words(void) {
    test_settings_default(&values);
    values.guard = 0x5A;
    MEGA_CHECK(set("algorithm", "dqn") == 0 && values.algorithm == 2);
    check_get("algorithm", "dqn");
    MEGA_CHECK(set("algorithm", "pp0") == -1 &&
               says("setting 'algorithm' cannot be 'pp0': it is one of a2c, ppo, dqn; did you mean 'ppo'?"));
    MEGA_CHECK(set("algorithm", "impala") == -1 &&
               says("setting 'algorithm' cannot be 'impala': it is one of a2c, ppo, dqn"));
    MEGA_CHECK(set("clip_rewards", "off") == 0 && !values.clip);
    MEGA_CHECK(set("clip_rewards", "1") == 0 && values.clip);
    check_get("clip_rewards", "true");
    MEGA_CHECK(set("clip_rewards", "maybe") == -1 &&
               says("setting 'clip_rewards' cannot be 'maybe': it is true or false"));
    MEGA_CHECK(set("network", "conv 1x2/3, fc 45678901") == 0);
    check_get("network", "conv 1x2/3, fc 45678901");
    MEGA_CHECK(set("network", "conv 1x2/3, fc 456789012") == -1 &&
               says("setting 'network' is too long: it has at most 23 bytes"));
    MEGA_CHECK(set("network", "a\nb") == -1 && says("setting 'network' has bytes that are no text"));
    MEGA_CHECK(set("network", "\xFF") == -1 && values.guard == 0x5A);
    MEGA_CHECK(set("network", "") == 0 && values.network[0] == '\0' && values.network[5] == '\0');
    MEGA_CHECK(set("learning_rat", "1") == -1 &&
               says("there is no setting 'learning_rat'; did you mean 'learning_rate'?"));
    MEGA_CHECK(set("xyzzy", "1") == -1 && says("there is no setting 'xyzzy'"));
    MEGA_CHECK(set("", "1") == -1);
}

// ---- presets -----------------------------------------------------------------------------------------

static int preset(const char *text) {
    strcpy(message.text, "nothing");
    return mega_settings_parse_preset(table, &values, text, strlen(text), "p", &message);
}

static void test_presets(void) {
    test_settings_default(&values);
    MEGA_CHECK_EQ(preset("# a comment\n\n  envs = 32  # more\r\nlearning_rate=0.5\nnetwork = a#b # c\n\t\n"
                         "clip-rewards =no"),
                  0);
    MEGA_CHECK(values.envs == 32 && values.rate == 0.5 && !values.clip && strcmp(values.network, "a#b") == 0);
    MEGA_CHECK(preset("") == 0 && preset("#") == 0);
    MEGA_CHECK(preset("envs = 1\nenvz = 2\n") == -1 &&
               says("p:2: there is no setting 'envz'; did you mean 'envs'?"));
    MEGA_CHECK(preset("\n\nenvs = x") == -1 &&
               says("p:3: setting 'envs' cannot be 'x': it is a whole number, 1 to 65536"));
    MEGA_CHECK(preset("envs 1") == -1 && says("p:1: a line is 'name = value'"));
    MEGA_CHECK(preset("envs =") == -1);
    MEGA_CHECK(preset("= 3") == -1 && says("p:1: there is no setting ''"));
    MEGA_CHECK(preset("envs = 1\nenvs = 1") == -1 && says("p:2: setting 'envs' comes twice"));
    char line[1024];
    memset(line, 'x', sizeof line);
    memcpy(line, "network =", 9);
    line[sizeof line - 1] = '\0';
    MEGA_CHECK(preset(line) == -1 && says("p:1: this is too long"));
    line[100] = '\0';
    MEGA_CHECK(mega_settings_parse_preset(table, &values, line, 1000, "p", &message) == -1 &&
               says("p:1: a zero byte, which no text has"));
    const char *path = mega_test_write("a.preset", "envs = 5\nbad\n", 13);
    char expected[MEGA_TEST_PATH_SIZE + 64];
    snprintf(expected, sizeof expected, "%s:2: a line is 'name = value'", path);
    MEGA_CHECK(mega_settings_read_preset(table, &values, path, &message) == -1 && says(expected) &&
               values.envs == 5);
    MEGA_CHECK(mega_settings_read_preset(table, &values, mega_test_path("none"), &message) == -1 &&
               strstr(message.text, "No such file") != NULL);
    MEGA_CHECK(mega_settings_read_preset(table, &values, "/dev/zero", &message) == -1 &&
               says("/dev/zero is too long: at most 1048576 bytes are read"));
}

// ---- config.json -------------------------------------------------------------------------------------

static void test_config(void) {
    static const mega_settings_extra extra[] = {{"version", "1.2.3"}, {"game", "po\"ng"}};
    const char *path = mega_test_path("config.json");
    test_settings_default(&values);
    values.seed = INT64_MAX;
    values.rate = 1.0 / 3.0;
    values.bonus = -1e-300;
    values.algorithm = 1;
    strcpy(values.network, "q\"\\\xC3\xA4");
    MEGA_CHECK_EQ(mega_settings_write_json(table, &values, extra, 2, path, &message), 0);
    test_settings found;
    memset(&found, 0, sizeof found);
    MEGA_CHECK_EQ(mega_settings_read_json(table, &found, extra, 2, path, &message), 0);
    MEGA_CHECK_BYTES(&found, &values, sizeof values);
    char text[2048] = "";
    FILE *stream = fopen(path, "rb");
    MEGA_CHECK(stream != NULL);
    if (stream != NULL) {
        text[fread(text, 1, sizeof text - 1, stream)] = '\0';
        fclose(stream);
    }
    MEGA_CHECK(strcmp(text, "{\n  \"version\": \"1.2.3\",\n  \"game\": \"po\\\"ng\",\n  \"envs\": 16,\n"
                            "  \"seed\": 9223372036854775807,\n  \"learning_rate\": 0.3333333333333333,\n"
                            "  \"bonus\": -1e-300,\n  \"algorithm\": \"ppo\",\n  \"clip_rewards\": true,\n"
                            "  \"network\": \"q\\\"\\\\\xC3\xA4\"\n}\n") == 0);
    MEGA_CHECK_EQ(mega_settings_read_json(table, &found, extra, 1, path, &message), -1);
    MEGA_CHECK(strstr(message.text, "config.json:3: there is no setting 'game'") != NULL);
    MEGA_CHECK_EQ(mega_settings_write_json(table, &values, NULL, 0, mega_test_path("absent/c"), &message),
                  -1);
}

static int config(const char *text) {
    strcpy(message.text, "nothing");
    return mega_settings_parse_json(table, &values, NULL, 0, text, strlen(text), "c", &message);
}

static void test_config_mistakes(void) {
    test_settings_default(&values);
    MEGA_CHECK(config("{}") == 0 && values.envs == 16);
    MEGA_CHECK(config("{\"envs\": 9}") == 0 && values.envs == 9);
    MEGA_CHECK(config("{\"envs\": \"9\"}") == -1 && says("c:1: setting 'envs': a number was expected"));
    MEGA_CHECK(config("{\"envs\": 9,\n\"envs\": 9}") == -1 && says("c:2: setting 'envs' comes twice"));
    MEGA_CHECK(config("{\"envs\": 0}") == -1);
    MEGA_CHECK(config("{\"envs\": null}") == -1);
    MEGA_CHECK(config("{\"clip_rewards\": 1}") == -1 &&
               says("c:1: setting 'clip_rewards': true or false was expected"));
    MEGA_CHECK(config("{\"algorithm\": \"x\"}") == -1);
    MEGA_CHECK(config("{\"network\": 3}") == -1 && says("c:1: setting 'network': a string was expected"));
    MEGA_CHECK(config("{\"network\": \"a\\nb\"}") == -1);
    MEGA_CHECK(config("{\"envs\": 9} x") == -1 && says("c:1: something follows the end"));
    MEGA_CHECK(config("{\"envs\": 9,}") == -1);
    MEGA_CHECK(config("{\"envs\": 9") == -1);
    MEGA_CHECK(config("") == -1 && says("c:1: an object was expected"));
    MEGA_CHECK(config("[]") == -1);
    MEGA_CHECK(config("{\"more\": {}}") == -1 && says("c:1: there is no setting 'more'"));
}

static void test_list(void) {
    char text[2048] = "";
    FILE *stream = tmpfile();
    MEGA_CHECK(stream != NULL);
    if (stream == NULL) {
        return;
    }
    test_settings_default(&values);
    mega_settings_list(table, &values, stream);
    rewind(stream);
    text[fread(text, 1, sizeof text - 1, stream)] = '\0';
    fclose(stream);
    const char *expected = "  envs           16      environments (1 to 65536; Stooke & Abbeel 2018)\n"
                           "  seed           0       of everything random\n"
                           "  learning_rate  0.0007  step size (0 to 1)\n"
                           "  algorithm      a2c     what learns (a2c, ppo, dqn)\n"
                           "  clip_rewards   true    to signs\n"
                           "  network        nature  name or description (Mnih et al. 2015)\n";
    MEGA_CHECK(strcmp(text, expected) == 0);
    if (strcmp(text, expected) != 0) {
        fputs(text, stderr);
    }
}

int main(void) {
    test_numbers();
    test_words();
    test_presets();
    test_config();
    test_config_mistakes();
    test_list();
    mega_test_remove_files();
    return mega_test_result();
}
