// SPDX-License-Identifier: Apache-2.0
//
// A row store has the rows of a table: as they are, or packed. Packed rows take about a fifth of
// the memory, and some nanoseconds more to read in order. Analysis reads operations and calls as
// they are; an export, which goes over them a few times, packs them. Ranges are always packed.
#ifndef PROF_LIB_SNAPSHOT_MODEL_ROW_STORE_H_
#define PROF_LIB_SNAPSHOT_MODEL_ROW_STORE_H_

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <queue>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "lib/snapshot/model/bit_columns.h"

namespace prof::model {

enum class RowStorage : uint8_t { kPlain, kPacked };

constexpr size_t kChunkRows = 512;
// The rows at the end of a packed store that are not packed yet: rows change soon after they come.
constexpr size_t kTailRows = 16 * kChunkRows;
// Packed rows are sorted in runs of so many, and merged.
constexpr size_t kRunRows = 128 * kChunkRows;

// An id for what a chunk holds: a chunk that changed has another one.
inline uint64_t NextChunkId() {
  static std::atomic<uint64_t> last{0};
  return ++last;
}

// `Row` can be copied as bytes. Row::kColumns has the bytes of each of its columns.
template <typename Row>
class RowStore {
 public:
  RowStore() = default;
  explicit RowStore(RowStorage storage) : packs_(storage == RowStorage::kPacked) {}

  [[nodiscard]] size_t size() const { return packed_ + tail_.size(); }
  [[nodiscard]] bool empty() const { return size() == 0; }
  // Valid until this thread reads another row, or the store changes.
  const Row& operator[](size_t i) const {
    if (__builtin_expect(packed_ == 0, 1) != 0) return tail_[i];
    return i < packed_ ? Unpacked(i) : tail_[i - packed_];
  }
  Row back() const { return (*this)[size() - 1]; }

  // Reads rows that are mostly near the one before, for one thread and while the store does not
  // change: it remembers where the chunk that it read last is unpacked.
  class Reader {
   public:
    explicit Reader(const RowStore& store) : store_(&store) {}

    // Valid until this thread reads another row.
    const Row& operator[](size_t i) {
      if (__builtin_expect(i - first_ < count_ && *kept_id_ == id_, 1) == 0) Find(i);
      return rows_[i - first_];
    }

   private:
    // Not inlined, so that reading rows of one chunk stays short.
    [[gnu::noinline]] void Find(size_t i) {
      if (i >= store_->packed_) {
        *this = {store_, store_->tail_.data(), store_->packed_, store_->tail_.size()};
        return;
      }
      const size_t chunk = i / kChunkRows, first = chunk * kChunkRows;
      if (chunk == store_->open_) {
        *this = {store_, store_->open_rows_.data(), first, kChunkRows};
        return;
      }
      const Chunk& packed = store_->chunks_[chunk];
      const size_t slot = KeepUnpacked(packed);
      *this = {store_, OwnCache().rows[slot].data(), first, kChunkRows};
      kept_id_ = &OwnCache().ids[slot];
      id_ = packed.id;
    }

    // Of rows that are not packed.
    Reader(const RowStore* store, const Row* rows, size_t first, size_t count)
        : store_(store), rows_(rows), first_(first), count_(count) {}

    static constexpr uint64_t kNotPacked = 0;  // the id of no chunk

    const RowStore* store_;
    const Row* rows_ = nullptr;  // from the row `first_` on
    size_t first_ = 0, count_ = 0;
    // What the cache has in the chunk's slot, and what it had when `rows_` was set.
    const uint64_t* kept_id_ = &kNotPacked;
    uint64_t id_ = kNotPacked;
  };

  // The number of rows for which `before` is true, which are all in front of the others. Unpacks
  // one chunk at most.
  template <typename Before>
  size_t CountBefore(Before before) const {
    if (!tail_.empty() && before(tail_.front())) {
      const auto end = std::partition_point(tail_.begin(), tail_.end(), before);
      return packed_ + static_cast<size_t>(end - tail_.begin());
    }
    size_t begin = 0, end = chunks_.size();  // of the chunks whose first row is not before
    while (begin < end) {
      const size_t middle = begin + (end - begin) / 2;
      const Row& first = middle == open_ ? open_rows_.front() : chunks_[middle].first;
      before(first) ? begin = middle + 1 : end = middle;
    }
    if (begin == 0) return 0;
    end = begin * kChunkRows;
    begin = end - kChunkRows;
    while (begin < end) {
      const size_t middle = begin + (end - begin) / 2;
      before((*this)[middle]) ? begin = middle + 1 : end = middle;
    }
    return begin;
  }

  // The row to write or to change; valid until the next call of one of the two. Rows that were
  // packed are packed again when a row of another chunk changes.
  Row& Append() {
    if (packs_ && tail_.size() == kTailRows) PackTail();
    return tail_.emplace_back();
  }
  Row& Change(size_t i) {
    if (i >= packed_) return tail_[i - packed_];
    if (i / kChunkRows != open_) Open(i / kChunkRows);
    return open_rows_[i % kChunkRows];
  }
  void push_back(const Row& row) { Append() = row; }

  // Removes the rows behind the first `rows`.
  void resize(size_t rows) {
    if (rows < packed_) {
      Open(rows / kChunkRows);
      tail_ = std::move(open_rows_);
      packed_ = open_ * kChunkRows;
      chunks_.resize(open_);
      open_ = kNone;
    }
    tail_.resize(rows - packed_);
  }

  // Keeps the order of rows that are equal. Rows mostly come in order, and checking that costs less
  // than sorting.
  template <typename Less>
  void Sort(Less less) {
    if (IsSorted(less)) return;
    if (packed_ == 0) {
      std::stable_sort(tail_.begin(), tail_.end(), less);
    } else {
      SortPacked(less);
    }
  }

  // All rows, for code that manages the memory of rows that are not packed; null: they are.
  std::vector<Row>* plain() { return packs_ ? nullptr : &tail_; }

 private:
  static_assert(std::is_trivially_copyable_v<Row>);
  using Rows = std::array<Row, kChunkRows>;
  static constexpr size_t kNone = SIZE_MAX;

  struct Chunk {
    uint64_t id = 0;
    Row first;
    std::string packed;
  };

  // The chunks that a thread has unpacked last, by id.
  struct Cache {
    static constexpr size_t kSlots = 64;
    std::array<uint64_t, kSlots> ids{};
    std::array<Rows, kSlots> rows;
  };

  static constexpr RowLayout Layout() {
    size_t bytes = 0;
    for (const uint8_t column : Row::kColumns) bytes += column;
    return {Row::kColumns.data(), Row::kColumns.size(), bytes};
  }
  static_assert(Layout().row_bytes == sizeof(Row));

  static Chunk Pack(const Row* rows) {
    return {NextChunkId(), *rows,
            PackColumns(reinterpret_cast<const char*>(rows), kChunkRows, Layout())};
  }
  static void Unpack(const Chunk& chunk, Row* rows) {
    UnpackColumns(chunk.packed, kChunkRows, Layout(), reinterpret_cast<char*>(rows));
  }

  // Not inlined, so that reading plain rows stays short.
  [[gnu::noinline]] const Row& Unpacked(size_t i) const {
    if (i / kChunkRows == open_) return open_rows_[i % kChunkRows];
    return OwnCache().rows[KeepUnpacked(chunks_[i / kChunkRows])][i % kChunkRows];
  }

  // This thread's.
  static Cache& OwnCache() {
    thread_local const std::unique_ptr<Cache> cache = std::make_unique<Cache>();
    return *cache;
  }

  // The slot of the cache that has the chunk now.
  static size_t KeepUnpacked(const Chunk& chunk) {
    Cache& cache = OwnCache();
    const size_t slot = chunk.id % Cache::kSlots;
    if (cache.ids[slot] != chunk.id) {
      Unpack(chunk, cache.rows[slot].data());
      cache.ids[slot] = chunk.id;
    }
    return slot;
  }

  void Open(size_t chunk) {
    if (chunk == open_) return;
    if (open_ != kNone) chunks_[open_] = Pack(open_rows_.data());
    open_ = chunk;
    open_rows_.resize(kChunkRows);
    Unpack(chunks_[chunk], open_rows_.data());
  }

  // Half of the tail stays.
  void PackTail() {
    constexpr size_t kRows = kTailRows / 2;
    for (size_t i = 0; i < kRows; i += kChunkRows) chunks_.push_back(Pack(tail_.data() + i));
    tail_.erase(tail_.begin(), tail_.begin() + kRows);
    packed_ += kRows;
  }

  template <typename Less>
  bool IsSorted(Less less) const {
    if (packed_ == 0) return std::is_sorted(tail_.begin(), tail_.end(), less);
    Reader rows(*this);
    Row before = rows[0];
    for (size_t i = 1; i < size(); ++i) {
      const Row& row = rows[i];
      if (less(row, before)) return false;
      before = row;
    }
    return true;
  }

  // Frees the memory of a chunk that is not read again.
  void Release(size_t chunk) {
    if (chunk < chunks_.size()) chunks_[chunk] = Chunk();
  }

  // The rows in sorted runs. This store is of no use afterwards.
  template <typename Less>
  std::vector<RowStore> TakeRuns(Less less) {
    std::vector<RowStore> runs;
    std::vector<Row> rows;
    for (size_t i = 0; i < size(); ++i) {
      rows.push_back((*this)[i]);
      if (i % kChunkRows == kChunkRows - 1) Release(i / kChunkRows);
      if (rows.size() < kRunRows && i + 1 < size()) continue;
      std::stable_sort(rows.begin(), rows.end(), less);
      RowStore& run = runs.emplace_back(RowStorage::kPacked);
      for (const Row& row : rows) run.push_back(row);
      rows.clear();
    }
    return runs;
  }

  template <typename Less>
  void SortPacked(Less less) {
    struct Head {
      Row row;
      size_t run, next;
    };
    std::vector<RowStore> runs = TakeRuns(less);
    std::vector<Rows> unpacked(runs.size());  // a chunk each: the cache would lose those of others
    const auto read = [&](size_t run, size_t i) -> const Row& {
      const RowStore& from = runs[run];
      if (i >= from.packed_) return from.tail_[i - from.packed_];
      if (i % kChunkRows == 0) Unpack(from.chunks_[i / kChunkRows], unpacked[run].data());
      return unpacked[run][i % kChunkRows];
    };
    // Of equal rows those of the earlier run come first.
    const auto behind = [&less](const Head& a, const Head& b) {
      return less(b.row, a.row) || (!less(a.row, b.row) && a.run > b.run);
    };
    std::priority_queue<Head, std::vector<Head>, decltype(behind)> heads(behind);
    for (size_t run = 0; run < runs.size(); ++run) heads.push({read(run, 0), run, 1});
    RowStore sorted(RowStorage::kPacked);
    while (!heads.empty()) {
      Head head = heads.top();
      heads.pop();
      RowStore& run = runs[head.run];
      // Runs overlap little, so most rows follow one of their own run.
      while (true) {
        sorted.push_back(head.row);
        if (head.next % kChunkRows == 0) run.Release(head.next / kChunkRows - 1);
        if (head.next == run.size()) break;
        head.row = read(head.run, head.next++);
        if (!heads.empty() && behind(head, heads.top())) {
          heads.push(head);
          break;
        }
      }
    }
    *this = std::move(sorted);
  }

  bool packs_ = false;
  size_t packed_ = 0;  // rows in chunks, which are all full
  std::vector<Chunk> chunks_;
  std::vector<Row> tail_;       // the rows behind them
  size_t open_ = kNone;         // the chunk that changes ...
  std::vector<Row> open_rows_;  // ... and its rows
};

}  // namespace prof::model

#endif  // PROF_LIB_SNAPSHOT_MODEL_ROW_STORE_H_
