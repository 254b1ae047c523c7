# nn_text.cmake - the GPU's programs of src/nn as texts in the program, for NVRTC at run time: each after the shared
# source that it includes. What they take from src/console is embedded in the library (cuda.cmake).

# Sets `out` to a definition of the variable `name`: the files of src/nn that follow, as one text.
function(mega_embed_text name out)
  set(whole "")
  foreach(part ${ARGN})
    set(file ${PROJECT_SOURCE_DIR}/src/nn/${part})
    set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    file(READ ${file} text)
    foreach(other ${ARGN})
      string(REPLACE "#include \"${other}\"\n" "" text "${text}")
    endforeach()
    string(APPEND whole "${text}")
  endforeach()
  string(REPLACE "\\" "\\\\" whole "${whole}")
  string(REPLACE "\"" "\\\"" whole "${whole}")
  string(REPLACE "?" "\\?" whole "${whole}") # could be a trigraph
  string(REPLACE "\n" "\\n\"\n\"" whole "${whole}")
  set(${out} "const char ${name}[] = \"${whole}\";\n" PARENT_SCOPE)
endfunction()

mega_embed_text(mega_nn_text nn_text mega_philox.h mega_shuffle.h mega_policy.h mega_q.h mega_returns.h mega_optimizer.h mega_lesson.h
                mega_noise.h mega_number.h mega_lowering.h cuda/nn.cu)
mega_embed_text(mega_conv_text conv_text mega_number.h mega_tile.h mega_conv_sizes.h mega_conv.h
                cuda/conv.cu)
mega_embed_text(mega_replay_text replay_text mega_philox.h mega_policy.h mega_returns.h mega_sum_tree.h mega_replay.h
                cuda/replay.cu)
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/nn_text.c @ONLY CONTENT
"// Written by cmake/nn_text.cmake.
#include \"nn_text.h\"

@nn_text@
@conv_text@
@replay_text@")
target_sources(mega_nn PRIVATE ${PROJECT_BINARY_DIR}/nn_text.c)
# C11 promises literals of 4,095 characters; gcc and clang take any.
set_source_files_properties(${PROJECT_BINARY_DIR}/nn_text.c PROPERTIES COMPILE_OPTIONS -Wno-overlength-strings)
