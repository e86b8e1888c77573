// SPDX-License-Identifier: Apache-2.0
#include "nvtx_bridge/chain.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <type_traits>

#include "lib/capture/threads/range_strings.h"
#include "lib/capture/threads/thread_recorder.h"
#include "lib/capture/threads/thread_registry.h"
#include "nvtx_bridge/handle_map.h"
#include "nvtx_bridge/handlers.h"

namespace prof::nvtx {
namespace {

constexpr unsigned int kMostSlots = 16;  // of the modules that we handle

std::atomic<NvtxFunctionPointer> theirs_of[NVTX_CB_MODULE_SIZE][kMostSlots];

HandleMap<1 << 12> domains;
HandleMap<1 << 16> strings;  // keyed by domain and handle: a tool may number them in each domain
HandleMap<1 << 15> ranges;   // twice as many as range_spans.h keeps open

std::atomic<bool> their_ids{false};  // whether the program has some

template <typename Handle>
uint64_t Bits(Handle handle) {
  return reinterpret_cast<uintptr_t>(handle);
}

template <typename Handle>
Handle FromBits(uint64_t bits) {
  Handle handle = nullptr;
  std::memcpy(&handle, &bits, sizeof(bits));  // 64-bit systems only, as all of prof
  return handle;
}

uint64_t StringKey(nvtxDomainHandle_t domain, nvtxStringHandle_t text) {
  return capture::MixHash(Bits(domain), Bits(text));
}

// The program's attributes, with the handle of a registered string that each side knows.
class Attributes {
 public:
  Attributes(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* given)
      : theirs_(given), ours_(given) {
    constexpr size_t kUpToMessage =
        offsetof(nvtxEventAttributes_t, message) + sizeof(nvtxEventAttributes_t::message);
    if (given == nullptr || given->size < kUpToMessage ||
        given->messageType != NVTX_MESSAGE_TYPE_REGISTERED) {
      return;
    }
    std::memcpy(&copy_, given, std::min<size_t>(given->size, sizeof(copy_)));
    copy_.size = static_cast<uint16_t>(std::min<size_t>(given->size, sizeof(copy_)));
    if (capture::thread_registry.strings.FromHandle(given->message.registered) != nullptr) {
      copy_.message.registered = nullptr;
      theirs_ = &copy_;
    } else {
      copy_.message.registered =
          FromBits<nvtxStringHandle_t>(strings.Find(StringKey(domain, given->message.registered)));
      ours_ = &copy_;
    }
  }
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;

  const nvtxEventAttributes_t* theirs() const { return theirs_; }
  const nvtxEventAttributes_t* ours() const { return ours_; }

 private:
  nvtxEventAttributes_t copy_{};
  const nvtxEventAttributes_t *theirs_, *ours_;
};

// The other tool's function for a slot, with its type; nullptr: it has none.
#define PROF_THEIRS(module, name)                                           \
  reinterpret_cast<nvtx##name##_impl_fntype>(                               \
      theirs_of[NVTX_CB_MODULE_##module][NVTX_CBID_##module##_##name].load( \
          std::memory_order_acquire))

// Slots whose arguments and results mean the same to both.
#define PROF_BOTH(module, name, args, params)                       \
  void name params {                                                \
    nvtx::name args;                                                \
    if (const auto theirs = PROF_THEIRS(module, name)) theirs args; \
  }
#define PROF_BOTH_RETURN(module, name, args, params) \
  int name params {                                  \
    const int ours = nvtx::name args;                \
    const auto theirs = PROF_THEIRS(module, name);   \
    return theirs != nullptr ? theirs args : ours;   \
  }
#define PROF_BOTH_START(name, args, params)                             \
  nvtxRangeId_t name params {                                           \
    const nvtxRangeId_t ours = nvtx::name args;                         \
    const auto theirs = PROF_THEIRS(CORE, name);                        \
    return theirs != nullptr ? RememberRange(theirs args, ours) : ours; \
  }

namespace chained {

PROF_BOTH(CORE, MarkA, (text), (const char* text))
PROF_BOTH(CORE, MarkW, (text), (const wchar_t* text))
PROF_BOTH(CORE, NameCategoryA, (id, name), (uint32_t id, const char* name))
PROF_BOTH(CORE, NameCategoryW, (id, name), (uint32_t id, const wchar_t* name))
PROF_BOTH(CORE, NameOsThreadA, (id, name), (uint32_t id, const char* name))
PROF_BOTH(CORE, NameOsThreadW, (id, name), (uint32_t id, const wchar_t* name))
PROF_BOTH_RETURN(CORE, RangePushA, (text), (const char* text))
PROF_BOTH_RETURN(CORE, RangePushW, (text), (const wchar_t* text))
PROF_BOTH_RETURN(CORE, RangePop, (), ())
PROF_BOTH_START(RangeStartA, (text), (const char* text))
PROF_BOTH_START(RangeStartW, (text), (const wchar_t* text))

void MarkEx(const nvtxEventAttributes_t* given) {
  const Attributes attributes(nullptr, given);
  nvtx::MarkEx(attributes.ours());
  if (const auto theirs = PROF_THEIRS(CORE, MarkEx)) theirs(attributes.theirs());
}
int RangePushEx(const nvtxEventAttributes_t* given) {
  const Attributes attributes(nullptr, given);
  const int ours = nvtx::RangePushEx(attributes.ours());
  const auto theirs = PROF_THEIRS(CORE, RangePushEx);
  return theirs != nullptr ? theirs(attributes.theirs()) : ours;
}
nvtxRangeId_t RangeStartEx(const nvtxEventAttributes_t* given) {
  const Attributes attributes(nullptr, given);
  const nvtxRangeId_t ours = nvtx::RangeStartEx(attributes.ours());
  const auto theirs = PROF_THEIRS(CORE, RangeStartEx);
  return theirs != nullptr ? RememberRange(theirs(attributes.theirs()), ours) : ours;
}
void RangeEnd(nvtxRangeId_t id) {
  nvtx::RangeEnd(TakeRange(id));
  if (const auto theirs = PROF_THEIRS(CORE, RangeEnd)) theirs(id);
}

void DomainMarkEx(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* given) {
  const Attributes attributes(domain, given);
  nvtx::DomainMarkEx(OurDomain(domain), attributes.ours());
  const auto theirs = PROF_THEIRS(CORE2, DomainMarkEx);
  if (theirs != nullptr) theirs(TheirDomain(domain), attributes.theirs());
}
int DomainRangePushEx(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* given) {
  const Attributes attributes(domain, given);
  const int ours = nvtx::DomainRangePushEx(OurDomain(domain), attributes.ours());
  const auto theirs = PROF_THEIRS(CORE2, DomainRangePushEx);
  return theirs != nullptr ? theirs(TheirDomain(domain), attributes.theirs()) : ours;
}
int DomainRangePop(nvtxDomainHandle_t domain) {
  const int ours = nvtx::DomainRangePop(OurDomain(domain));
  const auto theirs = PROF_THEIRS(CORE2, DomainRangePop);
  return theirs != nullptr ? theirs(TheirDomain(domain)) : ours;
}
nvtxRangeId_t DomainRangeStartEx(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* given) {
  const Attributes attributes(domain, given);
  const nvtxRangeId_t ours = nvtx::DomainRangeStartEx(OurDomain(domain), attributes.ours());
  const auto theirs = PROF_THEIRS(CORE2, DomainRangeStartEx);
  if (theirs == nullptr) return ours;
  return RememberRange(theirs(TheirDomain(domain), attributes.theirs()), ours);
}
void DomainRangeEnd(nvtxDomainHandle_t domain, nvtxRangeId_t id) {
  nvtx::DomainRangeEnd(OurDomain(domain), TakeRange(id));
  if (const auto theirs = PROF_THEIRS(CORE2, DomainRangeEnd)) theirs(TheirDomain(domain), id);
}

template <typename Theirs, typename Text>
void NameCategory(Theirs theirs, nvtxDomainHandle_t domain, uint32_t id, Text name) {
  if (theirs != nullptr) theirs(TheirDomain(domain), id, name);
}
void DomainNameCategoryA(nvtxDomainHandle_t domain, uint32_t id, const char* name) {
  nvtx::DomainNameCategoryA(OurDomain(domain), id, name);
  NameCategory(PROF_THEIRS(CORE2, DomainNameCategoryA), domain, id, name);
}
void DomainNameCategoryW(nvtxDomainHandle_t domain, uint32_t id, const wchar_t* name) {
  nvtx::DomainNameCategoryW(OurDomain(domain), id, name);
  NameCategory(PROF_THEIRS(CORE2, DomainNameCategoryW), domain, id, name);
}

// When there is no room for one of their handles, we do not know it later: their string has no text
// for us, and their domain counts as the default one.
template <typename Theirs, typename Text>
nvtxStringHandle_t Register(Theirs theirs, nvtxDomainHandle_t domain, Text text,
                            nvtxStringHandle_t ours) {
  if (theirs == nullptr) return ours;
  const nvtxStringHandle_t handle = theirs(TheirDomain(domain), text);
  strings.Set(StringKey(domain, handle), Bits(ours));
  return handle;
}
nvtxStringHandle_t DomainRegisterStringA(nvtxDomainHandle_t domain, const char* text) {
  return Register(PROF_THEIRS(CORE2, DomainRegisterStringA), domain, text,
                  nvtx::DomainRegisterStringA(nullptr, text));
}
nvtxStringHandle_t DomainRegisterStringW(nvtxDomainHandle_t domain, const wchar_t* text) {
  return Register(PROF_THEIRS(CORE2, DomainRegisterStringW), domain, text,
                  nvtx::DomainRegisterStringW(nullptr, text));
}
template <typename Theirs, typename Text>
nvtxDomainHandle_t Create(Theirs theirs, Text name, nvtxDomainHandle_t ours) {
  if (theirs == nullptr) return ours;
  const nvtxDomainHandle_t handle = theirs(name);
  if (handle != nullptr) domains.Set(Bits(handle), Bits(ours));
  return handle;
}
nvtxDomainHandle_t DomainCreateA(const char* name) {
  return Create(PROF_THEIRS(CORE2, DomainCreateA), name, nvtx::DomainCreateA(name));
}
nvtxDomainHandle_t DomainCreateW(const wchar_t* name) {
  return Create(PROF_THEIRS(CORE2, DomainCreateW), name, nvtx::DomainCreateW(name));
}

// CUDA's and the runtime's handlers differ only in where the other tool's pointer is.
template <NvtxCallbackModule kModule, unsigned int kId, typename Text>
void NameStream(void* stream, Text name) {
  if constexpr (std::is_same_v<Text, const char*>) {
    NameStreamA(stream, name);
  } else {
    NameStreamW(stream, name);
  }
  const auto theirs = reinterpret_cast<void (*)(void*, Text)>(
      theirs_of[kModule][kId].load(std::memory_order_acquire));
  if (theirs != nullptr) theirs(stream, name);
}

}  // namespace chained

template <typename Function>
NvtxFunctionPointer Erase(Function function) {
  return reinterpret_cast<NvtxFunctionPointer>(function);
}

struct Handler {
  NvtxCallbackModule module;
  unsigned int id;
  NvtxFunctionPointer function;
};
#define PROF_HANDLER(module, name)                        \
  {                                                       \
    NVTX_CB_MODULE_##module, NVTX_CBID_##module##_##name, \
        Erase<nvtx##name##_impl_fntype>(&chained::name)   \
  }
#define PROF_STREAM(module, name, Text)                                                         \
  {                                                                                             \
    NVTX_CB_MODULE_##module, NVTX_CBID_##module##_##name,                                       \
        Erase(&chained::NameStream<NVTX_CB_MODULE_##module, NVTX_CBID_##module##_##name, Text>) \
  }
const Handler kHandlers[] = {
    PROF_HANDLER(CORE, MarkEx),
    PROF_HANDLER(CORE, MarkA),
    PROF_HANDLER(CORE, MarkW),
    PROF_HANDLER(CORE, RangeStartEx),
    PROF_HANDLER(CORE, RangeStartA),
    PROF_HANDLER(CORE, RangeStartW),
    PROF_HANDLER(CORE, RangeEnd),
    PROF_HANDLER(CORE, RangePushEx),
    PROF_HANDLER(CORE, RangePushA),
    PROF_HANDLER(CORE, RangePushW),
    PROF_HANDLER(CORE, RangePop),
    PROF_HANDLER(CORE, NameCategoryA),
    PROF_HANDLER(CORE, NameCategoryW),
    PROF_HANDLER(CORE, NameOsThreadA),
    PROF_HANDLER(CORE, NameOsThreadW),
    PROF_HANDLER(CORE2, DomainMarkEx),
    PROF_HANDLER(CORE2, DomainRangeStartEx),
    PROF_HANDLER(CORE2, DomainRangeEnd),
    PROF_HANDLER(CORE2, DomainRangePushEx),
    PROF_HANDLER(CORE2, DomainRangePop),
    PROF_HANDLER(CORE2, DomainNameCategoryA),
    PROF_HANDLER(CORE2, DomainNameCategoryW),
    PROF_HANDLER(CORE2, DomainRegisterStringA),
    PROF_HANDLER(CORE2, DomainRegisterStringW),
    PROF_HANDLER(CORE2, DomainCreateA),
    PROF_HANDLER(CORE2, DomainCreateW),
    PROF_STREAM(CUDA, NameCuStreamA, const char*),
    PROF_STREAM(CUDA, NameCuStreamW, const wchar_t*),
    PROF_STREAM(CUDART, NameCudaStreamA, const char*),
    PROF_STREAM(CUDART, NameCudaStreamW, const wchar_t*),
};

}  // namespace

bool KeepTheirs(NvtxCallbackModule module, unsigned int id, NvtxFunctionPointer function) {
  if (module >= NVTX_CB_MODULE_SIZE || id >= kMostSlots) return true;  // none of ours
  NvtxFunctionPointer kept = nullptr;
  return theirs_of[module][id].compare_exchange_strong(kept, function) || kept == function;
}

NvtxFunctionPointer ChainedHandler(NvtxCallbackModule module, unsigned int id) {
  for (const Handler& handler : kHandlers) {
    if (handler.module == module && handler.id == id) return handler.function;
  }
  return nullptr;
}

nvtxDomainHandle_t TheirDomain(nvtxDomainHandle_t domain) {
  return capture::thread_registry.strings.FromHandle(domain) != nullptr ? nullptr : domain;
}

nvtxDomainHandle_t OurDomain(nvtxDomainHandle_t domain) {
  const bool ours =
      domain == nullptr || capture::thread_registry.strings.FromHandle(domain) != nullptr;
  if (ours) return domain;
  return FromBits<nvtxDomainHandle_t>(domains.Find(Bits(domain)));
}

nvtxRangeId_t RememberRange(nvtxRangeId_t theirs, nvtxRangeId_t ours) {
  their_ids.store(true, std::memory_order_relaxed);
  if (!ranges.Add(theirs, ours)) {
    capture::EndRange(ours);  // nobody could end it
    capture::CountDroppedRange();
  }
  return theirs;
}

nvtxRangeId_t TakeRange(nvtxRangeId_t id) {
  const nvtxRangeId_t ours = ranges.Take(id);
  // The other tool's numbers may be those of other ranges of ours.
  return ours != 0 || their_ids.load(std::memory_order_relaxed) ? ours : id;
}

}  // namespace prof::nvtx
