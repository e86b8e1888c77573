// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/collector/file_output.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "lib/capture/wire/block_frame.h"

namespace prof::capture {
namespace {

// Removes a file, or a link to a file or to nothing. Returns 0 or an errno. Anything else is not
// ours to remove: a pipe, a folder, the link /dev/stdout.
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

FileOutput::~FileOutput() { Close(); }

void FileOutput::Open() {
  opened_ = true;
  // O_NOFOLLOW and the unlink before O_EXCL: in a shared folder nobody can make us write through a
  // link of theirs. An old recording of the same name is replaced; a device (/dev/null) is not,
  // because root could.
  struct stat info {};
  const bool exists = lstat(path_.c_str(), &info) == 0;
  const bool is_device = exists && S_ISCHR(info.st_mode);
  if (exists && !is_device) {
    const int error = Remove(path_, info);
    if (error != 0) return Fail("replace", error);
  }
  // A device may be a terminal without a line, or by now a pipe: opening waits for neither.
  const int create = is_device ? O_NONBLOCK | O_NOCTTY : O_CREAT | O_EXCL;
  fd_ = open(path_.c_str(), O_WRONLY | create | O_NOFOLLOW | O_CLOEXEC, 0644);
  if (fd_ < 0) return Fail("create", errno);
  Write(FileHeader());
}

void FileOutput::Append(const EncodedBlock& block) {
  ++blocks_;
  frame_.clear();
  AppendFrame(block, &frame_);
  if (!opened_) Open();
  if (fd_ < 0) {
    bytes_not_written_ += frame_.size();
    return;
  }
  Write(frame_);
}

void FileOutput::Write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(fd_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      bytes_not_written_ += bytes.size();
      Fail("write", written < 0 ? errno : ENOSPC);
      Close();
      return;
    }
    bytes.remove_prefix(static_cast<size_t>(written));
  }
}

void FileOutput::Fail(const char* action, int code) {
  if (!error_.empty()) return;
  error_code_ = code;
  error_ = std::string("cannot ") + action + " " + path_ + ": " + std::strerror(code);
}

void FileOutput::Close() {
  if (fd_ >= 0) close(fd_);
  fd_ = -1;
}

}  // namespace prof::capture
