# SPDX-License-Identifier: Apache-2.0
# Removes the files that `cmake --install` noted in MANIFEST, and the folders that are empty then.
if(NOT EXISTS ${MANIFEST})
  message(FATAL_ERROR "${MANIFEST} does not exist: nothing was installed from this build")
endif()
file(STRINGS ${MANIFEST} files)
set(folders)
foreach(file IN LISTS files)
  file(REMOVE $ENV{DESTDIR}${file})
  get_filename_component(folder $ENV{DESTDIR}${file} DIRECTORY)
  list(APPEND folders ${folder})
endforeach()
list(LENGTH files count)

# A folder of prof's own is empty now, and perhaps the one above it. Others are not.
list(REMOVE_DUPLICATES folders)
list(SORT folders ORDER DESCENDING)  # what lies in a folder comes before it
foreach(folder IN LISTS folders)
  while(folder MATCHES "/prof(/|$)")
    file(GLOB rest ${folder}/*)
    if(rest OR NOT IS_DIRECTORY ${folder})
      break()
    endif()
    file(REMOVE_RECURSE ${folder})
    get_filename_component(folder ${folder} DIRECTORY)
  endwhile()
endforeach()
message(STATUS "removed ${count} files")
