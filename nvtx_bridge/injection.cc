// SPDX-License-Identifier: Apache-2.0
#include "nvtx_bridge/injection.h"

#include <atomic>
#include <cstddef>
#include <iterator>

#include "nvtx_bridge/chain.h"
#include "nvtx_bridge/handlers.h"
#include "nvtx_bridge/other_tool.h"

namespace prof::nvtx {
namespace {

std::atomic<bool> attached{false};
std::atomic<bool> calls_bypass_us{false};  // for some library of the program

struct Handler {
  unsigned int id = 0;
  NvtxFunctionPointer function = nullptr;
};

// The type of each slot is in nvtxTypes.h; going through it makes a wrong signature an error here.
template <typename Slot>
NvtxFunctionPointer Erase(Slot function) {
  return reinterpret_cast<NvtxFunctionPointer>(function);
}
#define PROF_HANDLER(module, name) \
  { NVTX_CBID_##module##_##name, Erase<nvtx##name##_impl_fntype>(&name) }

// Slots that we leave alone (resources, names of devices, nvtxInitialize) become no-ops in NVTX.
const Handler kCore[] = {
    PROF_HANDLER(CORE, MarkEx),        PROF_HANDLER(CORE, MarkA),
    PROF_HANDLER(CORE, MarkW),         PROF_HANDLER(CORE, RangeStartEx),
    PROF_HANDLER(CORE, RangeStartA),   PROF_HANDLER(CORE, RangeStartW),
    PROF_HANDLER(CORE, RangeEnd),      PROF_HANDLER(CORE, RangePushEx),
    PROF_HANDLER(CORE, RangePushA),    PROF_HANDLER(CORE, RangePushW),
    PROF_HANDLER(CORE, RangePop),      PROF_HANDLER(CORE, NameOsThreadA),
    PROF_HANDLER(CORE, NameOsThreadW), PROF_HANDLER(CORE, NameCategoryA),
    PROF_HANDLER(CORE, NameCategoryW),
};
const Handler kCore2[] = {
    PROF_HANDLER(CORE2, DomainMarkEx),          PROF_HANDLER(CORE2, DomainRangeStartEx),
    PROF_HANDLER(CORE2, DomainRangeEnd),        PROF_HANDLER(CORE2, DomainRangePushEx),
    PROF_HANDLER(CORE2, DomainRangePop),        PROF_HANDLER(CORE2, DomainRegisterStringA),
    PROF_HANDLER(CORE2, DomainRegisterStringW), PROF_HANDLER(CORE2, DomainCreateA),
    PROF_HANDLER(CORE2, DomainCreateW),         PROF_HANDLER(CORE2, DomainNameCategoryA),
    PROF_HANDLER(CORE2, DomainNameCategoryW),
};
// NVTX's own types of these have CUDA's handles as plain pointers.
const Handler kCuda[] = {
    {NVTX_CBID_CUDA_NameCuStreamA, Erase<nvtxNameCuStreamA_fakeimpl_fntype>(&NameStreamA)},
    {NVTX_CBID_CUDA_NameCuStreamW, Erase<nvtxNameCuStreamW_fakeimpl_fntype>(&NameStreamW)},
};
const Handler kCudaRt[] = {
    {NVTX_CBID_CUDART_NameCudaStreamA, Erase<nvtxNameCudaStreamA_fakeimpl_fntype>(&NameStreamA)},
    {NVTX_CBID_CUDART_NameCudaStreamW, Erase<nvtxNameCudaStreamW_fakeimpl_fntype>(&NameStreamW)},
};
#undef PROF_HANDLER

// The slots of one of a library's modules.
struct Table {
  NvtxFunctionTable slots = nullptr;
  unsigned int size = 0;

  NvtxFunctionPointer Get(unsigned int id) const {
    return id < size && slots[id] != nullptr ? __atomic_load_n(slots[id], __ATOMIC_ACQUIRE)
                                             : nullptr;
  }
  void Set(unsigned int id, NvtxFunctionPointer function) const {
    // Other threads may be calling through the slot.
    if (id < size && slots[id] != nullptr) __atomic_store_n(slots[id], function, __ATOMIC_RELEASE);
  }
};

Table TableOf(const NvtxExportTableCallbacks& callbacks, NvtxCallbackModule module) {
  Table table;
  if (callbacks.GetModuleFunctionTable(module, &table.slots, &table.size) == 0 ||
      table.slots == nullptr) {
    return {};
  }
  return table;
}

constexpr NvtxCallbackModule kModules[] = {NVTX_CB_MODULE_CORE, NVTX_CB_MODULE_CORE2,
                                           NVTX_CB_MODULE_CUDA, NVTX_CB_MODULE_CUDART};
constexpr NvtxCallbackModule kAllModules[] = {NVTX_CB_MODULE_CORE,   NVTX_CB_MODULE_CORE2,
                                              NVTX_CB_MODULE_CUDA,   NVTX_CB_MODULE_CUDART,
                                              NVTX_CB_MODULE_OPENCL, NVTX_CB_MODULE_SYNC};
constexpr size_t kMostSlots = 16;  // of a module
static_assert(NVTX_CBID_OPENCL_SIZE <= kMostSlots && NVTX_CBID_CORE_SIZE <= kMostSlots &&
              NVTX_CBID_CORE2_SIZE <= kMostSlots);

enum class Chain { kNone, kJoined, kBypassesUs };

// Lets the other tool fill the slots, and remembers its functions.
Chain CallOtherTool(const NvtxExportTableCallbacks& callbacks,
                    NvtxGetExportTableFunc_t get_export_table, const char* entry) {
  const auto initialize =
      reinterpret_cast<NvtxInitializeInjectionNvtxFunc_t>(OtherToolsFunction(entry));
  if (initialize == nullptr) return Chain::kNone;
  NvtxFunctionPointer before[NVTX_CB_MODULE_SIZE][kMostSlots] = {};
  for (const NvtxCallbackModule module : kAllModules) {
    const Table table = TableOf(callbacks, module);
    for (unsigned int id = 0; id < kMostSlots; ++id) before[module][id] = table.Get(id);
  }
  int joined = 0;
  {
    const InOtherTool inside;
    joined = initialize(get_export_table);
  }
  if (joined == 0) {  // then none of its functions may be called
    for (const NvtxCallbackModule module : kAllModules) {
      const Table table = TableOf(callbacks, module);
      for (unsigned int id = 0; id < kMostSlots; ++id) table.Set(id, before[module][id]);
    }
    return Chain::kNone;
  }
  Chain chain = Chain::kNone;
  for (const NvtxCallbackModule module : kModules) {
    const Table table = TableOf(callbacks, module);
    for (unsigned int id = 0; id < kMostSlots; ++id) {
      const NvtxFunctionPointer function = table.Get(id);
      if (function == nullptr || function == before[module][id]) continue;
      if (!KeepTheirs(module, id, function)) return Chain::kBypassesUs;
      chain = Chain::kJoined;
    }
  }
  return chain;
}

template <size_t kCount>
void Fill(const NvtxExportTableCallbacks& callbacks, NvtxCallbackModule module,
          const Handler (&handlers)[kCount], bool chained) {
  const Table table = TableOf(callbacks, module);
  for (const Handler& handler : handlers) {
    table.Set(handler.id, chained ? ChainedHandler(module, handler.id) : handler.function);
  }
}

int Attach(NvtxGetExportTableFunc_t get_export_table, const char* entry) {
  if (get_export_table == nullptr || InOtherTool::Inside()) return 0;
  const auto* callbacks =
      static_cast<const NvtxExportTableCallbacks*>(get_export_table(NVTX_ETID_CALLBACKS));
  if (callbacks == nullptr || callbacks->struct_size < sizeof(*callbacks)) return 0;
  if (TableOf(*callbacks, NVTX_CB_MODULE_CORE).slots == nullptr) return 0;
  const Chain chain = CallOtherTool(*callbacks, get_export_table, entry);
  if (chain == Chain::kBypassesUs) {
    calls_bypass_us.store(true, std::memory_order_relaxed);
    return 1;
  }
  const bool chained = chain == Chain::kJoined;
  Fill(*callbacks, NVTX_CB_MODULE_CORE, kCore, chained);
  Fill(*callbacks, NVTX_CB_MODULE_CORE2, kCore2, chained);  // NVTX 1 has no domains
  Fill(*callbacks, NVTX_CB_MODULE_CUDA, kCuda, chained);
  Fill(*callbacks, NVTX_CB_MODULE_CUDART, kCudaRt, chained);
  attached.store(true, std::memory_order_relaxed);
  return 1;
}

}  // namespace

bool NvtxAttached() { return attached.load(std::memory_order_relaxed); }

bool NvtxCallsBypassUs() { return calls_bypass_us.load(std::memory_order_relaxed); }

}  // namespace prof::nvtx

int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get_export_table) {
  return prof::nvtx::Attach(get_export_table, "InitializeInjectionNvtx2");
}

int InitializeInjectionNvtx(NvtxGetExportTableFunc_t get_export_table) {
  return prof::nvtx::Attach(get_export_table, "InitializeInjectionNvtx");
}
