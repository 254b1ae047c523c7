// amalgam.h - one text out of a program and the shared source that it includes. Host code.
#ifndef AMALGAM_H
#define AMALGAM_H

// Replaces each #include "NAME" by the text that is embedded under that name; a header that guards itself is there
// once. Returns a text from malloc, or NULL when memory is short or a header is not embedded.
char *amalgam_write(const char *text);

#endif
