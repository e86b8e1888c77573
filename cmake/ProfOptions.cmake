# SPDX-License-Identifier: Apache-2.0
# Options, the CUDA toolkit, and the flags that all of our targets share.
option(PROF_TESTS "Build the tests" ${PROJECT_IS_TOP_LEVEL})
option(PROF_BENCH "Build the benchmarks" OFF)
option(PROF_PYTHON "Build the Python package's extension module (python/pyproject.toml)" OFF)
option(PROF_WERROR "Warnings are errors: for our own builds, as other compilers warn otherwise" OFF)
option(PROF_INSTALL "Install prof, and make its packages" ${PROJECT_IS_TOP_LEVEL})
set(PROF_SANITIZE "" CACHE STRING "Value for -fsanitize=, e.g. address;undefined")

# The toolkit gives headers (CUPTI, NVTX3) and, for the examples, nvcc. Nothing of it is linked.
find_package(CUDAToolkit QUIET)
find_path(PROF_CUPTI_INCLUDE_DIR cupti.h
  HINTS ${CUDAToolkit_INCLUDE_DIRS} ${CUDAToolkit_LIBRARY_ROOT}/extras/CUPTI/include
        ${CUDAToolkit_TARGET_DIR}/../../extras/CUPTI/include)
# Headers alone are enough for the capture half. A cross build names their folder.
if(NOT CUDAToolkit_FOUND AND PROF_CUPTI_INCLUDE_DIR AND EXISTS ${PROF_CUPTI_INCLUDE_DIR}/cuda.h)
  file(STRINGS ${PROF_CUPTI_INCLUDE_DIR}/cuda.h _cuda_version REGEX "^#define CUDA_VERSION [0-9]+")
  if(_cuda_version MATCHES "([0-9]+)0([0-9])0$")  # 13020 is 13.2
    set(CUDAToolkit_VERSION ${CMAKE_MATCH_1}.${CMAKE_MATCH_2})
    set(CUDAToolkit_INCLUDE_DIRS ${PROF_CUPTI_INCLUDE_DIR})
  endif()
endif()
if(CUDAToolkit_VERSION AND PROF_CUPTI_INCLUDE_DIR)
  set(_prof_cuda_default ON)
else()
  set(_prof_cuda_default OFF)
endif()
option(PROF_CUDA "Build libprof.so (needs the CUDA toolkit's headers)" ${_prof_cuda_default})
if(PROF_CUDA AND NOT PROF_CUPTI_INCLUDE_DIR)
  message(FATAL_ERROR "PROF_CUDA=ON needs the CUDA toolkit: cupti.h was not found. Set "
    "CUDAToolkit_ROOT, or configure with -DPROF_CUDA=OFF to build the analyzer alone.")
endif()
if(PROF_CUDA AND CUDAToolkit_VERSION VERSION_LESS 13.0)
  message(FATAL_ERROR "prof needs CUDA 13.0 or newer headers, found ${CUDAToolkit_VERSION}. "
    "Configure with -DPROF_CUDA=OFF to build the analyzer alone.")
endif()
if(PROF_CUDA AND PROJECT_IS_TOP_LEVEL)
  set(_prof_examples_default ON)
else()
  set(_prof_examples_default OFF)
endif()
option(PROF_EXAMPLES "Build the examples (needs nvcc)" ${_prof_examples_default})
message(STATUS "prof: capture library ${PROF_CUDA} (toolkit ${CUDAToolkit_VERSION})")

set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
endif()

# What every target of ours compiles with; a target opts in with prof_target().
add_library(prof_flags INTERFACE)
target_compile_options(prof_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wpedantic;-Wshadow;-Wnon-virtual-dtor;-Wno-missing-field-initializers>)
if(PROF_WERROR)
  target_compile_options(prof_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Werror>)
endif()
if(PROF_SANITIZE)
  string(REPLACE ";" "," _prof_sanitize "${PROF_SANITIZE}")
  # maybe-uninitialized: g++ 12 warns falsely in instrumented code, inside Catch2 among others.
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${_prof_sanitize}>
    $<$<COMPILE_LANGUAGE:CXX>:-fno-omit-frame-pointer>
    $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-maybe-uninitialized>)
  # For tests that no sanitizer can run. Compilers have no common names for it.
  add_compile_definitions(PROF_SANITIZED)
  if("${PROF_SANITIZE}" MATCHES "thread")
    add_compile_definitions(PROF_SANITIZED_THREADS)
  endif()
  if("${PROF_SANITIZE}" MATCHES "undefined")
    # function: clang compares types by name, and the types of C libraries' functions have others.
    add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fno-sanitize-recover=undefined>
      $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-fno-sanitize=function>)
  endif()
  add_link_options(-fsanitize=${_prof_sanitize})
  find_program(PROF_LLD ld.lld)
  if(PROF_LLD)
    add_link_options(-fuse-ld=lld)  # instrumented programs are large: a fifth of ld's time
  endif()
endif()

# prof_target(<target>): our flags and our source root as an include path.
function(prof_target target)
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:prof_flags>)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
endfunction()

# Sixteen sources of a part are compiled together, which takes half of the time: for parts that are
# neither in the program's way nor in the reader's. In these g++ would inline less, and a record would
# take 6 % more instructions. The unnamed namespaces of a part share no names: .ci/one_unit.py checks
# this for every part, as the presets of the sanitizers compile all together, and the preset dev none.
function(prof_compile_together target)
  if(NOT DEFINED CMAKE_UNITY_BUILD)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 16)
  endif()
  # g++ takes a source that another one includes for a header, whose types must have one name.
  target_compile_options(${target} PRIVATE
    $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-subobject-linkage>)
endfunction()
