// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/collector/host_stack_writer.h"

#include <string>

namespace prof::capture {

HostStackWriter::HostStackWriter(bool at_calls, bool sampled, Encoder* encoder)
    : source_(at_calls || sampled ? RegisteredStackSource() : nullptr),
      at_calls_(at_calls),
      encoder_(encoder) {}

HostStackWriter::~HostStackWriter() { Stop(); }

void HostStackWriter::Start() {
  if (source_ == nullptr) return;
  dropped_before_ = source_->dropped();
  running_ = true;
  source_->Start(at_calls_);
}

void HostStackWriter::Stop() {
  if (!running_) return;
  running_ = false;
  source_->Stop();
}

void HostStackWriter::Write() {
  if (source_ == nullptr) return;
  ProcessHostStacks().Read(
      &seen_,
      [this](const HostFrameEvent& frame) {
        encoder_->Add(frame);
        encoder_->WriteIfLarge();
      },
      [this](const HostStackEvent& stack) {
        encoder_->Add(stack);
        encoder_->WriteIfLarge();
      });
}

void HostStackWriter::WriteProblem() {
  if (source_ == nullptr) return;
  const std::string problem = source_->problem();
  if (problem.empty() || problem == problem_) return;
  problem_ = problem;
  encoder_->Add(NoticeEvent{Severity::kWarning, Subsystem::kTimeline, 0, problem, ""});
}

uint64_t HostStackWriter::dropped() const {
  return source_ != nullptr ? source_->dropped() - dropped_before_ : 0;
}

}  // namespace prof::capture
