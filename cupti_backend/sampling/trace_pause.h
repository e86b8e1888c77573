// SPDX-License-Identifier: Apache-2.0
//
// The trace pause keeps a launch out of CUPTI's kernel tracing. Tracing instruments each kernel:
// counts of instructions by type then read 0 (smsp__sass_*), counts of all instructions are 8 a
// warp too high, and warps that do little else have other stall reasons than without it.
#ifndef PROF_CUPTI_BACKEND_SAMPLING_TRACE_PAUSE_H_
#define PROF_CUPTI_BACKEND_SAMPLING_TRACE_PAUSE_H_

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "cupti_backend/api/cupti_api.h"
#include "cupti_backend/sampling/launch_gate.h"

namespace prof::cupti {

// What a pass group needs of the launches that it is read from.
enum class Tracing {
  kTraced,      // may be traced
  kUntraced,    // exact only when not traced; no metric is related to the kernel's time
  kNeverTraced  // right only when not traced
};
Tracing TracingFor(const std::vector<std::string>& metrics);

// A launch between its enter and its exit callback can lose its record when tracing is paused
// meanwhile. So a pause begins only when no other launch is under way, and a launch that comes
// later sees it.
class TracePause {
 public:
  // Both outlive this.
  TracePause(const CuptiApi* api, const LaunchGate* gate) : api_(api), gate_(gate) {}

  // A launching thread, after LaunchGate::Enter: tracing is paused by another thread, this launch
  // may have no record.
  bool paused() const { return paused_.load(std::memory_order_seq_cst); }

  // The thread whose launch it is, after LaunchGate::Enter. False: another launch is under way, or
  // CUPTI refuses. 1 to 12 us on an H200, and as much for End.
  bool Begin();
  CUptiResult End();
  // CUPTI went away meanwhile: nothing is paused any more.
  void Forget() { paused_.store(false, std::memory_order_seq_cst); }

 private:
  const CuptiApi* const api_;
  const LaunchGate* const gate_;
  std::atomic<bool> paused_{false};
};

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_SAMPLING_TRACE_PAUSE_H_
