// SPDX-License-Identifier: Apache-2.0
#include "torch_bridge/torch_library.h"

#include <dlfcn.h>
#include <link.h>

#include <cstring>
#include <string_view>

namespace prof::torch {
namespace {

constexpr std::string_view kLibrary = "/libtorch_cpu.so";

struct Search {
  unsigned long long loads = 0;
  bool changed = false, first = true;
  std::string found;
};

int LookAt(dl_phdr_info* info, size_t size, void* data) {
  auto& search = *static_cast<Search*>(data);
  if (search.first) {
    search.first = false;
    constexpr size_t kWithLoads = offsetof(dl_phdr_info, dlpi_adds) + sizeof(info->dlpi_adds);
    search.changed = size < kWithLoads || info->dlpi_adds != search.loads;
    if (size >= kWithLoads) search.loads = info->dlpi_adds;
    if (!search.changed) return 1;
  }
  const std::string_view path = info->dlpi_name != nullptr ? info->dlpi_name : "";
  if (path.size() < kLibrary.size() || path.substr(path.size() - kLibrary.size()) != kLibrary)
    return 0;
  search.found = path;
  return 1;
}

template <typename Function>
void Find(void* library, const char* symbol, Function* function) {
  *function = reinterpret_cast<Function>(dlsym(library, symbol));
}

}  // namespace

std::string FindTorchLibrary(unsigned long long* loads) {
  Search search;
  search.loads = *loads;
  dl_iterate_phdr(&LookAt, &search);
  *loads = search.loads;
  return search.found;
}

bool HasCudaAllocator() {
  void* const library = dlopen("libc10_cuda.so", RTLD_LAZY | RTLD_NOLOAD);
  if (library != nullptr) dlclose(library);
  return library != nullptr;
}

TorchLibrary Hold(const std::string& path) {
  TorchLibrary library;
  library.handle = dlopen(path.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (library.handle == nullptr) return library;
  void* const handle = library.handle;
  Functions& functions = library.functions;
  Find(handle, "_ZN2at17addGlobalCallbackENS_22RecordFunctionCallbackE",
       &functions.add_global_callback);
  Find(handle, "_ZN2at14removeCallbackEm", &functions.remove_callback);
  Find(handle, "_ZNK2at14RecordFunction4nameEv", &functions.name);
  Find(handle, "_ZNK2at14RecordFunction7isAsyncEv", &functions.is_async);
  Find(handle, "_ZN2at15sequence_number4peekEv", &functions.next_sequence);
  Find(handle, "_ZN2at14RecordFunctionC1ENS_11RecordScopeE", &functions.construct);
  Find(handle, "_ZN2at14RecordFunctionD1Ev", &functions.destroy);
  Find(handle, "_ZN2at14RecordFunction6beforeEPKcl", &functions.begin_text);
  Find(handle,
       "_ZN2at14RecordFunction6beforeESt7variantIJSt17basic_string_viewIcSt11char_traitsIcEE"
       "St17reference_wrapperIKN3c1014FunctionSchemaEEEEl",
       &functions.begin_descriptor);
  InputFunctions& inputs = library.input_functions;
  Find(handle, "_ZNK2at14RecordFunction10num_inputsEv", &inputs.num_inputs);
  Find(handle, "_ZN5torch8profiler4impl10inputSizesERKN2at14RecordFunctionEb", &inputs.input_sizes);
  // Those of libc10.so, which libtorch_cpu.so needs.
  Find(handle,
       "_ZN3c1010TensorImplC1ENS_14DispatchKeySetEN6caffe28TypeMetaESt8optionalINS_6DeviceEE",
       &inputs.construct_tensor);
  Find(handle,
       "_ZN3c1010TensorImpl21set_sizes_and_stridesENS_8ArrayRefINS_6SymIntEEES3_St8optionalIS2_E",
       &inputs.set_sizes);
  inputs.undefined = dlsym(handle, "_ZN3c1019UndefinedTensorImpl10_singletonE");
  return library;
}

void Release(const TorchLibrary& library) {
  if (library.handle != nullptr) dlclose(library.handle);
}

}  // namespace prof::torch
