// SPDX-License-Identifier: Apache-2.0
//
// Library files are compared here: which library does a path in an injection variable name?
#ifndef PROF_LIB_CAPTURE_PROCESS_LIBRARY_FILES_H_
#define PROF_LIB_CAPTURE_PROCESS_LIBRARY_FILES_H_

#include <sys/stat.h>

#include <cstring>

namespace prof::capture {

// Whether both exist and are one file, under whatever names.
[[nodiscard]] inline bool SameFile(const char* a, const char* b) {
  struct stat stat_a {
  }, stat_b{};
  return stat(a, &stat_a) == 0 && stat(b, &stat_b) == 0 && stat_a.st_dev == stat_b.st_dev &&
         stat_a.st_ino == stat_b.st_ino;
}

[[nodiscard]] inline const char* FileName(const char* path) {
  const char* slash = std::strrchr(path, '/');
  return slash != nullptr ? slash + 1 : path;
}

// Whether it is libprof_inject.so, of this copy of prof or of another one.
[[nodiscard]] inline bool IsInjectLibrary(const char* path) {
  return std::strcmp(FileName(path), "libprof_inject.so") == 0;
}

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_PROCESS_LIBRARY_FILES_H_
