// SPDX-License-Identifier: Apache-2.0
//
// A snapshot is what a capture leaves: bytes in memory, or a file. include/prof/snapshot.proto
// describes their content, docs/internals/snapshot-format.md the frames around it.
#ifndef PROF_SNAPSHOT_H_
#define PROF_SNAPSHOT_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace prof {

/// Everything that is known to be lost or doubtful in a capture. The report has a sentence for each
/// loss.
struct Integrity {
  uint64_t kernels = 0;               ///< Kernel records received.
  uint64_t launches = 0;              ///< Launch calls; a launch of a graph counts once.
  uint64_t dropped_by_cupti = 0;      ///< Records that CUPTI dropped.
  uint64_t dropped_by_cap = 0;        ///< Records dropped at the memory cap.
  uint64_t buffers_refused = 0;       ///< Requests of CUPTI for a buffer beyond the memory cap.
  uint64_t untimed = 0;               ///< Records without a valid time.
  uint64_t range_events_dropped = 0;  ///< NVTX events: the ring of their thread was full.
  uint64_t range_paths_dropped = 0;   ///< Ranges: the table of range names was full.
  uint64_t unknown_records = 0;       ///< Records of a kind or layout that prof cannot read.
  uint64_t signatures_dropped = 0;    ///< Launches: the table of signatures was full.
  uint64_t samples_failed = 0;        ///< Launches whose counters gave no values.
  uint64_t bytes_not_written = 0;     ///< Bytes that the output did not take.
  bool clock_stepped = false;         ///< The system clock was set during the capture.
  bool incomplete = false;            ///< A deadline ended the capture before the GPU had finished.
  bool unknown = false;  ///< Nobody has counted: a file that was not read, or no recording at all.
  uint64_t counter_cost_ns = 0;       ///< Host time spent on counters.
  uint64_t pm_samples_lost = 0;       ///< PM samples, as far as their number is known.
  uint64_t pm_restarts = 0;           ///< Times that PM sampling ended by itself and was restarted.
  uint64_t range_ends_unmatched = 0;  ///< NVTX pops and ends without an open range; no loss.
  uint64_t ranges_left_open = 0;      ///< Pushed ranges open at the end of their thread; no loss.
  uint64_t payloads_not_read = 0;     ///< NVTX payloads that were not read as a whole.
  uint64_t names_dropped = 0;         ///< Names of threads, categories and streams: table full.
  uint64_t rows_not_kept = 0;         ///< Events beyond SessionOptions::keep_last_seconds; no loss.
  uint64_t launches_missed = 0;       ///< Launch calls whose records another profiler had.
  uint64_t calls_dropped = 0;         ///< CUDA API calls: the ring of their thread was full.
  uint64_t range_names_dropped = 0;   ///< Ranges listed as "(other names)": too many names.
  uint64_t graph_nodes_dropped = 0;   ///< Nodes of CUDA graphs: the table of their ranges was full.
  uint64_t subscriptions_lost = 0;    ///< Times that another profiler ended CUPTI.
  uint64_t host_stacks_dropped = 0;   ///< Calls without their stack: the table was full.
  uint64_t torch_shapes_dropped = 0;  ///< Ops of PyTorch without input shapes: the table was full.
  uint64_t tensors_dropped = 0;       ///< Changes of tensors' memory: the ring was full.
  uint64_t host_samples_missed = 0;   ///< No loss: moments of host samples that were left out.

  /// True when nothing was lost; false where nobody knows (`unknown`). Cost: a few comparisons.
  [[nodiscard]] bool complete() const {
    return dropped_by_cupti == 0 && dropped_by_cap == 0 && buffers_refused == 0 && untimed == 0 &&
           range_events_dropped == 0 && range_paths_dropped == 0 && unknown_records == 0 &&
           signatures_dropped == 0 && samples_failed == 0 && bytes_not_written == 0 &&
           pm_samples_lost == 0 && pm_restarts == 0 && payloads_not_read == 0 &&
           names_dropped == 0 && launches_missed == 0 && calls_dropped == 0 &&
           range_names_dropped == 0 && graph_nodes_dropped == 0 && subscriptions_lost == 0 &&
           host_stacks_dropped == 0 && torch_shapes_dropped == 0 && tensors_dropped == 0 &&
           !clock_stepped && !incomplete && !unknown;
  }
};

/// A finished capture. It is cheap to copy (copies share the bytes), and always valid: a capture
/// that recorded nothing gives a snapshot without events. Threads may read one snapshot together.
class Snapshot {
 public:
  Snapshot() = default;

  /// A snapshot that lives in memory. Without `integrity` its losses are unknown until it is
  /// analyzed.
  [[nodiscard]] static Snapshot FromBytes(std::string bytes,
                                          Integrity integrity = UnknownIntegrity()) {
    Snapshot snapshot;
    snapshot.bytes_ = std::make_shared<const std::string>(std::move(bytes));
    snapshot.integrity_ = integrity;
    return snapshot;
  }

  /// A snapshot in the file `path`. Nothing is read before it is analyzed: without `integrity` its
  /// losses are unknown until then, also whether there is such a file.
  [[nodiscard]] static Snapshot FromFile(std::string path,
                                         Integrity integrity = UnknownIntegrity()) {
    Snapshot snapshot;
    snapshot.path_ = std::move(path);
    snapshot.integrity_ = integrity;
    return snapshot;
  }

  /// The encoded snapshot; empty when it is in a file. Of a temporary snapshot it is a copy.
  [[nodiscard]] const std::string& bytes() const& {
    static const std::string empty;
    return bytes_ ? *bytes_ : empty;
  }
  [[nodiscard]] std::string bytes() && { return bytes_ ? *bytes_ : std::string(); }

  /// The path of the file; empty when the snapshot is in memory. Of a temporary it is a copy.
  [[nodiscard]] const std::string& path() const& { return path_; }
  [[nodiscard]] std::string path() && { return path_; }

  /// The losses that the session knew of at its end. Of a temporary they are a copy.
  [[nodiscard]] const Integrity& integrity() const& { return integrity_; }
  [[nodiscard]] Integrity integrity() && { return integrity_; }

 private:
  [[nodiscard]] static Integrity UnknownIntegrity() {
    Integrity integrity;
    integrity.unknown = true;
    return integrity;
  }

  std::shared_ptr<const std::string> bytes_;
  std::string path_;
  Integrity integrity_ = UnknownIntegrity();
};

}  // namespace prof

#endif  // PROF_SNAPSHOT_H_
