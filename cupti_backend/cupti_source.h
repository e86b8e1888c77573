// SPDX-License-Identifier: Apache-2.0
//
// The CUPTI source is the capture's GPU source on a machine with CUPTI. Only MakeGpuSource() makes
// one: gpu_source.h declares it, and tests link one of their own in its place.
#ifndef PROF_CUPTI_BACKEND_CUPTI_SOURCE_H_
#define PROF_CUPTI_BACKEND_CUPTI_SOURCE_H_

#include <memory>
#include <optional>

#include "cupti_backend/cupti_recording.h"
#include "lib/capture/collector/gpu_source.h"

namespace prof::cupti {

// A recording, or the reason why there is none.
class CuptiSource final : public capture::GpuSource {
 public:
  ~CuptiSource() override;
  CuptiSource(const CuptiSource&) = delete;
  CuptiSource& operator=(const CuptiSource&) = delete;

  void Start(const SessionOptions& options, bool injected) override;
  void Gather(bool flush) override;
  void Encode(capture::EventSink& sink) override;
  void Encode(const capture::CallEvent& call, capture::EventSink& sink) override;
  capture::GpuWait::Work WaitForGpu() override;
  void Flush() override;
  bool Pause() override;
  void Resume() override;
  void CountLaunches(bool on) override;
  void StopCounters() override;
  void Stop() override;
  void Leave() override;

  capture::SourceVersions versions() const override;
  SubsystemStatus timeline_status() const override;
  SubsystemStatus counters_status() const override;
  SubsystemStatus continuous_status() const override;
  bool counters_complete() const override;
  bool counters_pending() const override;
  std::optional<double> decided_share() const override;
  bool saw_gpu_work() const override;
  void AddLosses(Integrity& integrity) const override;

 private:
  friend std::unique_ptr<capture::GpuSource> capture::MakeGpuSource();
  CuptiSource() = default;

  std::unique_ptr<CuptiRecording> recording_;
  SubsystemStatus problem_;  // why there is no recording
  bool counters_wanted_ = false;
  bool cuda_initialized_ = false;  // looked at only where there is no recording
};

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_CUPTI_SOURCE_H_
