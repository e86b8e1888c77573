// SPDX-License-Identifier: Apache-2.0
//
// The ops of PyTorch that the program's threads are in. They have a stack beside that of NVTX
// ranges and a tree of their own, so that ranges, windows and the choice of launches are as without
// them. torch_bridge knows when an op begins and ends; the records go to the thread's ring.
#ifndef PROF_LIB_CAPTURE_THREADS_TORCH_OPS_H_
#define PROF_LIB_CAPTURE_THREADS_TORCH_OPS_H_

#include <cstdint>

#include "lib/capture/events/range_path.h"

namespace prof::capture {

class InputShapes;
struct ThreadState;

struct TorchOpStart {
  TorchScope scope = TorchScope::kFunction;
  const char* name = "";        // needs to live during the call only
  const void* event = nullptr;  // PyTorch's object: its address until the op ends
  // kBackward: the number of the autograd node. Else the number that the next node of this thread
  // will get, so that the nodes of an op are known. -1: not known, or none.
  int64_t sequence = -1;
  const InputShapes* inputs = nullptr;  // during the call only; nullptr: not known
};

// The program's threads, at the begin and the end of an op: no lock, no allocation once the thread
// is known, 16 bytes of its ring each. An op that nests deeper than 128 is counted as a dropped
// event. Shapes that have no room in the table of shapes (torch_shapes.h) are counted, and the op
// is recorded without them. While nothing is recorded, the stack is kept and nothing is written.
void PushTorchOp(const TorchOpStart& op) noexcept;

// Before the first op with inputs: takes the memory for their shapes. One thread at a time.
void PrepareTorchShapes();

// `event`: as at the start. An op that began before anybody listened, or on another thread, is
// ignored. Ops that are still open inside of it end with it, if they are functions: those nest as
// calls do. A user's scope inside of it stays open.
void PopTorchOp(const void* event) noexcept;

// The calling thread's innermost op as a path id; 0: it is in none.
[[nodiscard]] uint32_t CurrentTorchOp();

// Nobody reports ops any more: what is open in the calling thread's stack ends with the thread.
// By the thread itself, or for one that is gone.
void EndTorchOps(ThreadState& thread);

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_THREADS_TORCH_OPS_H_
