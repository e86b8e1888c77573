// SPDX-License-Identifier: Apache-2.0
//
// The waiting graphs are the CUDA graphs with a node that may wait for other GPUs or for the host.
// A counter range around such a graph could hang the program.
#ifndef PROF_CUPTI_BACKEND_CALLS_WAITING_GRAPHS_H_
#define PROF_CUPTI_BACKEND_CALLS_WAITING_GRAPHS_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <unordered_set>

#include "cupti_backend/api/cupti_api.h"
#include "lib/capture/process/mutex.h"

namespace prof::cupti {

// There is one for the life of the process. It knows graphs that were built while callbacks were
// on, and the kernels that were captured; the names of kernels that were added as nodes one by one
// are not known.
class WaitingGraphs {
 public:
  static constexpr size_t kMostNodes = 1 << 16;

  explicit WaitingGraphs(const CuptiApi* api, size_t most = kMostNodes) : api_(api), most_(most) {}

  // Any resource callback, on the program's threads: see GraphNodes. `kernel`: the name of the
  // kernel that this thread is launching, or nullptr. No exception gets out.
  void OnResource(CUpti_CallbackId cbid, const CUpti_ResourceData& data,
                  const char* kernel) noexcept;

  // A launching thread: the graph holds a node that may wait. One load while there is no such
  // graph, else a short mutex.
  [[nodiscard]] bool Waits(CUgraphExec graph) const;

 private:
  void OnCreated(const CUpti_GraphData& data, const char* kernel);
  void OnCloned(const CUpti_GraphData& data);
  void OnDestroyed(uint32_t graph);
  void Add(const CUpti_GraphData& data);

  const CuptiApi* const api_;
  const size_t most_;
  std::atomic<bool> any_{false};
  std::atomic<bool> all_{false};  // too many to know

  mutable capture::Mutex mutex_;  // never held across a call to CUPTI
  std::unordered_map<uint64_t, uint32_t> nodes_ PROF_GUARDED_BY(mutex_);  // their graphs
  std::unordered_set<uint32_t> graphs_ PROF_GUARDED_BY(mutex_);           // and executable graphs
};

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_CALLS_WAITING_GRAPHS_H_
