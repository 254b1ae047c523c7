// rom_list.h - which images of known games lie in which folders.
#ifndef ROM_LIST_H
#define ROM_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct mega_rom_entry {
    int32_t game; // index for mega_game_get_info
    bool right;   // the md5 is the one that the game's rules belong to
    char md5[33]; // "" when the file could not be read as an image
    char *path;
} mega_rom_entry;

// All zero is an empty list.
typedef struct mega_rom_list {
    mega_rom_entry *items;
    size_t count;
    size_t capacity;
} mega_rom_list;

// Looks at one file: adds it when its content is a known image, or when it has the name of a game but other
// content. Returns 1 when the content is known, 0 when not. Like the two
// functions below it returns -1 after reporting a failure.
int mega_rom_list_add_file(mega_rom_list *list, const char *path);
// Looks at all files of a folder in the order of their names, and of folders inside it down to `depth` more
// levels. A folder that does not exist adds nothing.
int mega_rom_list_add_folder(mega_rom_list *list, const char *folder, uint32_t depth);
// The folders of mega_rom_search_path, or only `folder` when it is not NULL, which then must exist.
int mega_rom_list_add_search_path(mega_rom_list *list, const char *folder);
// The path of the first right image of a game, or NULL. A view.
const char *mega_rom_list_find(const mega_rom_list *list, int32_t game);
void mega_rom_list_free(mega_rom_list *list);

#endif
