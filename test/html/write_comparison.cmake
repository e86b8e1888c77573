# SPDX-License-Identifier: Apache-2.0
# Writes the page and the JSON of a comparison of the runs in FOLDER. A program without the front end
# leaves no page, and the tests that need it are skipped.
file(REMOVE ${PAGE})
set(_sides ${FOLDER}/before ${FOLDER}/after)
execute_process(COMMAND ${PROF} compare --html ${PAGE} ${_sides} RESULT_VARIABLE result
  ERROR_VARIABLE why)
if(NOT result EQUAL 0)
  if(why MATCHES "built without its HTML report")
    message(NOTICE "${why}")
    file(REMOVE ${PAGE})
    return()
  endif()
  message(FATAL_ERROR "prof compare --html failed: ${why}")
endif()
execute_process(COMMAND ${PROF} compare --json -o ${JSON} ${_sides} COMMAND_ERROR_IS_FATAL ANY)
