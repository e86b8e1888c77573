// SPDX-License-Identifier: Apache-2.0
//
// A library that a Python program calls, as it would call CUDA: it walks the stack that it is
// called from.
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <future>
#include <map>
#include <mutex>
#include <string>
#include <thread>

#include "lib/capture/process/clock.h"
#include "lib/capture/process/thread_id.h"
#include "lib/capture/threads/host_sampler.h"
#include "lib/capture/threads/host_stacks.h"
#include "lib/capture/threads/thread_recorder.h"
#include "lib/capture/threads/tick_clock.h"

namespace {

using prof::capture::HostFrameEvent;
using prof::capture::HostStackEvent;

struct Tables {
  std::map<uint32_t, std::string> frames;
  std::map<uint32_t, HostStackEvent> stacks;
};

// What was read so far, up to date. Its lock is that of describe().
Tables& ReadTables() {
  static Tables tables;
  static prof::capture::HostStacks::Seen seen;
  prof::capture::ProcessHostStacks().Read(
      &seen,
      [&](const HostFrameEvent& frame) {
        std::string& text = tables.frames[static_cast<uint32_t>(tables.frames.size() + 1)];
        text.append(frame.function).append("\t").append(frame.file);
        text.append("\t" + std::to_string(frame.first_line));
        text.append("\t" + std::to_string(frame.line));
      },
      [&](const HostStackEvent& stack) {
        tables.stacks[static_cast<uint32_t>(tables.stacks.size() + 1)] = stack;
      });
  return tables;
}

}  // namespace

#define EXPORTED extern "C" __attribute__((visibility("default")))

EXPORTED void start() {
  prof::capture::RegisteredStackSource(prof::capture::StackKind::kPython)->Start(true);
}
EXPORTED void stop() {
  prof::capture::RegisteredStackSource(prof::capture::StackKind::kPython)->Stop();
}

EXPORTED uint64_t dropped() {
  return prof::capture::RegisteredStackSource(prof::capture::StackKind::kPython)->dropped();
}

EXPORTED void problem(char* text, size_t bytes) {
  std::snprintf(
      text, bytes, "%s",
      prof::capture::RegisteredStackSource(prof::capture::StackKind::kPython)->problem().c_str());
}

// The stack as the launch callback asks for it. The first call of a thread gives it a state, as its
// first recorded CUDA call does.
EXPORTED uint32_t walk() {
  const uint32_t stack = prof::capture::CurrentStack();
  prof::capture::RecordCall({});
  return stack;
}

// A line for each frame, the innermost first: function, file, first line, line.
EXPORTED int describe(uint32_t id, char* text, size_t bytes) {
  static std::mutex mutex;
  const std::lock_guard<std::mutex> lock(mutex);
  const Tables& tables = ReadTables();
  std::string all;
  while (id != 0) {
    const auto stack = tables.stacks.find(id);
    if (stack == tables.stacks.end()) return -1;
    const auto frame = tables.frames.find(stack->second.frame);
    if (frame == tables.frames.end()) return -1;
    all += frame->second + "\n";
    id = stack->second.parent;
  }
  if (all.size() >= bytes) return -1;
  std::memcpy(text, all.c_str(), all.size() + 1);
  return 0;
}

namespace {
prof::capture::HostSampler* sampler = nullptr;
}  // namespace

// Threads that are to be sampled make this call now and then, as they would call CUDA.
EXPORTED void call() {
  const int64_t now = prof::capture::NowTicks();
  prof::capture::RecordCall({now, now, 0, 0, 0, 0, 0});
}

EXPORTED void start_sampling(int per_second) {
  sampler = new prof::capture::HostSampler(
      per_second, prof::capture::RegisteredStackSource(prof::capture::StackKind::kPython));
  if (!sampler->Start()) std::abort();
}

// A line for each sample since the last call: tid, kind, state, stack. -1: too many of them.
EXPORTED int take_samples(char* text, size_t bytes) {
  std::string all;
  for (const prof::capture::HostSampleEvent& sample : sampler->Take()) {
    all += std::to_string(sample.tid) + "\t" + prof::format::Name(sample.kind) + "\t" +
           prof::format::Name(sample.state) + "\t" + std::to_string(sample.stack) + "\n";
  }
  if (all.size() >= bytes) return -1;
  std::memcpy(text, all.c_str(), all.size() + 1);
  return 0;
}

EXPORTED void stop_sampling() {
  sampler->Stop();
  delete sampler;
  sampler = nullptr;
}

namespace {
std::thread native;
std::promise<void> native_end;
std::atomic<uint32_t> native_thread{0};
}  // namespace

// A thread that Python does not know: it makes a call, and waits.
EXPORTED void start_native() {
  native = std::thread([] {
    native_thread = prof::capture::CurrentThreadId();
    call();
    native_end.get_future().wait();
  });
}
EXPORTED uint32_t native_tid() { return native_thread; }
EXPORTED void end_native() {
  native_end.set_value();
  native.join();
}

// Nanoseconds of the processor that `count` looks at another thread take, one after another.
EXPORTED uint64_t time_looks(uint32_t tid, uint64_t pthread, uint64_t count) {
  prof::capture::StackSource* const source =
      prof::capture::RegisteredStackSource(prof::capture::StackKind::kPython);
  const auto now = [] { return prof::capture::ThreadCpuNs(); };
  uint64_t failed = 0;
  const int64_t begin = now();
  for (uint64_t i = 0; i < count; ++i) {
    if (source->LookAt({tid, pthread}).kind != prof::format::HostSampleKind::kStack) ++failed;
  }
  return failed == 0 ? static_cast<uint64_t>(now() - begin) : 0;
}

// Nanoseconds of the processor that `count` walks from one place take.
EXPORTED uint64_t time_walks(uint64_t count) {
  prof::capture::RecordCall({});
  const auto now = [] {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(time.tv_nsec);
  };
  const uint64_t begin = now();
  for (uint64_t i = 0; i < count; ++i) (void)prof::capture::CurrentStack();
  return now() - begin;
}
