// SPDX-License-Identifier: Apache-2.0
//
// prof/range.h, through NVTX's front door: whichever tool is attached sees the range.
#include <nvtx3/nvToolsExt.h>

#include "prof/range.h"

namespace prof {

void PushRange(const char* name) noexcept { nvtxRangePushA(name != nullptr ? name : ""); }

void PopRange() noexcept { nvtxRangePop(); }

}  // namespace prof
