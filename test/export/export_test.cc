// SPDX-License-Identifier: Apache-2.0
#include "prof/export.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "prof/analyzer.h"
#include "test/export/example_recording.h"
#include "test/support/catch.h"
#include "test/support/snapshot_builder.h"
#include "test/support/temp_folder.h"

namespace prof::export_test {
namespace {

using Catch::Contains;

TEST_CASE("An export names what it wrote and what it left out") {
  std::ostringstream out;
  ExportOptions options;
  options.gpu = 1;
  const Snapshot snapshot = test::ExampleRecording();
  const ExportResult result = Export(ReadEvents(snapshot), Analyze(snapshot), options, out);
  CHECK(result.error.empty());
  CHECK(result.operations == 1);
  CHECK(result.operations_left_out == 5);
  CHECK(result.notes.empty());
}

bool HasNote(const ExportResult& result, const std::string& text) {
  return std::any_of(result.notes.begin(), result.notes.end(),
                     [&](const std::string& note) { return note.find(text) != std::string::npos; });
}

TEST_CASE("What a format has no place for is counted in its notes") {
  test::SnapshotBuilder b;
  b.Device(test::H200(0));
  b.Kernel(b.Shape("k", {1}, {32}), "step", 1'000, 2'000);
  b.Range("step", 500, 3'000);
  b.RangeSample("step", 500, 3'000, {{"dram__bytes_read.sum", 1}});
  b.Sync(model::SyncKind::kContext, 2'000, 2'500);
  const Events events = ReadEvents(b.Snapshot());
  ExportOptions options;
  std::ostringstream out;
  const ExportResult perfetto = Export(events, Report(), options, out);
  CHECK(HasNote(perfetto, "1 sample of counters is not in the file"));
  CHECK(HasNote(perfetto, "1 record of a wait is not in the file; the calls that"));
  options.format = ExportFormat::kChrome;
  const ExportResult chrome = Export(events, Report(), options, out);
  CHECK(HasNote(chrome, "1 sample of counters is not in the file"));
  CHECK_FALSE(HasNote(chrome, "wait"));  // it has these
}

TEST_CASE("A trace of several GPUs for Perfetto comes with a note") {
  std::ostringstream out;
  const ExportResult result = Export(ReadEvents(test::ExampleRecording()), Report(), {}, out);
  REQUIRE(result.notes.size() == 1);
  CHECK(result.notes[0].find("--gpu") != std::string::npos);
}

TEST_CASE(
    "Events that could not be read, a pattern that is none and SQLite to a stream are errors") {
  std::ostringstream out;
  CHECK_FALSE(Export(ReadEvents(Snapshot::FromBytes("x")), Report(), {}, out).error.empty());
  ExportOptions options;
  options.range = "[";
  const Events events = ReadEvents(test::ExampleRecording());
  CHECK(Export(events, Report(), options, out).error.find("regular expression") !=
        std::string::npos);
  options = {};
  options.format = ExportFormat::kSqlite;
  CHECK(Export(events, Report(), options, out).error.find("-o") != std::string::npos);
  CHECK(out.str().empty());
}

TEST_CASE("An output that fails leaves no file behind, and the old one as it was") {
  const test::TempFolder folder;
  const Events events = ReadEvents(test::ExampleRecording());
  const std::string path = folder / "app.pftrace";
  std::ofstream(path) << "old";
  ExportOptions options;
  options.range = "[";
  CHECK_FALSE(ExportToFile(events, Report(), options, path).error.empty());
  std::string content;
  std::ifstream(path) >> content;
  CHECK(content == "old");
  CHECK_FALSE(std::filesystem::exists(path + ".part"));
  for (const ExportFormat format : {ExportFormat::kPerfetto, ExportFormat::kSqlite}) {
    options = {};
    options.format = format;
    const std::string error = ExportToFile(events, Report(), options, folder / "none/app").error;
    CHECK(error.find("cannot write") != std::string::npos);
  }
}

TEST_CASE("A pipe is written to and stays, and a database is not put in its place") {
  const test::TempFolder folder;
  const std::string pipe = folder / "pipe";
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  const Events events = ReadEvents(test::ExampleRecording());
  ExportOptions options;
  options.format = ExportFormat::kCsv;
  std::ostringstream expected;
  REQUIRE(Export(events, Report(), options, expected).error.empty());
  std::string read;
  std::thread reader([&] {
    std::ifstream in(pipe, std::ios::binary);
    read.assign(std::istreambuf_iterator<char>(in), {});
  });
  CHECK(ExportToFile(events, Report(), options, pipe).error.empty());
  reader.join();
  CHECK(read == expected.str());
  CHECK(std::filesystem::is_fifo(pipe));
  options.format = ExportFormat::kSqlite;
  CHECK_THAT(ExportToFile(events, Report(), options, pipe).error, Contains("a file of its own"));
  CHECK(std::filesystem::is_fifo(pipe));
  CHECK_THAT(ExportToFile(events, Report(), options, folder / "").error,
             Contains("it is a folder"));
}

TEST_CASE("A part without an operation is an export with a note") {
  ExportOptions options;
  options.from_ns = 150'000;
  std::ostringstream out;
  const ExportResult result = Export(ReadEvents(test::ExampleRecording()), Report(), options, out);
  CHECK(result.error.empty());
  CHECK(result.operations == 0);
  CHECK(HasNote(result, "no operation that has a time is in the part that was asked for"));
}

TEST_CASE("A table without rows has a note with the reason") {
  ExportOptions options;
  options.format = ExportFormat::kCsv;
  options.table = ExportTable::kCounters;
  std::ostringstream out;
  test::SnapshotBuilder b;
  b.Kernel(b.Shape("k", {1}, {32}), "step", 1'000, 2'000);
  CHECK(HasNote(Export(ReadEvents(b.Snapshot()), Report(), options, out),
                "the table counters has no rows: no counters of single launches"));
  const Events events = ReadEvents(test::ExampleRecording());
  CHECK(Export(events, Report(), options, out).notes.empty());
  options.from_ns = 150'000;
  CHECK(HasNote(Export(events, Report(), options, out),
                "the table counters has no rows: nothing of it is in the part"));
}

TEST_CASE("The table of kernels is of the whole recording, so a part of it is an error") {
  const Events events = ReadEvents(test::ExampleRecording());
  ExportOptions options;
  options.table = ExportTable::kKernels;
  options.keep = 3;
  std::ostringstream out;
  CHECK(Export(events, Report(), options, out).error.empty());  // a trace has no table
  options.format = ExportFormat::kCsv;
  CHECK(Export(events, Report(), options, out).error.find("--table launches") != std::string::npos);
}

TEST_CASE("What a recording lacks is noted once") {
  Report report;
  report.incomplete = "The program was killed.";
  report.integrity = {"1 record is missing.", report.incomplete};
  const Events events = ReadEvents(test::ExampleRecording());
  ExportOptions options;
  options.format = ExportFormat::kFolded;
  std::ostringstream out;
  CHECK(Export(events, report, options, out).notes == report.integrity);
  report.integrity.clear();
  CHECK(Export(events, report, options, out).notes == std::vector<std::string>{report.incomplete});
}

TEST_CASE("A recording without events gives files that are complete") {
  const Events events = ReadEvents(test::SnapshotBuilder().Snapshot());
  ExportOptions options;
  for (const ExportFormat format :
       {ExportFormat::kPerfetto, ExportFormat::kChrome, ExportFormat::kSpeedscope,
        ExportFormat::kPprof, ExportFormat::kCsv}) {
    options.format = format;
    std::ostringstream out;
    const ExportResult result = Export(events, Report(), options, out);
    CHECK(result.error.empty());
    CHECK(result.operations == 0);
    CHECK_FALSE(out.str().empty());
  }
}

}  // namespace
}  // namespace prof::export_test
