// SPDX-License-Identifier: Apache-2.0
//
// One block after another into a model. Every id, length and time of a block is checked here, so
// that nothing behind the reader has to.
#ifndef PROF_LIB_SNAPSHOT_DECODE_DECODER_H_
#define PROF_LIB_SNAPSHOT_DECODE_DECODER_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "lib/snapshot/model/model.h"

namespace prof::wire {
class AllocationColumns;
class ApiColumns;
class Block;
class KernelColumns;
class PmColumns;
class PoolStateColumns;
class RangeColumns;
}  // namespace prof::wire

namespace prof::internal {

// Times beyond this (the year 2116) are damage. Any two valid times can be subtracted.
constexpr int64_t kMaxTime = int64_t{1} << 62;
// Deeper nesting is damage; it also bounds the work per range step.
constexpr uint32_t kMaxDepth = 1024;
constexpr size_t kMaxDevices = 1024;
constexpr size_t kMaxPmSeries = 1024;

class Decoder {
 public:
  explicit Decoder(model::Model* model) : model_(model) {}

  // Adds a block whose encoded size is `bytes`: all of it, or on an error nothing of it.
  absl::Status Add(const wire::Block& block, size_t bytes);

  // After the last block: names that came after the threads that they name.
  void NameThreads();

  uint64_t trailer_blocks() const { return trailer_blocks_; }

 private:
  // How many steps a thread had before the block, or before others of the block.
  struct StepsBefore {
    uint32_t thread;
    size_t steps;
  };
  struct Lane {
    uint32_t device = 0, context = 0, stream = 0, channel = 0;
    model::ChannelType channel_type = model::ChannelType::kUnknown;
  };

  absl::Status AddTables(const wire::Block& block);
  absl::Status AddDevices(const wire::Block& block);
  absl::Status AddPaths(const wire::Block& block);
  absl::Status AddShapes(const wire::Block& block);
  absl::Status AddKernels(const wire::Block& block);
  absl::Status AddCopies(const wire::Block& block);
  absl::Status AddMemsets(const wire::Block& block);
  absl::Status AddAllocations(const wire::Block& block);
  absl::Status AddPoolOperations(const wire::Block& block);
  absl::Status AddUnifiedMemory(const wire::Block& block);
  // A row of Model::pool_states for each of `columns`, without what they do not say.
  absl::Status AddPoolStates(const wire::PoolStateColumns& columns, int rows);
  absl::Status AddGraphRuns(const wire::Block& block);
  absl::Status AddSyncs(const wire::Block& block);
  absl::Status AddApiCalls(const wire::Block& block);
  absl::Status AddOverheads(const wire::Block& block);
  absl::Status AddRanges(const wire::Block& block);
  // The columns of version 1 of the format, and of version 2.
  absl::Status AddListedKernels(const wire::KernelColumns& columns);
  absl::Status AddListedApiCalls(const wire::ApiColumns& columns);
  absl::Status AddListedSteps(const wire::RangeColumns& steps);
  absl::Status AddGuessedKernels(const wire::KernelColumns& columns);
  absl::Status AddGuessedApiCalls(const wire::ApiColumns& columns);
  absl::Status AddGuessedSteps(const wire::RangeColumns& steps);
  absl::Status AddMarks(const wire::Block& block);
  absl::Status AddNames(const wire::Block& block);
  absl::Status AddGraphNodes(const wire::Block& block);
  absl::Status AddSamples(const wire::Block& block);
  absl::Status AddPmSeries(const wire::Block& block);
  absl::Status AddPmSamples(const wire::PmColumns& columns);
  void AddClosing(const wire::Block& block);
  // Adds a range step of which the thread is known.
  void AddStep(uint32_t thread, int64_t time_ns, uint32_t path) {
    std::vector<model::RangeStep>& steps = model_->steps[thread];
    if (steps_before_.empty() || steps_before_.back().thread != thread) {
      steps_before_.push_back({thread, steps.size()});
    }
    steps.emplace_back(time_ns, path);
  }
  void TakeStepsBack();

  // Copies string `id` into `to`. Names repeat in the model but not in the file, so a small hostile
  // file could ask for any amount of memory: the copies of all blocks share a budget.
  absl::Status CopyString(const char* what, uint32_t id, std::string* to);
  absl::Status Spend(size_t bytes);

  model::Model* model_;
  std::vector<Lane> lanes_{Lane{}};
  std::vector<uint32_t> depths_{0};                             // of range paths
  std::vector<std::pair<uint32_t, std::string>> thread_names_;  // tids; the last one counts
  std::vector<StepsBefore> steps_before_;                       // of the block
  size_t spent_ = 0, budget_ = size_t{64} << 20;
  uint64_t trailer_blocks_ = 0;
};

}  // namespace prof::internal

#endif  // PROF_LIB_SNAPSHOT_DECODE_DECODER_H_
