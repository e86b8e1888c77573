// SPDX-License-Identifier: Apache-2.0
//
// The bare program is held against the program under `prof run`, with the real library, where CUPTI
// fails (faulty_cupti.cc).
#include <chrono>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "lib/snapshot/read/reader.h"
#include "test/cli/program.h"
#include "test/report/contains.h"
#include "test/support/catch.h"

namespace prof::test::cupti_faults_test {
namespace {

using Lines = std::vector<std::string>;

// The lines of prof, or those of the program.
Lines LinesOf(const std::string& text, bool of_prof) {
  Lines lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if ((line.rfind("prof: ", 0) == 0) == of_prof) lines.push_back(line);
  }
  return lines;
}

// Without the two that name the file.
Lines ProblemsIn(const std::string& err) {
  Lines problems;
  for (const std::string& line : LinesOf(err, true)) {
    if (line.rfind("prof: wrote ", 0) == 0 || line.rfind("prof: read it with: ", 0) == 0) continue;
    problems.push_back(line);
  }
  return problems;
}

struct Runs {
  Ended bare, recorded;
};

Runs RunBoth(const Folder& folder, const std::string& fault, const std::string& way) {
  const Lines program = {PROF_TEST_FAULTS_PROGRAM, PROF_TEST_FAULTY_CUPTI, way};
  const Lines environment = {"PROF_TEST_FAULT=" + fault};
  return {
      Program(program, folder.path(), environment).Wait(),
      Prof(RunLine({"-o", "run.prof", "--counters", "none"}, program), folder.path(), environment)};
}

void CheckAlike(const Runs& runs) {
  CHECK(runs.bare.exit_code() == 7);
  CHECK(runs.recorded.status == runs.bare.status);
  CHECK(runs.recorded.out == runs.bare.out);
  CHECK(LinesOf(runs.recorded.err, false) == LinesOf(runs.bare.err, false));
}

struct Fault {
  const char* name;
  const char* line;  // a part of what prof prints; nullptr: nothing is lost
  size_t kernels;    // in the file, of five
};

constexpr Fault kFaults[] = {
    {"none", nullptr, 5},
    {"CUPTI 11", "no timeline: ", 0},
    {"no version", "gives no version", 0},
    {"another tool holds CUPTI", "another tool holds CUPTI in this process", 0},
    {"CUPTI is newer than the driver", "is newer than the NVIDIA driver", 0},
    {"no subscription", "found no usable NVIDIA driver", 0},
    {"no callbacks", "does not record calls", 5},
    {"buffers are refused", "does not record anything", 0},
    {"no activity kind", "does not record kernels", 0},
    {"no kernels", "does not record kernels", 0},
    {"no memsets", "does not record memsets", 5},
    {"no buffer is completed", "no record of the launches of this program (5)", 0},
    {"buffers come back empty", "no record of the launches of this program (5)", 0},
    {"records are of no kind", "no record of the launches of this program (5)", 0},
    {"buffers cannot be read", "no record of the launches of this program (5)", 0},
    {"a flush fails", "no record of the launches of this program (5)", 0},
    {"kinds stay on", nullptr, 5},
    {"losses are not known", nullptr, 5},
    {"no attribute", nullptr, 5},
    {"no ids", nullptr, 5},
};

// One line has the reason, and the file has it as well.
void CheckSaid(const Fault& fault, const Ended& ended, const model::Model& model) {
  const Lines problems = ProblemsIn(ended.err);
  if (fault.line == nullptr) {
    CHECK(problems == Lines{});
    return;
  }
  REQUIRE(problems.size() == 1);
  CHECK_THAT(problems.front(), Contains(fault.line));
  bool in_file = false;
  for (const model::Notice& notice : model.notices) {
    in_file |= problems.front().find(notice.what) != std::string::npos && !notice.fix.empty() &&
               problems.front().find(notice.fix) != std::string::npos;
  }
  CHECK(in_file);
}

TEST_CASE("A program writes and ends under prof as it does without, whatever fails in CUPTI") {
  for (const Fault& fault : kFaults) {
    for (const char* way : {"plain", "_exit"}) {
      INFO(fault.name << ", " << way);
      const Folder folder;
      const Runs runs = RunBoth(folder, fault.name, way);
      CheckAlike(runs);
      const absl::StatusOr<model::Model> model = ReadSnapshotFile(folder.File("run.prof"));
      INFO(runs.recorded.err << model.status());
      REQUIRE(model.ok());
      CHECK(model->stopped_in_order);
      CHECK(model->ops.size() == fault.kernels);
      CheckSaid(fault, runs.recorded, *model);
    }
  }
}

TEST_CASE("A program whose CUPTI gives no records back ends by _exit in time, and prof names it") {
  const Folder folder;
  const auto begin = std::chrono::steady_clock::now();
  const Runs runs = RunBoth(folder, "a flush hangs", "_exit");
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(8));
  CheckAlike(runs);
  CHECK_FALSE(std::filesystem::exists(folder.File("run.prof")));
  const Lines problems = ProblemsIn(runs.recorded.err);
  REQUIRE(problems.size() == 2);
  CHECK_THAT(problems[0], Contains("CUPTI did not answer within 2000 ms of the end"));
  CHECK_THAT(problems[1], Contains("nothing was recorded"));
}

TEST_CASE("The bare program of the faults of CUPTI writes what the test of its outputs compares") {
  const Folder folder;
  const Ended plain = RunBoth(folder, "none", "plain").bare;
  CHECK(plain.out == "begins\nlaunched\n");
  CHECK(plain.err == "begins\nlaunched\n");
}

}  // namespace
}  // namespace prof::test::cupti_faults_test
