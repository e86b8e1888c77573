// SPDX-License-Identifier: Apache-2.0
#include "lib/export/writers/sqlite.h"

#include <sqlite3.h>

#include <string>
#include <vector>

#include "prof/analyzer.h"
#include "test/export/example_recording.h"
#include "test/support/catch.h"
#include "test/support/temp_folder.h"

namespace prof::exporting::sqlite_test {
namespace {

using Rows = std::vector<std::vector<std::string>>;

// An export that queries read.
class Exported {
 public:
  Exported() {
    const std::string path = folder_ / "app.sqlite";
    const Snapshot snapshot = test::ExampleRecording();
    ExportOptions options;
    options.format = ExportFormat::kSqlite;
    const ExportResult result =
        ExportToFile(ReadEvents(snapshot), Analyze(snapshot), options, path);
    REQUIRE(result.error.empty());
    REQUIRE(sqlite3_open_v2(path.c_str(), &handle_, SQLITE_OPEN_READONLY, nullptr) == SQLITE_OK);
  }
  ~Exported() { sqlite3_close(handle_); }
  Exported(const Exported&) = delete;
  Exported& operator=(const Exported&) = delete;

  // A row for each of the answer; NULL is "NULL".
  Rows Query(const std::string& sql) const {
    Rows rows;
    const auto add = [](void* all, int cells, char** values, char**) {
      std::vector<std::string> row;
      for (int i = 0; i < cells; ++i) row.emplace_back(values[i] == nullptr ? "NULL" : values[i]);
      static_cast<Rows*>(all)->push_back(std::move(row));
      return 0;
    };
    char* problem = nullptr;
    sqlite3_exec(handle_, sql.c_str(), add, &rows, &problem);
    INFO(sql << ": " << (problem == nullptr ? "" : problem));
    CHECK(problem == nullptr);
    sqlite3_free(problem);
    return rows;
  }

 private:
  test::TempFolder folder_;
  sqlite3* handle_ = nullptr;
};

TEST_CASE("Queries over the tables of Nsight Systems give kernels, calls, ranges and copies") {
  const Exported file;
  // Time by kernel, as cuda_gpu_kern_sum has it.
  CHECK(file.Query("SELECT s.value, count(*), sum(k.end - k.start) FROM "
                   "CUPTI_ACTIVITY_KIND_KERNEL k JOIN StringIds s ON s.id = k.shortName GROUP BY 1 "
                   "ORDER BY 3 DESC LIMIT 1") == Rows{{"saxpy", "3", "35000"}});
  // Calls and what they launched.
  CHECK(file.Query("SELECT s.value, count(k.start) FROM CUPTI_ACTIVITY_KIND_RUNTIME r JOIN "
                   "StringIds s ON s.id = r.nameId LEFT JOIN CUPTI_ACTIVITY_KIND_KERNEL k ON "
                   "k.correlationId = r.correlationId GROUP BY 1 ORDER BY 2 DESC LIMIT 1") ==
        Rows{{"cudaLaunchKernel", "4"}});
  // Kernels below a range, by the call's time and thread.
  CHECK(file.Query("SELECT COALESCE(n.text, s.value), count(*) FROM NVTX_EVENTS n LEFT JOIN "
                   "StringIds s ON s.id = n.textId JOIN CUPTI_ACTIVITY_KIND_RUNTIME r ON "
                   "r.globalTid = n.globalTid AND r.start >= n.start AND r.end <= n.end JOIN "
                   "CUPTI_ACTIVITY_KIND_KERNEL k ON k.correlationId = r.correlationId WHERE "
                   "n.eventType = 59 GROUP BY 1") == Rows{{"step", "4"}});
  // Copies by kind, as cuda_gpu_mem_size_sum has them.
  CHECK(file.Query("SELECT e.label, sum(m.bytes), s.label, d.label FROM "
                   "CUPTI_ACTIVITY_KIND_MEMCPY m JOIN ENUM_CUDA_MEMCPY_OPER e ON e.id = m.copyKind "
                   "JOIN ENUM_CUDA_MEM_KIND s ON s.id = m.srcKind JOIN ENUM_CUDA_MEM_KIND d ON "
                   "d.id = m.dstKind GROUP BY 1") ==
        Rows{{"Host-to-Device", "4096", "Pageable", "Device"}});
  // Process and thread, as queries take them out of the ids.
  CHECK(file.Query("SELECT DISTINCT globalTid / 0x1000000 % 0x1000000, globalTid % 0x1000000 FROM "
                   "CUPTI_ACTIVITY_KIND_RUNTIME") == Rows{{"4242", "1000"}});
  CHECK(file.Query("SELECT value FROM META_DATA_EXPORT WHERE name = 'EXPORT_SCHEMA_VERSION'") ==
        Rows{{"3.25.0"}});
  CHECK(file.Query("SELECT utcEpochNs + (20000 - 1000 - systemClockNs) FROM "
                   "TARGET_INFO_SESSION_START_TIME") == Rows{{"20000"}});
}

TEST_CASE("Tables without rows are not there, as readers expect") {
  const Exported file;
  CHECK(file.Query("SELECT name FROM sqlite_master WHERE name IN "
                   "('CUPTI_ACTIVITY_KIND_GRAPH_TRACE', 'PROF_LOSSES', 'PROFILER_OVERHEAD')")
            .empty());
}

TEST_CASE("prof's own tables have counters, samples and verdicts") {
  const Exported file;
  CHECK(file.Query("SELECT k.end - k.start, c.value FROM PROF_COUNTERS c JOIN "
                   "CUPTI_ACTIVITY_KIND_KERNEL k ON k.correlationId = c.correlationId AND "
                   "k.contextId = c.contextId ORDER BY k.start") ==
        Rows{{"10000", "40.0"}, {"15000", "60.0"}});
  CHECK(file.Query("SELECT count(*), sum(value) FROM PROF_PM_SAMPLES") == Rows{{"3", "60.0"}});
  const Rows verdicts = file.Query(
      "SELECT shortName, range, launches FROM PROF_VERDICTS WHERE "
      "deviceId = 0 AND limiter <> '' ORDER BY totalNs DESC LIMIT 1");
  CHECK(verdicts == Rows{{"saxpy", "step", "2"}});
}

TEST_CASE("Names come out of the database as they were") {
  const Exported file;
  CHECK(file.Query("SELECT count(*) FROM StringIds WHERE value = '" + std::string(test::kHardName) +
                   "'") == Rows{{"1"}});
  CHECK(file.Query("PRAGMA integrity_check") == Rows{{"ok"}});
}

}  // namespace
}  // namespace prof::exporting::sqlite_test
