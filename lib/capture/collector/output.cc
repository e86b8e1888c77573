// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/collector/output.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "lib/capture/process/process_info.h"
#include "lib/format/framing.h"

namespace prof::capture {
namespace {

std::string FileHeader() {
  std::string header(format::kFileHeaderSize, '\0');
  std::memcpy(header.data(), format::kFileMagic.data(), format::kFileMagic.size());
  format::PutU32(header.data() + 8, format::kFormatVersion);
  return header;
}

// Removes a file, or a link to a file or to nothing; 0 or an errno. Anything else is not ours to
// remove: a pipe, a folder, the link /dev/stdout.
int Remove(const std::string& path, const struct stat& info) {
  struct stat target {};
  const bool is_link = S_ISLNK(info.st_mode);
  const bool replaceable =
      S_ISREG(info.st_mode) ||
      (is_link && (stat(path.c_str(), &target) != 0 || S_ISREG(target.st_mode)));
  if (!replaceable) return S_ISDIR(info.st_mode) ? EISDIR : EEXIST;
  return unlink(path.c_str()) == 0 || errno == ENOENT ? 0 : errno;
}

}  // namespace

std::string ExpandOutputPattern(std::string_view pattern, int rank) {
  std::string path;
  for (size_t i = 0; i < pattern.size(); ++i) {
    const char next = i + 1 < pattern.size() ? pattern[i + 1] : '\0';
    if (pattern[i] != '%' || std::strchr("phr%", next) == nullptr || next == '\0') {
      path += pattern[i];
      continue;
    }
    ++i;
    if (next == 'p') path += std::to_string(getpid());
    if (next == 'h') path += HostName();
    if (next == 'r') path += std::to_string(rank < 0 ? 0 : rank);
    if (next == '%') path += '%';
  }
  return path;
}

Output::~Output() { Close(); }

bool Output::Open() {
  opened_ = true;
  // O_NOFOLLOW and the unlink before O_EXCL: in a shared folder nobody can make us write through a
  // link of theirs. An old recording of the same name is replaced; a device (/dev/null) is not,
  // because root could.
  struct stat info {};
  const bool exists = lstat(path_.c_str(), &info) == 0;
  const bool is_device = exists && S_ISCHR(info.st_mode);
  if (exists && !is_device) {
    const int error = Remove(path_, info);
    if (error != 0) {
      Fail("replace", error);
      return false;
    }
  }
  // A device may be a terminal without a line, or by now a pipe: opening waits for neither.
  const int create = is_device ? O_NONBLOCK | O_NOCTTY : O_CREAT | O_EXCL;
  fd_ = open(path_.c_str(), O_WRONLY | create | O_NOFOLLOW | O_CLOEXEC, 0644);
  if (fd_ < 0) {
    Fail("create", errno);
    return false;
  }
  return Write(FileHeader());
}

void Output::Append(std::string_view payload) {
  char header[format::kFrameHeaderSize];
  format::PutU32(header, format::kFrameMagic);
  format::PutU32(header + 4, static_cast<uint32_t>(payload.size()));
  format::PutU32(header + 8, format::Crc32c(payload));
  if (path_.empty()) {
    if (memory_.empty()) memory_ = FileHeader();
    memory_.append(header, sizeof(header)).append(payload);
    return;
  }
  if (!opened_) Open();
  if (fd_ < 0) {
    bytes_not_written_ += sizeof(header) + payload.size();
    return;
  }
  std::string frame(header, sizeof(header));
  frame.append(payload);
  Write(frame);
}

bool Output::Write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(fd_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      bytes_not_written_ += bytes.size();
      Fail("write", written < 0 ? errno : ENOSPC);
      Close();
      return false;
    }
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

void Output::Fail(const char* action, int code) {
  if (!error_.empty()) return;
  error_code_ = code;
  error_ = std::string("cannot ") + action + " " + path_ + ": " + std::strerror(code);
}

void Output::Close() {
  if (fd_ >= 0) close(fd_);
  fd_ = -1;
}

}  // namespace prof::capture
