# SPDX-License-Identifier: Apache-2.0
# CUDA programs as a user of prof would build them: static cudart, libraries beside or above them.
# Sets PROF_NVCC to the compiler, or to nothing. The includer calls enable_language(CUDA).
include(CheckLanguage)
if(NOT CMAKE_CUDA_COMPILER AND CUDAToolkit_NVCC_EXECUTABLE)
  set(CMAKE_CUDA_COMPILER ${CUDAToolkit_NVCC_EXECUTABLE})
endif()
# The GPU of this machine. Where there is none: sm_75 and one for each later generation, up to
# sm_120, whose code the other chips of that generation run too.
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
  execute_process(COMMAND nvidia-smi -L OUTPUT_VARIABLE _prof_gpus ERROR_QUIET)
  if(_prof_gpus MATCHES "GPU 0")
    set(CMAKE_CUDA_ARCHITECTURES native)
  else()
    set(CMAKE_CUDA_ARCHITECTURES all-major)
  endif()
endif()
check_language(CUDA)
set(PROF_NVCC ${CMAKE_CUDA_COMPILER})
set(CMAKE_CUDA_STANDARD 17)
set(CMAKE_CUDA_STANDARD_REQUIRED ON)

# prof_cuda_program(<name> SOURCES ... LIBS ...)
function(prof_cuda_program name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_LIBS})
  # Old-style RPATH: it also serves what the libraries themselves need, RUNPATH does not.
  target_link_options(${name} PRIVATE LINKER:--disable-new-dtags)
  set_target_properties(${name} PROPERTIES
    CUDA_RUNTIME_LIBRARY Static
    BUILD_RPATH "$ORIGIN/../lib:$ORIGIN" INSTALL_RPATH "$ORIGIN/../lib:$ORIGIN")
endfunction()
