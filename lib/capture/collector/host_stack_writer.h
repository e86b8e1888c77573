// SPDX-License-Identifier: Apache-2.0
//
// The host stack writer records the stacks of the program's threads for the life of a recording: it
// turns their walkers on and off, and writes their tables into the snapshot before what names them.
#ifndef PROF_LIB_CAPTURE_COLLECTOR_HOST_STACK_WRITER_H_
#define PROF_LIB_CAPTURE_COLLECTOR_HOST_STACK_WRITER_H_

#include <cstdint>
#include <string>

#include "lib/capture/threads/host_stacks.h"
#include "lib/capture/wire/encoder.h"

namespace prof::capture {

// Which stacks a recording has: those of Python at CUDA calls, those of native code there, and
// those of Python that a host sampler finds. With none of them nothing here does anything.
struct StackWish {
  bool python = false, native = false, sampled = false;
};

class HostStackWriter {
 public:
  HostStackWriter(const StackWish& wish, Encoder* encoder);
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
  // The interpreter's; nullptr: its stacks are not recorded, or there is none.
  [[nodiscard]] StackSource* source() const { return python_.source; }

 private:
  struct Part {
    StackSource* source = nullptr;  // nullptr: not wanted, or none is linked
    bool at_calls = false;
    uint64_t dropped_before = 0;
    std::string problem;  // that was written
  };
  void WriteProblem(Part* part);
  void AddFrame(const HostFrameEvent& frame);
  [[nodiscard]] bool any() const { return python_.source != nullptr || native_.source != nullptr; }

  Part python_, native_;
  Encoder* const encoder_;
  HostStacks::Seen seen_;
  bool running_ = false;
};

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_COLLECTOR_HOST_STACK_WRITER_H_
