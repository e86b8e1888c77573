// SPDX-License-Identifier: Apache-2.0
//
// The run list has the files that the processes of one `prof run` write. Each process adds its own
// (lib/capture/collector/output_claim.h).
#ifndef PROF_LIB_CLI_RUN_RUN_LIST_H_
#define PROF_LIB_CLI_RUN_RUN_LIST_H_

#include <string>
#include <vector>

namespace prof::cli {

class RunList {
 public:
  // Makes the list in `shared`, a folder that all processes can write to. The run begins now, by
  // the clock of the file system that `pattern` (absolute) is on. Without a list (a full disk)
  // files are found by their names alone.
  RunList(const std::string& shared, const std::string& pattern);
  ~RunList();  // removes the list
  RunList(const RunList&) = delete;
  RunList& operator=(const RunList&) = delete;

  // For the variable PROF_RUN.
  [[nodiscard]] std::string variable() const;
  // When the run began, by the clock of the file system of its files.
  [[nodiscard]] long long start_ns() const { return start_ns_; }
  // The files that exist now, each once, by name.
  [[nodiscard]] std::vector<std::string> Read() const;

 private:
  std::string path_;  // empty: there is no list
  long long start_ns_ = 0;
};

}  // namespace prof::cli

#endif  // PROF_LIB_CLI_RUN_RUN_LIST_H_
