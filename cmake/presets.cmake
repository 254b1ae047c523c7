# presets.cmake - the files of presets/ as a table in the program, so that it needs no files beside it.
file(GLOB preset_files CONFIGURE_DEPENDS presets/*.conf)
set(preset_entries "")
foreach(file ${preset_files})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  get_filename_component(name ${file} NAME_WE)
  file(READ ${file} text)
  string(REPLACE "\\" "\\\\" text "${text}")
  string(REPLACE "\"" "\\\"" text "${text}")
  string(REPLACE "?" "\\?" text "${text}") # could be a trigraph
  string(REPLACE "\n" "\\n\"\n     \"" text "${text}")
  string(APPEND preset_entries "    {\"${name}\",\n     \"${text}\"},\n")
endforeach()
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/preset_table.c @ONLY CONTENT
"// Written by cmake/presets.cmake.
#include \"presets.h\"

const mega_preset mega_preset_table[] = {
@preset_entries@    {NULL, NULL},
};
")
target_sources(mega_learn PRIVATE ${PROJECT_BINARY_DIR}/preset_table.c)
