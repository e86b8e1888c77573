// SPDX-License-Identifier: Apache-2.0
//
// Tests of prof::Session from the real libprof.so, on a machine without a GPU: it records what it
// can and reports why it cannot record the rest.
#include "prof/session.h"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string>
#include <utility>

#include "prof/analyzer.h"
#include "prof/range.h"
#include "test/support/catch.h"
#include "test/support/temp_folder.h"

namespace prof::test::session_test {
namespace {

bool HasDriver() {
  static const bool has = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL) != nullptr;
  return has;
}
#define PROF_TEST_NEEDS_NO_DRIVER() \
  if (HasDriver()) PROF_SKIP("this machine has an NVIDIA driver")

long Threads() {
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return std::distance(begin(tasks), end(tasks));
}

bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_CASE("Without a driver a session starts anyway and reports what is missing") {
  PROF_TEST_NEEDS_NO_DRIVER();
  Session session;
  const Status status = session.status();
  CHECK(status.timeline.state == State::kUnavailable);
  CHECK(Has(status.timeline.what, "libcuda.so.1"));
  CHECK_FALSE(status.timeline.fix.empty());
  CHECK(status.counters.state == State::kUnavailable);
  CHECK(status.ranges.state == State::kWorking);
  CHECK(status.output.state == State::kOff);
}

TEST_CASE("Without a driver nothing was waited for, and no counter is complete or to come") {
  PROF_TEST_NEEDS_NO_DRIVER();
  Session session;
  CHECK_FALSE(session.Synchronize());
  CHECK_FALSE(session.counters_complete());
  CHECK_FALSE(session.counters_pending());
  session.Stop();
  CHECK_FALSE(session.Synchronize());
  CHECK_FALSE(session.counters_complete());
  CHECK_FALSE(session.counters_pending());
}

TEST_CASE("A status prints what works, and the reason and the way out where something does not") {
  std::ostringstream state;
  state << State::kDegraded << ' ' << SubsystemStatus{State::kUnavailable, 35, "no GPU", "buy one"};
  CHECK(state.str() == "degraded unavailable: no GPU (code 35); to get it: buy one");
  CHECK(std::string(ToString(State::kWorking)) == "working");
  CHECK(std::string(ToString(State::kOff)) == "off");
  Status status;
  status.timeline.state = State::kWorking;
  std::ostringstream all;
  all << status;
  CHECK(all.str() ==
        "timeline: working\nranges: off\ncounters: off\ncontinuous: off\noutput: off\n"
        "options: off");
}

TEST_CASE("Options out of range are in the status, with what is accepted and what is used") {
  SessionOptions options;
  options.samples_per_signature = -5;
  options.buffer_mib = 0;
  options.keep_last_seconds = -3;
  Session session(options);
  const SubsystemStatus status = session.status().options;
  CHECK(status.state == State::kDegraded);
  CHECK(Has(status.what, "samples_per_signature = -5 is not a whole number from 1 to 100; 1 is"));
  CHECK(Has(status.what, "buffer_mib = 0 is not"));
  CHECK(Has(status.what, "keep_last_seconds = -3 is not"));
  int notices = 0;
  for (const NoticeReport& notice : Analyze(session.Stop()).notices) {
    CHECK(notice.subsystem != "unknown");
    notices += notice.subsystem == "options" ? 1 : 0;
  }
  CHECK(notices == 3);
  CHECK(session.status().options.state == State::kDegraded);
  CHECK(Session().status().options.state == State::kWorking);
}

TEST_CASE("While a session is paused no range is recorded, and one that is open goes on") {
  Session session;
  PushRange("session test outer");
  { PROF_RANGE("session test before"); }
  CHECK(session.Pause());
  CHECK_FALSE(session.Pause());
  { PROF_RANGE("session test meanwhile"); }
  CHECK(session.Resume());
  CHECK_FALSE(session.Resume());
  { PROF_RANGE("session test after"); }
  PopRange();
  const Snapshot snapshot = session.Stop();
  CHECK(Analyze(snapshot).totals.ranges == 3);
  CHECK_FALSE(session.Pause());
  CHECK_FALSE(session.Resume());
}

TEST_CASE("The reason is in the report, also after Stop in the status") {
  PROF_TEST_NEEDS_NO_DRIVER();
  Session session;
  const Snapshot snapshot = session.Stop();
  CHECK_FALSE(snapshot.bytes().empty());
  CHECK(snapshot.integrity().complete());
  const Report report = Analyze(snapshot);
  CHECK(report.error.empty());
  CHECK(report.pid == static_cast<uint32_t>(getpid()));
  CHECK(report.totals.kernels == 0);
  const auto notice = std::find_if(report.notices.begin(), report.notices.end(),
                                   [](const NoticeReport& n) { return n.subsystem == "timeline"; });
  REQUIRE(notice != report.notices.end());
  CHECK(notice->severity == "error");
  CHECK(Has(notice->what, "libcuda.so.1"));
  CHECK_FALSE(notice->fix.empty());
  CHECK(session.status().timeline.state == State::kUnavailable);
  CHECK(session.Stop().bytes() == snapshot.bytes());
}

TEST_CASE("Counters that were not asked for are off, not unavailable") {
  PROF_TEST_NEEDS_NO_DRIVER();
  SessionOptions options;
  options.counters = Counters::kNone;
  Session session(options);
  CHECK(session.status().counters.state == State::kOff);
  for (const NoticeReport& notice : Analyze(session.Stop()).notices) {
    CHECK(notice.subsystem != "counters");
  }
}

TEST_CASE("Ranges are recorded without a GPU and are in the report's totals") {
  Session session;
  for (int i = 0; i < 3; ++i) {
    PROF_RANGE("session test step");
    PROF_RANGE("session test inner");
  }
  const Snapshot snapshot = session.Stop();
  CHECK(Has(snapshot.bytes(), "session test inner"));
  CHECK(Analyze(snapshot).totals.ranges == 6);
}

TEST_CASE("Ranges are left out when they were not asked for") {
  SessionOptions options;
  options.ranges = false;
  Session session(options);
  CHECK(session.status().ranges.state == State::kOff);
  { PROF_RANGE("unwanted"); }
  CHECK(Analyze(session.Stop()).totals.ranges == 0);
}

TEST_CASE("A hundred sessions one after another leave no thread behind") {
  { const Session first; }
  const long before = Threads();
  for (int i = 0; i < 100; ++i) {
    Session session;
    PROF_RANGE("again");
    REQUIRE_FALSE(session.Stop().bytes().empty());
  }
  CHECK(Threads() == before);
}

TEST_CASE("A session that is running has one thread more without a GPU, and none after Stop") {
  PROF_TEST_NEEDS_NO_DRIVER();
  Session().Stop();  // ThreadSanitizer starts a thread of its own with the first one
  const long before = Threads();
  Session session;
  CHECK(Threads() == before + 1);
  session.Stop();
  CHECK(Threads() == before);
}

TEST_CASE("A second session records nothing while the first one lives, and reports that") {
  Session first;
  Session second;
  CHECK(second.status().timeline.state == State::kUnavailable);
  CHECK(Has(second.status().timeline.what, "another recording"));
  CHECK(second.status().ranges.state == State::kUnavailable);
  CHECK_FALSE(second.counters_pending());
  CHECK_FALSE(second.Synchronize());
  CHECK_FALSE(second.Stop().integrity().complete());
  CHECK_FALSE(second.Synchronize());
  CHECK(second.Stop().bytes().empty());
  CHECK_FALSE(Analyze(second.Stop()).error.empty());
  CHECK_FALSE(first.Stop().bytes().empty());
  Session third;
  CHECK(third.status().ranges.state == State::kWorking);
}

TEST_CASE("A moved session goes on, what it was moved from answers") {
  Session first;
  Session second(std::move(first));
  CHECK(first.Stop().bytes().empty());  // NOLINT(bugprone-use-after-move): allowed
  CHECK_FALSE(first.Synchronize());     // NOLINT
  CHECK(second.status().ranges.state == State::kWorking);
  first = std::move(second);
  CHECK_FALSE(first.Stop().bytes().empty());
}

TEST_CASE("Assigning over a running session stops it first") {
  Session session;
  Session nothing(std::move(session));
  nothing = Session();  // made while the other runs, so it records nothing
  Session next;
  CHECK(next.status().ranges.state == State::kWorking);
}

TEST_CASE("The file has the name that the pattern gives, and the report reads it") {
  const TempFolder folder;
  SessionOptions options;
  options.output = folder / "run-%p-%r.prof";
  Session session(options);
  { PROF_RANGE("in the file"); }
  const Snapshot snapshot = session.Stop();
  CHECK(snapshot.path().find(folder / ("run-" + std::to_string(getpid()) + "-")) == 0);
  CHECK(snapshot.bytes().empty());
  CHECK(Has(ReadFile(snapshot.path()), "in the file"));
  const Report report = Analyze(Snapshot::FromFile(snapshot.path()));
  CHECK(report.error.empty());
  CHECK(report.totals.ranges == 1);
}

TEST_CASE("A file that cannot be written is a status and a loss, not an error of the program") {
  const TempFolder folder;
  SessionOptions options;
  options.output = folder / "missing/run.prof";
  Session session(options);
  const Snapshot snapshot = session.Stop();
  CHECK(session.status().output.state == State::kUnavailable);
  CHECK(Has(session.status().output.what, options.output));
  CHECK(snapshot.integrity().bytes_not_written > 0);
}

TEST_CASE("A recording that is deleted while it is made is a status and a loss") {
  const TempFolder folder;
  SessionOptions options;
  options.output = folder / "run.prof";
  Session session(options);
  for (int i = 0; i < 500 && access(options.output.c_str(), F_OK) != 0; ++i) {
    { PROF_RANGE("until there is a block"); }
    usleep(10'000);
  }
  REQUIRE(unlink(options.output.c_str()) == 0);
  const Snapshot snapshot = session.Stop();
  CHECK(session.status().output.state == State::kUnavailable);
  CHECK(Has(session.status().output.what, "it was deleted or replaced while it was recorded"));
  CHECK(snapshot.integrity().bytes_not_written > 0);
  CHECK_FALSE(snapshot.integrity().complete());
}

TEST_CASE(
    "A recording in place of a file that is none goes to another name, which the status has") {
  const TempFolder folder;
  WriteFile(folder / "run.prof", "notes");
  SessionOptions options;
  options.output = folder / "run.prof";
  Session session(options);
  const Snapshot snapshot = session.Stop();
  CHECK(snapshot.path() != options.output);
  CHECK(ReadFile(options.output) == "notes");
  CHECK(session.status().output.state == State::kDegraded);
  CHECK(Has(session.status().output.what, snapshot.path()));
  CHECK(Analyze(snapshot).error.empty());
}

TEST_CASE("A range outside of any session costs nothing and is not in the next one") {
  { PROF_RANGE("before the session"); }
  Session session;
  CHECK(Analyze(session.Stop()).totals.ranges == 0);
}

TEST_CASE("A range that was open before the session is in it") {
  PROF_RANGE("open before");
  Session session;
  const Report report = Analyze(session.Stop());
  CHECK(report.totals.ranges == 1);
}

}  // namespace
}  // namespace prof::test::session_test
