// SPDX-License-Identifier: Apache-2.0
#include "python_bridge/own_memory.h"

#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>

namespace prof::python {

bool ReadOwnMemory(uintptr_t from, void* to, size_t bytes) {
  const int error = errno;
  iovec local = {to, bytes};
  // NOLINTNEXTLINE(performance-no-int-to-ptr): it may be no pointer; the kernel finds out
  iovec remote = {reinterpret_cast<void*>(from), bytes};
  const ssize_t read = process_vm_readv(getpid(), &local, 1, &remote, 1, 0);
  errno = error;
  return read >= 0 && static_cast<size_t>(read) == bytes;
}

}  // namespace prof::python
