// SPDX-License-Identifier: Apache-2.0
//
// A recording keeps every event of the thread reader, with paths as text: "step/dom:layer".
#ifndef PROF_TEST_CAPTURE_THREADS_RECORDING_H_
#define PROF_TEST_CAPTURE_THREADS_RECORDING_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "lib/capture/process/clock.h"
#include "lib/capture/process/thread_id.h"
#include "lib/capture/threads/thread_reader.h"

namespace prof::capture {

// How far an event's time may be off CLOCK_REALTIME: nanoseconds, but for a collector that is
// interrupted while it compares the clocks.
constexpr int64_t kClockErrorNs = 20'000;

class Recording {
 public:
  struct Step {
    uint32_t tid = 0;
    int64_t time_ns = 0;
    std::string path, shapes;
  };
  struct Span {
    std::string path;
    SpanEvent event;
  };
  struct MarkText {
    std::string path;
    MarkEvent event;
  };

  struct PayloadText {
    std::string path;
    PayloadEvent event;
  };

  Recording() { reader.Start(start_ns); }
  ~Recording() { reader.Stop(); }
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  void Drain() {
    ThreadReader::Sink sink;
    sink.path = [this](const RangePathInfo& info) {
      if (info.id != infos.size() || info.parent >= info.id) ++order_errors;
      std::string text(info.name);
      if (!info.domain.empty()) text = std::string(info.domain) + ":" + text;
      if (info.parent != 0) text = Text(info.parent) + "/" + text;
      infos.push_back(info);
      texts.push_back(text);
    };
    sink.shapes = [this](const TorchShapesInfo& info) { shapes[info.id] = info.text; };
    sink.step = [this](uint32_t tid, const RangeEvent& event) {
      steps.push_back({tid, event.time_ns, Text(event.path), shapes[event.shapes]});
    };
    sink.span = [this](const SpanEvent& event) { spans.push_back({Text(event.path), event}); };
    sink.mark = [this](const MarkEvent& event) { marks.push_back({Text(event.path), event}); };
    sink.payload = [this](const PayloadEvent& event) {
      payloads.push_back({Text(event.path), event});
    };
    sink.number = [this](const NumberEvent& event) { numbers.push_back(event); };
    reader.Drain(sink);
  }

  // A path that was not announced before its use is an error.
  std::string Text(uint32_t path) {
    if (path < texts.size()) return texts[path];
    ++order_errors;
    return "?";
  }

  // The path of each step of a thread, in the order they came.
  std::vector<std::string> PathsOf(uint32_t tid) const {
    std::vector<std::string> paths;
    for (const Step& step : steps) {
      if (step.tid == tid) paths.push_back(step.path);
    }
    return paths;
  }
  std::vector<std::string> MyPaths() {
    Drain();
    return PathsOf(CurrentThreadId());
  }

  int64_t start_ns = RealtimeNs();
  ThreadReader reader;
  std::vector<RangePathInfo> infos{RangePathInfo{}};
  std::vector<std::string> texts{""};
  std::vector<Step> steps;
  std::vector<Span> spans;
  std::vector<MarkText> marks;
  std::vector<PayloadText> payloads;
  std::vector<NumberEvent> numbers;
  std::map<uint32_t, std::string> shapes;  // by id
  int order_errors = 0;
};

}  // namespace prof::capture

#endif  // PROF_TEST_CAPTURE_THREADS_RECORDING_H_
