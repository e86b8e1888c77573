// SPDX-License-Identifier: Apache-2.0
//
// An export reads packed rows. These tests compare it with an export of rows that are not packed.
#include <cstddef>
#include <random>
#include <string>
#include <vector>

#include "lib/export/events.h"
#include "lib/snapshot/model/row_store.h"
#include "prof/events.h"
#include "prof/export.h"
#include "test/export/example_recording.h"
#include "test/support/catch.h"
#include "test/support/rounds.h"
#include "test/support/snapshot_builder.h"
#include "test/support/temp_folder.h"

namespace prof::packed_events_test {
namespace {

using exporting::EventsReader;
using model::RowStorage;

std::vector<ExportOptions> AllExports() {
  std::vector<ExportOptions> exports;
  for (const ExportFormat format :
       {ExportFormat::kPerfetto, ExportFormat::kChrome, ExportFormat::kSqlite,
        ExportFormat::kSpeedscope, ExportFormat::kPprof, ExportFormat::kFolded}) {
    exports.emplace_back().format = format;
  }
  for (const ExportTable table : {ExportTable::kLaunches, ExportTable::kCounters,
                                  ExportTable::kRanges, ExportTable::kCalls}) {
    exports.emplace_back().format = ExportFormat::kCsv;
    exports.back().table = table;
  }
  exports.emplace_back().keep = 100;
  exports.emplace_back().gpu = 0;
  return exports;
}

// The file, or the error.
std::string Written(const Events& events, const ExportOptions& options) {
  const test::TempFolder folder;
  const ExportResult result = ExportToFile(events, Report(), options, folder / "out");
  return result.error.empty() ? test::ReadFile(folder / "out") : "error: " + result.error;
}

void CheckSameExports(const std::string& bytes) {
  const Snapshot snapshot = Snapshot::FromBytes(bytes);
  const Events packed = EventsReader::Read(snapshot, RowStorage::kPacked);
  const Events plain = EventsReader::Read(snapshot, RowStorage::kPlain);
  REQUIRE(packed.error() == plain.error());
  REQUIRE(packed.process().incomplete == plain.process().incomplete);
  REQUIRE(packed.operations().size() == plain.operations().size());
  for (const ExportOptions& options : AllExports()) {
    CAPTURE(static_cast<int>(options.format), static_cast<int>(options.table));
    REQUIRE((Written(packed, options) == Written(plain, options)));
  }
}

const std::vector<std::string>& Recordings() {
  static const std::vector<std::string> recordings = [] {
    const std::vector<std::string> all = {PROF_RECORDINGS "/transformer_layer_1.prof",
                                          PROF_RECORDINGS "/transformer_layer_2048.prof",
                                          PROF_TEST_DATA "/wait_in_every_step.prof"};
    std::vector<std::string> read;
    for (int i = 0; i < test::Rounds(3, 1); ++i) read.push_back(test::ReadFile(all[i]));
    return read;
  }();
  return recordings;
}

TEST_CASE("An export of packed rows has the bytes of one of plain rows", "[long]") {
  CheckSameExports(test::ExampleRecording().bytes());
  for (const std::string& recording : Recordings()) {
    REQUIRE(recording.size() > 100'000);
    CheckSameExports(recording);
  }
  // The comparison reaches packed rows: the last rows of a table are plain.
  const Events events = ReadEvents(Snapshot::FromBytes(Recordings().front()));
  CHECK(events.operations().size() > 2 * model::kTailRows);
  CHECK(events.calls().size() > 2 * model::kTailRows);
  CHECK(events.ranges().size() > model::kTailRows);
}

TEST_CASE("An export of a damaged recording is the same with packed rows") {
  std::mt19937 random(5);
  for (const std::string& recording : Recordings()) {
    for (const size_t eighths : {1, 5, 7}) {
      CheckSameExports(recording.substr(0, recording.size() * eighths / 8 + random() % 1000));
    }
    std::string damaged = recording;
    damaged[recording.size() / 2 + random() % 1000] ^= 0x40;
    CheckSameExports(damaged);
  }
}

// Two threads, whose records arrive one thread after the other: nothing is in the order of time.
TEST_CASE("An export of records out of order is the same with packed rows") {
  test::SnapshotBuilder b;
  const uint32_t shape = b.Shape("saxpy", {132}, {256});
  constexpr int64_t kLaunches = 3 * model::kTailRows;
  b.Range("all", 0, 2'000 * kLaunches);
  for (const uint32_t tid : {test::kMainTid, test::kMainTid + 1}) {
    for (int64_t i = 0; i < kLaunches / 2; ++i) {
      const int64_t start_ns = 2'000 * i + tid % 2 * 700;
      test::Launch how;
      how.tid = tid;
      b.Range("step", start_ns, start_ns + 500, tid);
      b.Kernel(shape, "", start_ns + 100, start_ns + 300 + i % 50, how);
    }
  }
  CheckSameExports(b.Bytes(4));
}

}  // namespace
}  // namespace prof::packed_events_test
