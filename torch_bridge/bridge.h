// SPDX-License-Identifier: Apache-2.0
//
// The bridge listens to the ops of the PyTorch in the process while a recording wants them, and
// hands their begin and end to lib/capture/threads/torch_ops.h.
//
// It needs nothing of PyTorch at build time, and nothing of Python at all: no callback takes the
// interpreter's lock. PyTorch keeps the addresses of our callbacks in events that are under way, so
// one may still be called after it was removed; libprof.so is never unloaded, and the call finds
// everything that it needs.
#ifndef PROF_TORCH_BRIDGE_BRIDGE_H_
#define PROF_TORCH_BRIDGE_BRIDGE_H_

#include <optional>

#include "lib/capture/collector/torch_source.h"
#include "lib/capture/events/events.h"

namespace prof::torch {

// As capture::TorchSource, which the library sets to these three when it is loaded.
void Begin(const capture::TorchWish& wish);
// A thread of its own takes the first steps once PyTorch is there: it may have to wait for
// libraries that are being loaded. It ends by itself.
[[nodiscard]] std::optional<capture::NoticeEvent> Look();
std::optional<capture::NoticeEvent> End();

// Whether the program's ops come to us now. Any thread.
[[nodiscard]] bool Listening();

}  // namespace prof::torch

#endif  // PROF_TORCH_BRIDGE_BRIDGE_H_
