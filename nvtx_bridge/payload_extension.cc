// SPDX-License-Identifier: Apache-2.0
#include "nvtx_bridge/payload_extension.h"

#include <atomic>
#include <cstring>

#include "lib/capture/threads/thread_recorder.h"
#include "nvtx_bridge/chain.h"
#include "nvtx_bridge/handlers.h"
#include "nvtx_bridge/other_tool.h"
#include "nvtx_bridge/payload_schemas.h"

namespace prof::nvtx {
namespace {

// The other tool's functions; nullptr: none.
std::atomic<intptr_t> their_schema{0}, their_enum{0}, their_mark{0}, their_push{0}, their_pop{0},
    their_start{0}, their_end{0};

template <typename Function>
Function Theirs(const std::atomic<intptr_t>& slot) {
  const intptr_t address = slot.load(std::memory_order_acquire);
  Function function = nullptr;
  std::memcpy(&function, &address, sizeof(function));
  return function;
}

// Both sides have a schema under the id that the program gets, which is the other tool's.
uint64_t RegisterSchemaOfProgram(nvtxDomainHandle_t domain,
                                 const nvtxPayloadSchemaAttr_t* attributes) {
  const auto theirs = Theirs<decltype(&RegisterSchemaOfProgram)>(their_schema);
  const uint64_t id = theirs != nullptr ? theirs(TheirDomain(domain), attributes) : 0;
  const uint64_t ours = RegisterSchema(OurDomain(domain), attributes, id);
  return id != 0 ? id : ours;
}

uint64_t RegisterEnumOfProgram(nvtxDomainHandle_t domain, const nvtxPayloadEnumAttr_t* attributes) {
  const auto theirs = Theirs<decltype(&RegisterEnumOfProgram)>(their_enum);
  const uint64_t id = theirs != nullptr ? theirs(TheirDomain(domain), attributes) : 0;
  const uint64_t ours = RegisterEnum(OurDomain(domain), attributes, id);
  return id != 0 ? id : ours;
}

// A range or mark whose name, if it has one, is in its payload.
struct Unnamed {
  Unnamed(const nvtxPayloadData_t* data, size_t count) {
    attributes.version = NVTX_VERSION;
    attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    attributes.payloadType = NVTX_PAYLOAD_TYPE_EXT;
    attributes.reserved0 = static_cast<int32_t>(count);
    std::memcpy(&attributes.payload.ullValue, &data, sizeof(attributes.payload.ullValue));
    attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
    attributes.message.ascii = "(payload)";
  }
  nvtxEventAttributes_t attributes{};
};

void MarkPayload(nvtxDomainHandle_t domain, const nvtxPayloadData_t* data, size_t count) {
  const Unnamed mark(data, count);
  DomainMarkEx(OurDomain(domain), &mark.attributes);
  if (const auto theirs = Theirs<decltype(&MarkPayload)>(their_mark))
    theirs(TheirDomain(domain), data, count);
}

int PushPayload(nvtxDomainHandle_t domain, const nvtxPayloadData_t* data, size_t count) {
  const Unnamed range(data, count);
  const int ours = DomainRangePushEx(OurDomain(domain), &range.attributes);
  const auto theirs = Theirs<decltype(&PushPayload)>(their_push);
  return theirs != nullptr ? theirs(TheirDomain(domain), data, count) : ours;
}

int PopPayload(nvtxDomainHandle_t domain, const nvtxPayloadData_t* data, size_t count) {
  const PayloadValues values(OurDomain(domain), data, count);
  const int ours = DomainRangePopWith(OurDomain(domain), values.values());
  const auto theirs = Theirs<decltype(&PopPayload)>(their_pop);
  return theirs != nullptr ? theirs(TheirDomain(domain), data, count) : ours;
}

nvtxRangeId_t StartPayload(nvtxDomainHandle_t domain, const nvtxPayloadData_t* data, size_t count) {
  const Unnamed range(data, count);
  const nvtxRangeId_t ours = DomainRangeStartEx(OurDomain(domain), &range.attributes);
  const auto theirs = Theirs<decltype(&StartPayload)>(their_start);
  return theirs != nullptr ? RememberRange(theirs(TheirDomain(domain), data, count), ours) : ours;
}

void EndPayload(nvtxDomainHandle_t domain, nvtxRangeId_t id, const nvtxPayloadData_t* data,
                size_t count) {
  const PayloadValues values(OurDomain(domain), data, count);
  capture::EndRange(TakeRange(id), values.values());
  if (const auto theirs = Theirs<decltype(&EndPayload)>(their_end))
    theirs(TheirDomain(domain), id, data, count);
}

struct Handler {
  size_t id;
  intptr_t function;
  std::atomic<intptr_t>* theirs;
};
const Handler kHandlers[] = {
    {NVTX3EXT_CBID_nvtxPayloadSchemaRegister, reinterpret_cast<intptr_t>(&RegisterSchemaOfProgram),
     &their_schema},
    {NVTX3EXT_CBID_nvtxPayloadEnumRegister, reinterpret_cast<intptr_t>(&RegisterEnumOfProgram),
     &their_enum},
    {NVTX3EXT_CBID_nvtxMarkPayload, reinterpret_cast<intptr_t>(&MarkPayload), &their_mark},
    {NVTX3EXT_CBID_nvtxRangePushPayload, reinterpret_cast<intptr_t>(&PushPayload), &their_push},
    {NVTX3EXT_CBID_nvtxRangePopPayload, reinterpret_cast<intptr_t>(&PopPayload), &their_pop},
    {NVTX3EXT_CBID_nvtxRangeStartPayload, reinterpret_cast<intptr_t>(&StartPayload), &their_start},
    {NVTX3EXT_CBID_nvtxRangeEndPayload, reinterpret_cast<intptr_t>(&EndPayload), &their_end},
};

}  // namespace
}  // namespace prof::nvtx

int InitializeInjectionNvtxExtension(nvtxExtModuleInfo_t* module) {
  using prof::nvtx::Handler;
  if (prof::nvtx::InOtherTool::Inside()) return 0;
  if (module == nullptr || module->segmentsCount == 0 || module->segments == nullptr) return 0;
  const auto initialize = reinterpret_cast<NvtxExtInitializeInjectionFunc_t>(
      prof::nvtx::OtherToolsFunction("InitializeInjectionNvtxExtension"));
  int theirs = 0;
  if (initialize != nullptr) {
    const prof::nvtx::InOtherTool inside;
    theirs = initialize(module);
  }
  if (module->moduleId != NVTX_EXT_PAYLOAD_MODULEID) return theirs;
  const nvtxExtModuleSegment_t& segment = module->segments[0];
  for (const Handler& handler : prof::nvtx::kHandlers) {
    if (handler.id >= segment.slotCount) continue;
    intptr_t& slot = segment.functionSlots[handler.id];
    if (theirs != 0 && slot != 0 && slot != handler.function) {
      intptr_t kept = 0;
      // The tool has another function for this library of the program: only that can be called
      // here.
      if (!handler.theirs->compare_exchange_strong(kept, slot) && kept != slot) continue;
    }
    __atomic_store_n(&slot, handler.function, __ATOMIC_RELEASE);
  }
  return 1;
}
