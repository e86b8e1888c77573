// SPDX-License-Identifier: Apache-2.0
//
// Payload schemas describe the structures that a program attaches to ranges and marks
// (nvToolsExtPayload.h). Their numbers are read: integers, floating-point numbers, enumerators.
// What else is in a structure (texts, arrays, pointers, structures, unions) is not, and is counted.
#ifndef PROF_NVTX_BRIDGE_PAYLOAD_SCHEMAS_H_
#define PROF_NVTX_BRIDGE_PAYLOAD_SCHEMAS_H_

#include <nvtx3/nvToolsExtPayload.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "lib/capture/threads/thread_recorder.h"

namespace prof::nvtx {

// Of one payload; more are counted as not read.
constexpr uint32_t kMostPayloadFields = 16;

// All functions: any thread; no lock, no allocation. `domain`: our handle; ids are the domain's.
// `id`: as another tool gave it; 0: the one in `attributes`, or a new one. Returns the program's
// id; 0: no room, or nothing to read.
uint64_t RegisterSchema(nvtxDomainHandle_t domain, const nvtxPayloadSchemaAttr_t* attributes,
                        uint64_t id);
uint64_t RegisterEnum(nvtxDomainHandle_t domain, const nvtxPayloadEnumAttr_t* attributes,
                      uint64_t id);

// The numbers of the payloads that come with one call of NVTX.
class PayloadValues {
 public:
  PayloadValues(nvtxDomainHandle_t domain, const nvtxPayloadData_t* data, size_t count);
  [[nodiscard]] capture::Payloads values() const { return {values_.data(), count_}; }

 private:
  // False: not all of it was read.
  bool Read(nvtxDomainHandle_t domain, const nvtxPayloadData_t& data);

  std::array<capture::Payload, kMostPayloadFields> values_;
  uint32_t count_ = 0;
};

}  // namespace prof::nvtx

#endif  // PROF_NVTX_BRIDGE_PAYLOAD_SCHEMAS_H_
