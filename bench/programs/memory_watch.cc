// SPDX-License-Identifier: Apache-2.0
#include "memory_watch.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <sstream>

namespace {

constexpr long kGrownKib = 256;

double ResidentMib() {
  size_t all = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> all >> resident;
  return static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1 << 20);
}

}  // namespace

MemoryWatch::MemoryWatch(int seconds) : thread_([this, seconds] { Watch(seconds); }) {}

MemoryWatch::~MemoryWatch() {
  done_ = true;
  if (thread_.joinable()) thread_.join();
}

void MemoryWatch::Watch(int seconds) {
  for (int second = 0; !done_; ++second) {
    resident_mib_.push_back(ResidentMib());
    if (second == seconds / 5) early_ = ReadMappings();
    for (int i = 0; i < 10 && !done_; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
  }
}

MemoryWatch::Mappings MemoryWatch::ReadMappings() {
  Mappings mappings;
  std::ifstream file("/proc/self/smaps");
  Mapping* at = nullptr;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string first, word;
    words >> first;
    if (!first.empty() && first.back() == ':') {
      if (at != nullptr && first == "Size:") words >> at->mapped_kib;
      if (at != nullptr && first == "Rss:") words >> at->resident_kib;
      continue;
    }
    // address permissions offset device inode [name]
    at = &mappings[first.substr(0, first.find('-'))];
    for (int i = 0; i < 5; ++i) words >> word;
    if (!(words >> at->name)) at->name = "anonymous";
  }
  return mappings;
}

void MemoryWatch::Print() {
  done_ = true;
  thread_.join();
  std::printf("[memory] seconds %zu", resident_mib_.size());
  for (size_t tenth = 0; tenth < 10; ++tenth) {
    const auto at = [&](size_t i) {
      return resident_mib_.begin() + static_cast<long>(i * resident_mib_.size() / 10);
    };
    const double most =
        at(tenth) == at(tenth + 1) ? 0 : *std::max_element(at(tenth), at(tenth + 1));
    std::printf(" resident_mib_%zu %.1f", tenth + 1, most);
  }
  std::printf("\n");
  for (const auto& [address, now] : ReadMappings()) {
    const auto before = early_.find(address);
    const long was_kib = before == early_.end() ? 0 : before->second.resident_kib;
    if (now.resident_kib - was_kib < kGrownKib) continue;
    std::printf("[mapping] %s %ld KiB mapped, %ld to %ld KiB resident\n", now.name.c_str(),
                now.mapped_kib, was_kib, now.resident_kib);
  }
}
