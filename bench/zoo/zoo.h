// SPDX-License-Identifier: Apache-2.0
//
// A Family is a kernel whose use of each resource can be changed alone. The program `zoo` measures
// how its time follows the changes; nothing here knows a counter or a rule of prof.
#ifndef PROF_BENCH_ZOO_ZOO_H_
#define PROF_BENCH_ZOO_ZOO_H_

#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

namespace zoo {

// How much of each knob one launch uses, in the order of Family::knobs.
using Amounts = std::vector<int>;

// A dose. The program runs the kernel with natural - step, natural and natural + step; where
// nothing can be taken away (`one_sided`) with natural, natural + step and natural + 2 * step. The
// step of "warps" is negative.
struct Knob {
  // "dram", "l2", "l1", "shared", "fma", "fp64", "fp16", "alu", "sfu", "tensor", "issue",
  // "atomics" (on global memory), "shared-atomics", "barrier", "constant", "icache", "link" (to the
  // host, or to the shared memory of another SM): a resource. "chain": dependent steps.
  // "parallel": the same work beside it on the SMs, in more blocks. "warps": those that an SM has
  // at a time (warps_knob.h): `launch` asks for Padding(), and does not look at the amount.
  const char* resource;
  int natural;
  int step;
  bool one_sided = false;
  const void* kernel = nullptr;  // of "warps", and its threads a block
  int threads = 0;
};

// The same useful work in another way. "fix": what a good adviser would change; "decoy": advice
// that is right for another kernel.
struct Variant {
  const char* kind;
  const char* action;  // the id that prof gives this advice
  std::function<void()> launch;
  std::vector<const char*> same{};  // other ids of the same change
};

struct Family {
  const char* kernel;  // its name in a recording, which gives nothing away
  const char* name;
  std::vector<Knob> knobs;
  std::function<void(const Amounts&)> launch;
  std::vector<Variant> variants;
  const char* cause =
      "";  // the waste or the shape that the author planted: an id of a rule of prof
  std::function<bool()> is_right;  // after launches; empty: its result has no meaning
  int least_major = 7;             // the lowest major compute capability that has its instructions
  bool only_least = false;         // no other has them
};

// Sizes are drawn from a seed and the name of the family, so that no rule can be tuned to them.
class Draws {
 public:
  explicit Draws(uint64_t seed) : seed_(seed) {}
  void Begin(const char* family) {
    uint64_t hash = 1469598103934665603ull ^ seed_;  // FNV-1a
    for (const char* at = family; *at != 0; ++at) {
      hash = (hash ^ static_cast<unsigned char>(*at)) * 1099511628211ull;
    }
    state_.seed(hash);
  }
  // 0.75 to 1.25 of `value`, a multiple of `unit`.
  int Near(int value, int unit = 1) {
    const int units = value / unit, least = units - units / 4, most = units + units / 4;
    return unit * (least + static_cast<int>(state_() % static_cast<uint64_t>(most - least + 1)));
  }
  int OneOf(const std::vector<int>& values) { return values[state_() % values.size()]; }

 private:
  uint64_t seed_;
  std::mt19937_64 state_;
};

// What a file of families gets.
struct Setting {
  int sms = 0;
  bool wgmma = false;  // the device is of major compute capability 9
  Draws* draws = nullptr;
};

std::vector<Family> StreamFamilies(const Setting& setting);
std::vector<Family> CacheFamilies(const Setting& setting);
std::vector<Family> AccessFamilies(const Setting& setting);
std::vector<Family> PipeFamilies(const Setting& setting);
std::vector<Family> TensorFamilies(const Setting& setting);
std::vector<Family> WgmmaFamilies(const Setting& setting);
std::vector<Family> BulkFamilies(const Setting& setting);
std::vector<Family> AtomicFamilies(const Setting& setting);
std::vector<Family> ControlFamilies(const Setting& setting);
std::vector<Family> LatencyFamilies(const Setting& setting);
std::vector<Family> ShapeFamilies(const Setting& setting);
std::vector<Family> ProductFamilies(const Setting& setting);
std::vector<Family> MatrixFamilies(const Setting& setting);
std::vector<Family> ArrayFamilies(const Setting& setting);
std::vector<Family> PlaneFamilies(const Setting& setting);
std::vector<Family> HostFamilies(const Setting& setting);
std::vector<Family> PhaseFamilies(const Setting& setting);
std::vector<Family> ClusterFamilies(const Setting& setting);
std::vector<Family> TextureFamilies(const Setting& setting);
std::vector<Family> ResidualFamilies(const Setting& setting);
std::vector<Family> TensorMapFamilies(const Setting& setting);
std::vector<Family> AttentionFamilies(const Setting& setting);
std::vector<Family> LibraryFamilies(const Setting& setting);

}  // namespace zoo

#endif  // PROF_BENCH_ZOO_ZOO_H_
