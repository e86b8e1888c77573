// SPDX-License-Identifier: Apache-2.0
//
// A program that is recorded with a fake GPU and ends in the way that its first argument names. Its
// own exit code is 7. An alarm ends it when it hangs.
#include <dirent.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <map>
#include <new>
#include <optional>
#include <string>
#include <thread>

#include "lib/capture/injection.h"
#include "lib/capture/process/clock.h"
#include "lib/capture/process/end_request.h"
#include "lib/capture/threads/thread_recorder.h"
#include "prof/session.h"
#include "test/capture/collector/fake_source.h"
#include "test/capture/wire/events.h"

namespace {

int exit_handlers = 0;
int fork_handlers = 0;

}  // namespace

extern "C" {
// Asked by the sanitizers, where there is one: leaked sessions and deaths by signals are meant.
const char* __asan_default_options() { return "detect_leaks=0:handle_segv=0:handle_abort=0"; }
const char* __tsan_default_options() {
  return "die_after_fork=0:report_signal_unsafe=0:handle_segv=0";
}
int __real_atexit(void (*handler)());
int __wrap_atexit(void (*handler)()) {
  ++exit_handlers;
  return __real_atexit(handler);
}
int __real_pthread_atfork(void (*prepare)(), void (*parent)(), void (*child)());
int __wrap_pthread_atfork(void (*prepare)(), void (*parent)(), void (*child)()) {
  ++fork_handlers;
  return __real_pthread_atfork(prepare, parent, child);
}
}

namespace prof::capture::test {
namespace {

constexpr int kOwnExitCode = 7;

FakeGpu* gpu = new FakeGpu;  // never destroyed: the threads below outlive main
SessionOptions options;
std::optional<Session> static_session;  // destroyed after main
std::atomic<int> blocks_written{0};

void EmitBlock() {
  gpu->Emit([](Encoder& encoder) {
    encoder.Add(AKernel());
    encoder.WriteBlock({});
    ++blocks_written;
  });
}

// Ranges and GPU work that go on whatever happens to the process.
void StartWork() {
  std::thread([] {
    while (true) {
      PushRange({"busy", "", 0, 0});
      PopRange("");
    }
  }).detach();
  std::thread([] {
    while (true) {
      EmitBlock();
      usleep(1000);
    }
  }).detach();
  while (blocks_written < 100) usleep(1000);
}

Session* Leak() {
  auto* session = new Session(options);
  StartWork();
  return session;
}

// How a child ended: its exit code, or minus its signal.
int Wait(pid_t child) {
  int status = 0;
  if (waitpid(child, &status, 0) != child) return -1000;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

int ExitInStop(bool from_handler) {
  Session* session = Leak();
  gpu->HangAtStop();
  if (from_handler) {  // not allowed, and common
    signal(SIGALRM, [](int) {
      signal(SIGALRM, SIG_DFL);
      alarm(40);
      exit(kOwnExitCode);
    });
    alarm(1);
    session->Stop();
  } else {
    std::thread([session] { session->Stop(); }).detach();
    usleep(200'000);
    exit(kOwnExitCode);
  }
  return 1;
}

// A persistent kernel, and exit() in the middle of a Stop on another thread.
int ExitWithBusyGpu() {
  Session* session = Leak();
  gpu->Hang();
  std::thread([session] { session->Stop(); }).detach();
  usleep(200'000);
  exit(kOwnExitCode);
}

// Destroyed after a static session that was made later.
struct LastStatic {
  ~LastStatic() {
    if (!resumes) return;
    gpu->Resume();
    usleep(1'500'000);
  }
  bool resumes = false;
};

// `resumes`: and the GPU answers when the session is gone, so that the stop comes back.
int ExitInStopOfStatic(bool resumes) {
  static LastStatic last;
  last.resumes = resumes;
  static std::optional<Session> session;
  session.emplace(options);
  StartWork();
  gpu->HangAtStop();
  std::thread([] { session->Stop(); }).detach();
  usleep(200'000);
  return kOwnExitCode;
}

int InjectedWithoutCounters(bool hangs) {
  gpu->counters = {State::kUnavailable, 35, "not permitted", "ask the administrator"};
  setenv("PROF_OUTPUT", options.output.c_str(), 1);
  StartInjectedRecording();
  StartWork();
  if (hangs) gpu->Hang();
  return kOwnExitCode;
}

// exit() and Stop() with the destructor at the same time.
int ExitBesideStop() {
  Session* session = Leak();
  std::thread([session] {
    session->Stop();
    delete session;
  }).detach();
  exit(kOwnExitCode);
}

int Fork() {
  Leak();
  PushRange({"open at the fork", "", 0, 0});
  const pid_t exits = fork();
  if (exits == 0) {
    PushRange({"child 5b1e", "", 0, 0});
    PopRange("");
    PopRange("");
    exit(3);  // with the parent's exit handlers and static destructors
  }
  if (Wait(exits) != 3) return 1;
  pid_t from_thread = 0;
  std::thread([&] {
    PushRange({"a thread's", "", 0, 0});
    from_thread = fork();
    if (from_thread == 0) {
      PopRange("");
      exit(4);
    }
    PopRange("");
  }).join();
  if (Wait(from_thread) != 4) return 2;
  const pid_t execs = fork();
  if (execs == 0) {
    execl("/bin/sh", "sh", "-c", "exit 5", nullptr);
    _exit(1);
  }
  if (Wait(execs) != 5) return 3;
  PopRange("");
  return kOwnExitCode;
}

int Spawn() {
  Leak();
  PushRange({"open at the spawn", "", 0, 0});
  char* const argv[] = {const_cast<char*>("sh"), const_cast<char*>("-c"),
                        const_cast<char*>("exit 5"), nullptr};
  pid_t spawned = 0;
  if (posix_spawn(&spawned, "/bin/sh", nullptr, nullptr, argv, environ) != 0) return 1;
  if (Wait(spawned) != 5) return 2;
  const pid_t child = vfork();  // NOLINT(clang-analyzer-security.insecureAPI.vfork): on purpose
  if (child == 0) {
    execv("/bin/sh", argv);
    _exit(1);
  }
  if (Wait(child) != 5) return 3;
  if (WEXITSTATUS(system("exit 6")) != 6) return 4;
  PopRange("");
  PushRange({"after the spawns", "", 0, 0});  // vfork shares our memory: we are still recorded
  PopRange("");
  return kOwnExitCode;
}

long CountEntries(const char* folder) {
  long entries = 0;
  DIR* dir = opendir(folder);
  while (dir != nullptr && readdir(dir) != nullptr) ++entries;
  if (dir != nullptr) closedir(dir);
  return entries;
}

void PrintResources() {
  long pages = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> pages >> resident;
  std::printf("%ld %ld %ld %d %d\n", resident * getpagesize() / 1024,
              CountEntries("/proc/self/task"), CountEntries("/proc/self/fd"), exit_handlers,
              fork_handlers);
}

int StartAndStopOften() {
  for (int i = 0; i <= 1000; ++i) {
    Session session(options);
    PushRange({"step", "", 0, 0});
    EmitBlock();
    PopRange("");
    if (session.Stop().integrity().kernels != 1) return 1;
    if (i == 100 || i == 1000) PrintResources();
  }
  return kOwnExitCode;
}

// The system has no thread for the collector.
int NoThread() {
  rlimit limit{};
  getrlimit(RLIMIT_AS, &limit);
  const rlimit before = limit;
  long pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  limit.rlim_cur = static_cast<rlim_t>(pages * getpagesize() + (4 << 20));
  setrlimit(RLIMIT_AS, &limit);
  const Session refused(options);
  setrlimit(RLIMIT_AS, &before);
  if (refused.status().timeline.what != "prof could not start") return 1;
  const int64_t before_ns = MonotonicNs();
  EndRecordingNow();  // as _exit() does: there is nobody to wait for
  if (MonotonicNs() - before_ns > 1'000'000'000) return 4;
  sigset_t blocked;
  pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
  if (sigismember(&blocked, SIGTERM) != 0) return 2;
  PushRange({"goes nowhere", "", 0, 0});
  PopRange("");
  Session next(options);
  EmitBlock();
  return next.Stop().integrity().kernels == 1 ? kOwnExitCode : 3;
}

int OutOfMemoryInTheCollector() {
  Session session(options);
  EmitBlock();
  session.Synchronize();
  gpu->Emit([](Encoder&) { throw std::bad_alloc(); });
  for (int i = 0; i < 500 && session.Synchronize(); ++i) usleep(1000);
  return session.Stop().integrity().incomplete ? kOwnExitCode : 1;
}

int FullFile() {
  const rlimit small = {300'000, RLIM_INFINITY};
  setrlimit(RLIMIT_FSIZE, &small);  // SIGXFSZ keeps its default action, which kills
  const Session* session = Leak();
  while (session->status().output.state != State::kUnavailable) usleep(1000);
  return kOwnExitCode;
}

bool WaitForFile(const std::string& path) {
  for (int i = 0; i < 1000 && access(path.c_str(), F_OK) != 0; ++i) usleep(10'000);
  return access(path.c_str(), F_OK) == 0;
}

int Dump() {
  const std::string stem = options.output.substr(0, options.output.size() - 5);
  options.keep_last_seconds = 60;
  options.dump_signal = SIGUSR2;
  Leak();
  for (const char* number : {"1", "2"}) {
    raise(SIGUSR2);
    if (!WaitForFile(stem + ".dump" + number + ".prof")) return 1;
  }
  return kOwnExitCode;
}

// Not allowed, and common.
int ExitInHandlerThatInterruptsDump() {
  options.keep_last_seconds = 60;
  Session* session = Leak();
  signal(SIGALRM, [](int) {
    signal(SIGALRM, SIG_DFL);
    alarm(40);
    exit(kOwnExitCode);
  });
  const std::string path = options.output.substr(0, options.output.size() - 5) + ".other.prof";
  itimerval soon = {};
  soon.it_value.tv_usec = 100'000;
  setitimer(ITIMER_REAL, &soon, nullptr);
  while (true) (void)session->Dump(path);
}

int DumpSignalAfterStop() {
  options.keep_last_seconds = 60;
  options.dump_signal = SIGUSR2;
  Session(options).Stop();
  raise(SIGUSR2);
  return kOwnExitCode;
}

// The parent would never see the end of a child that it ends by the signal.
int DumpSignalInAChild() {
  options.keep_last_seconds = 60;
  options.dump_signal = SIGUSR2;
  Leak();
  const pid_t child = fork();
  if (child == 0) {
    raise(SIGUSR2);
    _exit(1);
  }
  int status = 0;
  if (waitpid(child, &status, 0) != child || !WIFSIGNALED(status)) return 1;
  return WTERMSIG(status) == SIGUSR2 ? kOwnExitCode : 2;
}

int DumpSignalOfTheProgram() {
  static std::atomic<int> seen{0};
  signal(SIGUSR2, [](int) { ++seen; });
  options.keep_last_seconds = 60;
  options.dump_signal = SIGUSR2;
  Leak();
  raise(SIGUSR2);
  return seen == 1 ? kOwnExitCode : 1;
}

int Local() {
  Session session(options);
  StartWork();
  if (session.status().output.state == State::kUnavailable) {
    const Integrity integrity = session.Stop().integrity();
    std::printf("%llu\n", static_cast<unsigned long long>(integrity.bytes_not_written));
  }
  return kOwnExitCode;
}

const std::map<std::string, std::function<int()>> kWays = {
    {"local", &Local},
    {"local as nobody", [] { return setgid(65534) == 0 && setuid(65534) == 0 ? Local() : 1; }},
    {"leaked", [] { return Leak(), kOwnExitCode; }},
    {"static",
     [] {
       static_session.emplace(options);
       StartWork();
       return kOwnExitCode;
     }},
    {"exit", [] { return Leak(), exit(kOwnExitCode), 0; }},
    {"exit on a thread",
     [] {
       Leak();
       std::thread([] { exit(kOwnExitCode); }).detach();
       while (true) pause();
       return 0;
     }},
    {"exit while another thread stops", &ExitBesideStop},
    {"exit while a stop hangs", [] { return ExitInStop(false); }},
    {"exit while the GPU never goes idle", &ExitWithBusyGpu},
    {"exit while the stop of a static session hangs", [] { return ExitInStopOfStatic(false); }},
    {"exit while the stop of a static session comes back late",
     [] { return ExitInStopOfStatic(true); }},
    {"exit in a handler while its thread stops", [] { return ExitInStop(true); }},
    {"injected, without counters", [] { return InjectedWithoutCounters(false); }},
    {"injected, without counters, when the GPU hangs",
     [] { return InjectedWithoutCounters(true); }},
    {"_exit", [] { return Leak(), _exit(kOwnExitCode), 0; }},
    {"quick_exit", [] { return Leak(), quick_exit(kOwnExitCode), 0; }},
    {"abort", [] { return Leak(), abort(), 0; }},
    {"SIGTERM", [] { return Leak(), raise(SIGTERM); }},
    {"SIGSEGV", [] { return Leak(), raise(SIGSEGV); }},
    {"SIGKILL", [] { return Leak(), raise(SIGKILL); }},
    {"fork", &Fork},
    {"spawn", &Spawn},
    {"start and stop often", &StartAndStopOften},
    {"no thread", &NoThread},
    {"out of memory", &OutOfMemoryInTheCollector},
    {"full file", &FullFile},
    {"dump", &Dump},
    {"exit in a handler that interrupts Dump", &ExitInHandlerThatInterruptsDump},
    {"dump signal after the end", &DumpSignalAfterStop},
    {"dump signal in a forked child", &DumpSignalInAChild},
    {"dump signal of the program", &DumpSignalOfTheProgram},
};

}  // namespace
}  // namespace prof::capture::test

int main(int argc, char** argv) {
  using prof::capture::test::kWays;
  if (argc < 3 || kWays.count(argv[1]) == 0) return 2;
  const rlimit no_core = {0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  alarm(60);
  prof::capture::test::options.output = argv[2];
  return kWays.at(argv[1])();
}
