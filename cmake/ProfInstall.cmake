# SPDX-License-Identifier: Apache-2.0
# What is installed, and as what other projects see it: find_package(prof), then
#   prof::prof      Session and ranges: libprof.so (with PROF_CUDA)
#   prof::analyzer  Analyze(), the writers of reports, exports and Compare()
#   prof::catch, prof::gtest  the same, for prof/catch.h and prof/gtest.h; bring the framework
# or pkg-config's prof and prof-analyzer. The targets `uninstall` and `tarball` are made here too.
include(CMakePackageConfigHelpers)

add_library(prof_analysis INTERFACE)
add_library(prof::analyzer ALIAS prof_analysis)
target_link_libraries(prof_analysis INTERFACE prof_export prof_html prof_compare prof_report prof_analyzer)
set_target_properties(prof_analysis PROPERTIES EXPORT_NAME analyzer)

foreach(framework catch gtest)
  add_library(prof_${framework} INTERFACE)
  add_library(prof::${framework} ALIAS prof_${framework})
  target_link_libraries(prof_${framework} INTERFACE prof_analysis)
  if(PROF_CUDA)
    target_link_libraries(prof_${framework} INTERFACE prof)  # for prof/capture.h
  endif()
  set_target_properties(prof_${framework} PROPERTIES EXPORT_NAME ${framework})
endforeach()

# The build tree is laid out like the installed one: the program finds the injected library.
set_target_properties(prof_cli PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
if(PROF_CUDA)
  set_target_properties(prof prof_inject PROPERTIES
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
  foreach(_file sitecustomize.py prof_torch_functions.py prof_torch_memory.py prof_torch_modules.py)
    configure_file(torch_bridge/site/${_file} ${PROJECT_BINARY_DIR}/lib/prof/site/${_file} COPYONLY)
  endforeach()
endif()

if(NOT PROF_INSTALL)  # a part of another project
  return()
endif()

install(DIRECTORY include/prof DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.h" PATTERN "*.proto")
install(TARGETS prof_public prof_text prof_format prof_symbols prof_wire prof_snapshot prof_analyzer prof_report prof_compare
  prof_export prof_html prof_analysis prof_catch prof_gtest EXPORT profTargets)
if(PROF_CUDA)
  install(TARGETS prof EXPORT profTargets)
  install(TARGETS prof_inject LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(DIRECTORY torch_bridge/site/ DESTINATION ${CMAKE_INSTALL_LIBDIR}/prof/site
    FILES_MATCHING PATTERN "*.py")
endif()

# Where the libraries are, as seen from the folders of the program and of pkg-config's files.
file(RELATIVE_PATH _to_libraries ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
set(_pkgconfig_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH PROF_PC_TO_PREFIX
  ${CMAKE_INSTALL_PREFIX}/${_pkgconfig_dir} ${CMAKE_INSTALL_PREFIX})

# The program can be copied to another machine: what it needs beside the C and C++ runtime lies in
# a folder of its own. Old-style RPATH, because it also serves what those libraries need.
install(TARGETS prof_cli RUNTIME_DEPENDENCY_SET prof_cli_needs)
install(RUNTIME_DEPENDENCY_SET prof_cli_needs
  PRE_EXCLUDE_REGEXES "^lib(c|m|dl|rt|pthread|stdc\\+\\+|gcc_s)\\.so" "^ld-linux"
  DIRECTORIES ${CMAKE_SYSROOT}/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}
    ${CMAKE_SYSROOT}/lib/${CMAKE_LIBRARY_ARCHITECTURE}
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/prof)
set_target_properties(prof_cli PROPERTIES INSTALL_RPATH "$ORIGIN/${_to_libraries}/prof")

set(_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/prof)
install(EXPORT profTargets NAMESPACE prof:: DESTINATION ${_package_dir})
configure_package_config_file(cmake/profConfig.cmake.in ${PROJECT_BINARY_DIR}/profConfig.cmake
  INSTALL_DESTINATION ${_package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/profConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/profConfig.cmake ${PROJECT_BINARY_DIR}/profConfigVersion.cmake
  DESTINATION ${_package_dir})

set(_pkgconfig_files prof-analyzer.pc)
if(PROF_CUDA)
  list(APPEND _pkgconfig_files prof.pc)
endif()
foreach(file IN LISTS _pkgconfig_files)
  configure_file(cmake/${file}.in ${PROJECT_BINARY_DIR}/${file} @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${file} DESTINATION ${_pkgconfig_dir})
endforeach()

if(NOT CMAKE_CROSSCOMPILING)  # made by the program: lib/cli/CMakeLists.txt
  install(DIRECTORY ${PROJECT_BINARY_DIR}/share/ DESTINATION ${CMAKE_INSTALL_DATAROOTDIR})
endif()

add_custom_target(uninstall
  COMMAND ${CMAKE_COMMAND} -D MANIFEST=${CMAKE_BINARY_DIR}/install_manifest.txt
    -P ${PROJECT_SOURCE_DIR}/cmake/uninstall.cmake
  VERBATIM)

# `cmake --build build/release --target tarball`: the installation as an archive with its SHA-256.
# It works wherever it is unpacked, because everything in it finds the rest by $ORIGIN.
set(CPACK_GENERATOR TGZ)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
string(TOLOWER ${CMAKE_SYSTEM_NAME} _system)
set(CPACK_PACKAGE_FILE_NAME prof-${PROJECT_VERSION}-${_system}-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_PACKAGE_CHECKSUM SHA256)
set(CPACK_STRIP_FILES ON)
set(CMAKE_SKIP_PACKAGE_ALL_DEPENDENCY ON)  # not the tests: the target below names what is packed
install(FILES LICENSE README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
include(CPack)
set(_packed prof_cli prof_analyzer prof_report prof_compare prof_export)
if(PROF_CUDA)
  list(APPEND _packed prof prof_inject)
endif()
add_custom_target(tarball
  COMMAND ${CMAKE_CPACK_COMMAND} --config ${PROJECT_BINARY_DIR}/CPackConfig.cmake
  WORKING_DIRECTORY ${PROJECT_BINARY_DIR}
  VERBATIM)
add_dependencies(tarball ${_packed})
