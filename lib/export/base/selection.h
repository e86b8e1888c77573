// SPDX-License-Identifier: Apache-2.0
//
// The selection decides which events an export has: ExportOptions' parts of time, ranges, GPUs, and
// the longest operations.
#ifndef PROF_LIB_EXPORT_BASE_SELECTION_H_
#define PROF_LIB_EXPORT_BASE_SELECTION_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "prof/export.h"

namespace prof::exporting {

class Selection {
 public:
  // Looks at each operation once, with `keep` and `range` at each range and op of PyTorch too. Sets
  // `problem` where the regular expression is none, and where nothing can match: the recording does
  // not have the range, the GPU or the time.
  Selection(const Events& events, const ExportOptions& options, std::string* problem);

  [[nodiscard]] bool Has(const OperationEvent& op, size_t row) const;
  [[nodiscard]] bool Has(const CallEvent& call, size_t row) const;
  [[nodiscard]] bool Has(const RangeEvent& range, size_t row) const;
  // With `range`: what began in one of these ranges.
  [[nodiscard]] bool Has(const TorchOpEvent& op, size_t row) const;
  // An event of a thread without a duration.
  [[nodiscard]] bool HasAt(uint32_t path, int64_t time_ns) const;
  // An interval of the process.
  [[nodiscard]] bool HasTime(int64_t start_ns, int64_t end_ns) const {
    return Overlaps(start_ns, end_ns);
  }
  // An interval of a device; it has no path.
  [[nodiscard]] bool HasOn(uint32_t device, int64_t start_ns, int64_t end_ns) const;

  // Whether the call in this row of Events::calls() launched an operation of the export.
  [[nodiscard]] bool Launched(size_t call) const { return launched_[call]; }
  [[nodiscard]] int64_t operations() const { return operations_; }
  // The GPUs that these operations ran on.
  [[nodiscard]] const std::set<uint32_t>& gpus() const { return gpus_; }

 private:
  // Duration and row of the shortest that is kept.
  using Shortest = std::pair<int64_t, size_t>;

  bool Overlaps(int64_t start_ns, int64_t end_ns) const {
    return end_ns >= from_ns_ && start_ns <= to_ns_;
  }
  bool InRange(uint32_t path) const { return paths_.empty() || paths_[path]; }
  bool Matches(const OperationEvent& op) const;
  static bool Longest(const std::optional<Shortest>& shortest, int64_t duration_ns, size_t row);
  void SelectPaths(const Events& events, const std::string& pattern, std::string* problem);
  void SelectTorchOps(const Events& events);
  template <typename Table>
  std::optional<Shortest> FindShortest(const Table& table, int64_t keep) const;

  int64_t from_ns_ = std::numeric_limits<int64_t>::min();
  int64_t to_ns_ = std::numeric_limits<int64_t>::max();
  std::optional<uint32_t> gpu_;
  bool only_launched_ = false;   // calls
  std::vector<bool> paths_;      // by id; empty: all
  std::vector<bool> torch_ops_;  // by row; empty: all
  std::optional<Shortest> shortest_operation_, shortest_range_, shortest_torch_op_;
  std::vector<bool> launched_;
  int64_t operations_ = 0;
  std::set<uint32_t> gpus_;
};

}  // namespace prof::exporting

#endif  // PROF_LIB_EXPORT_BASE_SELECTION_H_
