// SPDX-License-Identifier: Apache-2.0
//
// These functions find the files that a run has written: they match its output pattern and are new.
#ifndef PROF_LIB_CLI_RUN_RECORDINGS_H_
#define PROF_LIB_CLI_RUN_RECORDINGS_H_

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

// `pattern` with the working directory in front, so that a program that changes its directory
// writes where prof looks. Percent signs of the directory are doubled.
[[nodiscard]] std::string AbsolutePattern(const std::string& pattern);

// The files that processes of any pid (%p), host (%h), rank (%r) or both (%i) would write to.
[[nodiscard]] Files ListRecordings(const std::string& pattern);

// The files that processes write beside those when another process has the name that they want:
// run.4711.prof, run.r3-4711.prof, run.1.prof.
[[nodiscard]] Files ListOtherNames(const std::string& pattern);

// Whether a process may write to `path`, which need not exist.
[[nodiscard]] bool MayBeRecordedTo(const std::string& pattern, const std::string& path);

// The files in `after` that are recordings, that were not there `before`, and that were written
// since `start_ns`.
[[nodiscard]] std::vector<std::string> MadeSince(int64_t start_ns, const Files& before,
                                                 const Files& after);

// The files in `after` that are new or have changed since `before`. Compares states, not times: the
// file server's clock may differ from this machine's.
[[nodiscard]] std::vector<std::string> NewRecordings(const Files& before, const Files& after);

// Why no recording can be written to `pattern`, and the way out; empty: one can.
[[nodiscard]] std::string PatternProblem(const std::string& pattern);

}  // namespace prof::cli

#endif  // PROF_LIB_CLI_RUN_RECORDINGS_H_
