// SPDX-License-Identifier: Apache-2.0
//
// The host stack writer records the stacks of an interpreter for the life of a recording: it turns
// their walker on and off, and writes their tables into the snapshot before what names them.
#ifndef PROF_LIB_CAPTURE_COLLECTOR_HOST_STACK_WRITER_H_
#define PROF_LIB_CAPTURE_COLLECTOR_HOST_STACK_WRITER_H_

#include <cstdint>
#include <string>

#include "lib/capture/threads/host_stacks.h"
#include "lib/capture/wire/encoder.h"

namespace prof::capture {

class HostStackWriter {
 public:
  // `at_calls`: the stacks of CUDA calls. `sampled`: those of a host sampler. With neither no stack
  // is recorded, and nothing here does anything.
  HostStackWriter(bool at_calls, bool sampled, Encoder* encoder);
  ~HostStackWriter();
  HostStackWriter(const HostStackWriter&) = delete;
  HostStackWriter& operator=(const HostStackWriter&) = delete;

  void Start();
  // Idempotent.
  void Stop();

  // --- The collector's thread ---

  // Makes sure that the file has stack `id`.
  void WriteUpTo(uint32_t id) {
    if (id > seen_.stacks) Write();
  }
  // Writes the stacks that are new. A block may end between two of them.
  void Write();
  // Writes why there are no stacks, once for each reason.
  void WriteProblem();
  // Calls whose stack had no room in this recording.
  [[nodiscard]] uint64_t dropped() const;
  // nullptr: no stacks are recorded, or there is none.
  [[nodiscard]] StackSource* source() const { return source_; }

 private:
  StackSource* const source_;  // nullptr: not wanted, or none is linked
  const bool at_calls_;
  Encoder* const encoder_;
  HostStacks::Seen seen_;
  uint64_t dropped_before_ = 0;
  bool running_ = false;
  std::string problem_;  // that was written
};

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_COLLECTOR_HOST_STACK_WRITER_H_
