# cuda.cmake - what the library carries for GPUs: the text of the programs (src/engine/cuda/*.cu) and of the shared
# source that they include, for NVRTC at run time; and with MEGA_EMBED_CUBIN what nvcc makes of the programs.

# Shared source is named mega_*.h, the rules of games game_*.h; what else lies beside them is for the host.
file(GLOB cuda_headers CONFIGURE_DEPENDS src/console/mega_*.h src/games/mega_*.h src/games/game_*.h src/env/mega_*.h
                                         src/engine/cuda/mega_*.h)
file(GLOB cuda_programs CONFIGURE_DEPENDS src/engine/cuda/*.cu)

set(MEGA_CUDA_TARGETS 80 86 89 90 100 120 CACHE STRING "Compute capabilities that MEGA_EMBED_CUBIN compiles for")

set(cuda_pairs)
set(cuda_images)
if(MEGA_EMBED_CUBIN)
  find_program(MEGA_NVCC nvcc HINTS $ENV{CUDA_HOME} $ENV{CUDA_PATH} /usr/local/cuda PATH_SUFFIXES bin REQUIRED)
  execute_process(COMMAND ${MEGA_NVCC} --list-gpu-arch OUTPUT_VARIABLE known_targets)
  set(targets)
  foreach(target ${MEGA_CUDA_TARGETS})
    if(known_targets MATCHES "compute_${target}[^0-9]")
      list(APPEND targets -gencode arch=compute_${target},code=sm_${target})
      set(newest ${target})
    endif()
  endforeach()
  list(APPEND targets -gencode arch=compute_${newest},code=compute_${newest})
  foreach(program ${cuda_programs})
    if(program MATCHES "/step.cu$") # made for a cartridge, at run time
      continue()
    endif()
    get_filename_component(name ${program} NAME)
    set(image ${PROJECT_BINARY_DIR}/${name}.fatbin)
    add_custom_command(OUTPUT ${image}
                       COMMAND ${MEGA_NVCC} -fatbin -std=c++17 -fmad=false ${targets}
                               -I${PROJECT_SOURCE_DIR}/src/console -I${PROJECT_SOURCE_DIR}/src/games
                               -I${PROJECT_SOURCE_DIR}/src/env ${program} -o ${image}
                       DEPENDS ${program} ${cuda_headers} COMMENT "Compiling ${name} for GPUs" VERBATIM)
    list(APPEND cuda_images ${image})
    list(APPEND cuda_pairs ${name}=${image})
  endforeach()
endif()

# What the translator writes depends on the translator.
file(GLOB translate_files CONFIGURE_DEPENDS src/translate/*.c src/translate/*.h)
set(embedded_tables ${PROJECT_BINARY_DIR}/embedded_tables.c)
add_custom_command(OUTPUT ${embedded_tables}
                   COMMAND ${CMAKE_COMMAND} -DOUTPUT=${embedded_tables} "-DSOURCES=${cuda_headers};${cuda_programs}"
                           "-DBINARIES=${cuda_pairs}" "-DHASHED=${translate_files}" -P ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
                   DEPENDS ${cuda_headers} ${cuda_programs} ${cuda_images} ${translate_files} cmake/embed.cmake
                   COMMENT "Embedding the shared source" VERBATIM)
target_sources(mega_engine_objects PRIVATE ${embedded_tables})
# C11 promises literals of 4,095 characters; gcc and clang take any.
set_source_files_properties(${embedded_tables} PROPERTIES COMPILE_OPTIONS -Wno-overlength-strings)
