// SPDX-License-Identifier: Apache-2.0
//
// What the collector pays for CUPTI's records: raw activity buffers read, encoded into blocks and
// serialized, beside a memcpy of the same bytes. And for the API calls, which launching threads
// write down themselves.
//
// The buffers are those of test/cupti_backend/data, recorded on a GPU, or of the folder that
// PROF_BENCH_BUFFERS names (*.bin, as CUPTI completed them), repeated up to 16 MiB. Kernel names
// are pointers of another process: each gets a name of its own.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "cupti_backend/activity/activity_decode.h"
#include "cupti_backend/api/cupti_api.h"
#include "cupti_backend/calls/call_encoder.h"
#include "cupti_backend/calls/call_trace.h"
#include "lib/capture/collector/memory_output.h"
#include "lib/capture/process/clock.h"
#include "lib/capture/threads/thread_reader.h"
#include "lib/capture/wire/encoder.h"

namespace {

using Bytes = std::vector<uint8_t>;

prof::cupti::CuptiApi cupti;
std::vector<Bytes> buffers;

template <typename Use>
void ForEachRecord(Bytes& buffer, Use use) {
  CUpti_Activity* record = nullptr;
  while (cupti.activity_get_next_record(buffer.data(), buffer.size(), &record) == CUPTI_SUCCESS) {
    use(*record);
  }
}

constexpr size_t kLeastBytes = 16 << 20;

// As long as the mangled names of PyTorch's kernels; for as long as the program runs.
const char* NameAt(const char* address) {
  static std::map<const char*, std::string> names;
  std::string& name = names[address];
  if (name.empty()) {
    name = "_ZN2at6native29vectorized_elementwise_kernelILi" + std::to_string(names.size()) +
           "ENS0_15CUDAFunctor_addIfEESt5arrayIPcLm3EEEEviT0_T1_";
  }
  return name.c_str();
}

void ReadBuffers(const char* folder) {
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".bin") continue;
    std::ifstream file(entry.path(), std::ios::binary);
    Bytes& buffer = buffers.emplace_back(std::istreambuf_iterator<char>(file),
                                         std::istreambuf_iterator<char>());
    ForEachRecord(buffer, [](CUpti_Activity& record) {
      if (record.kind != CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) return;
      auto& kernel = reinterpret_cast<CUpti_ActivityKernel10&>(record);
      kernel.name = NameAt(kernel.name);
    });
  }
}

size_t TotalBytes() {
  size_t bytes = 0;
  for (const Bytes& buffer : buffers) bytes += buffer.size();
  return bytes;
}

void Processed(benchmark::State& state, int64_t items_per_iteration) {
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(TotalBytes()));
  state.SetItemsProcessed(state.iterations() * items_per_iteration);
}

int64_t Count(bool kernels_only) {
  int64_t count = 0;
  for (Bytes& buffer : buffers) {
    ForEachRecord(buffer, [&](const CUpti_Activity& record) {
      count += !kernels_only || record.kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL ? 1 : 0;
    });
  }
  return count;
}

// The reference.
void BM_Memcpy(benchmark::State& state) {
  std::vector<Bytes> copies = buffers;
  for ([[maybe_unused]] auto _ : state) {
    for (size_t i = 0; i < buffers.size(); ++i) {
      std::memcpy(copies[i].data(), buffers[i].data(), buffers[i].size());
      benchmark::DoNotOptimize(copies[i].data());
      benchmark::ClobberMemory();
    }
  }
  Processed(state, Count(false));
}
BENCHMARK(BM_Memcpy);

// The part that is CUPTI's: its function that finds the next record.
void BM_DecodeNextRecord(benchmark::State& state) {
  for ([[maybe_unused]] auto _ : state) {
    for (Bytes& buffer : buffers) {
      ForEachRecord(buffer, [](const CUpti_Activity& r) { benchmark::DoNotOptimize(r.kind); });
    }
  }
  Processed(state, Count(false));
}
BENCHMARK(BM_DecodeNextRecord);

// Items are records. `written` is the snapshot's bytes for each kernel.
void BM_Decode(benchmark::State& state) {
  const int64_t records = Count(false);
  size_t written = 0;
  for ([[maybe_unused]] auto _ : state) {
    prof::capture::MemoryOutput output;
    prof::capture::Encoder encoder(&output);
    prof::cupti::ActivityDecoder decoder(&cupti);
    encoder.Add(prof::capture::HeaderEvent{});
    for (Bytes& buffer : buffers) {
      decoder.Decode(buffer.data(), buffer.size(), encoder);
      encoder.WriteIfLarge();
    }
    encoder.WriteLastBlock({}, 1);
    written = output.TakeBytes().size();
  }
  Processed(state, records);
  state.counters["written"] =
      static_cast<double>(written) / static_cast<double>(std::max<int64_t>(Count(true), 1));
}
BENCHMARK(BM_Decode);

// A thread that makes calls: what it pays for two looks at the clock and the record. The collector
// reads while the clock is stopped.
void BM_CallRecord(benchmark::State& state) {
  prof::capture::ThreadReader reader;
  reader.Start(prof::capture::RealtimeNs(), false);
  prof::capture::ThreadReader::Sink sink;
  sink.call = [](const prof::capture::CallEvent& call) { benchmark::DoNotOptimize(call.call); };
  constexpr uint32_t kCalls = 8'000;
  for ([[maybe_unused]] auto _ : state) {
    for (uint32_t i = 0; i < kCalls; ++i) {
      prof::cupti::BeginCall(1);
      prof::cupti::EndCall(1, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, i, 0);
    }
    state.PauseTiming();
    reader.Drain(sink);
    state.ResumeTiming();
  }
  reader.Stop();
  state.SetItemsProcessed(state.iterations() * kCalls);
  state.counters["dropped"] = static_cast<double>(reader.calls_dropped());
}
BENCHMARK(BM_CallRecord);

// The collector: a call taken over, named, encoded and serialized.
void BM_CallEncode(benchmark::State& state) {
  constexpr uint32_t kCalls = 100'000;
  size_t written = 0;
  for ([[maybe_unused]] auto _ : state) {
    prof::capture::MemoryOutput output;
    prof::capture::Encoder encoder(&output);
    prof::cupti::CallEncoder calls(&cupti);
    encoder.Add(prof::capture::HeaderEvent{});
    for (uint32_t i = 0; i < kCalls; ++i) {
      const int64_t start_ns = 1'700'000'000'000'000'000 + 4'000 * int64_t{i} + i * 7919 % 311;
      calls.Encode({CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, 4242, i, 0, start_ns,
                    start_ns + 2'000 + i * 104'729 % 157, 0},
                   encoder);
      encoder.WriteIfLarge();
    }
    encoder.WriteLastBlock({}, 1);
    written = output.TakeBytes().size();
  }
  state.SetItemsProcessed(state.iterations() * kCalls);
  state.counters["written"] = static_cast<double>(written) / kCalls;
}
BENCHMARK(BM_CallEncode);

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (const auto problem = prof::cupti::LoadCupti(&cupti)) {
    std::fprintf(stderr, "bench_decode: %s; %s\n", problem->what.c_str(), problem->fix.c_str());
    return 1;
  }
  const char* folder = std::getenv("PROF_BENCH_BUFFERS");
  ReadBuffers(folder != nullptr ? folder : PROF_RECORDED_BUFFERS);
  const size_t recorded = buffers.size();
  if (recorded == 0 || TotalBytes() == 0) {
    std::fprintf(stderr, "bench_decode: no buffers (*.bin); PROF_BENCH_BUFFERS names a folder\n");
    return 1;
  }
  for (size_t i = 0; TotalBytes() < kLeastBytes; ++i)
    buffers.push_back(Bytes(buffers[i % recorded]));
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
