# nn_text.cmake - the GPU's program of src/nn as one text in the program, for NVRTC at run time: nn.cu after the shared
# source that it includes. What it takes from src/console is embedded in the library (cuda.cmake).
set(nn_parts mega_philox.h mega_policy.h mega_returns.h mega_optimizer.h mega_lesson.h mega_number.h mega_lowering.h cuda/nn.cu)
set(nn_text "")
foreach(part ${nn_parts})
  set(file ${PROJECT_SOURCE_DIR}/src/nn/${part})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  file(READ ${file} text)
  foreach(other ${nn_parts})
    string(REPLACE "#include \"${other}\"\n" "" text "${text}")
  endforeach()
  string(APPEND nn_text "${text}")
endforeach()
string(REPLACE "\\" "\\\\" nn_text "${nn_text}")
string(REPLACE "\"" "\\\"" nn_text "${nn_text}")
string(REPLACE "?" "\\?" nn_text "${nn_text}") # could be a trigraph
string(REPLACE "\n" "\\n\"\n\"" nn_text "${nn_text}")
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/nn_text.c @ONLY CONTENT
"// Written by cmake/nn_text.cmake.
#include \"nn_text.h\"

const char mega_nn_text[] = \"@nn_text@\";
")
target_sources(mega_nn PRIVATE ${PROJECT_BINARY_DIR}/nn_text.c)
# C11 promises literals of 4,095 characters; gcc and clang take any.
set_source_files_properties(${PROJECT_BINARY_DIR}/nn_text.c PROPERTIES COMPILE_OPTIONS -Wno-overlength-strings)
