# SPDX-License-Identifier: Apache-2.0
# Run by CTest: configures the parent, and looks at what it would build, source by source.
file(REMOVE_RECURSE ${WORK_DIR})
execute_process(COMMAND ${CMAKE_COMMAND} -G ${GENERATOR} -S ${PARENT_DIR} -B ${WORK_DIR}
  -D CMAKE_CXX_COMPILER=${CXX_COMPILER} -D PROF_SOURCE_DIR=${SOURCE_DIR} -D PROF_CUDA=${WITH_CAPTURE}
  -D WITH_CAPTURE=${WITH_CAPTURE} -D CMAKE_UNITY_BUILD=OFF -D CMAKE_EXPORT_COMPILE_COMMANDS=ON
  COMMAND_ERROR_IS_FATAL ANY)

file(READ ${WORK_DIR}/compile_commands.json commands)
foreach(wanted "lib/analyzer/analyzer.cc" "consumer/analyze.cc")
  if(NOT commands MATCHES "${wanted}")
    message(FATAL_ERROR "the parent does not compile ${wanted}")
  endif()
endforeach()
foreach(unwanted "-Werror" "/examples/" "/test/support/")
  if(commands MATCHES "${unwanted}")
    message(FATAL_ERROR "the parent would compile with ${unwanted}")
  endif()
endforeach()
file(READ ${WORK_DIR}/cmake_install.cmake install)
file(READ ${WORK_DIR}/prof/cmake_install.cmake install_prof)
if("${install}${install_prof}" MATCHES "libprof|profConfig")
  message(FATAL_ERROR "the parent's installation would contain prof")
endif()
