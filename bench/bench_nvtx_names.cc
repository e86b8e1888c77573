// SPDX-License-Identifier: Apache-2.0
//
// This benchmark measures what ranges cost whose names never end: ten million of them on one
// thread, which also drains and encodes them, as the collector does beside a program.
#include <benchmark/benchmark.h>

#include <bitset>
#include <charconv>
#include <cstdint>
#include <string_view>

#include "bench/storm_recording.h"
#include "lib/capture/process/clock.h"
#include "lib/capture/threads/thread_reader.h"
#include "lib/capture/threads/thread_recorder.h"
#include "lib/capture/wire/encoder.h"
#include "test/capture/wire/events.h"

namespace {

using prof::capture::Encoder;
using prof::capture::ThreadReader;

constexpr int64_t kRanges = 10'000'000;
constexpr int kRangesOfADrain = 2'000;  // their events fit the ring
constexpr size_t kMostPaths = 65'536;   // of a process

// Counts the bytes of the file and keeps nothing.
class CountingSink final : public prof::capture::BlockSink {
 public:
  void Append(const prof::capture::EncodedBlock& block) override {
    bytes_ += block.tables.size() + block.events.size();
    ++blocks_;
  }
  [[nodiscard]] uint64_t blocks() const override { return blocks_; }
  [[nodiscard]] bool drops_blocks() const override { return false; }
  [[nodiscard]] uint64_t bytes() const { return bytes_; }

 private:
  uint64_t bytes_ = 0, blocks_ = 0;
};

// What the collector does with the threads.
class Recorder {
 public:
  Recorder() : encoder_(&file_) {
    encoder_.Add(prof::capture::test::AHeader());
    sink_.path = [this](const prof::capture::RangePathInfo& path) { encoder_.Add(path); };
    sink_.step = [this](uint32_t tid, const prof::capture::RangeEvent& event) {
      paths_.set(event.path % kMostPaths);
      encoder_.Add(tid, event);
      encoder_.WriteIfLarge();
    };
    sink_.number = [this](const prof::capture::NumberEvent& event) { encoder_.Add(event); };
    reader_.Start(prof::capture::RealtimeNs());
  }
  void Drain() { reader_.Drain(sink_); }
  void End() {
    Drain();
    reader_.Stop();
    encoder_.WriteLastBlock({}, prof::capture::RealtimeNs());
  }
  [[nodiscard]] bool lost_something() const {
    return reader_.events_dropped() + reader_.paths_dropped() + reader_.names_dropped() != 0;
  }
  [[nodiscard]] uint64_t bytes() const { return file_.bytes(); }
  // Those that ranges had. Path 0 is no range.
  [[nodiscard]] size_t paths() const { return paths_.count() - (paths_.test(0) ? 1 : 0); }

 private:
  CountingSink file_;
  Encoder encoder_;
  ThreadReader reader_;
  ThreadReader::Sink sink_;
  std::bitset<kMostPaths> paths_;
};

// The text of a name, made in place: the names are a small part of what is measured.
class Text {
 public:
  Text& Add(std::string_view text) {
    text.copy(chars_ + size_, text.size());
    size_ += text.size();
    return *this;
  }
  Text& Add(uint64_t value) {
    char* const end = std::to_chars(chars_ + size_, chars_ + sizeof(chars_), value).ptr;
    size_ = static_cast<size_t>(end - chars_);
    return *this;
  }
  Text& AddHex(uint64_t value) {  // 16 digits
    for (int shift = 60; shift >= 0; shift -= 4) {
      chars_[size_++] = "0123456789abcdef"[value >> shift & 15];
    }
    return *this;
  }
  [[nodiscard]] std::string_view view() const { return {chars_, size_}; }

 private:
  char chars_[96];
  size_t size_ = 0;
};

// The same digits in each run: splitmix64.
uint64_t Scrambled(uint64_t value) {
  value += 0x9e3779b97f4a7c15;
  value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9;
  value = (value ^ value >> 27) * 0x94d049bb133111eb;
  return value ^ value >> 31;
}

Text Equal(uint64_t) { return Text().Add("step"); }
Text Numbered(uint64_t i) { return Text().Add("step ").Add(i); }
Text EmitNvtx(uint64_t i) {
  return Text().Add("aten::mul, seq = ").Add(i).Add(", op_id = ").Add(3 * i);
}
Text Hexadecimal(uint64_t i) { return Text().Add("req-").AddHex(Scrambled(i)); }

// `file` are the file's bytes for each range, `peak` is the process's memory in bytes.
void BM_Names(benchmark::State& state, Text (*name_of)(uint64_t)) {
  Recorder recorder;
  uint64_t i = 0;
  prof::bench::ResetPeak();
  for ([[maybe_unused]] auto _ : state) {
    prof::capture::PushRange({name_of(i).view(), ""});
    prof::capture::PopRange("");
    if (++i % kRangesOfADrain == 0) recorder.Drain();
  }
  recorder.End();
  if (recorder.lost_something()) state.SkipWithError("ranges or names were dropped");
  state.counters["file"] = static_cast<double>(recorder.bytes()) / static_cast<double>(i);
  state.counters["peak"] = prof::bench::PeakBytes();
  state.counters["paths"] = static_cast<double>(recorder.paths());
}
BENCHMARK_CAPTURE(BM_Names, equal, &Equal)->Iterations(kRanges);
BENCHMARK_CAPTURE(BM_Names, numbered, &Numbered)->Iterations(kRanges);
BENCHMARK_CAPTURE(BM_Names, emit_nvtx, &EmitNvtx)->Iterations(kRanges);
BENCHMARK_CAPTURE(BM_Names, hexadecimal, &Hexadecimal)->Iterations(kRanges);

}  // namespace

BENCHMARK_MAIN();
