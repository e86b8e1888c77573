// SPDX-License-Identifier: Apache-2.0
//
// The fake GPU does what a test asks for. MakeGpuSource() of these tests returns it.
#ifndef PROF_TEST_CAPTURE_COLLECTOR_FAKE_SOURCE_H_
#define PROF_TEST_CAPTURE_COLLECTOR_FAKE_SOURCE_H_

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "lib/capture/collector/gpu_source.h"
#include "lib/capture/wire/encoder.h"

namespace prof::capture::test {

// Shared by the test and the sources made while it lives. Thread safe.
class FakeGpu {
 public:
  FakeGpu();
  ~FakeGpu();
  FakeGpu(const FakeGpu&) = delete;
  FakeGpu& operator=(const FakeGpu&) = delete;

  // Set before a capture starts.
  bool throws_at_start = false;
  SourceVersions versions;
  SubsystemStatus timeline{State::kWorking, 0, "", ""};
  SubsystemStatus counters;
  Integrity losses;

  std::atomic<bool> counts_launches{false};

  // Any time.
  void Emit(std::function<void(Encoder&)> event);      // GPU work
  void EmitTo(std::function<void(EventSink&)> event);  // the same, into any sink
  std::vector<CallEvent> api_calls() const;            // that the collector handed over
  void SetSynchronizes(bool ok);
  void Hang();              // the GPU never goes idle ...
  void HangAtStop();        // or CUPTI does not answer when the source stops ...
  void Resume();            // ... until now
  void SetPauses(bool ok);  // whether the source can
  void SetCounters(bool complete, bool pending);
  std::vector<std::string> calls() const;
  SessionOptions options() const;
  bool injected() const;

 private:
  friend class FakeSource;

  mutable std::mutex mutex_;
  std::condition_variable resumed_;
  std::vector<std::function<void(EventSink&)>> events_;
  std::vector<std::string> calls_;
  std::vector<CallEvent> api_calls_;
  SessionOptions options_;
  bool injected_ = false;
  bool synchronizes_ = true;
  bool hangs_ = false, hangs_at_stop_ = false;
  bool pauses_ = true, complete_ = false, pending_ = true;
};

}  // namespace prof::capture::test

#endif  // PROF_TEST_CAPTURE_COLLECTOR_FAKE_SOURCE_H_
