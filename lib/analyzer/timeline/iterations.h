// SPDX-License-Identifier: Apache-2.0
//
// The iterations of a run: the instances of the outermost NVTX range that is entered again and
// again.
#ifndef PROF_LIB_ANALYZER_TIMELINE_ITERATIONS_H_
#define PROF_LIB_ANALYZER_TIMELINE_ITERATIONS_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "lib/analyzer/base/families.h"
#include "lib/snapshot/model/model.h"

namespace prof::analyzer {

// A selection of a table of instances, in four bytes each.
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

  [[nodiscard]] size_t size() const { return rows_.size(); }
  [[nodiscard]] bool empty() const { return rows_.empty(); }
  const_iterator begin() const { return {this, 0}; }
  const_iterator end() const { return {this, size()}; }
  model::RangeInstance operator[](size_t i) const { return (*instances_)[rows_[i]]; }
  model::RangeInstance front() const { return (*this)[0]; }

 private:
  static const model::InstanceTable& NoInstances() {
    static const auto& none = *new model::InstanceTable;
    return none;
  }

  const model::InstanceTable* instances_ = &NoInstances();
  std::vector<uint32_t> rows_;
};

// Closed instances of one family on one thread, in the order of time; those with most time from
// push to pop of the outermost families that have `least` instances or more. A family is outermost
// when none of the ranges around it has so many. Empty: there is none.
[[nodiscard]] Iterations FindIterations(const model::Model& model, const RangeFamilies& families,
                                        size_t least);
// Those of which there are enough for a trend and for outliers. `families`: of all ranges.
[[nodiscard]] Iterations FindRunIterations(const model::Model& model,
                                           const RangeFamilies& families);
// The same of the outermost modules and scopes of PyTorch (torch.profiler.record_function).
[[nodiscard]] Iterations FindTorchIterations(const model::Model& model,
                                             const RangeFamilies& families);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_TIMELINE_ITERATIONS_H_
