// SPDX-License-Identifier: Apache-2.0
//
// A program with a planted trouble, simulated: a host with a clock, a GPU with streams, and prof in
// between, who may hold launches up. A run is drawn from a seed; the same seed with and without
// prof is the same program.
#ifndef PROF_TEST_ANALYZER_TIMELINE_PLANTED_PROGRAM_H_
#define PROF_TEST_ANALYZER_TIMELINE_PLANTED_PROGRAM_H_

#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "prof/report.h"
#include "test/support/snapshot_builder.h"

namespace prof::test {

// What prof does to the program.
struct PlantedProf {
  bool setup = false;            // 0.3 s at the beginning, in which launches do not return
  int changes = 0;               // changes of the counters of 7 to 60 ms each
  double sampled_share = 0;      // of the launches, each in a counter range
  int64_t pause_ns = 1'000'000;  // between two samples
  bool own_thread = true;        // setup and changes run on a thread of prof's; else in a launch
  int64_t slower_launch_ns = 0;  // from the first to the last of prof's work
  bool waits = true;             // a range waits for the GPU on the host (SM counters), 1 ms in all
};

class PlantedProgram {
 public:
  PlantedProgram(uint32_t seed, const PlantedProf& prof);

  // --- For the programs --------------------------------------------------------------------------
  // A number of the program, drawn by the seed.
  int64_t Draw(int64_t least, int64_t most);
  uint32_t Shape(const std::string& name) { return builder_.Shape(name, {1320}, {256}); }
  void Work(int64_t host_ns) { host_ns_ += Jitter(host_ns); }  // host code
  void Kernel(uint32_t shape, int64_t length_ns, uint32_t stream = 7);
  // One launch of a graph of `nodes` kernels, one behind the other.
  void Graph(uint32_t shape, int64_t node_ns, int nodes);
  enum class CopyHow { kSync, kAsync, kPageable };
  void Copy(model::CopyKind kind, uint64_t bytes, CopyHow how, uint32_t stream = 7);
  // A call that returns after all work of the stream, and then takes `more_ns`.
  void Wait(const char* name, int64_t more_ns = 2'000, uint32_t stream = 7);
  // What comes next on `stream` runs after all that `other` has now.
  void WaitOnDevice(uint32_t stream, uint32_t other);
  void Enter(const std::string& range);
  void Leave();

  int64_t host_ns() const { return host_ns_; }
  Report Analyzed();

 private:
  struct Hold {
    int64_t begin_ns = 0, length_ns = 0;
    model::ProfilerWork work = model::ProfilerWork::kRotate;
    bool done = false;
  };
  struct Started {
    Launch how;
    int64_t earliest_ns = 0;  // of the operation on the GPU
    bool sampled = false;
    int64_t sample_begin_ns = 0;
  };

  int64_t Jitter(int64_t ns);
  void HoldLaunch();
  Started Begin(const char* api, int64_t call_ns, uint32_t stream, bool may_be_sampled);
  void End(const Started& started, uint32_t correlation, int64_t op_end_ns);
  int64_t Idle() const;  // when all streams have run dry

  PlantedProf prof_;
  std::mt19937 random_;       // the program's
  std::mt19937 prof_random_;  // prof's: the program's numbers stay what they are
  SnapshotBuilder builder_;
  int64_t host_ns_ = 1'000'000;
  std::map<uint32_t, int64_t> streams_;  // when each runs dry
  int64_t not_before_ns_ = 0;            // the GPU works on a counter range until then
  int64_t next_sample_ns_ = 0;
  std::vector<Hold> holds_;
  std::vector<std::pair<std::string, int64_t>> ranges_;
};

// The programs by name; without prof each runs for about 0.12 s.
struct PlantedKind {
  const char* name;
  void (*run)(PlantedProgram* program);
};
const std::vector<PlantedKind>& PlantedKinds();

}  // namespace prof::test

#endif  // PROF_TEST_ANALYZER_TIMELINE_PLANTED_PROGRAM_H_
