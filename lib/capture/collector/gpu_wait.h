// SPDX-License-Identifier: Apache-2.0
//
// A GPU wait waits for the GPU on a thread of its own: a GPU that never goes idle (a persistent
// kernel) must hold up neither the collector nor the end of a recording.
#ifndef PROF_LIB_CAPTURE_COLLECTOR_GPU_WAIT_H_
#define PROF_LIB_CAPTURE_COLLECTOR_GPU_WAIT_H_

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <optional>
#include <thread>

#include "lib/capture/process/mutex.h"

namespace prof::capture {

// The collector's thread, one wait at a time.
class GpuWait {
 public:
  // What waits. False: the GPU failed. It owns all that it uses, because it may go on after the
  // recording. `given_up`: nobody waits for the answer any more, so nothing new may begin.
  using Work = std::function<bool(const std::atomic<bool>& given_up)>;

  // `wake` is called when a wait is over.
  explicit GpuWait(void (*wake)()) : wake_(wake) {}
  ~GpuWait() { GiveUp(); }
  GpuWait(const GpuWait&) = delete;
  GpuWait& operator=(const GpuWait&) = delete;

  // None may be running. Where the system has no thread to give, `work` runs here.
  void Start(Work work);
  [[nodiscard]] bool running() const { return shared_ != nullptr; }
  // The answer, once it is there. Nothing runs after it.
  [[nodiscard]] std::optional<bool> Take();
  // The same, and waits for it. nullopt: it is not there at the deadline, and goes on.
  [[nodiscard]] std::optional<bool> TakeBefore(Deadline deadline);
  // Leaves the thread behind. It ends by itself.
  void GiveUp();

 private:
  struct Shared {
    Mutex mutex;
    std::condition_variable over;
    std::optional<bool> answer PROF_GUARDED_BY(mutex);
    std::atomic<bool> given_up{false};
  };

  void (*const wake_)();
  std::shared_ptr<Shared> shared_;  // with the thread
  std::thread thread_;
};

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_COLLECTOR_GPU_WAIT_H_
