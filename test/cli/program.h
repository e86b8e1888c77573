// SPDX-License-Identifier: Apache-2.0
//
// A Program runs and its output is kept. Prof() runs the program prof.
#ifndef PROF_TEST_CLI_PROGRAM_H_
#define PROF_TEST_CLI_PROGRAM_H_

#include <sys/types.h>

#include <string>
#include <vector>

namespace prof::test {

struct Ended {
  int status = 0;  // as waitpid gives it
  std::string out, err;

  int exit_code() const;  // -1 when a signal ended it
  int signal() const;     // 0 when none did
};

// A folder that is removed with everything in it.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const std::string& path() const { return path_; }
  std::string File(const std::string& name) const { return path_ + "/" + name; }
  void Write(const std::string& name, const std::string& bytes) const;
  std::string Read(const std::string& name) const;

 private:
  std::string path_;
};

// A started program, with the working directory and the environment ("NAME=value", added to ours).
class Program {
 public:
  Program(const std::vector<std::string>& command, const std::string& directory,
          const std::vector<std::string>& environment = {});
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  pid_t pid() const { return pid_; }
  // Until `text` appears on its stdout; false after 20 s.
  bool WaitFor(const std::string& text) const;
  Ended Wait();

 private:
  Folder output_;
  pid_t pid_ = -1;
};

// `prof` with `arguments`, in `directory`.
Ended Prof(const std::vector<std::string>& arguments, const std::string& directory,
           const std::vector<std::string>& environment = {});

// `prof` with both outputs on a terminal: what it showed, without carriage returns.
std::string ProfOnTerminal(const std::vector<std::string>& arguments, const std::string& directory);

// `prof run`, `options`, a library that does nothing, "--", `command`.
std::vector<std::string> RunLine(const std::vector<std::string>& options,
                                 const std::vector<std::string>& command);

}  // namespace prof::test

#endif  // PROF_TEST_CLI_PROGRAM_H_
