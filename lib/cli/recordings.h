// SPDX-License-Identifier: Apache-2.0
//
// Which files a run has written: those that match its output pattern and were not there before.
#ifndef PROF_LIB_CLI_RECORDINGS_H_
#define PROF_LIB_CLI_RECORDINGS_H_

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace prof::cli {

struct FileState {
  ino_t inode = 0;
  int64_t changed_ns = 0;
  uint64_t bytes = 0;
  bool operator==(const FileState& other) const {
    return inode == other.inode && changed_ns == other.changed_ns && bytes == other.bytes;
  }
};

// By path.
using Files = std::map<std::string, FileState>;

// `pattern` with the working directory in front, so that a program that changes its own still
// writes where we look. Percent signs of the directory are doubled.
std::string AbsolutePattern(const std::string& pattern);

// Files that processes of any pid (%p), host (%h) and rank (%r) would write to.
Files ListRecordings(const std::string& pattern);

// Those in `after` that are new or have changed since `before`. Compares with what was there, not
// with a clock: the file server's may differ from ours.
std::vector<std::string> NewRecordings(const Files& before, const Files& after);

// Why no recording can be written to `pattern`, and the way out; empty: one can.
[[nodiscard]] std::string PatternProblem(const std::string& pattern);

}  // namespace prof::cli

#endif  // PROF_LIB_CLI_RECORDINGS_H_
