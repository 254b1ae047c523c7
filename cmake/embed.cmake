# embed.cmake - writes the tables of src/engine/embedded.h. Needs neither Python nor a compiler.
#
#     cmake -DOUTPUT=FILE.c "-DSOURCES=a.h;b.cu" "-DBINARIES=b.cu=b.fatbin" "-DHASHED=c.c" -P embed.cmake
set(tables "")
set(names "")
set(texts "")
set(count 0)
foreach(source ${SOURCES})
  get_filename_component(name ${source} NAME)
  file(READ ${source} text)
  # A C string: every line a literal of its own. Question marks could be trigraphs.
  string(REPLACE "\\" "\\\\" text "${text}")
  string(REPLACE "\"" "\\\"" text "${text}")
  string(REPLACE "?" "\\?" text "${text}")
  string(REPLACE "\n" "\\n\"\n\"" text "${text}")
  string(APPEND tables "static const char text_${count}[] =\n\"${text}\";\n")
  string(APPEND names "    \"${name}\",\n")
  string(APPEND texts "    text_${count},\n")
  math(EXPR count "${count} + 1")
endforeach()

set(hashes "")
foreach(source ${SOURCES} ${HASHED})
  file(SHA256 ${source} hash)
  string(APPEND hashes ${hash})
endforeach()
string(SHA256 hash "${hashes}")

# Binaries are large; the assembler copies them faster than a compiler reads their bytes.
set(images "")
set(binaries "")
set(index 0)
foreach(pair ${BINARIES})
  string(REGEX MATCH "^([^=]+)=(.*)$" pair "${pair}")
  string(APPEND images "__asm__(\".section .rodata\\n.balign 64\\nmega_embedded_image_${index}:\\n\"\n"
                       "        \".incbin \\\"${CMAKE_MATCH_2}\\\"\\n.byte 0\\n.previous\");\n"
                       "extern const char mega_embedded_image_${index}[];\n")
  string(APPEND binaries "    {\"${CMAKE_MATCH_1}\", mega_embedded_image_${index}},\n")
  math(EXPR index "${index} + 1")
endforeach()

file(WRITE ${OUTPUT} "// Written by cmake/embed.cmake.
#include \"embedded.h\"

${tables}
const uint32_t embedded_count = ${count};
const char *const embedded_names[] = {
${names}};
const char *const embedded_texts[] = {
${texts}};

const char embedded_hash[] = \"${hash}\";

${images}
const mega_embedded_binary embedded_binaries[] = {
${binaries}    {NULL, NULL},
};
")
