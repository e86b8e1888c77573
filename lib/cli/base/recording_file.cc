// SPDX-License-Identifier: Apache-2.0
#include "lib/cli/base/recording_file.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>
#include <string_view>
#include <system_error>

#include "lib/cli/base/message.h"

namespace prof::cli {
namespace {

constexpr char kStandardInput[] = "-";
constexpr std::string_view kRecordingBegins = "PROFSNAP";  // lib/format/framing.h
constexpr int kWaitForWriterMs = 3000;

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ > STDERR_FILENO) close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int get() const { return fd_; }

 private:
  int fd_;
};

bool IsPipe(const std::string& path) {
  struct stat state {};
  return stat(path.c_str(), &state) == 0 && S_ISFIFO(state.st_mode);
}

// A second reader: it gets 0 without a writer, and EAGAIN from a writer that is slow. It takes no
// byte from the first reader.
bool HasWriter(const std::string& path) {
  const Descriptor pipe(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  struct pollfd ready = {pipe.get(), POLLIN, 0};
  if (poll(&ready, 1, 0) != 0) return true;
  char byte = 0;
  return read(pipe.get(), &byte, 1) != 0;
}

std::string CannotRead(const std::string& path, const std::string& why) {
  return "cannot read '" + path + "': " + why;
}

// Everything that comes until the last writer closes the pipe.
std::string ReadAll(const std::string& path, int fd, std::string* problem) {
  std::string bytes;
  std::array<char, 1 << 16> piece;  // NOLINT(cppcoreguidelines-pro-type-member-init)
  while (true) {
    const ssize_t size = read(fd, piece.data(), piece.size());
    if (size == 0) return bytes;
    if (size > 0) {
      bytes.append(piece.data(), static_cast<size_t>(size));
    } else if (errno == EAGAIN) {
      struct pollfd ready = {fd, POLLIN, 0};
      poll(&ready, 1, -1);
    } else if (errno != EINTR) {
      *problem = CannotRead(path, std::strerror(errno));
      return "";
    }
  }
}

}  // namespace

Snapshot OpenRecording(const std::string& path, std::string* problem) {
  *problem = ReadProblem(path);
  if (!problem->empty()) return {};
  if (path == kStandardInput) {
    if (isatty(STDIN_FILENO) != 0) {
      *problem = CannotRead(path, "standard input is a terminal. Name a file, or pipe one in");
      return {};
    }
    return Snapshot::FromBytes(ReadAll(path, STDIN_FILENO, problem));
  }
  if (!IsPipe(path)) return Snapshot::FromFile(path);
  const Descriptor pipe(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (pipe.get() < 0) {
    *problem = CannotRead(path, std::strerror(errno));
    return {};
  }
  struct pollfd ready = {pipe.get(), POLLIN, 0};
  // Nobody writes as long as poll() finds nothing, not even an end.
  if (poll(&ready, 1, kWaitForWriterMs) == 0 && !HasWriter(path)) {
    *problem = CannotRead(path,
                          "no program has opened this pipe for writing. Start the one that writes "
                          "it first, or name a file");
    return {};
  }
  return Snapshot::FromBytes(ReadAll(path, pipe.get(), problem));
}

void WarnIfIncomplete(const std::string& path, const std::string& why) {
  if (!why.empty()) std::cerr << "prof: '" << path << "' is not complete: " << why << '\n';
}

namespace {

constexpr size_t kMostNamed = 64;

// "Name one of the recordings in it:" and their paths, a line each.
std::string RecordingsHint(const std::string& folder) {
  std::set<std::string> paths;
  std::error_code failed;
  for (std::filesystem::directory_iterator entry(folder, failed), end; !failed && entry != end;
       entry.increment(failed)) {
    if (entry->path().extension() == ".prof") paths.insert(entry->path().string());
  }
  if (paths.empty()) return "There is no recording (.prof) in it";
  std::string text = "Name one of the recordings in it:";
  size_t named = 0;
  for (const std::string& path : paths) {
    if (named++ == kMostNamed) return text + "\n  and " + std::to_string(paths.size() - kMostNamed);
    text += "\n  " + path;
  }
  return text;
}

}  // namespace

std::string ReadProblem(const std::string& path) {
  if (path == kStandardInput) return "";
  struct stat state {};
  if (stat(path.c_str(), &state) != 0) {
    return "cannot read '" + path + "': " + std::strerror(errno) +
           ". Check the name; prof run -- program writes prof-<host>-<pid>.prof";
  }
  if (S_ISDIR(state.st_mode)) {
    return "cannot read '" + path + "': it is a folder. " + RecordingsHint(path);
  }
  if (access(path.c_str(), R_OK) != 0) {
    return "cannot read '" + path + "': " + std::strerror(errno) +
           ". Copy it as its owner, or chmod +r";
  }
  return "";
}

bool IsRecording(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return false;
  std::array<char, kRecordingBegins.size()> begin{};
  const ssize_t bytes = read(fd, begin.data(), begin.size());
  close(fd);
  return bytes == static_cast<ssize_t>(begin.size()) &&
         std::string_view(begin.data(), begin.size()) == kRecordingBegins;
}

bool IsStandardOutput(const std::string& output) { return output == "-"; }

bool WriteOutput(const std::string& text, const std::string& output) {
  if (output.empty() || IsStandardOutput(output)) {
    std::cout << text << std::flush;
    if (std::cout) return true;
    Fail(std::string("cannot write to standard output: ") + std::strerror(errno));
    return false;
  }
  std::ofstream file(output, std::ios::binary | std::ios::trunc);
  file << text << std::flush;
  if (file) return true;
  Fail("cannot write '" + output + "': " + std::strerror(errno) + ". Choose another file with -o");
  return false;
}

}  // namespace prof::cli
