// SPDX-License-Identifier: Apache-2.0
//
// The ranges of prof/range.h are NVTX ranges, so every tool that is attached sees them.
#include <nvtx3/nvToolsExt.h>

#include "prof/range.h"

namespace prof {

void PushRange(const char* name) noexcept { nvtxRangePushA(name != nullptr ? name : ""); }

void PopRange() noexcept { nvtxRangePop(); }

}  // namespace prof
