// SPDX-License-Identifier: Apache-2.0
//
// ceilings: measures what this GPU reaches, and writes it as CSV.
//
// Build:  cmake -B build && cmake --build build --target ceilings
// Run:    build/examples/ceilings --keep     once for each machine: later recordings have them
//         build/examples/ceilings > h200.csv; prof report run.prof --ceilings h200.csv
// See:    a row for each rate. prof takes it as the ceiling of its unit in the roofline.
//
// Each rate is the median of several launches or copies of a millisecond or more. It takes 3 GiB of
// device memory, 256 MiB of pinned memory, and about 4 s. What cannot be measured here is left out,
// with a line on stderr.
#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <string>
#include <system_error>
#include <vector>

#include "ceilings.h"

#define CUDA_CHECK(call)                                                  \
  do {                                                                    \
    const cudaError_t error = (call);                                     \
    if (error != cudaSuccess) {                                           \
      std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(error)); \
      std::exit(1);                                                       \
    }                                                                     \
  } while (false)

namespace {

constexpr int kThreads = 256, kBlocksPerSm = 8, kChains = 8;
constexpr size_t kBytes = size_t{1} << 30, kL2Bytes = size_t{16} << 20;
constexpr size_t kLinkBytes = size_t{256} << 20;
constexpr int kL1Bytes = 16 << 10;
constexpr int kRuns = 11;
constexpr double kWarmUpS = 0.1;  // the clocks rise first

__device__ __forceinline__ void Keep(uint4 value, uint32_t* keep) {
  *keep ^= value.x ^ value.y ^ value.z ^ value.w;
}

__global__ void read_all(const uint4* in, size_t count, int rounds, uint32_t* sink) {
  const size_t stride = size_t{gridDim.x} * blockDim.x;
  uint32_t keep = 0;
  for (int round = 0; round < rounds; ++round) {
#pragma unroll 4
    for (size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride) {
      Keep(__ldcg(in + i), &keep);
    }
  }
  if (keep == 0x9e3779b9u) *sink = keep;  // hardly ever: keeps the loads
}

__global__ void write_all(uint4* out, size_t count, uint32_t value) {
  const size_t stride = size_t{gridDim.x} * blockDim.x;
#pragma unroll 4
  for (size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride) {
    __stcs(out + i, make_uint4(value, value, value, value));
  }
}

__global__ void copy_all(const uint4* in, uint4* out, size_t count) {
  const size_t stride = size_t{gridDim.x} * blockDim.x;
#pragma unroll 4
  for (size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride) {
    __stcs(out + i, __ldcs(in + i));
  }
}

// Two bytes read for each one written.
__global__ void add_all(const uint4* a, const uint4* b, uint4* out, size_t count) {
  const size_t stride = size_t{gridDim.x} * blockDim.x;
#pragma unroll 4
  for (size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride) {
    const uint4 x = __ldcs(a + i), y = __ldcs(b + i);
    __stcs(out + i, make_uint4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w));
  }
}

// All blocks read the same bytes, which each L1 holds. The addresses change from round to round, so
// that no load can be left out.
__global__ void read_cached(const uint4* in, int rounds, Clock* clock, uint32_t* sink) {
  constexpr uint32_t kVectors = kL1Bytes / sizeof(uint4);
  uint32_t keep = 0;
  const Clock begin = ReadClock();
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) {
    const uint32_t first = threadIdx.x + 32 * static_cast<uint32_t>(round);
#pragma unroll
    for (uint32_t i = 0; i < kVectors; i += kThreads) {
      uint4 value;
      asm volatile("ld.global.ca.v4.u32 {%0, %1, %2, %3}, [%4];"
                   : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w)
                   : "l"(in + (first + i) % kVectors));
      Keep(value, &keep);
    }
  }
  Leave(begin, clock);
  if (keep == 0x9e3779b9u) *sink = keep;
}

struct Fp32 {
  using Value = float;
  static __device__ __forceinline__ void Fma(Value& x, uint32_t /*halves*/) {
    asm volatile("fma.rn.f32 %0, %0, 0f3F000000, 0f3F000000;" : "+f"(x));
  }
};
struct Fp64 {
  using Value = double;
  static __device__ __forceinline__ void Fma(Value& x, uint32_t /*halves*/) {
    asm volatile("fma.rn.f64 %0, %0, 0d3FE0000000000000, 0d3FE0000000000000;" : "+d"(x));
  }
};
struct Fp16 {
  using Value = uint32_t;
  // The tensor pipe does a half of these (HFMA2.MMA), but none with a constant in the instruction.
  static __device__ __forceinline__ void Fma(Value& x, uint32_t halves) {
    asm volatile("fma.rn.f16x2 %0, %0, %1, %1;" : "+r"(x) : "r"(halves));
  }
};

constexpr uint32_t kHalves = 0x38003800;  // 0.5, twice

template <typename Type>
__global__ void __launch_bounds__(kThreads, kBlocksPerSm)
    fma_all(int steps, uint32_t halves, Clock* clock, uint32_t* sink) {
  typename Type::Value chain[kChains];
#pragma unroll
  for (int k = 0; k < kChains; ++k) {
    chain[k] = static_cast<typename Type::Value>(threadIdx.x + k);
  }
  const Clock begin = ReadClock();
#pragma unroll 8
  for (int i = 0; i < steps; ++i) {
#pragma unroll
    for (auto& x : chain) Type::Fma(x, halves);
  }
  Leave(begin, clock);
  typename Type::Value sum = 0;
#pragma unroll
  for (const auto x : chain) sum += x;
  if (sum == static_cast<typename Type::Value>(12345)) *sink = 1;
}

struct Rates {
  std::vector<double> per_s, clock_hz;
};

double Median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];  // of an odd count
}

class Meter {
 public:
  Meter() {
    CUDA_CHECK(cudaGetDeviceProperties(&device_, 0));
    CUDA_CHECK(cudaEventCreate(&begin_));
    CUDA_CHECK(cudaEventCreate(&end_));
    CUDA_CHECK(cudaMalloc(&clock_, sizeof(Clock)));
    CUDA_CHECK(cudaMalloc(&sink_, sizeof(uint32_t)));
  }
  Meter(const Meter&) = delete;
  Meter& operator=(const Meter&) = delete;
  ~Meter() {
    cudaFree(sink_);
    cudaFree(clock_);
    cudaEventDestroy(end_);
    cudaEventDestroy(begin_);
  }
  int sms() const { return device_.multiProcessorCount; }
  const cudaDeviceProp& device() const { return device_; }
  Clock* clock() const { return clock_; }
  uint32_t* sink() const { return sink_; }

  // Prints the rate of `launch`, which does `amount` of bytes or operations. `has_clock`: the
  // kernel leaves its clock.
  void Measure(const char* kind, double amount, bool has_clock,
               const std::function<void()>& launch) {
    const auto start = std::chrono::steady_clock::now();
    do {
      launch();
      CUDA_CHECK(cudaGetLastError());
      CUDA_CHECK(cudaDeviceSynchronize());
    } while (std::chrono::steady_clock::now() - start < std::chrono::duration<double>(kWarmUpS));
    Rates rates;
    for (int run = 0; run < kRuns; ++run) {
      float ms = 0;
      CUDA_CHECK(cudaEventRecord(begin_));
      launch();
      CUDA_CHECK(cudaEventRecord(end_));
      CUDA_CHECK(cudaEventSynchronize(end_));
      CUDA_CHECK(cudaEventElapsedTime(&ms, begin_, end_));
      rates.per_s.push_back(amount / (1e-3 * ms));
      if (!has_clock) continue;
      Clock clock{};
      CUDA_CHECK(cudaMemcpy(&clock, clock_, sizeof(clock), cudaMemcpyDeviceToHost));
      if (clock.ns > 0) rates.clock_hz.push_back(1e9 * clock.cycles / clock.ns);
    }
    const auto [low, high] = std::minmax_element(rates.per_s.begin(), rates.per_s.end());
    std::printf("%s,%d,%s,%.6g,%d,%.6g,%.6g,%.6g\n", device_.name, sms(), kind, Median(rates.per_s),
                kRuns, *low, *high, Median(rates.clock_hz));
    std::fflush(stdout);
  }

 private:
  cudaDeviceProp device_{};
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
  Clock* clock_ = nullptr;
  uint32_t* sink_ = nullptr;
};

void MeasureMemory(Meter* meter) {
  uint4 *in = nullptr, *other = nullptr, *out = nullptr;
  CUDA_CHECK(cudaMalloc(&in, kBytes));
  CUDA_CHECK(cudaMalloc(&other, kBytes));
  CUDA_CHECK(cudaMalloc(&out, kBytes));
  CUDA_CHECK(cudaMemset(in, 1, kBytes));
  CUDA_CHECK(cudaMemset(other, 2, kBytes));
  const size_t vectors = kBytes / sizeof(uint4), cached = kL2Bytes / sizeof(uint4);
  const int blocks = meter->sms() * kBlocksPerSm, rounds = 512;
  meter->Measure("dram-read", kBytes, false,
                 [=] { read_all<<<blocks, kThreads>>>(in, vectors, 1, meter->sink()); });
  meter->Measure("dram-write", kBytes, false,
                 [=] { write_all<<<blocks, kThreads>>>(out, vectors, 7); });
  meter->Measure("dram-copy", 2.0 * kBytes, false,
                 [=] { copy_all<<<blocks, kThreads>>>(in, out, vectors); });
  meter->Measure("dram-2to1", 3.0 * kBytes, false,
                 [=] { add_all<<<blocks, kThreads>>>(in, other, out, vectors); });
  meter->Measure("l2", static_cast<double>(kL2Bytes) * rounds, false,
                 [=] { read_all<<<blocks, kThreads>>>(in, cached, rounds, meter->sink()); });
  const int l1_rounds = 2048;
  meter->Measure("l1", static_cast<double>(kL1Bytes) * l1_rounds * blocks, true, [=] {
    read_cached<<<blocks, kThreads>>>(in, l1_rounds, meter->clock(), meter->sink());
  });
  CUDA_CHECK(cudaFree(in));
  CUDA_CHECK(cudaFree(other));
  CUDA_CHECK(cudaFree(out));
}

void MeasureHostLink(Meter* meter) {
  void *host = nullptr, *device = nullptr;
  if (cudaMallocHost(&host, kLinkBytes) != cudaSuccess) {
    cudaGetLastError();  // it is no error of what follows
    std::fprintf(stderr, "ceilings: no pinned memory: the link to the host is not measured\n");
    return;
  }
  std::memset(host, 1, kLinkBytes);
  CUDA_CHECK(cudaMalloc(&device, kLinkBytes));  // there was more before
  meter->Measure("h2d", kLinkBytes, false, [=] {
    CUDA_CHECK(cudaMemcpyAsync(device, host, kLinkBytes, cudaMemcpyHostToDevice));
  });
  meter->Measure("d2h", kLinkBytes, false, [=] {
    CUDA_CHECK(cudaMemcpyAsync(host, device, kLinkBytes, cudaMemcpyDeviceToHost));
  });
  CUDA_CHECK(cudaFree(device));
  CUDA_CHECK(cudaFreeHost(host));
}

// To another device of the same name, by NVLink or PCIe. Others may use that one.
void MeasurePeer(Meter* meter, int devices) {
  for (int peer = 1; peer < devices; ++peer) {
    cudaDeviceProp other{};
    int access = 0;
    CUDA_CHECK(cudaGetDeviceProperties(&other, peer));
    CUDA_CHECK(cudaDeviceCanAccessPeer(&access, 0, peer));
    if (access == 0 || std::strcmp(other.name, meter->device().name) != 0) continue;
    void *here = nullptr, *there = nullptr;
    CUDA_CHECK(cudaMalloc(&here, kLinkBytes));
    const bool usable =
        cudaSetDevice(peer) == cudaSuccess && cudaMalloc(&there, kLinkBytes) == cudaSuccess;
    CUDA_CHECK(cudaSetDevice(0));
    if (usable && cudaDeviceEnablePeerAccess(peer, 0) == cudaSuccess) {
      meter->Measure("peer", kLinkBytes, false,
                     [=] { CUDA_CHECK(cudaMemcpyPeerAsync(there, peer, here, 0, kLinkBytes)); });
    } else {
      cudaGetLastError();  // it is no error of what follows
      std::fprintf(stderr, "ceilings: device %d cannot be used: copies to it are not measured\n",
                   peer);
    }
    CUDA_CHECK(cudaFree(here));
    if (there != nullptr) CUDA_CHECK(cudaFree(there));
    return;
  }
}

template <typename Type>
void MeasureFma(Meter* meter, const char* kind, int steps, double operations) {
  const int blocks = meter->sms() * kBlocksPerSm;
  const double fmas = static_cast<double>(blocks) * kThreads * kChains * steps;
  meter->Measure(kind, operations * fmas, true, [=] {
    fma_all<Type><<<blocks, kThreads>>>(steps, kHalves, meter->clock(), meter->sink());
  });
}

void MeasureWgmma(Meter* meter) {
  const int blocks = meter->sms() * 3, products = 8192;
  for (const TensorKind& kind : kHopperTensor) {
    meter->Measure(kind.kind, kind.operations * blocks * products, true,
                   [&] { kind.launch(blocks, products, meter->clock(), meter->sink()); });
  }
}

// `suffix`: of chips that have faster products.
void MeasureMmaSync(Meter* meter, const char* suffix) {
  const cudaDeviceProp& device = meter->device();
  const int blocks = meter->sms() * kBlocksPerSm / 2, steps = 4096;
  for (const WarpKind& kind : kWarpTensor) {
    const int chip = std::min(10 * device.major + device.minor, kind.compiled_for());
    if (chip < kind.least_chip) {
      std::fprintf(stderr,
                   "ceilings: no %s by mma.sync: it needs compute capability %d.%d, and code "
                   "for that\n",
                   kind.kind, kind.least_chip / 10, kind.least_chip % 10);
      continue;
    }
    meter->Measure((std::string(kind.kind) + suffix).c_str(), kind.operations * blocks * steps,
                   true, [&] { kind.launch(blocks, steps, meter->clock(), meter->sink()); });
  }
}

void MeasureTensor(Meter* meter) {
  const cudaDeviceProp& device = meter->device();
  const bool hopper = device.major == 9 && device.minor == 0;
  if (hopper) {
    MeasureWgmma(meter);
  } else if (device.major == 10) {
    std::fprintf(stderr,
                 "ceilings: of the tensor pipe of compute capability %d.%d only mma.sync is "
                 "measured, not tcgen05.mma\n",
                 device.major, device.minor);
  }
  MeasureMmaSync(meter, hopper || device.major == 10 ? " mma.sync" : "");
}

// Standard output goes into the file that recordings read: prof/ceilings.csv in $XDG_CACHE_HOME, or
// else in $HOME/.cache. Returns its path; empty: there is no such place.
std::string WriteToKept() {
  const char* const cache = std::getenv("XDG_CACHE_HOME");
  const char* const home = std::getenv("HOME");
  std::filesystem::path path;
  if (cache != nullptr && *cache == '/') {
    path = cache;
  } else if (home != nullptr && *home == '/') {
    path = std::filesystem::path(home) / ".cache";
  } else {
    return "";
  }
  path /= "prof";
  std::error_code error;
  std::filesystem::create_directories(path, error);
  path /= "ceilings.csv";
  return std::freopen((path.string() + ".new").c_str(), "w", stdout) == nullptr ? ""
                                                                                : path.string();
}

}  // namespace

int main(int argc, char** argv) {
  const bool keep = argc == 2 && std::strcmp(argv[1], "--keep") == 0;
  if (argc > 1 && !keep) {
    std::fprintf(stderr, "usage: ceilings [--keep]\n");
    return 2;
  }
  int devices = 0;
  const cudaError_t error = cudaGetDeviceCount(&devices);
  if (error != cudaSuccess) {
    std::printf("[skipped] no CUDA device: %s\n", cudaGetErrorString(error));
    return 0;
  }
  const std::string kept = keep ? WriteToKept() : "";
  if (keep && kept.empty()) {
    std::fprintf(stderr, "ceilings: set HOME or XDG_CACHE_HOME to a folder that can be written\n");
    return 1;
  }
  Meter meter;
  std::printf("device,sm_count,kind,per_s,n,min,max,sm_clock_hz\n");
  MeasureMemory(&meter);
  MeasureFma<Fp32>(&meter, "flops fp32", 20'000, 2);
  MeasureFma<Fp64>(&meter, "flops fp64", 10'000, 2);
  MeasureFma<Fp16>(&meter, "flops fp16", 20'000, 4);
  MeasureTensor(&meter);
  MeasureHostLink(&meter);
  MeasurePeer(&meter, devices);
  if (!keep) return 0;
  // A file that is half written is never read.
  if (std::fclose(stdout) != 0 || std::rename((kept + ".new").c_str(), kept.c_str()) != 0) {
    std::fprintf(stderr, "ceilings: cannot write %s\n", kept.c_str());
    return 1;
  }
  std::fprintf(stderr, "ceilings: kept in %s\n", kept.c_str());
  return 0;
}
