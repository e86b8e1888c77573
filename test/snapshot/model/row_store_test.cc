// SPDX-License-Identifier: Apache-2.0
//
// These tests check that packed rows are the rows that were added, in the order that was asked for.
#include "lib/snapshot/model/row_store.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "test/support/catch.h"

namespace prof::model::row_store_test {
namespace {

struct Row {
  uint64_t time = 0;
  uint32_t id = 0, number = 0;

  static constexpr std::array<uint8_t, 3> kColumns{8, 4, 4};
  bool operator==(const Row& other) const {
    return time == other.time && id == other.id && number == other.number;
  }
};
using Store = RowStore<Row>;

constexpr size_t kMany = 3 * kTailRows + 17;

// Times that mostly grow, an id that repeats, and the number of the row.
std::vector<Row> Rows(size_t count) {
  std::mt19937 random(7);
  std::vector<Row> rows;
  uint64_t time = 1'700'000'000'000'000'000;
  for (uint32_t i = 0; i < count; ++i) {
    time += random() % 20'000;
    rows.push_back({time - (i % 9 == 0 ? 15'000 : 0), static_cast<uint32_t>(random() % 7), i});
  }
  return rows;
}

Store Packed(const std::vector<Row>& rows) {
  Store store(RowStorage::kPacked);
  for (const Row& row : rows) store.push_back(row);
  return store;
}

void CheckSame(const Store& store, const std::vector<Row>& rows) {
  REQUIRE(store.size() == rows.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    if (store[i] == rows[i]) continue;
    CAPTURE(i);
    REQUIRE(store[i] == rows[i]);
  }
}

TEST_CASE("Packed rows are those that were added, in any order of reading") {
  for (const size_t count : {size_t{0}, size_t{1}, kTailRows, kTailRows + 1, kMany}) {
    const std::vector<Row> rows = Rows(count);
    const Store store = Packed(rows);
    CheckSame(store, rows);
    std::mt19937 random(3);
    for (size_t i = 0; i < 1000 && count > 0; ++i) {
      const size_t at = random() % count;
      REQUIRE(store[at] == rows[at]);
    }
  }
}

TEST_CASE("Columns of any width come back, also where differences wrap around") {
  constexpr RowLayout kLayout{Row::kColumns.data(), Row::kColumns.size(), sizeof(Row)};
  std::mt19937_64 random(11);
  for (unsigned width = 0; width <= 64; ++width) {
    for (const uint64_t base : {uint64_t{0}, UINT64_MAX, uint64_t{1} << 63}) {
      const uint64_t mask = width == 64 ? UINT64_MAX : (uint64_t{1} << width) - 1;
      std::vector<Row> rows(301);
      for (Row& row : rows) {
        row.time = base + (random() & mask);
        row.id = static_cast<uint32_t>(base + (random() & mask));
        row.number = static_cast<uint32_t>(&row - rows.data()) * 3 - 100;
      }
      const std::string packed =
          PackColumns(reinterpret_cast<const char*>(rows.data()), rows.size(), kLayout);
      std::vector<Row> back(rows.size());
      UnpackColumns(packed, back.size(), kLayout, reinterpret_cast<char*>(back.data()));
      CAPTURE(width, base);
      REQUIRE(back == rows);
    }
  }
}

TEST_CASE("Rows that resemble each other take a fraction of their memory") {
  constexpr RowLayout kLayout{Row::kColumns.data(), Row::kColumns.size(), sizeof(Row)};
  const std::vector<Row> rows = Rows(kChunkRows);
  const std::string packed =
      PackColumns(reinterpret_cast<const char*>(rows.data()), rows.size(), kLayout);
  CHECK(packed.size() < rows.size() * 4);  // 16 bits of time, 3 of the id, none of the number
}

TEST_CASE("A packed row that changes keeps its change, and no other row changes") {
  std::vector<Row> rows = Rows(kMany);
  Store store = Packed(rows);
  for (const size_t i : {size_t{0}, size_t{1}, kChunkRows, kMany - 1, size_t{2}, kMany / 2}) {
    store.Change(i).id = 0xfffffff0 + static_cast<uint32_t>(i % 9);
    rows[i].id = 0xfffffff0 + static_cast<uint32_t>(i % 9);
    CHECK(store[i] == rows[i]);
  }
  for (size_t i = 0; i < kMany; ++i) {  // as a join does
    const uint32_t number = store[i].number * 2;
    store.Change(i).number = number;
    rows[i].number *= 2;
  }
  CheckSame(store, rows);
}

TEST_CASE("A store that becomes shorter goes on from there") {
  for (const size_t kept : {kMany - 1, 2 * kChunkRows, 2 * kChunkRows + 5, size_t{1}, size_t{0}}) {
    std::vector<Row> rows = Rows(kMany);
    Store store = Packed(rows);
    store.Change(3 * kChunkRows).id = 1;  // the open chunk stays, or goes
    rows[3 * kChunkRows].id = 1;
    store.resize(kept);
    rows.resize(kept);
    CheckSame(store, rows);
    for (const Row& row : Rows(kTailRows + 3)) {
      store.push_back(row);
      rows.push_back(row);
    }
    CheckSame(store, rows);
  }
}

TEST_CASE("A reader sees what the store has, in any order, beside others that use the same cache") {
  const std::vector<Row> rows = Rows(200 * kChunkRows + kTailRows);
  Store store = Packed(rows);
  store.Change(5 * kChunkRows).id = 1;  // this chunk stays open
  Store::Reader forward(store), random_order(store);
  std::mt19937 random(5);
  for (size_t i = 0; i < rows.size(); ++i) {
    CAPTURE(i);
    const size_t at = random() % rows.size();
    const Row read = forward[i], other = random_order[at];
    const bool same = read == store[i] && other == store[at] && read.number == i;
    if (!same) REQUIRE(same);
  }
  CHECK(forward[5 * kChunkRows].id == 1);
  CHECK(forward[0] == rows[0]);
}

TEST_CASE("A reader of rows that are not packed reads them where they are") {
  Store store;
  for (const Row& row : Rows(3)) store.push_back(row);
  Store::Reader reader(store);
  CHECK(&reader[2] == &store[2]);
  CHECK(&reader[0] == &store[0]);
}

bool ByTime(const Row& a, const Row& b) { return a.time < b.time; }

TEST_CASE("Packed rows are sorted as plain ones are, and equal ones keep their order") {
  std::vector<Row> nearly = Rows(3 * kRunRows + 100);
  std::vector<Row> reversed = nearly;
  std::reverse(reversed.begin(), reversed.end());
  std::vector<Row> equal = nearly;
  for (Row& row : equal) row.time = row.id;
  for (std::vector<Row> rows : {nearly, reversed, equal}) {
    Store packed = Packed(rows);
    packed.Sort(ByTime);
    Store plain;
    for (const Row& row : rows) plain.push_back(row);
    plain.Sort(ByTime);
    std::stable_sort(rows.begin(), rows.end(), ByTime);
    CheckSame(packed, rows);
    CheckSame(plain, rows);
  }
}

TEST_CASE("Several threads read the same packed rows") {
  const std::vector<Row> rows = Rows(kMany);
  const Store store = Packed(rows);
  std::array<size_t, 4> same{};
  std::vector<std::thread> readers;
  for (size_t reader = 0; reader < same.size(); ++reader) {
    readers.emplace_back([&, reader] {
      for (size_t i = 0; i < kMany; ++i) {
        const size_t at = (i * (2 * reader + 1)) % kMany;
        if (store[at] == rows[at]) ++same[reader];
      }
    });
  }
  for (std::thread& reader : readers) reader.join();
  for (const size_t count : same) CHECK(count == kMany);
}

}  // namespace
}  // namespace prof::model::row_store_test
