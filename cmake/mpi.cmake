# mpi.cmake - the module for MPI, megacade_mpi.so, where the build finds MPI. The program opens it when it is
# started by mpirun or srun, and needs no MPI otherwise (src/dist/dist_module.c).
option(MEGA_MPI "Build the module for MPI where MPI is found" ON)

if(MEGA_MPI)
  find_package(MPI QUIET COMPONENTS C)
endif()
if(MEGA_MPI AND MPI_C_FOUND)
  file(GLOB mpi_sources CONFIGURE_DEPENDS src/dist/mpi/*.c)
  add_library(megacade_mpi MODULE ${mpi_sources})
  target_link_libraries(megacade_mpi PRIVATE mega_dist MPI::MPI_C)
  set_target_properties(megacade_mpi PROPERTIES PREFIX "")
  install(TARGETS megacade_mpi LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/megacade)
elseif(MEGA_MPI)
  message(STATUS "MPI was not found: training with several processes is by TCP")
endif()
