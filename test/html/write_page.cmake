# SPDX-License-Identifier: Apache-2.0
# Writes the page and the JSON of a recording, and puts the front end's tests beside its build. A
# program without the front end leaves no page, and the tests that need it are skipped.
file(REMOVE ${PAGE})
execute_process(COMMAND ${PROF} report --html ${PAGE} ${RECORDING} RESULT_VARIABLE result
  ERROR_VARIABLE why)
if(NOT result EQUAL 0)
  if(why MATCHES "built without its HTML report")
    message(NOTICE "${why}")
    file(REMOVE ${PAGE})
    return()
  endif()
  message(FATAL_ERROR "prof report --html failed: ${why}")
endif()
execute_process(COMMAND ${PROF} report --json -o ${JSON} ${RECORDING} COMMAND_ERROR_IS_FATAL ANY)
file(COPY ${SOURCE}/test ${SOURCE}/tsconfig.json DESTINATION ${FRONT})
