// SPDX-License-Identifier: Apache-2.0
//
// Progress shows on a terminal that a command works on something for more than a second.
#ifndef PROF_LIB_CLI_BASE_PROGRESS_H_
#define PROF_LIB_CLI_BASE_PROGRESS_H_

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace prof::cli {

// For a scope. After a second, and then each second, it writes "prof: reading x.prof, 3 s" over the
// same line of stderr, and removes it at its end. Nothing where stderr is no terminal.
class Progress {
 public:
  explicit Progress(std::string what);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

 private:
  void Run();

  const std::string what_;
  std::mutex mutex_;
  std::condition_variable over_changed_;
  bool over_ = false;
  std::thread thread_;
};

}  // namespace prof::cli

#endif  // PROF_LIB_CLI_BASE_PROGRESS_H_
