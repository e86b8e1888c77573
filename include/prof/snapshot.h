// SPDX-License-Identifier: Apache-2.0
//
// What a capture leaves: bytes in memory, or a file. include/prof/snapshot.proto is the contract
// of their content, docs/snapshot-format.md describes the frames around it.
#ifndef PROF_SNAPSHOT_H_
#define PROF_SNAPSHOT_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace prof {

/// Everything known to be lost or doubtful in a capture; all zero and false means complete.
struct Integrity {
  uint64_t kernels = 0;   ///< Kernel records received.
  uint64_t launches = 0;  ///< Launch calls seen by the callback; a graph launch counts once.
  uint64_t dropped_by_cupti = 0;
  uint64_t dropped_by_cap = 0;
  uint64_t buffers_refused = 0;
  uint64_t untimed = 0;
  uint64_t range_events_dropped = 0;
  uint64_t range_paths_dropped = 0;
  uint64_t unknown_records = 0;
  uint64_t signatures_dropped = 0;
  uint64_t samples_failed = 0;
  uint64_t bytes_not_written = 0;
  bool clock_stepped = false;
  bool incomplete = false;
  uint64_t counter_cost_ns = 0;  ///< Host time spent on counters; not a loss.
  uint64_t pm_samples_lost = 0;  ///< PM samples dropped, as far as their number is known.
  uint64_t pm_restarts = 0;      ///< Times PM sampling ended by itself and was started again.
  /// NVTX calls of the program that do not pair up; no loss of ours.
  uint64_t range_ends_unmatched = 0;  ///< Pops and ends without a range that was open.
  uint64_t ranges_left_open = 0;      ///< Pushed ranges that were open when their thread ended.
  uint64_t payloads_not_read = 0;  ///< NVTX payloads with a schema: their content is not recorded.
  uint64_t names_dropped = 0;    ///< Names of threads, categories and streams: the table was full.
  uint64_t rows_not_kept = 0;    ///< Events older than SessionOptions::keep_last_seconds, or beyond
                                 ///< its memory: dropped on purpose, not a loss.
  uint64_t launches_missed = 0;  ///< Launch calls made while another profiler in the process had
                                 ///< CUPTI's records.
  uint64_t calls_dropped = 0;    ///< CUDA API calls for which a thread's ring had no room.
  uint64_t graph_nodes_dropped = 0;  ///< CUDA graph nodes whose range at capture was not recorded.

  /// True when nothing was lost.
  bool complete() const {
    return dropped_by_cupti == 0 && dropped_by_cap == 0 && buffers_refused == 0 && untimed == 0 &&
           range_events_dropped == 0 && range_paths_dropped == 0 && unknown_records == 0 &&
           signatures_dropped == 0 && samples_failed == 0 && bytes_not_written == 0 &&
           pm_samples_lost == 0 && pm_restarts == 0 && payloads_not_read == 0 &&
           names_dropped == 0 && launches_missed == 0 && calls_dropped == 0 &&
           graph_nodes_dropped == 0 && !clock_stepped && !incomplete;
  }
};

/// A finished capture. Cheap to copy (the bytes are shared). Never invalid: a capture that saw
/// nothing is a snapshot that says so.
class Snapshot {
 public:
  Snapshot() = default;

  /// A snapshot that lives in memory.
  static Snapshot FromBytes(std::string bytes, Integrity integrity = {}) {
    Snapshot snapshot;
    snapshot.bytes_ = std::make_shared<const std::string>(std::move(bytes));
    snapshot.integrity_ = integrity;
    return snapshot;
  }

  /// A snapshot in the file `path`; nothing is read before it is analyzed.
  static Snapshot FromFile(std::string path, Integrity integrity = {}) {
    Snapshot snapshot;
    snapshot.path_ = std::move(path);
    snapshot.integrity_ = integrity;
    return snapshot;
  }

  /// The encoded snapshot; empty when it is in a file.
  const std::string& bytes() const {
    static const std::string empty;
    return bytes_ ? *bytes_ : empty;
  }

  /// The file; empty when the snapshot is in memory.
  const std::string& path() const { return path_; }

  const Integrity& integrity() const { return integrity_; }

 private:
  std::shared_ptr<const std::string> bytes_;
  std::string path_;
  Integrity integrity_;
};

}  // namespace prof

#endif  // PROF_SNAPSHOT_H_
