# onednn.cmake - the CPU's networks run on oneDNN where the build finds its headers (2.6 or later, 3.x too) and the
# program finds the library of the same major version, which it opens at run time; elsewhere on the plain reference,
# which is slow.
option(MEGA_ONEDNN "Use oneDNN for networks on CPUs where it is found" ON)

if(MEGA_ONEDNN)
  find_path(MEGA_ONEDNN_INCLUDE oneapi/dnnl/dnnl.h)
endif()
if(MEGA_ONEDNN AND MEGA_ONEDNN_INCLUDE)
  target_include_directories(mega_nn SYSTEM PRIVATE ${MEGA_ONEDNN_INCLUDE})
  target_compile_definitions(mega_nn PRIVATE MEGA_HAS_ONEDNN)
  target_link_libraries(mega_nn PRIVATE ${CMAKE_DL_LIBS})
else()
  message(STATUS "oneDNN was not found: networks on the CPU will be slow")
endif()
