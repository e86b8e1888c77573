# SPDX-License-Identifier: Apache-2.0
# libprof.so and libprof_inject.so, put together from the folders of the capture half.
file(WRITE ${PROJECT_BINARY_DIR}/empty.cc "")
add_library(prof SHARED ${PROJECT_BINARY_DIR}/empty.cc)
add_library(prof::prof ALIAS prof)
target_link_libraries(prof
  PUBLIC prof_public
  PRIVATE $<BUILD_INTERFACE:$<LINK_LIBRARY:WHOLE_ARCHIVE,prof_capture,prof_nvtx,prof_cupti>> ${CMAKE_DL_LIBS})
set_target_properties(prof PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION 0)
target_link_options(prof PRIVATE
  -Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/libprof.map -Wl,--no-undefined -Wl,-z,nodelete)
set_target_properties(prof PROPERTIES LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/libprof.map)
if(PROF_SANITIZE)
  set_property(TARGET prof PROPERTY LINK_OPTIONS
    -Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/libprof.map)
endif()
