// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/quiet_thread.h"

#include <pthread.h>
#include <signal.h>

#include <utility>

namespace prof::capture {

std::thread StartQuietThread(const char* name, std::function<void()> body) {
  sigset_t all, before;
  sigfillset(&all);
  // Faults are of the thread itself: the program's crash handler must see them wherever they are.
  for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT}) {
    sigdelset(&all, fault);
  }
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread thread(std::move(body));
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_setname_np(thread.native_handle(), name);
  return thread;
}

}  // namespace prof::capture
