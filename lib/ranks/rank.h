// SPDX-License-Identifier: Apache-2.0
//
// A rank, as one recording shows it: its collectives, and what its GPU did between the first and
// the last of them.
#ifndef PROF_LIB_RANKS_RANK_H_
#define PROF_LIB_RANKS_RANK_H_

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace prof::ranks {

// A kernel of NCCL: it waits for the other ranks, and moves data.
struct Collective {
  uint32_t name = 0;                  // of Rank::names
  int64_t start_ns = 0, end_ns = -1;  // it ends before it starts: its time is not known
  // Of that, nothing else ran beside it, nor an earlier collective.
  double exposed_ns = 0;
  // Of it, other kernels ran beside it. They had what its blocks left: it holds the part `sm_share`
  // of the SMs, 0..1, also while it waits.
  double beside_ns = 0, sm_share = 0;
  // From the start of the first collective to the end of this one: any other kernel ran; nothing
  // ran, no kernel and no copy, and prof did not hold the rank up.
  double compute_ns = 0, idle_ns = 0;
  // prof held the rank up since the collective before: who waits for whom is no evidence.
  bool held = false;

  bool is_timed() const { return end_ns > start_ns; }
  double ns() const { return static_cast<double>(end_ns - start_ns); }
};

// The launches of a kernel that is no collective, with one grid and block.
struct Work {
  std::string kernel;  // in full
  std::array<uint32_t, 3> grid{}, block{};
  int64_t launches = 0;
  double ns = 0;  // of all of them

  double mean_ns() const { return launches > 0 ? ns / static_cast<double>(launches) : 0; }
};

struct Rank {
  std::string name;  // "rank 3", "pid 71", with "GPU 1" behind it where a process has several
  std::string file, host;
  int32_t number = -1;  // of the launcher; -1: unknown
  uint32_t pid = 0, device = 0;
  // The median of PM samples between the first and the last collective. 0: fewer than 20 read it.
  double sm_clock_hz = 0;
  std::vector<std::string> names;       // of collectives
  std::vector<Collective> collectives;  // in the order of their launches; at least one is timed
  std::vector<Work> work;               // between the first and the last of them
};

}  // namespace prof::ranks

#endif  // PROF_LIB_RANKS_RANK_H_
