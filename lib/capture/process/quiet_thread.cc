// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/process/quiet_thread.h"

#include <cxxabi.h>
#include <pthread.h>
#include <signal.h>

#include <exception>
#include <utility>

#include "lib/capture/process/complain.h"

namespace prof::capture {
namespace {

__thread bool quiet_thread __attribute__((tls_model("initial-exec"))) = false;

// Blocks signals for a scope. std::thread throws when the system has no thread to give.
class Blocked {
 public:
  explicit Blocked(const sigset_t& signals) { pthread_sigmask(SIG_SETMASK, &signals, &before_); }
  ~Blocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  Blocked(const Blocked&) = delete;
  Blocked& operator=(const Blocked&) = delete;

 private:
  sigset_t before_;
};

}  // namespace

std::thread StartQuietThread(const char* name, std::function<void()> body) {
  sigset_t all;
  sigfillset(&all);
  // A fault belongs to the thread itself: the program's crash handler must see it on any thread.
  for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT}) {
    sigdelset(&all, fault);
  }
  std::thread thread;
  {
    const Blocked blocked(all);
    thread = std::thread([run = std::move(body)] {
      quiet_thread = true;
      try {
        run();
      } catch (const std::exception& error) {  // an exception that leaves a thread ends the program
        Complain("prof: a thread of the recording ended: %s\n", error.what());
      } catch (const abi::__forced_unwind&) {  // somebody cancels the thread
        throw;
      } catch (...) {
        Complain("prof: a thread of the recording ended: unknown exception\n");
      }
    });
  }
  pthread_setname_np(thread.native_handle(), name);
  return thread;
}

bool IsQuietThread() { return quiet_thread; }

}  // namespace prof::capture
