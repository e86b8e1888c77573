// SPDX-License-Identifier: Apache-2.0
#include "test/capture/collector/fake_source.h"

#include <memory>
#include <new>
#include <utility>

namespace prof::capture {
namespace test {
namespace {

FakeGpu* current = nullptr;

}  // namespace

FakeGpu::FakeGpu() { current = this; }
FakeGpu::~FakeGpu() { current = nullptr; }

// Tests also write blocks with the encoder.
void FakeGpu::Emit(std::function<void(Encoder&)> event) {
  EmitTo([event = std::move(event)](EventSink& sink) { event(static_cast<Encoder&>(sink)); });
}

void FakeGpu::EmitTo(std::function<void(EventSink&)> event) {
  const std::lock_guard<std::mutex> lock(mutex_);
  events_.push_back(std::move(event));
}

void FakeGpu::SetSynchronizes(bool ok) {
  const std::lock_guard<std::mutex> lock(mutex_);
  synchronizes_ = ok;
}

void FakeGpu::Hang() {
  const std::lock_guard<std::mutex> lock(mutex_);
  hangs_ = true;
}

void FakeGpu::HangAtStop() {
  const std::lock_guard<std::mutex> lock(mutex_);
  hangs_at_stop_ = true;
}

void FakeGpu::SetPauses(bool ok) {
  const std::lock_guard<std::mutex> lock(mutex_);
  pauses_ = ok;
}

void FakeGpu::SetCounters(bool complete, bool pending) {
  const std::lock_guard<std::mutex> lock(mutex_);
  complete_ = complete;
  pending_ = pending;
}

void FakeGpu::Resume() {
  const std::lock_guard<std::mutex> lock(mutex_);
  hangs_ = hangs_at_stop_ = false;
  resumed_.notify_all();
}

std::vector<std::string> FakeGpu::calls() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return calls_;
}

std::vector<CallEvent> FakeGpu::api_calls() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return api_calls_;
}

bool FakeGpu::injected() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return injected_;
}

SessionOptions FakeGpu::options() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return options_;
}

class FakeSource final : public GpuSource {
 public:
  explicit FakeSource(FakeGpu* gpu) : gpu_(gpu) {}

  void Start(const SessionOptions& options, bool injected) override {
    if (gpu_->throws_at_start) throw std::bad_alloc();
    const std::lock_guard<std::mutex> lock(gpu_->mutex_);
    gpu_->options_ = options;
    gpu_->injected_ = injected;
  }
  void Gather(bool) override {
    Note("gather");
    const std::lock_guard<std::mutex> lock(gpu_->mutex_);
    events_.swap(gpu_->events_);
    saw_work_ = saw_work_ || !events_.empty();
  }
  void Encode(EventSink& sink) override {
    Note("encode");
    for (const auto& event : std::exchange(events_, {})) event(sink);
  }
  void Encode(const CallEvent& call, EventSink&) override {
    const std::lock_guard<std::mutex> lock(gpu_->mutex_);
    gpu_->api_calls_.push_back(call);
  }
  GpuWait::Work WaitForGpu() override {
    Note("synchronize");
    return [gpu = gpu_](const std::atomic<bool>&) {
      std::unique_lock<std::mutex> lock(gpu->mutex_);
      gpu->resumed_.wait(lock, [&] { return !gpu->hangs_; });
      return gpu->synchronizes_;
    };
  }
  void Flush() override { Note("flush"); }
  bool Pause() override {
    Note("pause");
    const std::lock_guard<std::mutex> lock(gpu_->mutex_);
    return gpu_->pauses_;
  }
  void Resume() override { Note("resume"); }
  void CountLaunches(bool on) override { gpu_->counts_launches = on; }
  void StopCounters() override { Note("stop counters"); }
  void Stop() override {
    Note("stop");
    std::unique_lock<std::mutex> lock(gpu_->mutex_);
    gpu_->resumed_.wait(lock, [&] { return !gpu_->hangs_at_stop_; });
  }
  SourceVersions versions() const override { return gpu_->versions; }
  SubsystemStatus timeline_status() const override { return gpu_->timeline; }
  SubsystemStatus counters_status() const override { return gpu_->counters; }
  bool counters_complete() const override {
    const std::lock_guard<std::mutex> lock(gpu_->mutex_);
    return gpu_->complete_;
  }
  bool counters_pending() const override {
    const std::lock_guard<std::mutex> lock(gpu_->mutex_);
    return gpu_->pending_;
  }
  bool saw_gpu_work() const override { return saw_work_; }
  void AddLosses(Integrity& integrity) const override {
    integrity.launches += gpu_->losses.launches;
    integrity.samples_failed += gpu_->losses.samples_failed;
  }

 private:
  void Note(const char* call) {
    const std::lock_guard<std::mutex> lock(gpu_->mutex_);
    if (gpu_->calls_.empty() || gpu_->calls_.back() != call) gpu_->calls_.emplace_back(call);
  }

  FakeGpu* const gpu_;
  // The collector's, between Gather and Encode: as with CUPTI, all that is encoded was seen before.
  std::vector<std::function<void(EventSink&)>> events_;
  bool saw_work_ = false;
};

}  // namespace test

std::unique_ptr<GpuSource> MakeGpuSource() {
  return std::make_unique<test::FakeSource>(test::current);
}

}  // namespace prof::capture
