// export_note.h - what is said about a network in the files that other programs read.
#ifndef EXPORT_NOTE_H
#define EXPORT_NOTE_H

typedef struct mega_export_note {
    const char *key;   // UTF-8, as is the value; keys differ
    const char *value; //
} mega_export_note;

#endif
