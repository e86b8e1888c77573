// SPDX-License-Identifier: Apache-2.0
//
// The outside walker reads the Python frames of another thread, which runs on meanwhile. It takes
// no lock of the interpreter and sends no signal: it reads the frames twice, and believes them
// where both readings agree.
#ifndef PROF_PYTHON_BRIDGE_OUTSIDE_WALKER_H_
#define PROF_PYTHON_BRIDGE_OUTSIDE_WALKER_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "lib/capture/process/own_memory.h"
#include "lib/capture/threads/host_stacks.h"
#include "python_bridge/python_layout.h"
#include "python_bridge/stack_maker.h"
#include "python_bridge/thread_list.h"

namespace prof::python {

// One for an interpreter. One thread at a time looks; any thread asks for the problem.
class OutsideWalker {
 public:
  // `maker` outlives the walker.
  OutsideWalker(const PythonSymbols& python, const PythonLayout& layout, StackMaker* maker);

  // The stack of `thread`; its time is that of the second reading. All memory is read through the
  // kernel (process_vm_readv): about six calls, and one for each frame that the look at this thread
  // before did not find. Where the frames
  // change between the readings, it tries again a few times; then the look is torn.
  capture::HostLook LookAt(const capture::ThreadNumbers& thread) noexcept;

  // Why no frames are read; empty: they are, as far as is known.
  [[nodiscard]] std::string problem() const;

 private:
  enum class State : uint8_t { kNotTested, kWorks, kBroken };
  enum class Result : uint8_t { kRead, kNative, kChanged };
  // The way to the innermost frame: the address of the state's pointer and what it has, the address
  // of the pointer to the frame, and the frame.
  struct Top {
    uintptr_t link = 0, linked = 0, holder = 0, frame = 0;
  };
  struct Frame {
    uintptr_t address = 0, code = 0, previous = 0, instruction = 0;
    uint8_t owner = 0;
  };

  Result Read(const capture::ThreadNumbers& thread, int64_t* time_ns);
  bool ReadTop(uintptr_t state, Top* top) const;
  void ReadLastChain(uint32_t tid);
  bool ReadFrame(uintptr_t address, Frame* frame);
  bool ReadChain(uintptr_t innermost);
  bool ReadAgain(const Top& top, int64_t* time_ns);
  bool ReadMarks();
  Frame Parse(uintptr_t address, const char* bytes) const;
  bool IsShim(const Frame& frame) const { return frame.owner >= layout_.first_shim; }
  bool Test();

  const uintptr_t code_type_;
  const PythonLayout layout_;
  const uint32_t frame_bytes_, code_bytes_;  // that hold all fields
  StackMaker* const maker_;
  ThreadList threads_;
  std::atomic<State> state_{State::kNotTested};
  int failed_tests_ = 0;

  // The addresses of the frames that the last look at a thread found: most of them are still there.
  static constexpr size_t kChains = 8;
  struct Chain {
    uint32_t tid = 0;
    std::vector<uintptr_t> frames;
  };
  std::array<Chain, kChains> last_chains_;
  const Chain* expected_ = nullptr;  // of the look; nullptr: its frames were not read at once
  size_t next_expected_ = 0;

  // Of the look: kept for their memory.
  std::vector<Frame> chain_;
  std::vector<char> frame_copies_, code_copies_;
  std::vector<capture::OwnPiece> pieces_;
  Frames frames_;
};

}  // namespace prof::python

#endif  // PROF_PYTHON_BRIDGE_OUTSIDE_WALKER_H_
