# SPDX-License-Identifier: Apache-2.0
# Builds the front end and writes it into a C++ source: cmake -D MODE=AUTO -D TESTS=ON -D NODE=...
# -D NPM=... -D SOURCE=html -D BUILD=folder -D BUNDLE=bundle.cc -P build.cmake. The sources are
# copied, so that node_modules is in the build folder. It fails with MODE=ON only.
cmake_minimum_required(VERSION 3.25)

set(_most_seconds 120)  # for npm on a slow network; prof itself compiles meanwhile

# Writes a bundle that holds the reason and the way out.
function(leave_out reason)
  if(MODE STREQUAL ON)
    message(FATAL_ERROR "the HTML report: ${reason}")
  endif()
  if(MODE)
    message(NOTICE "prof: the HTML report is left out: ${reason}")
  endif()
  file(WRITE ${BUNDLE} "// SPDX-License-Identifier: Apache-2.0
#include \"lib/html/bundle.h\"

namespace prof::html {

Bundle BuiltBundle(PageKind) {
  Bundle bundle;
  bundle.missing = R\"reason(this prof was built without its HTML report: ${reason})reason\";
  return bundle;
}

}  // namespace prof::html
")
endfunction()

if(NOT MODE)
  leave_out("PROF_HTML is OFF. Configure with -DPROF_HTML=ON and build again")
  return()
endif()
if(NOT NODE OR NOT NPM)
  leave_out("node and npm were not found. Install them (Debian: apt-get install nodejs npm), configure and build again")
  return()
endif()

file(MAKE_DIRECTORY ${BUILD})
foreach(name package.json package-lock.json vite.config.ts embed.mjs src)
  file(COPY ${SOURCE}/${name} DESTINATION ${BUILD})
endforeach()

# What was installed for this lock file stays. Tools for tests are for builds with tests.
set(_omit "")
if(NOT TESTS)
  set(_omit --omit=dev)
endif()
file(SHA256 ${SOURCE}/package-lock.json _lock)
set(_lock "${_lock} ${_omit}")
set(_installed "")
if(EXISTS ${BUILD}/node_modules/.prof-lock)
  file(READ ${BUILD}/node_modules/.prof-lock _installed)
endif()
if(NOT _installed STREQUAL _lock)
  execute_process(
    COMMAND ${NPM} ci ${_omit} --no-audit --no-fund --prefer-offline --loglevel=error
    WORKING_DIRECTORY ${BUILD} TIMEOUT ${_most_seconds}
    RESULT_VARIABLE _result OUTPUT_VARIABLE _output ERROR_VARIABLE _output)
  if(NOT _result EQUAL 0)
    file(WRITE ${BUILD}/npm.log "${_output}")
    leave_out("npm ci failed (${_result}); ${BUILD}/npm.log has the reason. Delete ${BUNDLE} and build again where npm reaches its registry")
    return()
  endif()
  file(WRITE ${BUILD}/node_modules/.prof-lock "${_lock}")
endif()

foreach(_page main comparison)
  execute_process(
    COMMAND ${NODE} node_modules/vite/bin/vite.js build --mode ${_page} --logLevel error
    WORKING_DIRECTORY ${BUILD} TIMEOUT ${_most_seconds}
    RESULT_VARIABLE _result OUTPUT_VARIABLE _output ERROR_VARIABLE _output)
  if(NOT _result EQUAL 0)
    break()
  endif()
endforeach()
if(_result EQUAL 0)
  execute_process(COMMAND ${NODE} embed.mjs ${BUNDLE} WORKING_DIRECTORY ${BUILD}
    RESULT_VARIABLE _result OUTPUT_VARIABLE _output ERROR_VARIABLE _output)
endif()
if(NOT _result EQUAL 0)
  file(WRITE ${BUILD}/vite.log "${_output}")
  leave_out("vite failed (${_result}); ${BUILD}/vite.log has the reason. It needs node 20.19 or newer")
endif()
