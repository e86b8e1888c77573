// SPDX-License-Identifier: Apache-2.0
#include "nvtx_bridge/payload_extension.h"

#include <atomic>
#include <cstring>

#include "lib/capture/threads/thread_recorder.h"
#include "nvtx_bridge/chain.h"
#include "nvtx_bridge/handlers.h"
#include "nvtx_bridge/other_tool.h"

namespace prof::nvtx {
namespace {

// The other tool's functions; nullptr: none.
std::atomic<intptr_t> their_mark{0}, their_push{0}, their_pop{0}, their_start{0}, their_end{0};

template <typename Function>
Function Theirs(const std::atomic<intptr_t>& slot) {
  const intptr_t address = slot.load(std::memory_order_acquire);
  Function function = nullptr;
  std::memcpy(&function, &address, sizeof(function));
  return function;
}

// The attributes that we give to such a range.
nvtxEventAttributes_t Attributes() {
  capture::CountUnreadPayload();
  nvtxEventAttributes_t attributes{};
  attributes.version = NVTX_VERSION;
  attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
  attributes.message.ascii = "(payload)";
  return attributes;
}

void MarkPayload(nvtxDomainHandle_t domain, const nvtxPayloadData_t* data, size_t count) {
  const nvtxEventAttributes_t attributes = Attributes();
  DomainMarkEx(OurDomain(domain), &attributes);
  if (const auto theirs = Theirs<decltype(&MarkPayload)>(their_mark))
    theirs(TheirDomain(domain), data, count);
}

int PushPayload(nvtxDomainHandle_t domain, const nvtxPayloadData_t* data, size_t count) {
  const nvtxEventAttributes_t attributes = Attributes();
  const int ours = DomainRangePushEx(OurDomain(domain), &attributes);
  const auto theirs = Theirs<decltype(&PushPayload)>(their_push);
  return theirs != nullptr ? theirs(TheirDomain(domain), data, count) : ours;
}

int PopPayload(nvtxDomainHandle_t domain, const nvtxPayloadData_t* data, size_t count) {
  capture::CountUnreadPayload();
  const int ours = DomainRangePop(OurDomain(domain));
  const auto theirs = Theirs<decltype(&PopPayload)>(their_pop);
  return theirs != nullptr ? theirs(TheirDomain(domain), data, count) : ours;
}

nvtxRangeId_t StartPayload(nvtxDomainHandle_t domain, const nvtxPayloadData_t* data, size_t count) {
  const nvtxEventAttributes_t attributes = Attributes();
  const nvtxRangeId_t ours = DomainRangeStartEx(OurDomain(domain), &attributes);
  const auto theirs = Theirs<decltype(&StartPayload)>(their_start);
  return theirs != nullptr ? RememberRange(theirs(TheirDomain(domain), data, count), ours) : ours;
}

void EndPayload(nvtxDomainHandle_t domain, nvtxRangeId_t id, const nvtxPayloadData_t* data,
                size_t count) {
  capture::CountUnreadPayload();
  DomainRangeEnd(OurDomain(domain), TakeRange(id));
  if (const auto theirs = Theirs<decltype(&EndPayload)>(their_end))
    theirs(TheirDomain(domain), id, data, count);
}

struct Handler {
  size_t id;
  intptr_t function;
  std::atomic<intptr_t>* theirs;
};
const Handler kHandlers[] = {
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
