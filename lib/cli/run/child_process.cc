// SPDX-License-Identifier: Apache-2.0
#include "lib/cli/run/child_process.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>

namespace prof::cli {
namespace {

constexpr std::array<int, 8> kForwarded = {SIGHUP,  SIGINT,  SIGQUIT, SIGTERM,
                                           SIGUSR1, SIGUSR2, SIGALRM, SIGCONT};

std::vector<char*> Pointers(const std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  pointers.reserve(strings.size() + 1);
  // execvpe takes char* for historical reasons and changes nothing.
  for (const std::string& text : strings) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

// The write end closes when the exec succeeds; otherwise it carries errno.
struct ExecPipe {
  std::array<int, 2> fds{-1, -1};
  bool Open() { return pipe2(fds.data(), O_CLOEXEC) == 0; }
  int Read() {
    close(fds[1]);
    int code = 0;
    ssize_t got = 0;
    do {
      got = read(fds[0], &code, sizeof(code));
    } while (got < 0 && errno == EINTR);
    close(fds[0]);
    return got == static_cast<ssize_t>(sizeof(code)) ? code : 0;
  }
};

// Waits for `child` and passes signals on. The signals are blocked and taken one by one, so there
// is no handler, and no moment at which a signal could be lost.
int WaitAndForward(pid_t child, const sigset_t& signals) {
  while (true) {
    siginfo_t info{};
    const int signal = sigwaitinfo(&signals, &info);
    int status = 0;
    const pid_t ended = waitpid(child, &status, WNOHANG);
    if (ended == child) return status;
    if (ended < 0 && errno != EINTR) return 0;
    // The kernel sends its signals (terminal, hang-up) to the whole process group, with the child.
    const bool from_process = info.si_code <= 0;
    if (signal > 0 && signal != SIGCHLD && from_process) kill(child, signal);
  }
}

}  // namespace

ChildEnd RunChild(const std::vector<std::string>& command,
                  const std::vector<std::string>& environment) {
  const std::vector<char*> argv = Pointers(command);
  const std::vector<char*> envp = Pointers(environment);
  ChildEnd end;
  ExecPipe pipe;
  if (!pipe.Open()) {
    end.start_error = errno;
    return end;
  }

  sigset_t signals, before;
  sigemptyset(&signals);
  for (const int signal : kForwarded) sigaddset(&signals, signal);
  sigaddset(&signals, SIGCHLD);
  sigprocmask(SIG_BLOCK, &signals, &before);
  // Some parents leave SIGCHLD ignored: the kernel would throw the status away.
  struct sigaction by_default {};
  by_default.sa_handler = SIG_DFL;
  struct sigaction child_action {};
  sigaction(SIGCHLD, &by_default, &child_action);

  const pid_t child = fork();
  if (child == 0) {
    sigaction(SIGCHLD, &child_action, nullptr);
    sigprocmask(SIG_SETMASK, &before, nullptr);
    execvpe(argv[0], argv.data(), envp.data());
    const int code = errno;
    // If even this fails, the parent sees exit status 127.
    [[maybe_unused]] const ssize_t written = write(pipe.fds[1], &code, sizeof(code));
    _exit(127);
  }
  if (child < 0) end.start_error = errno;
  const int exec_error = pipe.Read();
  if (child < 0) return end;
  end.status = WaitAndForward(child, signals);
  end.start_error = exec_error;
  return end;
}

int ExitCode(int status) {
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int EndLike(int status) {
  if (!WIFSIGNALED(status)) return ExitCode(status);
  const int number = WTERMSIG(status);
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  std::signal(number, SIG_DFL);
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, number);
  raise(number);
  sigprocmask(SIG_UNBLOCK, &one, nullptr);
  return ExitCode(status);
}

}  // namespace prof::cli
