// SPDX-License-Identifier: Apache-2.0
#include "known_phases.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <numeric>
#include <random>
#include <sstream>
#include <utility>

#include "cuda_check.h"

namespace {

constexpr double kSecondsPerWait = 0.005;
constexpr int kMostPerWait = 1000;

// One launch, then `waits` times `per_wait` launches and a wait for the GPU.
struct Phase {
  int waits = 0, per_wait = 0;
};

double Now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double Launch(const KnownKernel& kernel, int launches) {
  const double start = Now();
  for (int i = 0; i < launches; ++i) kernel.launch();
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaDeviceSynchronize());
  return Now() - start;
}

// A plan of no waits is filled.
void Run(const KnownKernel& kernel, double seconds, Phase& phase) {
  const double start = Now();
  const double one_s = std::max(Launch(kernel, 1), 1e-7);
  if (phase.waits > 0) {
    for (int i = 0; i < phase.waits; ++i) Launch(kernel, phase.per_wait);
    return;
  }
  phase.per_wait = std::clamp(static_cast<int>(kSecondsPerWait / one_s), 1, kMostPerWait);
  for (; Now() - start < seconds || phase.waits == 0; ++phase.waits) {
    Launch(kernel, phase.per_wait);
  }
}

std::vector<size_t> Order(size_t count, uint64_t seed) {
  std::vector<size_t> order(count);
  std::iota(order.begin(), order.end(), size_t{0});
  std::mt19937_64 random(seed);
  for (size_t i = count; i > 1; --i) std::swap(order[i - 1], order[random() % i]);
  return order;
}

// "12x40,3x1": waits x launches of each phase.
std::vector<Phase> Parse(const std::string& plan) {
  std::vector<Phase> phases;
  std::istringstream words(plan);
  for (std::string word; std::getline(words, word, ',');) {
    Phase phase;
    if (std::sscanf(word.c_str(), "%dx%d", &phase.waits, &phase.per_wait) != 2) return {};
    phases.push_back(phase);
  }
  return phases;
}

std::string Text(const std::vector<Phase>& phases) {
  std::string text;
  for (const Phase& phase : phases) {
    text += (text.empty() ? "" : ",") + std::to_string(phase.waits) + "x" +
            std::to_string(phase.per_wait);
  }
  return text;
}

}  // namespace

bool RunPhases(const std::vector<KnownKernel>& kernels, const PhaseOptions& options) {
  std::vector<Phase> phases = Parse(options.plan);
  if (options.plan.empty()) phases.resize(kernels.size());
  if (phases.size() != kernels.size()) {
    std::fprintf(stderr, "the plan has %zu phases for %zu kernels\n", phases.size(),
                 kernels.size());
    return false;
  }
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  const std::vector<size_t> order = Order(kernels.size(), options.seed);
  const double start = Now();
  for (size_t i = 0; i < order.size(); ++i) {
    const KnownKernel& kernel = kernels[order[i]];
    const double begin = Now();
    Run(kernel, options.seconds, phases[i]);
    rows.push_back({{"kernel", kernel.name},
                    {"limiters", kernel.limiters},
                    {"launches", 1 + phases[i].waits * phases[i].per_wait},
                    {"seconds", Now() - begin}});
  }
  const nlohmann::ordered_json line = {
      {"loop_s", Now() - start}, {"plan", Text(phases)}, {"phases", std::move(rows)}};
  std::printf("[phases] %s\n", line.dump().c_str());
  return true;
}
