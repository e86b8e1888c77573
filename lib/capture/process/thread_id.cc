// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/process/thread_id.h"

#include <sys/syscall.h>
#include <unistd.h>

namespace prof::capture {
namespace {

// Initial-exec for the reason that thread_registry.h gives.
__thread uint32_t thread_id __attribute__((tls_model("initial-exec"))) = 0;

}  // namespace

uint32_t CurrentThreadId() {
  if (thread_id == 0) thread_id = static_cast<uint32_t>(syscall(SYS_gettid));
  return thread_id;
}

void ForgetThreadIdAfterFork() { thread_id = 0; }

}  // namespace prof::capture
