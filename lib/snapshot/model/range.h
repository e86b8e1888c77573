// SPDX-License-Identifier: Apache-2.0
//
// These tables have the NVTX ranges: when each thread of the program was in which range.
#ifndef PROF_LIB_SNAPSHOT_MODEL_RANGE_H_
#define PROF_LIB_SNAPSHOT_MODEL_RANGE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <tuple>

#include "lib/snapshot/model/packed.h"
#include "lib/snapshot/model/row_store.h"

namespace prof::model {

// A step: from `time_ns()` on a thread is in `path()`. The time has two halves, so that a step
// takes 12 bytes, not 16.
class RangeStep {
 public:
  static constexpr std::array<uint8_t, 2> kColumns{8, 4};

  RangeStep() : RangeStep(0, 0) {}
  // `path`: below 2^31, which no file has as many of.
  RangeStep(int64_t time_ns, uint32_t path)
      : low_(static_cast<uint32_t>(time_ns)),
        high_(static_cast<int32_t>(time_ns >> 32)),
        path_(path),
        opens_(0) {}

  int64_t time_ns() const { return int64_t{high_} * (int64_t{1} << 32) + low_; }
  uint32_t path() const { return path_; }

  // Whether the range was opened there, even if the thread was in its path before. Known of paths
  // that stand for a family.
  bool opens() const { return opens_ != 0; }
  void SetOpens() { opens_ = 1; }

 private:
  uint32_t low_;
  int32_t high_;
  uint32_t path_ : 31;
  uint32_t opens_ : 1;
};
static_assert(sizeof(RangeStep) == 12);

// Steps and instances are packed in every model: they are read in order, a few times.
class StepTable : public RowStore<RangeStep> {
 public:
  StepTable() : RowStore(RowStorage::kPacked) {}
};

// The number of sorted steps that are not later than `time_ns`.
[[nodiscard]] inline size_t StepsUntil(const StepTable& steps, int64_t time_ns) {
  return steps.CountBefore([time_ns](const RangeStep& step) { return step.time_ns() <= time_ns; });
}

// A number in the name of the range, span or mark that began at `time_ns` in `path`, which stands
// for a family. A name with several numbers has several entries, in their order.
struct RangeNumber {
  int64_t time_ns = 0;
  uint64_t value = 0;
  uint32_t path = 0, thread = 0;
  uint32_t style = 0;  // format::StyleOf
};

// One time that a range was open. Those of push and pop are derived from the steps.
struct RangeInstance {
  uint32_t path = 0, thread = 0;
  int64_t start_ns = 0, end_ns = 0;
  bool closed = true;  // false: still open at the end of the capture
};

// Instances, in 16 bytes each before they are packed.
class InstanceTable {
  struct Row {
    int64_t start_ns = 0;
    uint32_t duration_ns = 0;  // or kLongNs
    uint32_t shared : 31;
    uint32_t closed : 1;

    static constexpr std::array<uint8_t, 3> kColumns{8, 4, 4};
    Row() : shared(0), closed(0) {}
  };
  static_assert(sizeof(Row) == 16);

 public:
  // As RowStore::Reader.
  class Reader {
   public:
    explicit Reader(const InstanceTable& table) : table_(&table), rows_(table.rows_) {}
    RangeInstance operator[](size_t i) { return table_->Unpack(rows_[i]); }

   private:
    const InstanceTable* table_;
    RowStore<Row>::Reader rows_;
  };

  using value_type = RangeInstance;
  using const_iterator = ReaderIterator<InstanceTable, Reader>;

  [[nodiscard]] size_t size() const { return rows_.size(); }
  [[nodiscard]] bool empty() const { return rows_.empty(); }
  const_iterator begin() const { return {this, 0}; }
  const_iterator end() const { return {this, size()}; }
  RangeInstance operator[](size_t i) const { return Unpack(rows_[i]); }

  void push_back(const RangeInstance& instance) { Pack(instance, &rows_.Append()); }

  void SetEnd(size_t i, int64_t end_ns, bool closed) {
    Row& row = rows_.Change(i);
    if (ShortNs(row.start_ns, end_ns) != kLongNs) {
      row.duration_ns = ShortNs(row.start_ns, end_ns);
      row.closed = closed ? 1 : 0;
      return;
    }
    RangeInstance instance = Unpack(row);
    instance.end_ns = end_ns;
    instance.closed = closed;
    Pack(instance, &row);
  }

  // Sorts by start, and outer ranges first.
  void Sort();

 private:
  // The fields that are equal in many rows.
  struct Shared {
    uint32_t path = 0, thread = 0;
    int64_t long_end_ns = 0;

    auto Key() const { return std::tuple(path, thread, long_end_ns); }
  };

  RangeInstance Unpack(const Row& row) const {
    const Shared& shared = shared_[row.shared];
    const int64_t end_ns =
        row.duration_ns == kLongNs ? shared.long_end_ns : row.start_ns + row.duration_ns;
    return {shared.path, shared.thread, row.start_ns, end_ns, row.closed != 0};
  }

  // Writes the row in place. A row that is built elsewhere and copied waits for its own bytes.
  void Pack(const RangeInstance& instance, Row* row);

  RowStore<Row> rows_{RowStorage::kPacked};
  Interned<Shared> shared_;
};

}  // namespace prof::model

#endif  // PROF_LIB_SNAPSHOT_MODEL_RANGE_H_
