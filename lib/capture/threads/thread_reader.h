// SPDX-License-Identifier: Apache-2.0
//
// The thread reader gives the collector what thread_recorder.h has written down.
#ifndef PROF_LIB_CAPTURE_THREADS_THREAD_READER_H_
#define PROF_LIB_CAPTURE_THREADS_THREAD_READER_H_

#include <cstdint>
#include <functional>
#include <unordered_set>

#include "lib/capture/events/events.h"
#include "lib/capture/events/range_path.h"
#include "lib/capture/threads/tick_clock.h"

namespace prof::capture {

struct ThreadState;

// Used by the collector thread; Start and Stop also by the threads that start and stop a recording.
// The reader that was started last is the active one: others read nothing.
class ThreadReader {
 public:
  // Recording starts: with `ranges`, every thread with open ranges gets a first event at `now_ns`;
  // without, nothing of ranges is recorded.
  void Start(int64_t now_ns, bool ranges = true);
  void Stop();
  // Between the two the program's threads keep their stacks, and write no events. Drain once after
  // each. `now_ns`: every thread gets an event of where it is then.
  void Pause();
  void Resume(int64_t now_ns);

  // Calls the sink with new paths since the last call, then with all events written since then, in
  // order per thread. Paths come before the events that use them. Never blocks writers.
  struct Sink {
    std::function<void(const RangePathInfo&)> path;
    std::function<void(const TorchShapesInfo&)> shapes;  // once, before the first step with them
    std::function<void(uint32_t tid, const RangeEvent&)> step;
    std::function<void(const SpanEvent&)> span;
    std::function<void(const MarkEvent&)> mark;
    std::function<void(const PayloadEvent&)> payload;  // after what it is attached to, if at all
    std::function<void(const CallEvent&)> call;
    std::function<void(const TensorEvent&)> tensor;
    // A number of the name of the step, mark or span that is the next event.
    std::function<void(const NumberEvent&)> number;
  };
  void Drain(const Sink& sink);

  // Since Start.
  uint64_t events_dropped() const { return Losses().events_dropped - before_.events_dropped; }
  uint64_t calls_dropped() const { return Losses().calls_dropped - before_.calls_dropped; }
  uint64_t names_dropped() const { return Losses().names_dropped - before_.names_dropped; }
  uint64_t paths_dropped() const { return Losses().paths_dropped - before_.paths_dropped; }
  // Pops without a push, and ends of unknown ids.
  uint64_t unbalanced_pops() const { return Losses().unbalanced_pops - before_.unbalanced_pops; }
  // Pushed ranges of threads that ended.
  uint64_t left_open() const { return Losses().left_open - before_.left_open; }
  uint64_t payloads_not_read() const {
    return Losses().payloads_not_read - before_.payloads_not_read;
  }
  // Ops of PyTorch whose shapes had no room.
  uint64_t torch_shapes_dropped() const {
    return Losses().torch_shapes_dropped - before_.torch_shapes_dropped;
  }
  uint64_t tensors_dropped() const { return Losses().tensors_dropped - before_.tensors_dropped; }
  // Spans and calls that ended before they began by the counters of their threads, and were given
  // no length: a processor may read its counter before what another thread handed over arrives.
  uint64_t ends_moved() const { return ends_moved_; }

 private:
  struct LossCounts {
    uint64_t events_dropped = 0, calls_dropped = 0, paths_dropped = 0, unbalanced_pops = 0;
    uint64_t left_open = 0, payloads_not_read = 0, names_dropped = 0;
    uint64_t torch_shapes_dropped = 0, tensors_dropped = 0;
  };
  static LossCounts Losses();  // since the process began
  bool GiveUp(uint32_t path);
  void DrainPaths(const Sink& sink);
  void DrainThread(const Sink& sink, ThreadState* thread);

  uint32_t paths_seen_ = 0;
  uint32_t waiting_for_ = 0;  // the path that was not ready
  int64_t waiting_since_ns_ = 0;
  bool ranges_ = true;
  int64_t start_ns_ = 0;
  LossCounts before_;  // at Start
  TickClock clock_;
  uint64_t ends_moved_ = 0;
  std::unordered_set<uint32_t> shapes_seen_;  // by id of TorchShapes
};

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_THREADS_THREAD_READER_H_
