# SPDX-License-Identifier: Apache-2.0
# Run by CTest: install, move, then configure, build and run the consumer.
function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE ${WORK_DIR})
file(MAKE_DIRECTORY ${WORK_DIR})
run(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${WORK_DIR}/first)
# The package must not know where it was installed, nor where it was built.
file(RENAME ${WORK_DIR}/first ${WORK_DIR}/prefix)
file(GLOB_RECURSE package_files ${WORK_DIR}/prefix/*.cmake)
foreach(file IN LISTS package_files)
  file(READ ${file} content)
  foreach(path ${WORK_DIR} ${BUILD_DIR})
    string(FIND "${content}" "${path}" at)
    if(NOT at EQUAL -1)
      message(FATAL_ERROR "${file} names ${path}")
    endif()
  endforeach()
endforeach()

run(${WORK_DIR}/prefix/bin/prof --help)
run(${CMAKE_COMMAND} -G ${GENERATOR} -S ${CONSUMER_DIR} -B ${WORK_DIR}/build
  -D CMAKE_PREFIX_PATH=${WORK_DIR}/prefix -D CMAKE_CXX_COMPILER=${CXX_COMPILER}
  -D WITH_CAPTURE=${WITH_CAPTURE})
run(${CMAKE_COMMAND} --build ${WORK_DIR}/build)
run(${CMAKE_CTEST_COMMAND} --test-dir ${WORK_DIR}/build --output-on-failure --no-tests=error)
