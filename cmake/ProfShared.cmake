# SPDX-License-Identifier: Apache-2.0
# libprof.so and libprof_inject.so, put together from the folders of the capture half.
add_library(prof SHARED $<TARGET_OBJECTS:prof_capture> $<TARGET_OBJECTS:prof_nvtx>
  $<TARGET_OBJECTS:prof_cupti> $<TARGET_OBJECTS:prof_options>)
add_library(prof::prof ALIAS prof)
target_link_libraries(prof PUBLIC prof_public PRIVATE ${CMAKE_DL_LIBS})
set_target_properties(prof PROPERTIES LINKER_LANGUAGE CXX)
# nodelete: CUPTI and NVTX keep pointers into us for the life of the process.
target_link_options(prof PRIVATE
  -Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/libprof.map -Wl,-z,nodelete)
set_target_properties(prof PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION 0
  LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/libprof.map)

add_library(prof_inject MODULE ${PROJECT_SOURCE_DIR}/lib/capture/inject_shim.cc)
prof_target(prof_inject)
target_link_libraries(prof_inject PRIVATE prof ${CMAKE_DL_LIBS})
target_link_options(prof_inject PRIVATE
  -Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/inject.map -Wl,--disable-new-dtags)
set_target_properties(prof_inject PROPERTIES CXX_VISIBILITY_PRESET hidden
  BUILD_RPATH "$ORIGIN" INSTALL_RPATH "$ORIGIN"
  LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/inject.map)
