// SPDX-License-Identifier: Apache-2.0
//
// The memory decoder turns CUPTI's records of allocations, pools and unified memory into events.
#ifndef PROF_CUPTI_BACKEND_ACTIVITY_MEMORY_DECODE_H_
#define PROF_CUPTI_BACKEND_ACTIVITY_MEMORY_DECODE_H_

#include <cstdint>

#include "cupti_backend/api/cupti_api.h"
#include "lib/capture/events/events.h"

namespace prof::cupti {

// `kind`: a CUpti_ActivityMemoryKind.
capture::MemoryKind MemoryOf(uint32_t kind);

// True for a variable of the program's code. It comes and goes with the module, and no call
// allocates it: PyTorch alone loads three thousand, of 230 bytes each.
bool IsVariable(const CUpti_ActivityMemory4& record);

// False: neither an allocation nor a free that this version knows.
bool AllocationOf(const CUpti_ActivityMemory4& record, capture::AllocationEvent* event);

// `version`: CUPTI_API_VERSION of the CUPTI that wrote it. Before CUDA 13 the record is shorter.
capture::PoolEvent PoolOf(const CUpti_ActivityMemoryPool3* record, uint32_t version);

capture::UnifiedMemoryEvent UnifiedMemoryOf(const CUpti_ActivityUnifiedMemoryCounter3& record);

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_ACTIVITY_MEMORY_DECODE_H_
