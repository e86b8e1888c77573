// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/cupti_source.h"

#include <utility>

#include "cupti_backend/cupti_process.h"
#include "lib/capture/process/process_info.h"

namespace prof::cupti {

namespace {

// By the program: prof never calls cuInit.
bool CudaIsInitialized() {
  DriverApi driver;
  int devices = 0;
  if (LoadDriver(&driver)) return false;
  const CUresult result = driver.device_get_count(&devices);
  return result == CUDA_SUCCESS || result == CUDA_ERROR_DEINITIALIZED;  // at exit
}

}  // namespace

CuptiSource::~CuptiSource() { Stop(); }

void CuptiSource::Start(const SessionOptions& options, bool injected) {
  AcquiredProcess acquired = AcquireCuptiProcess(static_cast<size_t>(options.buffer_mib) << 20,
                                                 static_cast<size_t>(options.device_mib) << 20);
  if (acquired.process != nullptr) {
    recording_ = std::make_unique<CuptiRecording>(acquired.process, options);
    recording_->Start(options, injected);
  } else {
    Problem& problem = acquired.problem;
    problem_ = {State::kUnavailable, problem.code, std::move(problem.what), std::move(problem.fix)};
    counters_wanted_ = options.counters != Counters::kNone || !options.metrics.empty();
  }
}

void CuptiSource::Gather(bool flush) {
  if (recording_ != nullptr) {
    recording_->Gather(flush);
  } else if (flush && !cuda_initialized_) {
    cuda_initialized_ = CudaIsInitialized();
  }
}

void CuptiSource::Encode(capture::EventSink& sink) {
  if (recording_ != nullptr) recording_->Encode(sink);
}

void CuptiSource::Encode(const capture::CallEvent& call, capture::EventSink& sink) {
  if (recording_ != nullptr) recording_->Encode(call, sink);
}

capture::GpuWait::Work CuptiSource::WaitForGpu() {
  return recording_ != nullptr ? recording_->WaitForGpu() : capture::GpuWait::Work();
}

void CuptiSource::Flush() {
  if (recording_ != nullptr) recording_->Flush();
}

bool CuptiSource::Pause() { return recording_ == nullptr || recording_->Pause(); }

void CuptiSource::Resume() {
  if (recording_ != nullptr) recording_->Resume();
}

void CuptiSource::CountLaunches(bool on) {
  if (recording_ != nullptr) recording_->CountLaunches(on);
}

void CuptiSource::StopCounters() {
  if (recording_ != nullptr) recording_->StopCounters();
}

void CuptiSource::Stop() {
  if (recording_ != nullptr) recording_->Stop();
}

void CuptiSource::Leave() {
  if (recording_ != nullptr) recording_->Leave();
}

capture::SourceVersions CuptiSource::versions() const {
  capture::SourceVersions versions;
  if (recording_ != nullptr) versions = recording_->versions();
  versions.nvidia_driver = capture::NvidiaDriverVersion();
  return versions;
}

SubsystemStatus CuptiSource::timeline_status() const {
  return recording_ != nullptr ? recording_->timeline_status() : problem_;
}

SubsystemStatus CuptiSource::counters_status() const {
  if (recording_ != nullptr) return recording_->counters_status();
  return counters_wanted_ ? problem_ : SubsystemStatus{};
}

SubsystemStatus CuptiSource::continuous_status() const {
  return recording_ != nullptr ? recording_->continuous_status() : SubsystemStatus{};
}

bool CuptiSource::counters_complete() const {
  return recording_ != nullptr && recording_->counters_complete();
}

std::optional<double> CuptiSource::decided_share() const {
  return recording_ != nullptr ? recording_->decided_share() : std::nullopt;
}

bool CuptiSource::counters_pending() const {
  return recording_ != nullptr && recording_->counters_pending();
}

bool CuptiSource::saw_gpu_work() const {
  if (recording_ != nullptr) return recording_->saw_gpu_work();
  // Where CUPTI could not be used the program's ranges, and the reason, are worth a file.
  return problem_.code == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED || cuda_initialized_;
}

void CuptiSource::AddLosses(Integrity& integrity) const {
  if (recording_ != nullptr) recording_->AddLosses(integrity);
}

}  // namespace prof::cupti

namespace prof::capture {

std::unique_ptr<GpuSource> MakeGpuSource() {
  return std::unique_ptr<GpuSource>(new cupti::CuptiSource);  // std::make_unique may not
}

}  // namespace prof::capture
