// SPDX-License-Identifier: Apache-2.0
//
// The iterations of a run: the instances of the outermost NVTX range that is entered again and
// again, or, where there is none, turns of launches that repeat.
#ifndef PROF_LIB_ANALYZER_TIMELINE_ITERATIONS_H_
#define PROF_LIB_ANALYZER_TIMELINE_ITERATIONS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lib/analyzer/base/families.h"
#include "lib/analyzer/timeline/launch_periods.h"
#include "lib/snapshot/model/model.h"

namespace prof::analyzer {

// A selection of a table of instances, in four bytes each; or a table of its own.
class Iterations {
 public:
  // As model::RowStore::Reader.
  class Reader {
   public:
    explicit Reader(const Iterations& iterations)
        : rows_(&iterations.rows_), instances_(*iterations.instances_) {}
    model::RangeInstance operator[](size_t i) { return instances_[(*rows_)[i]]; }

   private:
    const std::vector<uint32_t>* rows_;
    model::InstanceTable::Reader instances_;
  };

  using value_type = model::RangeInstance;
  using const_iterator = model::ReaderIterator<Iterations, Reader>;

  Iterations() = default;
  // Keeps a reference. `rows`: of `instances`.
  Iterations(const model::InstanceTable& instances, std::vector<uint32_t> rows)
      : instances_(&instances), rows_(std::move(rows)) {}
  // All of `turns`, of which most have so many launches.
  Iterations(std::shared_ptr<const model::InstanceTable> turns, size_t launches);

  [[nodiscard]] size_t size() const { return rows_.size(); }
  [[nodiscard]] bool empty() const { return rows_.empty(); }
  const_iterator begin() const { return {this, 0}; }
  const_iterator end() const { return {this, size()}; }
  model::RangeInstance operator[](size_t i) const { return (*instances_)[rows_[i]]; }
  model::RangeInstance front() const { return (*this)[0]; }

  // Launches tell them, and no range: their path is model::kNone.
  [[nodiscard]] bool by_launches() const { return launches_ > 0; }
  // "57 launches that repeat"; empty: a range tells them.
  [[nodiscard]] std::string LaunchesName() const;

 private:
  static const model::InstanceTable& NoInstances() {
    static const auto& none = *new model::InstanceTable;
    return none;
  }

  std::shared_ptr<const model::InstanceTable> turns_;
  const model::InstanceTable* instances_ = &NoInstances();
  std::vector<uint32_t> rows_;
  size_t launches_ = 0;
};

// Closed instances of one family on one thread, in the order of time; those with most time from
// push to pop of the outermost families that have `least` instances or more. A family is outermost
// when none of the ranges around it has so many. Empty: there is none.
[[nodiscard]] Iterations FindIterations(const model::Model& model, const RangeFamilies& families,
                                        size_t least);
// The turns of launches that repeat.
[[nodiscard]] Iterations TurnsOf(const LaunchStretch& stretch);
// Those of which there are enough for a trend and for outliers: of a range, or else of launches.
// `families`: of all ranges.
[[nodiscard]] Iterations FindRunIterations(const model::Model& model,
                                           const RangeFamilies& families);
// The same of the outermost modules and scopes of PyTorch (torch.profiler.record_function).
[[nodiscard]] Iterations FindTorchIterations(const model::Model& model,
                                             const RangeFamilies& families);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_TIMELINE_ITERATIONS_H_
