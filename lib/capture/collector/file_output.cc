// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/collector/file_output.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "lib/capture/process/own_files.h"
#include "lib/capture/wire/block_frame.h"

namespace prof::capture {
namespace {

bool IsFile(int fd, dev_t device, ino_t inode) {
  struct stat state {};
  return fstat(fd, &state) == 0 && state.st_dev == device && state.st_ino == inode;
}

}  // namespace

FileOutput::~FileOutput() { Close(); }

void FileOutput::Open() {
  if (opened_) return;
  opened_ = true;
  ClaimedFile file = ClaimOutput(name_);
  {
    const MutexLock lock(path_mutex_);
    path_ = file.path;
  }
  fd_ = file.fd;
  if (fd_ < 0) return Fail(file.action, file.error);
  if (!file.why_other.empty()) why_other_ = file.why_other + ": recording to " + file.path;
  other_is_expected_ = file.of_this_run && !name_.list.empty();
  struct stat state {};
  fstat(fd_, &state);
  device_ = state.st_dev;
  inode_ = state.st_ino;
  Write(FileHeader());
}

void FileOutput::Append(const EncodedBlock& block) {
  ++blocks_;
  frame_.clear();
  AppendFrame(block, &frame_);
  Open();
  if (fd_ >= 0) CheckStillThere();
  if (fd_ < 0) {
    bytes_not_written_ += frame_.size();
    return;
  }
  Write(frame_);
}

// A program may close all descriptors that it does not know (daemons do), and open its own file
// under our number: nothing of ours must get into that.
void FileOutput::CheckStillThere() {
  struct stat state {};
  if (!IsFile(fd_, device_, inode_)) {
    ForgetOwnFile(fd_);
    fd_ = -1;  // it is no longer ours to close
    error_code_ = EBADF;
    error_ = "cannot write " + path() + ": the program has closed the file";
  } else if (fstat(fd_, &state) == 0 && S_ISREG(state.st_mode) && state.st_nlink == 0) {
    CloseFile();
    error_code_ = ENOENT;
    error_ = "cannot write " + path() + ": it was deleted or replaced while it was recorded";
    bytes_not_written_ += bytes_written_;
  }
}

void FileOutput::Write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(fd_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      bytes_not_written_ += bytes.size();
      Fail("write", written < 0 ? errno : ENOSPC);
      CloseFile();
      return;
    }
    bytes_written_ += static_cast<uint64_t>(written);
    bytes.remove_prefix(static_cast<size_t>(written));
  }
}

void FileOutput::Fail(const char* action, int code) {
  if (!error_.empty()) return;
  error_code_ = code;
  error_ = std::string("cannot ") + action + " " + path() + ": " + std::strerror(code);
}

void FileOutput::Close() {
  if (fd_ >= 0) CheckStillThere();
  CloseFile();
}

void FileOutput::CloseFile() {
  if (fd_ < 0) return;
  CloseOwnFile(fd_);
  fd_ = -1;
}

std::string FileOutput::path() const {
  const MutexLock lock(path_mutex_);
  return path_;
}

}  // namespace prof::capture
