// consumer.c - a program outside the project, built against the installed header and library.
#include <megacade.h>
#include <stdio.h>

int main(void) {
    mega_rom *rom;
    if (mega_rom_builtin(&rom)) {
        fprintf(stderr, "%s\n", mega_last_error());
        return 1;
    }
    printf("%s %s\n", mega_version(), mega_rom_get_info(rom)->name);
    mega_rom_destroy(rom);
    return 0;
}
