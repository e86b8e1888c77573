// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/sampling/launch_gate.h"

#include <sched.h>
#include <unistd.h>

#include "lib/capture/process/clock.h"

namespace prof::cupti {
namespace {

// The epoch in which this thread's launch was counted; 0: no launch is under way. There is no exit
// when callbacks were switched off meanwhile, which ends an epoch. Initial-exec, as in
// thread_registry.h.
__thread uint32_t entered_epoch __attribute__((tls_model("initial-exec"))) = 0;
std::atomic<uint32_t> last_epoch{0};

}  // namespace

LaunchGate::LaunchGate() : epoch_(last_epoch.fetch_add(1, std::memory_order_relaxed) + 1) {}

void LaunchGate::Count() {
  if (entered_epoch == epoch_) return;
  entered_epoch = epoch_;
  under_way_.Add();
}

bool LaunchGate::Enter(const void* context) {
  Count();
  const void* const closed_for = closed_for_.load(std::memory_order_seq_cst);
  if (closed_for == nullptr || closed_for != context) return false;
  Wait(context);
  return true;
}

void LaunchGate::Exit() {
  if (entered_epoch == epoch_) under_way_.Remove();
  entered_epoch = 0;
}

bool LaunchGate::OthersUnderWay() const {
  return under_way_.Sum() != (entered_epoch == epoch_ ? 1U : 0U);
}

bool LaunchGate::CloseFor(const void* context, int64_t patience_ns, int64_t hold_ns) {
  hold_ns_.store(hold_ns, std::memory_order_relaxed);
  closed_for_.store(context, std::memory_order_seq_cst);
  if (!OthersUnderWay()) return true;
  const int64_t until_ns = capture::MonotonicNs() + patience_ns;
  do {
    sched_yield();
    if (!OthersUnderWay()) return true;
  } while (capture::MonotonicNs() < until_ns);
  Open();
  return false;
}

// A launch that waits here is not under way.
void LaunchGate::Wait(const void* context) {
  const int64_t until_ns = capture::MonotonicNs() + hold_ns_.load(std::memory_order_relaxed);
  while (closed_for_.load(std::memory_order_seq_cst) == context &&
         capture::MonotonicNs() < until_ns) {
    Exit();
    usleep(50);
    Count();
  }
}

}  // namespace prof::cupti
