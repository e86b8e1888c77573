# SPDX-License-Identifier: Apache-2.0
# libprof.so and libprof_inject.so, put together from the folders of the capture half.
add_library(prof SHARED $<TARGET_OBJECTS:prof_capture> $<TARGET_OBJECTS:prof_nvtx>
  $<TARGET_OBJECTS:prof_python> $<TARGET_OBJECTS:prof_native> $<TARGET_OBJECTS:prof_torch>
  $<TARGET_OBJECTS:prof_cupti> $<TARGET_OBJECTS:prof_options> $<TARGET_OBJECTS:prof_format>)

# They bring their C++ runtime: an older libstdc++.so that the program finds first would keep it
# from starting. libgcc_s stays shared, so that there is one unwinder; they need symbols of GCC 3.0
# to 4.2 from it. Linked statically it would need glibc 2.35.
include(CheckCXXSourceCompiles)
set(CMAKE_REQUIRED_LINK_OPTIONS -shared -fPIC -static-libstdc++)
check_cxx_source_compiles("#include <string>\nstd::string f() { return std::string(99, 'x'); }"
  PROF_HAS_STATIC_LIBSTDCXX)
unset(CMAKE_REQUIRED_LINK_OPTIONS)
if(PROF_HAS_STATIC_LIBSTDCXX AND NOT PROF_SANITIZE)
  option(PROF_STATIC_LIBSTDCXX "libprof.so brings its own libstdc++" ON)
else()
  set(PROF_STATIC_LIBSTDCXX OFF)
endif()
add_library(prof::prof ALIAS prof)
target_link_libraries(prof PUBLIC prof_public PRIVATE ${CMAKE_DL_LIBS})
set_target_properties(prof PROPERTIES LINKER_LANGUAGE CXX)
# nodelete: CUPTI and NVTX keep pointers into us for the life of the process.
target_link_options(prof PRIVATE
  -Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/libprof.map -Wl,-z,nodelete)
if(PROF_STATIC_LIBSTDCXX)
  target_sources(prof PRIVATE ${PROJECT_SOURCE_DIR}/lib/capture/own_runtime.cc)
  target_link_options(prof PRIVATE -static-libstdc++ -Wl,--gc-sections
    -Wl,--wrap=__cxa_atexit)
endif()
set_target_properties(prof PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION 0
  LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/libprof.map)

add_library(prof_inject MODULE ${PROJECT_SOURCE_DIR}/lib/capture/inject_shim.cc
  ${PROJECT_SOURCE_DIR}/torch_bridge/allocator_shim.cc)
prof_target(prof_inject)
target_link_libraries(prof_inject PRIVATE prof ${CMAKE_DL_LIBS})
target_link_options(prof_inject PRIVATE
  -Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/inject.map -Wl,--disable-new-dtags)
if(PROF_STATIC_LIBSTDCXX)
  target_link_options(prof_inject PRIVATE -static-libstdc++)
endif()
set_target_properties(prof_inject PROPERTIES CXX_VISIBILITY_PRESET hidden
  BUILD_RPATH "$ORIGIN" INSTALL_RPATH "$ORIGIN"
  LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/inject.map)
