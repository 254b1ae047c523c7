// test_run_log.c - log.csv: rows, and what a resumed run keeps of them.
#include "mega_test.h"
#include "mega_test_files.h"
#include "run_log.h"

#include <math.h>
#include <signal.h>
#include <sys/resource.h>

static const mega_log_column columns[] = {{"frames", true}, {"return", false}, {"seconds", false}};
static mega_message message;

static void check_text(const char *path, const char *expected) {
    char text[4096];
    FILE *stream = fopen(path, "rb");
    const size_t size = stream != NULL ? fread(text, 1, sizeof text - 1, stream) : 0;
    if (stream != NULL) {
        fclose(stream);
    }
    text[size] = '\0';
    MEGA_CHECK(strcmp(text, expected) == 0);
    if (strcmp(text, expected) != 0) {
        fprintf(stderr, "found:\n%sexpected:\n%s", text, expected);
    }
}

static mega_run_log *resume(const char *path, double last) {
    mega_run_log *log = NULL;
    MEGA_CHECK_EQ(mega_run_log_resume(path, columns, 3, last, &log, &message), 0);
    return log;
}

static void row(mega_run_log *log, double frames, double score) {
    const double values[] = {frames, score, 0.5};
    MEGA_CHECK_EQ(mega_run_log_row(log, values, &message), 0);
}

static void test_rows(void) {
    const char *path = mega_test_write("log.csv", "old\n1\n2\n", 8);
    mega_run_log *log = NULL;
    MEGA_CHECK_EQ(mega_run_log_create(path, columns, 3, &log, &message), 0);
    check_text(path, "frames,return,seconds\n");
    row(log, 1e6, -20.0);
    check_text(path, "frames,return,seconds\n1000000,-20.0,0.5\n"); // there without waiting for the end
    row(log, 9007199254740992.0, 1.0 / 3.0);
    row(log, 9007199254740992.0, (double)NAN);
    row(log, 9007199254740992.0, (double)INFINITY);
    MEGA_CHECK_EQ(mega_run_log_close(log, &message), 0);
    check_text(path, "frames,return,seconds\n1000000,-20.0,0.5\n9007199254740992,0.3333333333333333,0.5\n"
                     "9007199254740992,,0.5\n9007199254740992,,0.5\n");
    MEGA_CHECK_EQ(mega_run_log_close(NULL, &message), 0);
}

// A run to 40 with a checkpoint at 20 that was resumed has the file of one that was not interrupted.
static void test_resume(void) {
    const char *path = mega_test_path("resumed.csv");
    mega_run_log *log = resume(path, 0.0); // there is none yet
    for (int i = 10; i <= 30; i += 10) {
        row(log, i, i);
    }
    MEGA_CHECK_EQ(mega_run_log_close(log, &message), 0);
    log = resume(path, 20.0);
    check_text(path, "frames,return,seconds\n10,10.0,0.5\n20,20.0,0.5\n");
    row(log, 30, 30);
    row(log, 40, 40);
    MEGA_CHECK_EQ(mega_run_log_close(log, &message), 0);
    check_text(path, "frames,return,seconds\n10,10.0,0.5\n20,20.0,0.5\n30,30.0,0.5\n40,40.0,0.5\n");
    log = resume(path, 5.0);
    MEGA_CHECK_EQ(mega_run_log_close(log, &message), 0);
    check_text(path, "frames,return,seconds\n");
}

static void check_resumed(const char *text, const char *expected) {
    const char *path = mega_test_write("cut.csv", text, strlen(text));
    MEGA_CHECK_EQ(mega_run_log_close(resume(path, 100.0), &message), 0);
    check_text(path, expected);
    mega_test_made_count--; // the same file again
}

// A machine that lost its power may leave any part of a row.
static void test_cut_short(void) {
    const char *header = "frames,return,seconds\n";
    check_resumed("", header);
    check_resumed("frames,re", header);
    check_resumed(header, header);
    check_resumed("frames,return,seconds\n10,1.0,2.0\n2", "frames,return,seconds\n10,1.0,2.0\n");
    check_resumed("frames,return,seconds\n10,1.0,2.0\n20,1.0,2.0", "frames,return,seconds\n10,1.0,2.0\n");
}

static void check_refused(const char *text, const char *why) {
    const char *path = mega_test_write("bad.csv", text, strlen(text));
    mega_run_log *log = NULL;
    MEGA_CHECK_EQ(mega_run_log_resume(path, columns, 3, 100.0, &log, &message), -1);
    MEGA_CHECK(log == NULL && strstr(message.text, why) != NULL);
    check_text(path, text); // as it was
    mega_test_made_count--;
}

static void test_mistakes(void) {
    check_refused("frames,score,seconds\n10,1.0,2.0\n", "has other columns than this run");
    check_refused("frames,return,seconds,more\n", "has other columns than this run");
    check_refused("something else", "has other columns than this run");
    check_refused("frames,return,seconds\n10,1.0,2.0\n\n", "bad.csv:3 is not a row");
    check_refused("frames,return,seconds\nten,1.0,2.0\n", "bad.csv:2 is not a row");
    check_refused("frames,return,seconds\n10,1.0\n", "bad.csv:2 is not a row");
    check_refused("frames,return,seconds\nnan,1.0,2.0\n", "bad.csv:2 is not a row");
    mega_run_log *log = NULL;
    MEGA_CHECK_EQ(mega_run_log_create(mega_test_path("absent/log.csv"), columns, 3, &log, &message), -1);
    MEGA_CHECK(strstr(message.text, "No such file") != NULL);
}

// A limit on the size of files stands for a full disk. What was written before is kept.
static void test_full_disk(void) {
    const char *path = mega_test_path("full.csv");
    const struct rlimit small = {50, RLIM_INFINITY};
    const struct rlimit none = {RLIM_INFINITY, RLIM_INFINITY};
    mega_run_log *log = resume(path, 0.0);
    signal(SIGXFSZ, SIG_IGN);
    MEGA_CHECK_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
    row(log, 10, 1.0);
    const double values[] = {20.0, 1.0 / 3.0, 0.1};
    MEGA_CHECK_EQ(mega_run_log_row(log, values, &message), -1);
    MEGA_CHECK(strstr(message.text, "cannot write") != NULL &&
               strstr(message.text, "File too large") != NULL);
    (void)mega_run_log_close(log, &message);
    MEGA_CHECK_EQ(setrlimit(RLIMIT_FSIZE, &none), 0);
    MEGA_CHECK_EQ(mega_run_log_close(resume(path, 100.0), &message), 0);
    check_text(path, "frames,return,seconds\n10,1.0,0.5\n");
}

int main(void) {
    test_rows();
    test_resume();
    test_cut_short();
    test_mistakes();
    test_full_disk();
    mega_test_remove_files();
    return mega_test_result();
}
