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
  using value_type = model::RangeInstance;
  using const_iterator = model::RowIterator<Iterations>;

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
  const model::InstanceTable* instances_ = nullptr;
  std::vector<uint32_t> rows_;
};

// Closed instances of one family on one thread, in the order of time; those with most time from
// push to pop of the outermost families that have `least` instances or more. A family is outermost
// when none of the ranges around it has so many. Empty: there is none.
[[nodiscard]] Iterations FindIterations(const model::Model& model, const RangeFamilies& families,
                                        size_t least);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_TIMELINE_ITERATIONS_H_
