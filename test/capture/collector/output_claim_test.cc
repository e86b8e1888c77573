// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/collector/output_claim.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "lib/capture/collector/file_output.h"
#include "lib/capture/process/clock.h"
#include "lib/capture/process/fork_guard.h"
#include "lib/capture/process/process_info.h"
#include "lib/capture/wire/block_frame.h"
#include "lib/format/framing.h"
#include "test/capture/wire/blocks.h"
#include "test/support/catch.h"
#include "test/support/temp_folder.h"

namespace {

bool forks_at_lock = false;
std::vector<pid_t> forked_at_lock;  // they live on

}  // namespace

// In place of the C library's: a child can be forked as soon as a file is locked.
extern "C" int flock(int fd, int operation) noexcept {
  const int result = static_cast<int>(syscall(SYS_flock, fd, operation));
  if (!forks_at_lock) return result;
  const int error = errno;
  const pid_t child = fork();
  if (child == 0) {
    while (true) pause();
  }
  forked_at_lock.push_back(child);
  errno = error;
  return result;
}

namespace prof::capture::output_claim_test {
namespace {

using prof::test::Payloads;
using prof::test::ReadFile;
using prof::test::TempFolder;
using prof::test::WriteFile;
using Strings = std::vector<std::string>;

// What the recording `name` is called when it has one block.
std::string Record(const OutputName& name, const char* block = "new") {
  FileOutput output(name);
  output.Append({block});
  output.Close();
  CHECK(output.error().empty());
  CHECK(Payloads(ReadFile(output.path())) == Strings{block});
  return output.path();
}

// As another process leaves it.
void LeaveRecording(const std::string& path) { WriteFile(path, FileHeader() + "old"); }

size_t FilesIn(const TempFolder& folder) {
  const std::filesystem::directory_iterator files(folder.path());
  return static_cast<size_t>(std::distance(begin(files), end(files)));
}

TEST_CASE("An old recording of another process is replaced, and so is an empty file") {
  const TempFolder folder;
  LeaveRecording(folder / "a.prof");
  CHECK(Record({folder / "a.prof"}) == folder / "a.prof");
  WriteFile(folder / "b.prof", "");
  CHECK(Record({folder / "b.prof"}) == folder / "b.prof");
  CHECK(FilesIn(folder) == 2);
}

TEST_CASE("A file that is no recording stays, and the recording is called after its process") {
  const TempFolder folder;
  for (const char* text : {"thesis", "PROFSNAQ and more", "P"}) {
    WriteFile(folder / "a.prof", text);
    const std::string path = Record({folder / "a.prof", "r3-4711"});
    CHECK(path != folder / "a.prof");
    CHECK(path.find(folder / "a.r3-4711") == 0);
    CHECK(ReadFile(folder / "a.prof") == text);
  }
  CHECK(FilesIn(folder) == 4);  // and none of its own other names was taken twice
}

TEST_CASE("A recording that is being written is not replaced") {
  const TempFolder folder;
  FileOutput first(folder / "a.prof");
  first.Append({"one"});
  FileOutput second(folder / "a.prof");
  second.Append({"two"});
  FileOutput third(folder / "a.prof");
  third.Append({"three"});
  first.Append({"more"});
  CHECK(first.path() == folder / "a.prof");
  CHECK(first.why_other().empty());
  CHECK(second.path() == folder / "a.1.prof");
  CHECK(third.path() == folder / "a.2.prof");
  CHECK(second.why_other() == folder / "a.prof" +
                                  " is being written by another recording: recording to " +
                                  second.path());
  CHECK(Payloads(ReadFile(folder / "a.prof")) == Strings{"one", "more"});
  CHECK(Payloads(ReadFile(second.path())) == Strings{"two"});
}

TEST_CASE("A recording of another process of this run is not replaced, an older one is") {
  const TempFolder folder;
  LeaveRecording(folder / "a.prof");
  struct stat state {};
  REQUIRE(stat((folder / "a.prof").c_str(), &state) == 0);
  OutputName name = {folder / "a.prof", "4711"};
  name.run_start_ns = state.st_mtim.tv_sec * int64_t{1'000'000'000} + state.st_mtim.tv_nsec;
  CHECK(Record(name) == folder / "a.4711.prof");
  ++name.run_start_ns;
  CHECK(Record(name) == folder / "a.prof");
}

TEST_CASE("A recording that this process has made is replaced by its next one of that name") {
  const TempFolder folder;
  OutputName name = {folder / "a.prof"};
  name.run_start_ns = 0;
  name.replaces = false;
  for (const char* block : {"one", "two", "three"}) CHECK(Record(name, block) == name.path);
  CHECK(FilesIn(folder) == 1);
}

// Containers on one file system have the same process ids, and often the same host name.
TEST_CASE("A recording of an earlier process with the same number is not replaced") {
  const TempFolder folder;
  OutputName name = {folder / "prof-host-7.prof"};
  name.replaces = false;
  LeaveRecording(name.path);
  CHECK(Record(name) == folder / "prof-host-7.1.prof");
  LeaveRecording(folder / "prof-host-7.2.prof");
  FileOutput output(name);
  output.Append({"new"});
  CHECK(output.path() == folder / "prof-host-7.3.prof");
  CHECK(output.why_other().find("has the recording of an earlier process") != std::string::npos);
}

// Holds processes until all of them are there.
class Gate {
 public:
  Gate() {
    REQUIRE(pipe(arrived_) == 0);
    REQUIRE(pipe(open_) == 0);
  }
  ~Gate() {
    for (const int end : {arrived_[0], arrived_[1], open_[0], open_[1]}) {
      if (end >= 0) close(end);
    }
  }
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

  // In a child: waits until the parent opens the gate.
  void Pass() {
    close(open_[1]);
    open_[1] = -1;
    char byte = 0;
    [[maybe_unused]] ssize_t done = write(arrived_[1], &byte, 1);
    done = read(open_[0], &byte, 1);  // it ends when nobody can write any more
  }
  // In the parent: when `children` have come. Those that were forked before hold no end of theirs.
  void Open(int children) {
    char byte = 0;
    for (int i = 0; i < children; ++i) REQUIRE(read(arrived_[0], &byte, 1) == 1);
    close(open_[1]);
    open_[1] = -1;
  }

 private:
  int arrived_[2], open_[2];
};

TEST_CASE("Sixteen processes that want one name at one moment get sixteen files") {
  constexpr int kProcesses = 16;
  for (int round = 0; round < 10; ++round) {
    const TempFolder folder;
    LeaveRecording(folder / "a.prof");
    Gate begin, end;  // a recording that has ended may be replaced: all end after all have begun
    for (int i = 0; i < kProcesses; ++i) {
      if (fork() != 0) continue;
      begin.Pass();
      FileOutput output(folder / "a.prof");
      output.Append({std::to_string(i)});
      end.Pass();
      output.Close();
      _exit(output.error().empty() ? 0 : 1);
    }
    begin.Open(kProcesses);
    end.Open(kProcesses);
    int status = 0;
    while (wait(&status) > 0) CHECK(status == 0);
    std::set<std::string> blocks;
    for (const auto& file : std::filesystem::directory_iterator(folder.path())) {
      const Strings payloads = Payloads(ReadFile(file.path().string()));
      REQUIRE(payloads.size() == 1);
      blocks.insert(payloads[0]);
    }
    CHECK(blocks.size() == kProcesses);
  }
}

TEST_CASE("A recording that is deleted underneath is an error, and all of it counts as lost") {
  const TempFolder folder;
  FileOutput output(folder / "a.prof");
  output.Append({"12345"});
  REQUIRE(unlink((folder / "a.prof").c_str()) == 0);
  output.Append({"678"});
  CHECK(output.error_code() == ENOENT);
  CHECK(output.error() ==
        "cannot write " + folder / "a.prof" + ": it was deleted or replaced while it was recorded");
  CHECK(output.bytes_not_written() ==
        format::kFileHeaderSize + 2 * format::kFrameHeaderSize + 5 + 3);
}

TEST_CASE("A recording that is deleted after its last block is an error as well") {
  const TempFolder folder;
  FileOutput output(folder / "a.prof");
  output.Append({"12345"});
  REQUIRE(unlink((folder / "a.prof").c_str()) == 0);
  output.Close();
  CHECK(output.error_code() == ENOENT);
}

TEST_CASE("A recording may be moved while it is written") {
  const TempFolder folder;
  FileOutput output(folder / "a.prof");
  output.Append({"one"});
  REQUIRE(rename((folder / "a.prof").c_str(), (folder / "b.prof").c_str()) == 0);
  output.Append({"two"});
  output.Close();
  CHECK(output.error().empty());
  CHECK(Payloads(ReadFile(folder / "b.prof")) == Strings{"one", "two"});
}

TEST_CASE("Another file under the number of our descriptor is left alone") {
  const TempFolder folder;
  const int number = open("/dev/null", O_RDONLY | O_CLOEXEC);
  close(number);
  FileOutput output(folder / "a.prof");
  output.Append({"one"});  // it takes the lowest number that is free
  close(number);
  REQUIRE(open((folder / "mine").c_str(), O_WRONLY | O_CREAT, 0600) == number);
  output.Append({"two"});
  output.Close();
  CHECK(output.error_code() == EBADF);
  CHECK(ReadFile(folder / "mine").empty());
  CHECK(fcntl(number, F_GETFD) >= 0);  // nor closed
  close(number);
  CHECK(Payloads(ReadFile(folder / "a.prof")) == Strings{"one"});
}

TEST_CASE("A forked child that lives on does not keep the recording locked") {
  const TempFolder folder;
  FileOutput output(folder / "a.prof");
  output.Append({"one"});
  MakeForkedChildrenInert();  // as the recording has done
  const pid_t child = fork();
  if (child == 0) {
    while (true) pause();
  }
  usleep(100'000);
  output.Close();
  const int file = open((folder / "a.prof").c_str(), O_RDWR | O_CLOEXEC);
  CHECK(flock(file, LOCK_EX | LOCK_NB) == 0);
  close(file);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
}

TEST_CASE("A child that is forked while the output is claimed does not keep a file locked") {
  const TempFolder folder;
  LeaveRecording(folder / "a.prof");
  OutputName name = {folder / "a.prof"};
  name.replaces = false;  // so that a file is locked that stays, and then one that is new
  MakeForkedChildrenInert();
  FileOutput output(name);
  forks_at_lock = true;
  output.Append({"one"});
  forks_at_lock = false;
  CHECK(forked_at_lock.size() == 2);
  usleep(100'000);
  output.Close();
  for (const std::string& path : {name.path, output.path()}) {
    INFO(path);
    const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
    CHECK(flock(file, LOCK_EX | LOCK_NB) == 0);
    close(file);
  }
  for (const pid_t child : forked_at_lock) {
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
  }
  forked_at_lock.clear();
}

#if !defined(PROF_SANITIZED)  // UBSan needs a pipe to see whether an object can be read
TEST_CASE(
    "Without a descriptor that is free the recording is an error, and every byte is counted") {
  const TempFolder folder;
  rlimit before{};
  REQUIRE(getrlimit(RLIMIT_NOFILE, &before) == 0);
  const int lowest = open("/dev/null", O_RDONLY | O_CLOEXEC);
  close(lowest);
  const rlimit none = {static_cast<rlim_t>(lowest), before.rlim_max};
  REQUIRE(setrlimit(RLIMIT_NOFILE, &none) == 0);
  FileOutput output(folder / "a.prof");
  output.Append({"12345"});
  REQUIRE(setrlimit(RLIMIT_NOFILE, &before) == 0);
  output.Append({"678"});
  CHECK(output.error_code() == EMFILE);
  CHECK(output.error() == "cannot create " + folder / "a.prof" + ": Too many open files");
  CHECK(output.bytes_not_written() == 2 * format::kFrameHeaderSize + 8);
}
#endif

TEST_CASE("The list of a run has the name that a recording really got") {
  const TempFolder folder;
  WriteFile(folder / "list", "");
  WriteFile(folder / "a.prof", "thesis");
  OutputName name = {folder / "a.prof", "4711"};
  name.list = folder / "list";
  Record(name);
  CHECK(ReadFile(folder / "list") == folder / "a.4711.prof\n");
}

TEST_CASE("The time at which this process began is in the past, and after the machine's") {
  const int64_t start_ns = ProcessStartNs();
  CHECK(start_ns <= RealtimeNs() + 20'000'000);
  CHECK(start_ns > RealtimeNs() - ReadClock(CLOCK_BOOTTIME) - 1'000'000'000);
  usleep(30'000);
  // Two clocks are read, and a busy machine may stop us between them.
  int64_t apart_ns = INT64_MAX;
  for (int i = 0; i < 20; ++i) {
    apart_ns = std::min(apart_ns, std::abs(ProcessStartNs() - start_ns));
  }
  CHECK(apart_ns < 20'000'000);
}

}  // namespace
}  // namespace prof::capture::output_claim_test
