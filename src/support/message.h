// message.h - the error convention of src/support, src/media, src/nn, src/learn and src/cli.
//
// A function that can fail returns 0, or -1 after writing one sentence into the caller's mega_message: what
// was attempted on which file, and why it failed. None of these but src/cli prints.
#ifndef MESSAGE_H
#define MESSAGE_H

typedef struct mega_message {
    char text[512]; // ends with a zero byte; long sentences are cut
} mega_message;

// Writes a sentence and returns -1, so that `return mega_message_set(...)` is the whole failure path.
// `message` may be NULL.
int mega_message_set(mega_message *message, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
