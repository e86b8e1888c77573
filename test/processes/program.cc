// SPDX-License-Identifier: Apache-2.0
//
// A program that makes processes, and ends, in the way that its argument names. Its exit code is 7
// when all went as it expects. An alarm ends it when it hangs.
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "test/processes/fake_cuda_calls.h"

namespace prof::test {
namespace {

constexpr int kOwnExitCode = 7;
constexpr int kKernels = 5;
constexpr useconds_t kUntilABlock = 1'600'000;

// A line to each of the program's outputs: one at once, one that waits in the C library's buffer.
void Say(const char* line) {
  std::printf("%s\n", line);
  std::fprintf(stderr, "%s\n", line);
}

void UseCuda() {
  Say("begins");
  InitializeCuda();
  Launch(kKernels);
  Say("launched");
}

// How a child ended: its exit code, or minus its signal.
int Wait(pid_t child) {
  int status = 0;
  if (waitpid(child, &status, 0) != child) return -1000;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

// The exit code of a forked child that runs `body` and calls exit().
int InChild(const std::function<int()>& body) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(30);
    exit(body());
  }
  return Wait(child);
}

int Plain() { return UseCuda(), kOwnExitCode; }

int ForkInARange() {
  Push("server");
  const int child = InChild([] {
    UseCuda();
    Push("request");
    usleep(100'000);
    const int inner = Pop();
    const int outer = Pop();  // the parent's range is open here, too
    return inner == 1 && outer == 0 && Pop() == -1 ? 0 : 1;
  });
  return child == 0 && Pop() == 0 ? kOwnExitCode : 1;
}

// More threads with ranges than there are rings: those of the parent's threads are free in the
// child.
int ForkBesideThreads() {
  constexpr int kThreads = 250;
  std::atomic<int> inside{0};
  for (int i = 0; i < kThreads; ++i) {
    std::thread([&inside] {
      Push("a thread of the parent");
      ++inside;
      while (true) pause();
    }).detach();
  }
  while (inside < kThreads) usleep(1000);
  return InChild([] {
    UseCuda();
    std::atomic<int> ready{0};
    std::vector<std::thread> threads;
    threads.reserve(kThreads);
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&ready] {
        ++ready;
        while (ready < kThreads) usleep(1000);
        Push("a thread of the child");
        Pop();
        ++ready;
        while (ready < 2 * kThreads) usleep(1000);
      });
    }
    for (std::thread& thread : threads) thread.join();
    return kOwnExitCode;
  });
}

int ForkAfterCuda() {
  UseCuda();
  Push("the parent's");
  const int child = InChild([] {
    InitializeCuda();
    if (Pop() != -2 || SessionRecords() != 0) return 1;
    return InChild([] { return InitializeCuda(), 3; });
  });
  return child == 3 && Pop() == 0 ? kOwnExitCode : 1;
}

// The child does work of its own.
int ForkAfterCudaForWork() {
  UseCuda();
  const int child = InChild([] {
    InitializeCuda();
    Say("the child");
    return 3;
  });
  return child == 3 ? kOwnExitCode : 1;
}

int ExecInAChild() {
  UseCuda();
  const pid_t child = fork();
  if (child == 0) {
    execl("/proc/self/exe", "child", "plain", nullptr);
    _exit(1);
  }
  return Wait(child);
}

int Exec() {
  UseCuda();
  usleep(kUntilABlock);
  return execl("/proc/self/exe", "again", "plain", nullptr);
}

int Spawn() {
  UseCuda();
  char* const argv[] = {const_cast<char*>("spawned"), const_cast<char*>("plain"), nullptr};
  pid_t child = 0;
  if (posix_spawn(&child, "/proc/self/exe", nullptr, nullptr, argv, environ) != 0) return 1;
  return Wait(child);
}

// The child of vfork() shares the memory: its _exit() must not end the recording.
int VforkThatFails() {
  char* const argv[] = {const_cast<char*>("none"), nullptr};
  UseCuda();
  const pid_t child = vfork();  // NOLINT(clang-analyzer-security.insecureAPI.vfork): on purpose
  if (child == 0) {
    execv("/no/such/program", argv);
    _exit(3);
  }
  if (Wait(child) != 3) return 1;
  Launch(kKernels);
  return kOwnExitCode;
}

int ExitInAHandler() {
  signal(SIGALRM, [](int) { _exit(kOwnExitCode); });
  UseCuda();
  alarm(1);
  while (true) free(malloc(100));  // it may come inside of these
}

int ExitOnManyThreads() {
  UseCuda();
  for (int i = 0; i < 8; ++i) std::thread([] { _exit(kOwnExitCode); }).detach();
  while (true) pause();
}

// As a daemon does: it leaves its parent, its session and all descriptors. Returns the process id.
pid_t StartDaemon(const std::function<void()>& body) {
  auto* id = static_cast<std::atomic<pid_t>*>(mmap(nullptr, sizeof(std::atomic<pid_t>),
                                                   PROT_READ | PROT_WRITE,
                                                   MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  const pid_t child = fork();
  if (child == 0) {
    setsid();
    if (fork() != 0) _exit(0);
    for (int fd = 0; fd < 64; ++fd) close(fd);
    alarm(20);
    body();
    id->store(getpid());
    usleep(300'000);
    exit(0);
  }
  Wait(child);
  while (id->load() == 0) usleep(1000);
  return id->load();
}

int Daemon() {
  const pid_t daemon = StartDaemon(&UseCuda);
  while (kill(daemon, 0) == 0) usleep(10'000);
  return kOwnExitCode;
}

int DaemonThatStays() {
  StartDaemon([] {
    UseCuda();
    std::thread([] {
      usleep(4'000'000);
      _exit(0);
    }).detach();
    usleep(kUntilABlock);
  });
  return kOwnExitCode;
}

// A program that closes what it does not know, and writes a file of its own, under the same number.
int CloseDescriptors() {
  UseCuda();
  usleep(kUntilABlock);
  for (int fd = 3; fd < 64; ++fd) close(fd);
  for (int i = 0; i < 20; ++i) {
    const int fd = open("mine", O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (fd < 0 || write(fd, "x", 1) != 1) return 1;
  }
  Launch(kKernels);
  usleep(kUntilABlock);
  return kOwnExitCode;
}

// As in a server that has used up its descriptors: nothing more can be opened.
int WithoutDescriptors(const std::function<void()>& body) {
  Launch(0);  // the library of the fake CUDA is loaded
  rlimit before{};
  if (getrlimit(RLIMIT_NOFILE, &before) != 0) return 1;
  const int lowest = dup(STDERR_FILENO);
  close(lowest);
  const rlimit none = {static_cast<rlim_t>(lowest), before.rlim_max};
  if (setrlimit(RLIMIT_NOFILE, &none) != 0) return 1;
  body();
  usleep(kUntilABlock);
  if (open("/dev/null", O_RDONLY | O_CLOEXEC) >= 0 || errno != EMFILE) return 1;
  return setrlimit(RLIMIT_NOFILE, &before) == 0 ? kOwnExitCode : 1;
}

int DeleteTheRecording() {
  UseCuda();
  usleep(kUntilABlock);
  if (unlink("run.prof") != 0) return 1;
  Launch(kKernels);
  return kOwnExitCode;
}

// As torchrun does.
int Ranks(int count) {
  std::vector<pid_t> ranks;
  for (int i = 0; i < count; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      setenv("RANK", std::to_string(i).c_str(), 1);
      setenv("WORLD_SIZE", std::to_string(count).c_str(), 1);
      execl("/proc/self/exe", "solver", "plain", nullptr);
      _exit(1);
    }
    ranks.push_back(child);
  }
  for (const pid_t rank : ranks) {
    if (Wait(rank) != kOwnExitCode) return 1;
  }
  return kOwnExitCode;
}

int Forks(int count) {
  for (int i = 0; i < count; ++i) {
    if (InChild(&Plain) != kOwnExitCode) return 1;
  }
  return kOwnExitCode;
}

const std::map<std::string, std::function<int()>> kWays = {
    {"plain", &Plain},
    {"slow", [] { return UseCuda(), usleep(kUntilABlock), kOwnExitCode; }},
    {"fork", [] { return Forks(1); }},
    {"fork 3", [] { return Forks(3); }},
    {"fork in a range", &ForkInARange},
    {"fork beside threads", &ForkBesideThreads},
    {"fork after CUDA", &ForkAfterCuda},
    {"fork after CUDA for work", &ForkAfterCudaForWork},
    {"session in a child",
     [] { return InChild([] { return SessionRecords() == 3 ? kOwnExitCode : 1; }); }},
    {"exec in a child", &ExecInAChild},
    {"exec", &Exec},
    {"posix_spawn", &Spawn},
    {"vfork", &VforkThatFails},
    {"_exit", [] { return UseCuda(), _exit(kOwnExitCode), 0; }},
    {"_Exit", [] { return UseCuda(), std::_Exit(kOwnExitCode), 0; }},
    {"quick_exit", [] { return UseCuda(), quick_exit(kOwnExitCode), 0; }},
    {"_exit while the GPU hangs",
     [] { return UseCuda(), usleep(200'000), Hang(), _exit(kOwnExitCode), 0; }},
    {"_exit while CUPTI hangs",
     [] { return UseCuda(), usleep(200'000), HangAtStop(), _exit(kOwnExitCode), 0; }},
    {"_exit in a handler", &ExitInAHandler},
    {"_exit on many threads", &ExitOnManyThreads},
    {"_exit without CUDA", [] { return _exit(kOwnExitCode), 0; }},
    {"a signal",
     [] { return UseCuda(), usleep(kUntilABlock), kill(getpid(), SIGTERM), pause(), 0; }},
    {"daemon", &Daemon},
    {"daemon that stays", &DaemonThatStays},
    {"close descriptors", &CloseDescriptors},
    {"no descriptors from the start", [] { return WithoutDescriptors(&UseCuda); }},
    {"no descriptors after CUDA",
     [] { return UseCuda(), WithoutDescriptors([] { Launch(kKernels); }); }},
    {"delete the recording", &DeleteTheRecording},
    {"ranks", [] { return Ranks(11); }},
};

}  // namespace
}  // namespace prof::test

int main(int argc, char** argv) {
  using prof::test::kWays;
  if (argc < 2 || kWays.count(argv[1]) == 0) return 2;
  alarm(60);
  const int exit_code = kWays.at(argv[1])();
  std::printf("%s: %d\n", argv[1], exit_code);
  return exit_code;
}
