// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/process/own_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>

#include "lib/capture/process/fork_guard.h"

namespace prof::capture {
namespace {

constexpr int kFree = -1;
constexpr int kTaken = -2;  // its other fields are being written

// A forked child reads this, in which a lock could be held without end.
struct OwnFile {
  std::atomic<int> fd{kFree};
  std::atomic<dev_t> device{0};
  std::atomic<ino_t> inode{0};
};
std::array<OwnFile, kMostOwnFiles> own_files;

bool IsStillOpen(int fd, const OwnFile& file) {
  struct stat state {};
  return fstat(fd, &state) == 0 && state.st_dev == file.device.load() &&
         state.st_ino == file.inode.load();
}

void CloseInForkedChild() {
  for (OwnFile& file : own_files) {
    const int fd = file.fd.exchange(kFree);
    if (fd >= 0 && IsStillOpen(fd, file)) close(fd);
  }
}

OwnFile* TakeSlot() {
  for (OwnFile& file : own_files) {
    int free = kFree;
    if (file.fd.compare_exchange_strong(free, kTaken)) return &file;
  }
  return nullptr;
}

}  // namespace

int OpenOwnFile(const char* path, int flags, mode_t mode) {
  RunInForkedChild(ForkHook::kFiles, &CloseInForkedChild);
  OwnFile* const file = TakeSlot();
  if (file == nullptr) {
    errno = EMFILE;
    return -1;
  }
  const NoForks no_forks;
  const int fd = open(path, flags, mode);
  struct stat state {};
  if (fd < 0 || fstat(fd, &state) != 0) {
    file->fd.store(kFree);
    return fd;
  }
  file->device.store(state.st_dev);
  file->inode.store(state.st_ino);
  file->fd.store(fd);
  return fd;
}

void ForgetOwnFile(int fd) {
  for (OwnFile& file : own_files) {
    int known = fd;
    if (fd >= 0 && file.fd.compare_exchange_strong(known, kFree)) return;
  }
}

void CloseOwnFile(int fd) {
  const NoForks no_forks;
  ForgetOwnFile(fd);
  close(fd);
}

}  // namespace prof::capture
