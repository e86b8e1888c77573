// SPDX-License-Identifier: Apache-2.0
#include "test/cli/program.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <system_error>

namespace prof::test {

int Ended::exit_code() const { return WIFEXITED(status) ? WEXITSTATUS(status) : -1; }

int Ended::signal() const { return WIFSIGNALED(status) ? WTERMSIG(status) : 0; }

Folder::Folder() {
  std::string name = std::filesystem::temp_directory_path().string() + "/prof_cli_test_XXXXXX";
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
  path_ = std::filesystem::canonical(name).string();
}

Folder::~Folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

void Folder::Write(const std::string& name, const std::string& bytes) const {
  std::ofstream(File(name), std::ios::binary) << bytes;
}

std::string Folder::Read(const std::string& name) const {
  std::ifstream file(File(name), std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

Program::Program(const std::vector<std::string>& command, const std::string& directory,
                 const std::vector<std::string>& environment) {
  const std::string out = output_.File("out"), err = output_.File("err");
  pid_ = fork();
  if (pid_ != 0) return;
  const int out_fd = open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  const int err_fd = open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  dup2(out_fd, STDOUT_FILENO);
  dup2(err_fd, STDERR_FILENO);
  for (const char* name : {"PROF_OUTPUT", "PROF_RUN", "PROF_COUNTERS", "PROF_INJECT", "LD_PRELOAD",
                           "CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH"}) {
    unsetenv(name);
  }
  for (const std::string& entry : environment) {
    const size_t equals = entry.find('=');
    setenv(entry.substr(0, equals).c_str(), entry.substr(equals + 1).c_str(), 1);
  }
  std::vector<char*> argv;
  argv.reserve(command.size() + 1);
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  if (chdir(directory.c_str()) == 0) execv(argv[0], argv.data());
  _exit(99);
}

Program::~Program() {
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
}

bool Program::WaitFor(const std::string& text) const {
  for (int i = 0; i < 2000; ++i) {
    if (output_.Read("out").find(text) != std::string::npos) return true;
    usleep(10'000);
  }
  return false;
}

Ended Program::Wait() {
  Ended ended;
  while (waitpid(pid_, &ended.status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  ended.out = output_.Read("out");
  ended.err = output_.Read("err");
  return ended;
}

Ended Prof(const std::vector<std::string>& arguments, const std::string& directory,
           const std::vector<std::string>& environment) {
  std::vector<std::string> command = {PROF_PROGRAM};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return Program(command, directory, environment).Wait();
}

std::string ProfOnTerminal(const std::vector<std::string>& arguments,
                           const std::string& directory) {
  std::string line = PROF_PROGRAM;
  for (const std::string& argument : arguments) line += " '" + argument + "'";  // without quotes
  std::string shown =
      Program({"/usr/bin/script", "-qec", line, "/dev/null"}, directory, {"TERM=dumb"}).Wait().out;
  shown.erase(std::remove(shown.begin(), shown.end(), '\r'), shown.end());
  return shown;
}

std::vector<std::string> RunLine(const std::vector<std::string>& options,
                                 const std::vector<std::string>& command) {
  std::vector<std::string> line = {"run", "--inject", PROF_INJECT_NOTHING};
  line.insert(line.end(), options.begin(), options.end());
  line.emplace_back("--");
  line.insert(line.end(), command.begin(), command.end());
  return line;
}

}  // namespace prof::test
