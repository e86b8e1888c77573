// SPDX-License-Identifier: Apache-2.0
//
// A MemoryWatch measures the resident memory of this process over time, and which mappings grew.
#ifndef PROF_BENCH_PROGRAMS_MEMORY_WATCH_H_
#define PROF_BENCH_PROGRAMS_MEMORY_WATCH_H_

#include <atomic>
#include <map>
#include <string>
#include <thread>
#include <vector>

class MemoryWatch {
 public:
  // Measures once a second until Print(), which comes about `seconds` later.
  explicit MemoryWatch(int seconds);
  ~MemoryWatch();

  // Prints "[memory] seconds N resident_mib_1 X ... resident_mib_10 X", the most in each tenth of
  // the time, and "[mapping] NAME KIB mapped, FROM to TO KIB resident" for each mapping that grew
  // by 256 KiB or more after the second tenth.
  void Print();

 private:
  struct Mapping {
    std::string name;
    long mapped_kib = 0, resident_kib = 0;
  };
  using Mappings = std::map<std::string, Mapping>;  // by first address

  static Mappings ReadMappings();
  void Watch(int seconds);

  std::vector<double> resident_mib_;
  Mappings early_;
  std::atomic<bool> done_{false};
  std::thread thread_;  // last: it uses the others
};

#endif  // PROF_BENCH_PROGRAMS_MEMORY_WATCH_H_
