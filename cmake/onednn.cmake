# onednn.cmake - the CPU's networks run on oneDNN where its headers and library are found (2.6 or later, 3.x too);
# elsewhere on the plain reference, which is slow.
option(MEGA_ONEDNN "Use oneDNN for networks on CPUs where it is found" ON)

if(MEGA_ONEDNN)
  find_path(MEGA_ONEDNN_INCLUDE oneapi/dnnl/dnnl.h)
  find_library(MEGA_ONEDNN_LIBRARY dnnl)
endif()
if(MEGA_ONEDNN AND MEGA_ONEDNN_INCLUDE AND MEGA_ONEDNN_LIBRARY)
  target_include_directories(mega_nn SYSTEM PRIVATE ${MEGA_ONEDNN_INCLUDE})
  target_link_libraries(mega_nn PRIVATE ${MEGA_ONEDNN_LIBRARY})
  target_compile_definitions(mega_nn PRIVATE MEGA_HAS_ONEDNN)
else()
  message(STATUS "oneDNN was not found: networks on the CPU will be slow")
endif()
