// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/collector/host_stack_writer.h"

#include <string>

namespace prof::capture {

HostStackWriter::HostStackWriter(const StackWish& wish, Encoder* encoder) : encoder_(encoder) {
  if (wish.python || wish.sampled) {
    python_ = {RegisteredStackSource(StackKind::kPython), wish.python, 0, {}};
  }
  if (wish.native) native_ = {RegisteredStackSource(StackKind::kNative), true, 0, {}};
}

HostStackWriter::~HostStackWriter() { Stop(); }

void HostStackWriter::Start() {
  running_ = any();
  for (Part* const part : {&python_, &native_}) {
    if (part->source == nullptr) continue;
    part->dropped_before = part->source->dropped();
    part->source->Start(part->at_calls);
  }
}

void HostStackWriter::Stop() {
  if (!running_) return;
  running_ = false;
  for (const Part* const part : {&python_, &native_}) {
    if (part->source != nullptr) part->source->Stop();
  }
}

void HostStackWriter::AddFrame(const HostFrameEvent& frame) {
  if (frame.module.empty() || !frame.function.empty() || native_.source == nullptr) {
    encoder_->Add(frame);
  } else {
    HostFrameEvent named = frame;
    const std::string function = native_.source->FunctionOf(frame);
    named.function = function;
    encoder_->Add(named);
  }
  encoder_->WriteIfLarge();
}

void HostStackWriter::Write() {
  if (!any()) return;
  for (const Part* const part : {&python_, &native_}) {
    if (part->source != nullptr) part->source->Refresh();
  }
  ProcessHostStacks().Read(
      &seen_, [this](const HostFrameEvent& frame) { AddFrame(frame); },
      [this](const HostStackEvent& stack) {
        encoder_->Add(stack);
        encoder_->WriteIfLarge();
      });
}

void HostStackWriter::WriteProblem() {
  WriteProblem(&python_);
  WriteProblem(&native_);
}

void HostStackWriter::WriteProblem(Part* part) {
  if (part->source == nullptr) return;
  const std::string problem = part->source->problem();
  if (problem.empty() || problem == part->problem) return;
  part->problem = problem;
  encoder_->Add(NoticeEvent{Severity::kWarning, Subsystem::kTimeline, 0, problem, ""});
}

uint64_t HostStackWriter::dropped() const {
  uint64_t dropped = 0;
  for (const Part* const part : {&python_, &native_}) {
    if (part->source != nullptr) dropped += part->source->dropped() - part->dropped_before;
  }
  return dropped;
}

}  // namespace prof::capture
