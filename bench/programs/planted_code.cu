// SPDX-License-Identifier: Apache-2.0
//
// Code that is compiled and loaded in the loop, as libraries do for shapes that they have not seen.
#include <cuda.h>

#include <cstdio>
#include <cstdlib>
#include <memory>

#include "planted.h"

namespace {

template <typename Function>
Function Driver(const char* name) {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
  CUDA_CHECK(cudaGetDriverEntryPointByVersion(name, &function, 11000, cudaEnableDefault, &found));
  if (function != nullptr) return reinterpret_cast<Function>(function);
  std::fprintf(stderr, "the driver has no %s\n", name);
  std::exit(1);
}

void Check(CUresult result, const char* call) {
  if (result == CUDA_SUCCESS) return;
  std::fprintf(stderr, "%s: error %d\n", call, static_cast<int>(result));
  std::exit(1);
}

// A kernel of a few hundred instructions. Its numbers differ, so that nothing has it in a cache.
std::string Ptx(uint64_t number) {
  std::string text =
      ".version 6.3\n.target sm_70\n.address_size 64\n"
      ".visible .entry planted(.param .u64 values) {\n"
      ".reg .u64 %address; .reg .f32 %value;\n"
      "ld.param.u64 %address, [values];\ncvta.to.global.u64 %address, %address;\n"
      "ld.global.f32 %value, [%address];\n";
  constexpr int kInstructions = 300;
  for (int i = 0; i < kInstructions; ++i) {
    char line[80];
    const auto bits = static_cast<unsigned>((number * kInstructions + i) % 0x7fffffU);
    std::snprintf(line, sizeof(line), "fma.rn.f32 %%value, %%value, 0f3F%06X, 0f3E%06X;\n", bits,
                  bits);
    text += line;
  }
  return text + "st.global.f32 [%address], %value;\nret;\n}\n";
}

class Modules {
 public:
  Modules() = default;
  Modules(const Modules&) = delete;
  Modules& operator=(const Modules&) = delete;
  ~Modules() {
    for (CUmodule module : loaded_) Check(unload_(module), "cuModuleUnload");
  }

  // Compiles, loads and launches a kernel that nobody had before.
  void Launch(uint64_t number, float* values, cudaStream_t stream) {
    CUmodule module = nullptr;
    CUfunction function = nullptr;
    Check(load_(&module, Ptx(number).c_str()), "cuModuleLoadData");
    loaded_.push_back(module);
    Check(find_(&function, module, "planted"), "cuModuleGetFunction");
    void* arguments[] = {&values};
    Check(launch_(function, 1, 1, 1, 32, 1, 1, 0, stream, arguments, nullptr), "cuLaunchKernel");
  }

 private:
  using Load = CUresult (*)(CUmodule*, const void*);
  using Unload = CUresult (*)(CUmodule);
  using Find = CUresult (*)(CUfunction*, CUmodule, const char*);
  using Start = CUresult (*)(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                             unsigned, CUstream, void**, void**);

  const Load load_ = Driver<Load>("cuModuleLoadData");
  const Unload unload_ = Driver<Unload>("cuModuleUnload");
  const Find find_ = Driver<Find>("cuModuleGetFunction");
  const Start launch_ = Driver<Start>("cuLaunchKernel");
  std::vector<CUmodule> loaded_;
};

Step CodeInTheLoop(Machine* m) {
  const double us = m->Draw("kernel_us", 20, 40);
  const auto modules = std::make_shared<Modules>();
  const uint64_t first = m->DrawBits() % 10'000;
  return [=](int64_t number) {
    modules->Launch(first + static_cast<uint64_t>(number), m->values, m->streams[0]);
    for (int i = 0; i < 4; ++i) m->Work(us);
  };
}

}  // namespace

Timelines CodeTimelines() { return {{"code-loading", CodeInTheLoop}}; }
