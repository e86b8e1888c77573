// SPDX-License-Identifier: Apache-2.0
#include "nvtx_bridge/injection.h"

#include <atomic>
#include <cstddef>

#include "nvtx_bridge/handlers.h"
#include "nvtx_bridge/nvtx_status.h"

namespace prof::nvtx {
namespace {

std::atomic<bool> attached{false};

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

template <size_t kCount>
bool Fill(const NvtxExportTableCallbacks& callbacks, NvtxCallbackModule module,
          const Handler (&handlers)[kCount]) {
  NvtxFunctionTable table = nullptr;
  unsigned int size = 0;
  if (callbacks.GetModuleFunctionTable(module, &table, &size) == 0 || table == nullptr) {
    return false;
  }
  for (const Handler& handler : handlers) {
    if (handler.id >= size || table[handler.id] == nullptr) continue;
    // Other threads may be calling through the slot.
    __atomic_store_n(table[handler.id], handler.function, __ATOMIC_RELEASE);
  }
  return true;
}

int Attach(NvtxGetExportTableFunc_t get_export_table) {
  if (get_export_table == nullptr) return 0;
  const auto* callbacks =
      static_cast<const NvtxExportTableCallbacks*>(get_export_table(NVTX_ETID_CALLBACKS));
  if (callbacks == nullptr || callbacks->struct_size < sizeof(*callbacks)) return 0;
  if (!Fill(*callbacks, NVTX_CB_MODULE_CORE, kCore)) return 0;
  Fill(*callbacks, NVTX_CB_MODULE_CORE2, kCore2);  // NVTX 1 has no domains
  Fill(*callbacks, NVTX_CB_MODULE_CUDA, kCuda);
  Fill(*callbacks, NVTX_CB_MODULE_CUDART, kCudaRt);
  attached.store(true, std::memory_order_relaxed);
  return 1;
}

}  // namespace

bool NvtxAttached() { return attached.load(std::memory_order_relaxed); }

}  // namespace prof::nvtx

int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get_export_table) {
  return prof::nvtx::Attach(get_export_table);
}

int InitializeInjectionNvtx(NvtxGetExportTableFunc_t get_export_table) {
  return prof::nvtx::Attach(get_export_table);
}
