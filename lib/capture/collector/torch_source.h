// SPDX-License-Identifier: Apache-2.0
//
// The torch source is what knows when ops of PyTorch begin and end: torch_bridge. This half only
// asks it.
#ifndef PROF_LIB_CAPTURE_COLLECTOR_TORCH_SOURCE_H_
#define PROF_LIB_CAPTURE_COLLECTOR_TORCH_SOURCE_H_

#include <optional>

#include "lib/capture/events/events.h"

namespace prof::capture {

// What is wanted beside the ops.
struct TorchWish {
  bool modules = false;  // calls of modules
  bool shapes = false;   // the shapes of the inputs of ops
  bool memory = false;   // the memory of tensors
};

struct TorchSource {
  // Ops are wanted from now on.
  void (*begin)(const TorchWish& wish);
  // Each round of the collector: looks whether PyTorch has come. Below a microsecond while no
  // library is loaded. Returns what the snapshot has to have a notice of, once.
  std::optional<NoticeEvent> (*look)();
  // No more ops. Waits a second at most for a look that is under way. Returns as look().
  std::optional<NoticeEvent> (*end)();
};

// Once, before main(); `source` lives as long as the process.
void SetTorchSource(const TorchSource* source);

// nullptr: there is none.
[[nodiscard]] const TorchSource* GetTorchSource();

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_COLLECTOR_TORCH_SOURCE_H_
