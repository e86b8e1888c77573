// SPDX-License-Identifier: Apache-2.0
//
// This table has the CUDA API calls of the program.
#ifndef PROF_LIB_SNAPSHOT_MODEL_API_CALL_H_
#define PROF_LIB_SNAPSHOT_MODEL_API_CALL_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <tuple>

#include "lib/snapshot/model/packed.h"
#include "lib/snapshot/model/row_store.h"

namespace prof::model {

enum class ApiClass : uint8_t {
  kLaunch,
  kGraphLaunch,
  kCopy,
  kMemset,
  kSync,
  kAlloc,
  kFree,
  kOther
};

// cudaErrorMemoryAllocation of the runtime and CUDA_ERROR_OUT_OF_MEMORY of the driver.
constexpr uint32_t kOutOfMemory = 2;

struct ApiCall {
  uint32_t name = 0;                // index into Model::strings
  ApiClass cls = ApiClass::kOther;  // from the name
  bool loads_code = false;          // the driver loads or compiles code within it
  uint32_t thread = 0;              // id
  uint32_t correlation = 0, error = 0;
  uint32_t path = 0;   // innermost range of the thread at start_ns
  uint32_t stack = 0;  // of the host, at the call: id; 0: none, or not known
  int64_t start_ns = 0, end_ns = 0;
};

// Calls, 24 bytes each.
class CallTable {
 public:
  using value_type = ApiCall;
  using const_iterator = RowIterator<CallTable>;

  CallTable() = default;
  explicit CallTable(RowStorage storage) : rows_(storage) {}

  [[nodiscard]] size_t size() const { return rows_.size(); }
  [[nodiscard]] bool empty() const { return rows_.empty(); }
  const_iterator begin() const { return {this, 0}; }
  const_iterator end() const { return {this, size()}; }
  ApiCall front() const { return (*this)[0]; }
  ApiCall back() const { return (*this)[size() - 1]; }

  ApiCall operator[](size_t i) const {
    const Row& row = rows_[i];
    const Shared& shared = shared_[row.shared];
    ApiCall call;
    call.name = shared.name;
    call.cls = shared.cls;
    call.loads_code = row.loads_code != 0;
    call.thread = shared.thread;
    call.correlation = row.correlation;
    call.error = shared.error;
    call.stack = shared.stack;
    call.path = row.path;
    call.start_ns = row.start_ns;
    call.end_ns = EndOf(row);
    return call;
  }

  void push_back(const ApiCall& call) { Pack(call, &rows_.Append()); }
  void resize(size_t rows) { rows_.resize(rows); }
  // Calls `visit` with the vector of rows, for code that manages its memory.
  template <typename Visit>
  void VisitRows(Visit visit) {
    if (auto* const rows = rows_.plain()) visit(rows);
  }

  // Unpacks the row, calls `change` with it, and packs it again.
  template <typename Change>
  void Edit(size_t i, Change change) {
    ApiCall call = (*this)[i];
    change(&call);
    Pack(call, &rows_.Change(i));
  }
  // These set one field without unpacking the row.
  void SetPath(size_t i, uint32_t path) { rows_.Change(i).path = path; }
  void SetLoadsCode(size_t i) { rows_.Change(i).loads_code = 1; }

  // Sets the class of all calls; `class_of` is given the index of the name.
  template <typename ClassOf>
  void Classify(ClassOf class_of) {
    for (Shared& shared : shared_.values()) shared.cls = class_of(shared.name);
  }

  // Gives the stacks other ids; `id_of` is given the one that a call has.
  template <typename IdOf>
  void ChangeStacks(IdOf id_of) {
    for (Shared& shared : shared_.values()) shared.stack = id_of(shared.stack);
  }

  bool loads_code(size_t i) const { return rows_[i].loads_code != 0; }
  uint32_t error(size_t i) const { return shared_[rows_[i].shared].error; }
  uint32_t correlation(size_t i) const { return rows_[i].correlation; }
  uint32_t path(size_t i) const { return rows_[i].path; }
  uint32_t stack(size_t i) const { return shared_[rows_[i].shared].stack; }

  // Sorts by start, and a call before the calls that it made.
  void Sort();

 private:
  struct Row {
    int64_t start_ns = 0;
    uint32_t duration_ns = 0;  // or kLongNs
    uint32_t correlation = 0;
    uint32_t path = 0;
    uint32_t shared : 31;
    uint32_t loads_code : 1;

    static constexpr std::array<uint8_t, 5> kColumns{8, 4, 4, 4, 4};
    Row() : shared(0), loads_code(0) {}
  };
  static_assert(sizeof(Row) == 24);

  // The fields that are equal in many rows.
  struct Shared {
    uint32_t name = 0, thread = 0, error = 0, stack = 0;
    ApiClass cls = ApiClass::kOther;
    int64_t long_end_ns = 0;

    auto Key() const { return std::tuple(name, thread, stack, error, long_end_ns, cls); }
  };

  int64_t EndOf(const Row& row) const {
    return row.duration_ns == kLongNs ? shared_[row.shared].long_end_ns
                                      : row.start_ns + row.duration_ns;
  }

  // Writes the row in place. A row that is built elsewhere and copied waits for its own bytes.
  void Pack(const ApiCall& call, Row* row);

  RowStore<Row> rows_;
  Interned<Shared> shared_;
};

}  // namespace prof::model

#endif  // PROF_LIB_SNAPSHOT_MODEL_API_CALL_H_
