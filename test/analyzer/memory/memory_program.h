// SPDX-License-Identifier: Apache-2.0
//
// A memory program allocates and frees in steps, and knows itself what each of its ranges holds.
// Its numbers are drawn from a seed, which is another one in each run; PROF_MEMORY_SEED repeats it.
#ifndef PROF_TEST_ANALYZER_MEMORY_MEMORY_PROGRAM_H_
#define PROF_TEST_ANALYZER_MEMORY_MEMORY_PROGRAM_H_

#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "prof/report.h"
#include "test/support/snapshot_builder.h"

namespace prof::test {

uint32_t MemorySeed();

// Bytes by range. Numbers in the names of steps are left out: "step/load", "(no range)".
using Holds = std::map<std::string, uint64_t>;

class MemoryProgram {
 public:
  explicit MemoryProgram(uint32_t seed);

  int64_t Draw(int64_t least, int64_t most);
  void BeginStep();
  void EndStep();
  // In the range `range` of the step, or in none: "". An address that was freed is often used
  // again.
  uint64_t Allocate(const std::string& range, uint64_t bytes,
                    model::MemoryKind memory = model::MemoryKind::kDevice);
  void Free(uint64_t address);
  void Wait(int64_t ns) { now_ns_ += ns; }

  // Each allocates a few blocks in `range` and frees them before the step ends.
  void Temporaries(const std::string& range);

  Report Analyzed();

  // What the program knows: device memory at its peak, and what was never freed.
  const Holds& at_peak() const { return at_peak_; }
  uint64_t peak_bytes() const { return peak_bytes_; }
  const Holds& live() const { return live_; }
  SnapshotBuilder& builder() { return builder_; }
  int64_t now_ns() const { return now_ns_; }

 private:
  struct Block {
    std::string range;
    uint64_t bytes = 0;
    bool on_device = false;
  };

  std::mt19937 random_;
  SnapshotBuilder builder_;
  bool numbered_ = false;  // "step 17", not "step"
  int64_t steps_ = 0, step_began_ns_ = -1, now_ns_ = 1'000'000;
  uint64_t next_address_ = 0x7f0000000000;
  std::vector<uint64_t> free_addresses_;
  std::map<uint64_t, Block> blocks_;
  Holds live_, at_peak_;
  uint64_t live_bytes_ = 0, peak_bytes_ = 0;
};

// A label of the report without the numbers and the size of its family.
std::string WithoutNumbers(const std::string& label);

// The finding with this id, or nullptr.
const Finding* FindingOf(const Report& report, const std::string& id);

}  // namespace prof::test

#endif  // PROF_TEST_ANALYZER_MEMORY_MEMORY_PROGRAM_H_
