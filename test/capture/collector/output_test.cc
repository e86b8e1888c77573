// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "lib/capture/collector/file_output.h"
#include "lib/capture/collector/memory_output.h"
#include "lib/capture/collector/output_path.h"
#include "lib/capture/process/process_info.h"
#include "lib/capture/wire/block_frame.h"
#include "lib/format/framing.h"
#include "test/capture/wire/blocks.h"
#include "test/support/catch.h"
#include "test/support/temp_folder.h"

namespace prof::capture::output_test {
namespace {

using prof::test::Payloads;
using prof::test::ReadFile;
using prof::test::TempFolder;
using prof::test::WriteFile;
using Strings = std::vector<std::string>;

constexpr uint64_t kFrame = format::kFrameHeaderSize;

TEST_CASE("Memory output holds the header and one frame for each payload") {
  MemoryOutput output;
  output.Append({"first"});
  output.Append({""});
  output.Append({std::string("\0third", 6)});
  CHECK(Payloads(output.TakeBytes()) == Strings{"first", "", std::string("\0third", 6)});
}

TEST_CASE("The checksum of a frame is CRC-32C") {
  // RFC 3720, B.4.
  CHECK(format::Crc32c("123456789") == 0xe3069283);
  CHECK(format::Crc32c(std::string(32, '\0')) == 0x8a9136aa);
  CHECK(format::Crc32c(std::string(32, '\xff')) == 0x62a8ab43);
  std::string ascending;
  for (char byte = 0; byte < 32; ++byte) ascending += byte;
  CHECK(format::Crc32c(ascending) == 0x46dd794e);
}

TEST_CASE("File output holds the same bytes as memory output, block by block") {
  const TempFolder folder;
  MemoryOutput memory;
  FileOutput file(folder / "a.prof");
  for (const char* payload : {"one", "two"}) {
    memory.Append({payload});
    file.Append({payload});
    CHECK(Payloads(ReadFile(folder / "a.prof")).back() == payload);  // before Close: after kill -9
  }
  file.Close();
  CHECK(ReadFile(folder / "a.prof") == memory.TakeBytes());
}

TEST_CASE("A file appears with the first block, not before") {
  const TempFolder folder;
  {
    const FileOutput output(folder / "a.prof");
    CHECK(access((folder / "a.prof").c_str(), F_OK) != 0);
  }
  CHECK(access((folder / "a.prof").c_str(), F_OK) != 0);
}

TEST_CASE("The output pattern knows the process, the host and the rank") {
  const std::string pid = std::to_string(getpid());
  CHECK(ExpandOutputPattern("a-%p.prof", 3) == "a-" + pid + ".prof");
  CHECK(ExpandOutputPattern("%h/%r.prof", 3) == HostName() + "/3.prof");
  CHECK(ExpandOutputPattern("%r", -1) == "0");
  CHECK(ExpandOutputPattern("100%%", 0) == "100%");
  CHECK(ExpandOutputPattern("%%p", 0) == "%p");
  CHECK(ExpandOutputPattern("%x %", 0) == "%x %");
  CHECK(ExpandOutputPattern("%p%p", 0) == pid + pid);
  CHECK(ExpandOutputPattern("", 0).empty());
  CHECK(ExpandOutputPattern("a-%i.prof", -1) == "a-" + pid + ".prof");
  CHECK(ExpandOutputPattern("a-%i.prof", 3, 8) == "a-r3-" + pid + ".prof");
  CHECK(ExpandOutputPattern("a-%i.prof", 3, 1024) == "a-r0003-" + pid + ".prof");
  CHECK(ExpandOutputPattern("a-%i.prof", 12, 1) == "a-r12-" + pid + ".prof");
}

TEST_CASE("A pattern names the process when it has its id, whatever surrounds it") {
  for (const char* pattern : {"%p", "a-%i.prof", "%%%p", "%h%r%p"}) CHECK(NamesProcess(pattern));
  for (const char* pattern : {"", "a", "%%p", "%r-%h", "%x%", "100%%i"}) {
    CHECK_FALSE(NamesProcess(pattern));
  }
  CHECK(NamesRank("step-%r"));
  CHECK(NamesRank("%p"));
  CHECK_FALSE(NamesRank("%h-%%r"));
}

TEST_CASE("Another name for a recording keeps its folder and its extension") {
  CHECK(OtherOutputPath("d.e/run.prof", "r3-12", 0) == "d.e/run.r3-12.prof");
  CHECK(OtherOutputPath("run.prof", "12", 2) == "run.12.2.prof");
  CHECK(OtherOutputPath("run.prof", "", 1) == "run.1.prof");
  CHECK(OtherOutputPath("run", "12", 0) == "run.12");
}

TEST_CASE("Dumps of a signal have the name of the recording and a number") {
  CHECK(DumpPath("run.prof", 1) == "run.dump1.prof");
  CHECK(DumpPath("out/run", 12) == "out/run.dump12.prof");
  CHECK(DumpPath(".prof", 1) == ".prof.dump1.prof");
  CHECK(DumpPath("", 2) == "prof-" + std::to_string(getpid()) + ".dump2.prof");
}

TEST_CASE("An old recording is replaced, not appended to") {
  const TempFolder folder;
  WriteFile(folder / "a.prof", FileHeader() + std::string(1000, 'x'));
  FileOutput output(folder / "a.prof");
  output.Append({"new"});
  CHECK(Payloads(ReadFile(folder / "a.prof")) == Strings{"new"});
}

TEST_CASE("A link in place of the file is replaced, and what it points to stays as it is") {
  const TempFolder folder;
  WriteFile(folder / "precious", "keep me");
  REQUIRE(symlink((folder / "precious").c_str(), (folder / "a.prof").c_str()) == 0);
  FileOutput output(folder / "a.prof");
  output.Append({"new"});
  CHECK(ReadFile(folder / "precious") == "keep me");
  struct stat info {};
  REQUIRE(lstat((folder / "a.prof").c_str(), &info) == 0);
  CHECK(S_ISREG(info.st_mode));
  CHECK(Payloads(ReadFile(folder / "a.prof")) == Strings{"new"});
}

TEST_CASE("A link to nowhere is replaced") {
  const TempFolder folder;
  REQUIRE(symlink((folder / "nowhere").c_str(), (folder / "a.prof").c_str()) == 0);
  FileOutput output(folder / "a.prof");
  output.Append({"new"});
  CHECK(access((folder / "nowhere").c_str(), F_OK) != 0);
  CHECK(Payloads(ReadFile(folder / "a.prof")) == Strings{"new"});
}

void CheckRefused(const std::string& path, int code) {
  FileOutput output(path);
  output.Append({"12345"});
  output.Append({"678"});
  CHECK(output.error_code() == code);
  CHECK(output.error().find(path) != std::string::npos);
  CHECK(output.error().find(strerror(code)) != std::string::npos);
  CHECK(output.bytes_not_written() == 2 * kFrame + 8);
}

TEST_CASE("A missing folder is an error that names the path, and every byte is counted") {
  const TempFolder folder;
  CheckRefused(folder / "missing/a.prof", ENOENT);
}

TEST_CASE("A path below a regular file is an error") {
  const TempFolder folder;
  WriteFile(folder / "file", "text");
  CheckRefused(folder / "file/a.prof", ENOTDIR);
  CHECK(ReadFile(folder / "file") == "text");
}

TEST_CASE("A folder in place of the file is an error, and stays") {
  const TempFolder folder;
  REQUIRE(mkdir((folder / "a.prof").c_str(), 0755) == 0);
  CheckRefused(folder / "a.prof", EISDIR);
  CHECK(access((folder / "a.prof").c_str(), F_OK) == 0);
}

TEST_CASE("A folder that cannot be written is an error") {
  const TempFolder folder;
  REQUIRE(chmod(folder.path().c_str(), 0555) == 0);
  // Root may write everywhere: then a child that is nobody tries.
  const pid_t child = fork();
  if (child == 0) {
    constexpr uid_t kNobody = 65534;
    if (geteuid() == 0 && setuid(kNobody) != 0) _exit(2);
    FileOutput output(folder / "a.prof");
    output.Append({"12345"});
    const bool refused = output.error_code() == EACCES &&
                         output.error().find("Permission denied") != std::string::npos &&
                         output.bytes_not_written() == kFrame + 5;
    _exit(refused ? 0 : 1);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  CHECK(std::filesystem::is_empty(folder.path()));
  REQUIRE(chmod(folder.path().c_str(), 0755) == 0);
}

TEST_CASE("A pipe in place of the file is an error and does not hang") {
  const TempFolder folder;
  REQUIRE(mkfifo((folder / "a.prof").c_str(), 0644) == 0);
  CheckRefused(folder / "a.prof", EEXIST);
}

// Not /dev/full itself: if this ever fails, it must not be the machine's device that is replaced.
TEST_CASE("A device is written to, never replaced, and a full one is an error") {
  const TempFolder folder;
  const std::string full = folder / "full";
  if (mknod(full.c_str(), S_IFCHR | 0666, makedev(1, 7)) != 0) PROF_SKIP("mknod is not allowed");
  {
    const int probe = open(full.c_str(), O_WRONLY | O_CLOEXEC);
    if (probe < 0) PROF_SKIP("the file system has no devices");
    close(probe);
  }
  FileOutput output(full);
  output.Append({"12345"});
  CHECK(output.error_code() == ENOSPC);
  CHECK(output.error().find("cannot write " + full) != std::string::npos);
  CHECK(output.bytes_not_written() == format::kFileHeaderSize + kFrame + 5);
  struct stat info {};
  REQUIRE(lstat(full.c_str(), &info) == 0);
  CHECK(S_ISCHR(info.st_mode));
}

TEST_CASE("A link to a device is an error, and stays") {
  const TempFolder folder;
  REQUIRE(symlink("/dev/null", (folder / "a.prof").c_str()) == 0);
  CheckRefused(folder / "a.prof", EEXIST);
  struct stat info {};
  REQUIRE(lstat((folder / "a.prof").c_str(), &info) == 0);
  CHECK(S_ISLNK(info.st_mode));
}

TEST_CASE("When the disk is full, what is in the file stays readable and the rest is counted") {
  const TempFolder folder;
  const std::string path = folder / "a.prof";
  FileOutput output(path);
  output.Append({"first"});

  rlimit before{};
  REQUIRE(getrlimit(RLIMIT_FSIZE, &before) == 0);
  const auto old_handler = signal(SIGXFSZ, SIG_IGN);
  const rlimit small = {format::kFileHeaderSize + kFrame + 5 + 100, before.rlim_max};
  REQUIRE(setrlimit(RLIMIT_FSIZE, &small) == 0);
  output.Append({std::string(1000, 'b')});  // 100 bytes of it get through
  output.Append({"third"});                 // there would be room, but not in a valid place
  REQUIRE(setrlimit(RLIMIT_FSIZE, &before) == 0);
  signal(SIGXFSZ, old_handler);
  output.Append({"fourth"});

  CHECK(output.error_code() == EFBIG);
  CHECK(output.error().find(path) != std::string::npos);
  CHECK(output.bytes_not_written() == (kFrame + 1000 - 100) + (kFrame + 5) + (kFrame + 6));
  const std::string bytes = ReadFile(path);
  CHECK(bytes.size() == format::kFileHeaderSize + kFrame + 5 + 100);
  CHECK(Payloads(bytes.substr(0, format::kFileHeaderSize + kFrame + 5)) == Strings{"first"});
}

}  // namespace
}  // namespace prof::capture::output_test
