// SPDX-License-Identifier: Apache-2.0
//
// zoo: kernels whose limits are found by intervention. See README.md beside it.
//
//   zoo --list                            names, kernels and knobs
//   zoo --measure [--after NAME]          a line of JSON for each family: times by dose
//   zoo --run --part I/N [--seconds S] [--launches L]
//                                         the kernels of a part, each for S seconds or until L
//                                         launches (0.8 s of them at least), to be recorded
//
//   --seed N     what sizes are drawn from; the same seed gives the same kernels
//   --only NAME  one family
//   --skip A,B   not these families
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>

#include "bench/programs/cuda_check.h"
#include "bench/zoo/warps_knob.h"
#include "bench/zoo/zoo.h"

namespace {

using zoo::Amounts;
using zoo::Family;

constexpr int kRounds = 25;            // of all configurations of a family, in turns
constexpr double kLeastGroupUs = 300;  // between two events, whose clock has steps of 0.5 us
constexpr int kMostLaunches = 100;     // between two events
constexpr double kBatchUs = 2000;      // between two waits of --run
constexpr double kWarmUpS = 0.03;
constexpr double kLeastRunUs = 8e5;  // of --run, however many launches these are

struct Options {
  std::string mode, after, only, skip;
  uint64_t seed = 1;
  int part = 0, parts = 1;
  double seconds = 1;
  int64_t launches = INT64_MAX;  // of a kernel, about
};

struct Configuration {
  std::string what;    // "base", "knob" or the kind of a variant
  std::string detail;  // the resource or the action
  int amount = 0;
  std::function<void()> launch;
  const zoo::Knob* warps = nullptr;  // the knob that is of warps
  std::vector<const char*> same{};   // of a variant
  std::vector<double> times_us{};
};

double Now() {
  using Clock = std::chrono::steady_clock;
  return std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
}

Amounts Natural(const Family& family) {
  Amounts amounts;
  for (const zoo::Knob& knob : family.knobs) amounts.push_back(knob.natural);
  return amounts;
}

std::vector<int> StepsOf(const zoo::Knob& knob) {
  if (knob.kernel != nullptr) return {0, 1, 2};  // of warps: the base has another L1
  return knob.one_sided ? std::vector<int>{1, 2} : std::vector<int>{-1, 1};
}

std::vector<Configuration> Configurations(const Family& family) {
  std::vector<Configuration> all;
  const Amounts natural = Natural(family);
  all.push_back({"base", "", 0, [&family, natural] { family.launch(natural); }});
  for (size_t k = 0; k < family.knobs.size(); ++k) {
    const zoo::Knob& knob = family.knobs[k];
    for (const int steps : StepsOf(knob)) {
      Amounts amounts = natural;
      amounts[k] += steps * knob.step;
      all.push_back({"knob", knob.resource, amounts[k],
                     [&family, amounts] { family.launch(amounts); },
                     knob.kernel != nullptr ? &knob : nullptr});
    }
  }
  for (const zoo::Variant& variant : family.variants) {
    all.push_back({variant.kind, variant.action, 0, variant.launch, nullptr, variant.same});
  }
  return all;
}

class Timer {
 public:
  Timer() {
    CUDA_CHECK(cudaEventCreate(&begin_));
    CUDA_CHECK(cudaEventCreate(&end_));
  }
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;
  ~Timer() {
    cudaEventDestroy(begin_);
    cudaEventDestroy(end_);
  }
  // us of one launch; negative after an error, which stays in cudaPeekAtLastError() or the context.
  double Time(const std::function<void()>& launch, int launches) {
    cudaEventRecord(begin_);
    for (int i = 0; i < launches; ++i) launch();
    cudaEventRecord(end_);
    float ms = 0;
    if (cudaEventSynchronize(end_) != cudaSuccess || cudaPeekAtLastError() != cudaSuccess)
      return -1;
    if (cudaEventElapsedTime(&ms, begin_, end_) != cudaSuccess) return -1;
    return 1000.0 * ms / launches;
  }

 private:
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
};

// The launch after a change of L1's size pays for it: one before, and one after, are not timed.
double TimeOf(const Configuration& one, int launches, Timer* timer) {
  if (one.warps == nullptr) return timer->Time(one.launch, launches);
  double us = 0;
  {
    const zoo::FewerWarps fewer(*one.warps, one.amount);
    timer->Time(one.launch, 1);
    us = timer->Time(one.launch, launches);
  }
  timer->Time(one.launch, 1);
  return us;
}

void PrintTimes(const std::vector<double>& times) {
  for (size_t i = 0; i < times.size(); ++i) std::printf("%s%.4g", i == 0 ? "[" : ", ", times[i]);
  std::printf("]");
}

void PrintIds(const std::vector<const char*>& ids) {
  for (size_t i = 0; i < ids.size(); ++i) std::printf("%s\"%s\"", i == 0 ? "[" : ", ", ids[i]);
  std::printf("]");
}

void PrintHead(const Family& family) {
  std::printf("{\"name\": \"%s\", \"kernel\": \"%s\", \"cause\": \"%s\", \"knobs\": [", family.name,
              family.kernel, family.cause);
  for (size_t k = 0; k < family.knobs.size(); ++k) {
    const zoo::Knob& knob = family.knobs[k];
    std::printf("%s{\"resource\": \"%s\", \"natural\": %d, \"step\": %d, \"one_sided\": %s}",
                k == 0 ? "" : ", ", knob.resource, knob.natural, knob.step,
                knob.one_sided ? "true" : "false");
  }
  std::printf("]");
}

// Returns false when the context is lost: nothing can run any more.
bool Report(const char* error) {
  std::printf(", \"error\": \"%s\"}\n", error);
  std::fflush(stdout);
  cudaGetLastError();
  return cudaDeviceSynchronize() == cudaSuccess;
}

bool Measure(const Family& family, Timer* timer) {
  PrintHead(family);
  std::vector<Configuration> all = Configurations(family);
  double base_us = 0;
  for (const Configuration& one : all) {  // each once: loads the code, and shows what cannot run
    const double us = TimeOf(one, 1, timer);
    if (us < 0) return Report(cudaGetErrorString(cudaPeekAtLastError()));
  }
  const double end = Now() + kWarmUpS;
  while (Now() < end) base_us = timer->Time(all[0].launch, 4);
  if (base_us < 0) return Report(cudaGetErrorString(cudaPeekAtLastError()));
  if (family.is_right) {
    const bool is_right = family.is_right();
    std::printf(", \"right\": %s", is_right ? "true" : "false");
  }
  const int launches = static_cast<int>(
      std::clamp(kLeastGroupUs / std::max(base_us, 1.0), 1.0, double{kMostLaunches}));
  for (int round = 0; round < kRounds; ++round) {
    for (size_t i = 0; i < all.size(); ++i) {
      // In turns, and from another one each round: what drifts, drifts for all of them.
      Configuration& one = all[(i + 7 * static_cast<size_t>(round)) % all.size()];
      const double us = TimeOf(one, launches, timer);
      if (us < 0) return Report(cudaGetErrorString(cudaPeekAtLastError()));
      one.times_us.push_back(us);
    }
  }
  std::printf(", \"launches\": %d, \"configurations\": [", launches);
  for (size_t i = 0; i < all.size(); ++i) {
    std::printf("%s{\"what\": \"%s\", \"detail\": \"%s\", \"amount\": %d, \"us\": ",
                i == 0 ? "" : ", ", all[i].what.c_str(), all[i].detail.c_str(), all[i].amount);
    PrintTimes(all[i].times_us);
    if (!all[i].same.empty()) {
      std::printf(", \"same\": ");
      PrintIds(all[i].same);
    }
    std::printf("}");
  }
  std::printf("]}\n");
  std::fflush(stdout);
  return true;
}

// Returns false when the context is lost.
bool Run(const Family& family, const Options& options, Timer* timer) {
  const Amounts natural = Natural(family);
  const std::function<void()> launch = [&] { family.launch(natural); };
  timer->Time(launch, 1);
  const double us = timer->Time(launch, 1);
  if (us < 0) {
    std::printf("%s: %s\n", family.name, cudaGetErrorString(cudaPeekAtLastError()));
    cudaGetLastError();
    return cudaDeviceSynchronize() == cudaSuccess;
  }
  const int batch = static_cast<int>(std::clamp(kBatchUs / std::max(us, 5.0), 1.0, 400.0));
  const int64_t most = std::max(options.launches, static_cast<int64_t>(kLeastRunUs / us));
  int64_t launches = 2;
  const double end = Now() + options.seconds;
  while (Now() < end && launches < most) {
    for (int i = 0; i < batch; ++i) launch();
    launches += batch;
    if (cudaDeviceSynchronize() != cudaSuccess) return false;
  }
  std::printf("%s %s: %.1f us, %lld launches\n", family.kernel, family.name, us,
              static_cast<long long>(launches));
  return true;
}

std::vector<Family> AllFamilies(const zoo::Setting& setting) {
  std::vector<Family> all;
  for (const auto make :
       {zoo::StreamFamilies,    zoo::CacheFamilies,     zoo::AccessFamilies,  zoo::PipeFamilies,
        zoo::TensorFamilies,    zoo::WgmmaFamilies,     zoo::BulkFamilies,    zoo::AtomicFamilies,
        zoo::ControlFamilies,   zoo::LatencyFamilies,   zoo::ShapeFamilies,   zoo::ProductFamilies,
        zoo::MatrixFamilies,    zoo::ArrayFamilies,     zoo::PlaneFamilies,   zoo::HostFamilies,
        zoo::PhaseFamilies,     zoo::ClusterFamilies,   zoo::TextureFamilies, zoo::ResidualFamilies,
        zoo::TensorMapFamilies, zoo::AttentionFamilies, zoo::LibraryFamilies}) {
    for (Family& family : make(setting)) all.push_back(std::move(family));
  }
  return all;
}

bool ReadOptions(int count, char** words, Options* options) {
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    if (word == "--list" || word == "--measure" || word == "--run") {
      options->mode = word;
      continue;
    }
    if (i + 1 >= count) return false;
    const char* const value = words[++i];
    if (word == "--seed") {
      options->seed = std::strtoull(value, nullptr, 10);
    } else if (word == "--after") {
      options->after = value;
    } else if (word == "--only") {
      options->only = value;
    } else if (word == "--skip") {
      options->skip = std::string(",") + value + ",";
    } else if (word == "--seconds") {
      options->seconds = std::atof(value);
    } else if (word == "--launches") {
      options->launches = std::atoll(value);
    } else if (word != "--part" ||
               std::sscanf(value, "%d/%d", &options->part, &options->parts) != 2) {
      return false;
    }
  }
  return !options->mode.empty() && options->part >= 0 && options->parts > options->part;
}

// Families of one kind stand together: a part takes every N-th, so that all kinds are in each.
std::vector<Family> Chosen(std::vector<Family> all, const Options& options) {
  if (!options.after.empty()) {
    const auto last = std::find_if(
        all.begin(), all.end(), [&](const Family& family) { return family.name == options.after; });
    all.erase(all.begin(), last == all.end() ? last : last + 1);
  }
  std::vector<Family> chosen;
  for (size_t i = 0; i < all.size(); ++i) {
    const bool in_part = static_cast<int>(i % options.parts) == options.part;
    const bool wanted = options.only.empty() || options.only == all[i].name;
    const bool skipped =
        options.skip.find("," + std::string(all[i].name) + ",") != std::string::npos;
    if (in_part && wanted && !skipped) chosen.push_back(std::move(all[i]));
  }
  return chosen;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  if (!ReadOptions(argc, argv, &options)) {
    std::fprintf(stderr,
                 "zoo --list | --measure [--after NAME]\n"
                 "    | --run [--part I/N] [--seconds S] [--launches L]\n"
                 "    [--seed N] [--only NAME] [--skip A,B]\n");
    return 2;
  }
  if (!HasDevice()) return 0;
  cudaDeviceProp device{};
  CUDA_CHECK(cudaGetDeviceProperties(&device, 0));
  zoo::Draws draws(options.seed);
  zoo::Setting setting;
  setting.sms = device.multiProcessorCount;
  setting.wgmma = device.major == 9;
  setting.draws = &draws;
  Timer timer;
  for (const Family& family : Chosen(AllFamilies(setting), options)) {
    const bool can_run =
        family.only_least ? device.major == family.least_major : device.major >= family.least_major;
    if (!can_run) {
      std::printf("{\"name\": \"%s\", \"skipped\": \"compute capability %d.%d lacks it\"}\n",
                  family.name, device.major, device.minor);
      continue;
    }
    bool goes_on = true;
    if (options.mode == "--list") {
      PrintHead(family);
      std::printf("}\n");
    } else if (options.mode == "--measure") {
      goes_on = Measure(family, &timer);
    } else {
      goes_on = Run(family, options, &timer);
    }
    if (!goes_on) {
      std::fprintf(stderr, "%s: the context is lost\n", family.name);
      return 3;
    }
  }
  return 0;
}
