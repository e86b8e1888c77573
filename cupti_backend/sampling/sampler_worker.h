// SPDX-License-Identifier: Apache-2.0
//
// The sampler's worker is the thread that prepares counters and changes from one pass group to the
// next. That takes 7 to 62 ms, and would hold up the program in a callback.
#ifndef PROF_CUPTI_BACKEND_SAMPLING_SAMPLER_WORKER_H_
#define PROF_CUPTI_BACKEND_SAMPLING_SAMPLER_WORKER_H_

#include <cstdint>
#include <thread>

#include "cupti_backend/sampling/context_slots.h"
#include "cupti_backend/sampling/sampler_parts.h"

namespace prof::cupti {

class SamplerWorker {
 public:
  // Both outlive this.
  SamplerWorker(SamplerParts* parts, ContextSlots* contexts) : parts_(parts), contexts_(contexts) {}
  ~SamplerWorker() { Join(); }
  SamplerWorker(const SamplerWorker&) = delete;
  SamplerWorker& operator=(const SamplerWorker&) = delete;

  void Start();
  // Ends it. SamplerParts::closed is set.
  void Join();

 private:
  void Run();
  void WorkUntilClosed();
  void AwaitWork();
  void Serve(ContextSampler& context);
  void ReleaseUnused(int64_t now_ns);
  [[nodiscard]] bool Urgent() const;
  void PassTurn(int64_t now_ns);
  void CheckHeldUp(int64_t now_ns);

  SamplerParts* const parts_;
  ContextSlots* const contexts_;
  int64_t turn_since_ns_ = 0;  // triage has let go of the hardware; 0: it has it
  std::thread thread_;
};

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_SAMPLING_SAMPLER_WORKER_H_
