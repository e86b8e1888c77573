// SPDX-License-Identifier: Apache-2.0
#include "test/analyzer/memory/memory_program.h"

#include <cstdlib>
#include <regex>

#include "prof/analyzer.h"
#include "test/support/catch.h"

namespace prof::test {

uint32_t MemorySeed() {
  static const uint32_t seed = [] {
    const char* const given = std::getenv("PROF_MEMORY_SEED");
    return given != nullptr ? static_cast<uint32_t>(std::atoi(given)) : std::random_device()();
  }();
  return seed;
}

MemoryProgram::MemoryProgram(uint32_t seed) : random_(seed) { numbered_ = Draw(0, 1) == 1; }

int64_t MemoryProgram::Draw(int64_t least, int64_t most) {
  return std::uniform_int_distribution<int64_t>(least, most)(random_);
}

void MemoryProgram::BeginStep() {
  now_ns_ += Draw(1'000, 50'000);
  step_began_ns_ = now_ns_;
  ++steps_;
}

void MemoryProgram::EndStep() {
  now_ns_ += Draw(10'000, 200'000);
  const std::string name = numbered_ ? "step " + std::to_string(steps_) : "step";
  builder_.Range(name, step_began_ns_, now_ns_);
  step_began_ns_ = -1;
}

uint64_t MemoryProgram::Allocate(const std::string& range, uint64_t bytes,
                                 model::MemoryKind memory) {
  now_ns_ += Draw(1'000, 50'000);
  uint64_t address = next_address_;
  if (!free_addresses_.empty() && Draw(0, 1) == 1) {
    address = free_addresses_.back();
    free_addresses_.pop_back();
  } else {
    next_address_ += 1ULL << 36;
  }
  const int64_t entered_ns = now_ns_;
  now_ns_ += Draw(2'000, 10'000);  // the call begins 1 us before its record
  MemoryUse use;
  use.memory = memory;
  builder_.Allocate(address, bytes, "", now_ns_, use);
  now_ns_ += 10'000;
  std::string owner = "(no range)";
  if (!range.empty()) {
    const std::string step = numbered_ ? "step " + std::to_string(steps_) : "step";
    const std::string outer = step_began_ns_ >= 0 ? step + "/" : "";
    builder_.Range(outer + range, entered_ns, now_ns_);
    owner = (step_began_ns_ >= 0 ? "step/" : "") + range;
  } else if (step_began_ns_ >= 0) {
    owner = "step";
  }
  const bool on_device = memory == model::MemoryKind::kDevice;
  blocks_[address] = {owner, bytes, on_device};
  if (!on_device) return address;
  live_[owner] += bytes;
  live_bytes_ += bytes;
  if (live_bytes_ > peak_bytes_) {
    peak_bytes_ = live_bytes_;
    at_peak_ = live_;
  }
  return address;
}

void MemoryProgram::Free(uint64_t address) {
  now_ns_ += Draw(10'000, 50'000);
  builder_.Free(address, now_ns_);
  now_ns_ += 10'000;
  const Block block = blocks_.at(address);
  blocks_.erase(address);
  free_addresses_.push_back(address);
  if (!block.on_device) return;
  live_bytes_ -= block.bytes;
  live_[block.range] -= block.bytes;
  if (live_[block.range] == 0) live_.erase(block.range);
}

void MemoryProgram::Temporaries(const std::string& range) {
  std::vector<uint64_t> addresses;
  for (int64_t i = Draw(1, 5); i > 0; --i) {
    addresses.push_back(Allocate(range, static_cast<uint64_t>(Draw(1, 4'000'000'000))));
  }
  for (const uint64_t address : addresses) Free(address);
}

Report MemoryProgram::Analyzed() {
  builder_.Kernel(builder_.Shape("k", {132}, {256}), "", 900'000, now_ns_);
  Report report = Analyze(builder_.Snapshot(2));
  INFO(report.error);
  REQUIRE(report.error.empty());
  return report;
}

std::string WithoutNumbers(const std::string& label) {
  return std::regex_replace(std::regex_replace(label, std::regex(" \\([0-9]+ ranges\\)"), ""),
                            std::regex("step ([0-9]+|\\*)"), "step");
}

const Finding* FindingOf(const Report& report, const std::string& id) {
  for (const Finding& finding : report.findings) {
    if (finding.id == id) return &finding;
  }
  return nullptr;
}

}  // namespace prof::test
