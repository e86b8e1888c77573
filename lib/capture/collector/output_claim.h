// SPDX-License-Identifier: Apache-2.0
//
// An output claim gives a recording a file that nobody else writes to. Processes of one run may
// want the same name, and so may processes of other containers and machines with a common file
// system.
#ifndef PROF_LIB_CAPTURE_COLLECTOR_OUTPUT_CLAIM_H_
#define PROF_LIB_CAPTURE_COLLECTOR_OUTPUT_CLAIM_H_

#include <cstdint>
#include <limits>
#include <string>

namespace prof::capture {

// Which file a recording wants, and what it may do to get it.
struct OutputName {
  std::string path;  // expanded; empty: memory
  // What tells this process from its peers ("r3-4711"), for a second name; empty: `path` has it.
  std::string process;
  // Whether an old recording of that name may be replaced. Nobody means a file of an earlier
  // process that had the same number by chance.
  bool replaces = true;
  // What was written since this time (of the file system) belongs to this run, and is not replaced.
  int64_t run_start_ns = std::numeric_limits<int64_t>::max();
  // `prof run` collects here the names of the files that its processes write; empty: nobody does.
  std::string list;
};

struct ClaimedFile {
  int fd = -1;               // -1: there is none, `action` and `error` have the reason
  std::string path;          // of the file
  std::string why_other;     // why it is not the path that was wanted; empty: it is
  bool of_this_run = false;  // it is another process of this run that has that path
  const char* action = "create";
  int error = 0;  // errno
};

// Creates the file and locks it (flock) for as long as the descriptor is open. In place of an old
// recording, an empty file or a link it makes a new file; a device is opened as it is. Where the
// path is locked, of this run, or no recording of prof, the file gets another name beside it:
// run.r3-4711.prof, run.1.prof. Recordings that this process has made itself are always replaced.
// Any thread. Some system calls; on a network file system as long as these take.
[[nodiscard]] ClaimedFile ClaimOutput(const OutputName& name);

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_COLLECTOR_OUTPUT_CLAIM_H_
