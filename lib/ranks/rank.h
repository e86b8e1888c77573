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
  std::string kernel;
  int64_t start_ns = 0, end_ns = 0;
  double exposed_ns = 0;  // of that, without another kernel beside it

  double ns() const { return static_cast<double>(end_ns - start_ns); }
};

// The launches of a kernel that is no collective, with one grid and block.
struct Work {
  std::string kernel;
  std::array<uint32_t, 3> grid{}, block{};
  int64_t launches = 0;
  double ns = 0;  // of all of them

  double mean_ns() const { return launches > 0 ? ns / static_cast<double>(launches) : 0; }
};

struct Rank {
  std::string name;  // "rank 3", "pid 71", with "GPU 1" behind it where a process has several
  std::string file, host;
  int32_t number = -1;  // of the launcher; -1: unknown
  uint32_t device = 0;
  std::vector<Collective> collectives;  // in the order of their launches
  // From the start of the first one to the end of the last one.
  double span_ns = 0;
  double compute_ns = 0;  // any other kernel ran
  double exposed_ns = 0;  // collectives alone
  double idle_ns = 0;     // nothing ran: no kernel, no copy
  std::vector<Work> work;
};

}  // namespace prof::ranks

#endif  // PROF_LIB_RANKS_RANK_H_
