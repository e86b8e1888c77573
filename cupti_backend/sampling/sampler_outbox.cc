// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/sampling/sampler_outbox.h"

#include <iterator>
#include <utility>

#include "lib/capture/process/thread_id.h"

namespace prof::cupti {
namespace {

template <typename T>
void MoveToEnd(std::vector<T> from, std::vector<T>* to) {
  to->insert(to->end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

// Of a status that speaks of one context.
constexpr char kOneContext[] = "in one CUDA context of the program there are no counters: ";

}  // namespace

void SamplerEvents::Append(SamplerEvents more) {
  MoveToEnd(std::move(more.peaks), &peaks);
  MoveToEnd(std::move(more.groups), &groups);
  MoveToEnd(std::move(more.samples), &samples);
  MoveToEnd(std::move(more.untraced), &untraced);
  MoveToEnd(std::move(more.intervals), &intervals);
  MoveToEnd(std::move(more.notices), &notices);
}

void SamplerOutbox::Add(std::vector<capture::PassGroupEvent> groups) {
  const capture::MutexLock lock(mutex_);
  MoveToEnd(std::move(groups), &events_.groups);
}

void SamplerOutbox::Add(std::vector<capture::CounterSampleEvent> samples,
                        std::vector<PeakEvent> peaks) {
  const capture::MutexLock lock(mutex_);
  MoveToEnd(std::move(samples), &events_.samples);
  MoveToEnd(std::move(peaks), &events_.peaks);
}

void SamplerOutbox::Add(capture::UntracedKernelEvent event) {
  const capture::MutexLock lock(mutex_);
  events_.untraced.push_back(std::move(event));
}

void SamplerOutbox::Add(capture::NoticeEvent notice) {
  const capture::MutexLock lock(mutex_);
  events_.notices.push_back(std::move(notice));
}

void SamplerOutbox::Add(capture::ProfilerWork work, int64_t begin_ns, int64_t end_ns) {
  const capture::MutexLock lock(mutex_);
  events_.intervals.push_back({work, capture::CurrentThreadId(), begin_ns, end_ns});
}

SamplerEvents SamplerOutbox::Take() {
  const capture::MutexLock lock(mutex_);
  return std::exchange(events_, {});
}

void SamplerOutbox::SetStatus(State state, Problem problem) {
  const capture::MutexLock lock(mutex_);
  status_ = {state, problem.code, std::move(problem.what), std::move(problem.fix)};
}

void SamplerOutbox::RefuseContext(Problem problem) {
  const capture::MutexLock lock(mutex_);
  const bool others = counted_ > 0;
  if (others) problem.what.insert(0, kOneContext);
  status_ = {others ? State::kDegraded : State::kUnavailable, problem.code, std::move(problem.what),
             std::move(problem.fix)};
}

void SamplerOutbox::AddCounted(int contexts) {
  const capture::MutexLock lock(mutex_);
  counted_ += contexts;
  if (counted_ <= 0 || status_.state != State::kUnavailable) return;
  status_.state = State::kDegraded;
  status_.what.insert(0, kOneContext);
}

SubsystemStatus SamplerOutbox::status() const {
  const capture::MutexLock lock(mutex_);
  return status_;
}

}  // namespace prof::cupti
