// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/process/own_memory.h"

#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>

namespace prof::capture {

size_t ReadOwnPart(uintptr_t from, void* to, size_t bytes) {
  const int error = errno;
  iovec local = {to, bytes};
  // NOLINTNEXTLINE(performance-no-int-to-ptr): it may be no pointer; the kernel finds out
  iovec remote = {reinterpret_cast<void*>(from), bytes};
  const ssize_t read = process_vm_readv(getpid(), &local, 1, &remote, 1, 0);
  errno = error;
  return read > 0 ? static_cast<size_t>(read) : 0;
}

bool ReadOwnMemory(uintptr_t from, void* to, size_t bytes) {
  return ReadOwnPart(from, to, bytes) == bytes;
}

bool ReadOwnPieces(const OwnPiece* pieces, size_t count) {
  if (count > kMostPieces) return false;
  iovec local[kMostPieces], remote[kMostPieces];
  size_t bytes = 0;
  for (size_t i = 0; i < count; ++i) {
    local[i] = {pieces[i].to, pieces[i].bytes};
    // NOLINTNEXTLINE(performance-no-int-to-ptr): it may be no pointer; the kernel finds out
    remote[i] = {reinterpret_cast<void*>(pieces[i].from), pieces[i].bytes};
    bytes += pieces[i].bytes;
  }
  const int error = errno;
  const ssize_t read = process_vm_readv(getpid(), local, count, remote, count, 0);
  errno = error;
  return read >= 0 && static_cast<size_t>(read) == bytes;
}

}  // namespace prof::capture
