// SPDX-License-Identifier: Apache-2.0
#include "test/ranks/job.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <string>

namespace prof::ranks::test {
namespace {

class Running {
 public:
  Running(const JobOptions& options, uint32_t seed)
      : options_(options), random_(seed), at_ns_(options.ranks, 1e6), ranks_(options.ranks) {
    for (size_t r = 0; r < ranks_.size(); ++r) {
      Rank& rank = ranks_[r];
      rank.name = "rank " + std::to_string(r);
      rank.number = static_cast<int32_t>(r);
      rank.pid = static_cast<uint32_t>(100 + r);
      rank.names = {"ncclDevKernel_AllReduce"};
      rank.file = "rank" + std::to_string(r) + ".prof";
      rank.host = options.one_host ? "node" : "node" + std::to_string(r);
      clock_ns_.push_back(options.one_host ? 0 : Uniform(-5e6, 5e6));
      for (const char* const name : {"gemm", "softmax"}) {
        Work work;
        work.kernel = name;
        work.grid = {132, 1, 1};
        work.block = {256, 1, 1};
        rank.work.push_back(work);
      }
    }
  }

  std::vector<Rank> Run() {
    factors_.resize(ranks_.size());
    compute_ns_.resize(ranks_.size());
    idle_ns_.resize(ranks_.size());
    for (int step = 0; step < options_.steps; ++step) {
      for (double& factor : factors_) factor = std::max(0.2, 1 + Normal(options_.step_jitter));
      step_ = step;
      if (step == options_.steps / 2) {
        at_ns_[options_.stalled] += options_.stall_ns;
        idle_ns_[options_.stalled] += options_.stall_ns;
      }
      for (int i = 0; i < options_.collectives; ++i) {
        for (size_t r = 0; r < ranks_.size(); ++r) Compute(r);
        Meet();
      }
    }
    return ranks_;
  }

 private:
  double Uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random_);
  }
  double Normal(double deviation) {
    return deviation > 0 ? std::normal_distribution<double>(0, deviation)(random_) : 0;
  }

  void Compute(size_t r) {
    const bool is_planted = step_ >= options_.from_step && r >= options_.straggler &&
                            r < options_.straggler + options_.planted;
    int launches = options_.kernels / options_.collectives;
    if (is_planted) launches += static_cast<int>(std::lround(options_.more * launches));
    Rank& rank = ranks_[r];
    for (int i = 0; i < launches; ++i) {
      const double gap_ns =
          options_.gap_ns * (1 + Normal(options_.jitter)) * (is_planted ? 1 + options_.later : 1);
      const double kernel_ns = options_.kernel_ns * factors_[r] * (1 + Normal(options_.jitter)) *
                               (is_planted ? 1 + options_.slower : 1);
      at_ns_[r] += gap_ns + kernel_ns;
      if (rank.collectives.empty()) continue;  // before the first one
      idle_ns_[r] += gap_ns;
      compute_ns_[r] += kernel_ns;
      Work& work = rank.work[static_cast<size_t>(i) % rank.work.size()];
      ++work.launches;
      work.ns += kernel_ns;
    }
  }

  void Meet() {
    const double last_ns = *std::max_element(at_ns_.begin(), at_ns_.end());
    const double end_ns = last_ns + options_.transfer_ns * (1 + Normal(0.02));
    for (size_t r = 0; r < ranks_.size(); ++r) {
      Collective one;
      one.start_ns = std::llround(at_ns_[r] + clock_ns_[r]);
      one.end_ns = std::llround(end_ns + clock_ns_[r] + Uniform(-1e3, 1e3));
      one.exposed_ns = one.ns();
      one.compute_ns = compute_ns_[r];
      one.idle_ns = idle_ns_[r];
      ranks_[r].collectives.push_back(one);
      at_ns_[r] = end_ns;
    }
  }

  const JobOptions& options_;
  int step_ = 0;
  std::mt19937 random_;
  std::vector<double> at_ns_, clock_ns_, factors_, compute_ns_, idle_ns_;
  std::vector<Rank> ranks_;
};

}  // namespace

std::vector<Rank> RunJob(const JobOptions& options, uint32_t seed) {
  return Running(options, seed).Run();
}

}  // namespace prof::ranks::test
