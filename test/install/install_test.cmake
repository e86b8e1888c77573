# SPDX-License-Identifier: Apache-2.0
# Run by CTest: install and uninstall; then pack, check the sum, unpack elsewhere, run what is in it,
# and build and run the consumer against it.
function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE ${WORK_DIR})
file(MAKE_DIRECTORY ${WORK_DIR})

# The manifest in the build folder is that of the user's own installation.
set(manifest ${BUILD_DIR}/install_manifest.txt)
if(EXISTS ${manifest})
  file(READ ${manifest} manifest_before)
endif()
run(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${WORK_DIR}/first)
file(RENAME ${manifest} ${WORK_DIR}/manifest.txt)
if(DEFINED manifest_before)
  file(WRITE ${manifest} "${manifest_before}")
endif()
file(WRITE ${WORK_DIR}/first/lib/not_ours "stays")
run(${CMAKE_COMMAND} -D MANIFEST=${WORK_DIR}/manifest.txt -P ${SOURCE_DIR}/cmake/uninstall.cmake)
file(GLOB_RECURSE left LIST_DIRECTORIES true RELATIVE ${WORK_DIR}/first ${WORK_DIR}/first/*)
list(FILTER left INCLUDE REGEX "prof|not_ours")
if(NOT left STREQUAL "lib/not_ours")
  message(FATAL_ERROR "uninstall left ${left}, not lib/not_ours alone")
endif()

run(${CMAKE_CPACK_COMMAND} --config ${BUILD_DIR}/CPackConfig.cmake -B ${WORK_DIR}/packed)
file(GLOB tarball ${WORK_DIR}/packed/prof-*.tar.gz)
file(READ ${tarball}.sha256 sum)
file(SHA256 ${tarball} expected)
if(NOT sum MATCHES "^${expected} ")
  message(FATAL_ERROR "${tarball}.sha256 has ${sum}, not ${expected}")
endif()
file(ARCHIVE_EXTRACT INPUT ${tarball} DESTINATION ${WORK_DIR})
file(GLOB unpacked ${WORK_DIR}/prof-*)
file(RENAME ${unpacked} ${WORK_DIR}/prefix)
# The package must not know where it was installed, nor where it was built.
file(GLOB_RECURSE package_files ${WORK_DIR}/prefix/*.cmake ${WORK_DIR}/prefix/*.pc)
foreach(file IN LISTS package_files)
  file(READ ${file} content)
  foreach(path ${WORK_DIR} ${BUILD_DIR})
    string(FIND "${content}" "${path}" at)
    if(NOT at EQUAL -1)
      message(FATAL_ERROR "${file} names ${path}")
    endif()
  endforeach()
endforeach()

set(program ${EMULATOR} ${WORK_DIR}/prefix/bin/prof)
run(${program} --help)
run(${program} --version)
run(${program} report ${SOURCE_DIR}/test/data/transformer_layer_version_1.prof
  -o ${WORK_DIR}/report.txt)
if(WITH_CAPTURE)
  run(${program} run -o ${WORK_DIR}/run.prof -- /bin/true)
endif()
if(EMULATOR)  # the consumer's own build knows nothing of the emulator
  return()
endif()

set(found_by CMAKE_PREFIX_PATH=${WORK_DIR}/prefix)
if(LIBRARIES STREQUAL lib64)  # CMake looks there only on systems that have such a folder
  set(found_by prof_DIR=${WORK_DIR}/prefix/lib64/cmake/prof)
endif()
run(${CMAKE_COMMAND} -G ${GENERATOR} -S ${CONSUMER_DIR} -B ${WORK_DIR}/build
  -D ${found_by} -D CMAKE_CXX_COMPILER=${CXX_COMPILER}
  -D WITH_CAPTURE=${WITH_CAPTURE})
run(${CMAKE_COMMAND} --build ${WORK_DIR}/build)
run(${CMAKE_CTEST_COMMAND} --test-dir ${WORK_DIR}/build --output-on-failure --no-tests=error)

# consumer <program> <packages>: the same without CMake.
function(consumer name)
  execute_process(COMMAND ${PKG_CONFIG} --cflags --libs ${ARGN}
    OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(flags UNIX_COMMAND "${flags}")
  run(${CXX_COMPILER} -std=c++17 ${CONSUMER_DIR}/${name}.cc -o ${WORK_DIR}/${name} ${flags}
    -Wl,-rpath,${WORK_DIR}/prefix/${LIBRARIES})
  run(${WORK_DIR}/${name})
endfunction()

if(PKG_CONFIG)
  set(ENV{PKG_CONFIG_PATH} ${WORK_DIR}/prefix/${LIBRARIES}/pkgconfig)
  consumer(analyze prof-analyzer)
  if(WITH_CAPTURE)
    consumer(record prof prof-analyzer)
  endif()
endif()
