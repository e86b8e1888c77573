// SPDX-License-Identifier: Apache-2.0
//
// This table has the operations: everything that ran on a device.
#ifndef PROF_LIB_SNAPSHOT_MODEL_OP_H_
#define PROF_LIB_SNAPSHOT_MODEL_OP_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <tuple>
#include <vector>

#include "lib/format/enums.h"
#include "lib/snapshot/model/packed.h"
#include "lib/snapshot/model/row_store.h"

namespace prof::model {

using format::ChannelType;
using format::CopyKind;
using format::MemoryKind;

constexpr int32_t kNoIndex = -1;  // where an index into the model's vectors would be

// Operations of one launch have the same key.
[[nodiscard]] constexpr uint64_t LaunchKey(uint32_t context, uint32_t correlation) {
  return uint64_t{context} << 32 | correlation;
}

// kGraph is a launch of a CUDA graph that was recorded as one operation; those inside it are not
// known.
enum class OpKind : uint8_t { kKernel, kCopy, kMemset, kGraph };

// A kernel, a copy, a memset or a graph that ran on a device.
struct Op {
  OpKind kind = OpKind::kKernel;
  bool timed = true;      // false: no valid time; start_ns and end_ns mean nothing
  bool untraced = false;  // prof paused tracing around this launch: start_ns is the host's
  bool sampled = false;   // ran inside a counter range
  bool async = false;     // copies
  CopyKind copy = CopyKind::kUnknown;
  MemoryKind source = MemoryKind::kUnknown;
  MemoryKind destination = MemoryKind::kUnknown;  // also of a memset
  ChannelType channel_type = ChannelType::kUnknown;
  uint32_t channel = 0;  // means something where its type is known
  uint32_t device = 0, context = 0, stream = 0;
  uint32_t correlation = 0;
  uint32_t shape = 0;      // kernels: id
  uint32_t path = 0;       // NVTX path id of the launching thread at the launch; Model::LaunchPath
  int32_t api = kNoIndex;  // index into Model::api_calls
  uint32_t graph = 0;      // CUDA graph id; 0: launched on its own
  uint64_t graph_node = 0;
  uint64_t bytes = 0;
  int64_t start_ns = 0, end_ns = 0;
};

// True for kernels and for graphs: a graph counts as the kernels in it.
[[nodiscard]] inline bool RunsKernels(const Op& op) {
  return op.kind == OpKind::kKernel || op.kind == OpKind::kGraph;
}

// Operations, in 32 bytes each. A plain kernel (one with a time, launched on its own) fits in its
// row. Other operations share the rest of their fields with those that have equal ones.
class OpTable {
 public:
  using value_type = Op;
  using const_iterator = RowIterator<OpTable>;

  OpTable() = default;
  explicit OpTable(RowStorage storage) : rows_(storage) {}
  OpTable(std::initializer_list<Op> ops) {
    for (const Op& op : ops) push_back(op);
  }

  [[nodiscard]] size_t size() const { return rows_.size(); }
  [[nodiscard]] bool empty() const { return rows_.empty(); }
  const_iterator begin() const { return {this, 0}; }
  const_iterator end() const { return {this, size()}; }
  Op front() const { return (*this)[0]; }
  Op back() const { return (*this)[size() - 1]; }

  Op operator[](size_t i) const {
    const Row& row = rows_[i];
    const Lane& lane = lanes_[row.lane];
    Op op;
    op.sampled = row.sampled != 0;
    op.channel_type = lane.channel_type;
    op.channel = lane.channel;
    op.device = lane.device;
    op.context = lane.context;
    op.stream = lane.stream;
    op.correlation = row.correlation;
    op.path = row.path;
    op.api = row.api;
    op.start_ns = row.start_ns;
    op.end_ns = row.start_ns + row.duration_ns;
    if (row.plain != 0) {
      op.shape = row.shape_or_shared;
      return op;
    }
    const Shared& shared = shared_[row.shape_or_shared];
    op.kind = shared.kind;
    op.timed = shared.timed;
    op.untraced = shared.untraced;
    op.async = shared.async;
    op.copy = shared.copy;
    op.source = shared.source;
    op.destination = shared.destination;
    op.shape = shared.shape;
    op.graph = shared.graph;
    op.graph_node = shared.graph_node;
    op.bytes = shared.bytes;
    if (row.duration_ns == kLongNs) op.end_ns = shared.long_end_ns;
    return op;
  }

  void push_back(const Op& op) { Pack(op, &rows_.Append()); }
  void resize(size_t rows) { rows_.resize(rows); }
  // Calls `visit` with the vector of rows, for code that manages its memory.
  template <typename Visit>
  void VisitRows(Visit visit) {
    if (auto* const rows = rows_.plain()) visit(rows);
  }

  // Unpacks the row, calls `change` with it, and packs it again.
  template <typename Change>
  void Edit(size_t i, Change change) {
    Op op = (*this)[i];
    change(&op);
    Pack(op, &rows_.Change(i));
  }
  // These set single fields without unpacking the row.
  void SetCall(size_t i, int32_t api, uint32_t path) {
    Row& row = rows_.Change(i);
    row.api = api;
    row.path = path;
  }
  void SetSampled(size_t i) { rows_.Change(i).sampled = 1; }
  void SetPath(size_t i, uint32_t path) { rows_.Change(i).path = path; }

  uint32_t correlation(size_t i) const { return rows_[i].correlation; }
  int32_t api(size_t i) const { return rows_[i].api; }

  // True if any row is or was untraced, or of this kind. They read no rows, so erased and changed
  // ones count too.
  bool MayHaveUntraced() const {
    return std::any_of(shared_.begin(), shared_.end(),
                       [](const Shared& one) { return one.untraced; });
  }
  bool MayHave(OpKind kind) const {
    return kind == OpKind::kKernel ||
           std::any_of(shared_.begin(), shared_.end(),
                       [kind](const Shared& one) { return one.kind == kind; });
  }

  template <typename Predicate>
  void EraseIf(Predicate predicate) {
    size_t kept = 0;
    for (size_t i = 0; i < rows_.size(); ++i) {
      if (predicate((*this)[i])) continue;
      const Row row = rows_[i];
      rows_.Change(kept++) = row;
    }
    rows_.resize(kept);
  }

  // Sorts by start, and rows without a time last.
  void Sort();

 private:
  struct Row {
    int64_t start_ns = 0;
    uint32_t duration_ns = 0;  // or kLongNs
    uint32_t correlation = 0;
    uint32_t path = 0;
    int32_t api = kNoIndex;
    uint32_t shape_or_shared = 0;  // plain: the shape; otherwise a number in shared_
    uint32_t lane : 30;
    uint32_t sampled : 1;
    uint32_t plain : 1;  // a kernel with a time, launched on its own

    static constexpr std::array<uint8_t, 7> kColumns{8, 4, 4, 4, 4, 4, 4};
    Row() : lane(0), sampled(0), plain(0) {}
  };
  static_assert(sizeof(Row) == 32);

  struct Lane {
    uint32_t device = 0, context = 0, stream = 0, channel = 0;
    ChannelType channel_type = ChannelType::kUnknown;

    auto Key() const { return std::tuple(device, context, stream, channel, channel_type); }
  };

  // The fields of operations that are not plain.
  struct Shared {
    OpKind kind = OpKind::kKernel;
    bool timed = true, untraced = false, async = false;
    CopyKind copy = CopyKind::kUnknown;
    MemoryKind source = MemoryKind::kUnknown, destination = MemoryKind::kUnknown;
    uint32_t shape = 0, graph = 0;
    uint64_t graph_node = 0, bytes = 0;
    int64_t long_end_ns = 0;

    auto Key() const {
      return std::tuple(graph_node, shape, bytes, graph, long_end_ns, kind, timed, untraced, async,
                        copy, source, destination);
    }
  };

  bool Timed(const Row& row) const { return row.plain != 0 || shared_[row.shape_or_shared].timed; }

  // Writes the row in place. A row that is built elsewhere and copied waits for its own bytes.
  void Pack(const Op& op, Row* row);

  RowStore<Row> rows_;
  Interned<Lane> lanes_;
  Interned<Shared> shared_;
};

}  // namespace prof::model

#endif  // PROF_LIB_SNAPSHOT_MODEL_OP_H_
