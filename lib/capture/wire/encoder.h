// SPDX-License-Identifier: Apache-2.0
//
// The encoder turns events into the blocks of snapshot.proto. The collector thread alone uses it.
// entry_tables.h gives ids to what events name again and again.
#ifndef PROF_LIB_CAPTURE_WIRE_ENCODER_H_
#define PROF_LIB_CAPTURE_WIRE_ENCODER_H_

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "lib/capture/events/event_sink.h"
#include "lib/capture/events/events.h"
#include "lib/capture/events/header_event.h"
#include "lib/capture/events/range_path.h"
#include "lib/capture/process/clock.h"
#include "lib/capture/wire/block_sink.h"
#include "lib/capture/wire/entry_tables.h"
#include "lib/capture/wire/kept_samples.h"
#include "prof/snapshot.h"

namespace prof::capture {

class Encoder final : public EventSink {
 public:
  // Finished blocks go to `sink`, which outlives the encoder.
  explicit Encoder(BlockSink* sink);
  ~Encoder() override;
  Encoder(const Encoder&) = delete;
  Encoder& operator=(const Encoder&) = delete;

  uint32_t NameId(std::string_view name) override { return tables_.Intern(name); }
  LaunchId IdOf(const KernelEvent& launch) override;

  void Add(const HeaderEvent& event);
  void Add(const DeviceEvent& event) override;
  void Add(const RangePathInfo& path);  // ids count from 1 without holes
  // Ids of frames and of stacks count from 1 without holes. A stack comes after its frame and its
  // parent, and before the calls and nodes that name it.
  void Add(const HostFrameEvent& frame);
  void Add(const HostStackEvent& stack);
  void Add(const HostSampleEvent& sample);
  void Add(const TensorEvent& event);
  bool HasPath(uint32_t id) const override { return id <= range_paths_; }
  void Add(const PassGroupEvent& group) override;
  void Add(const PmSeriesEvent& series) override;
  void Add(const KernelEvent& event) override;
  void Add(const KnownKernelEvent& event) override;
  void Add(const UntracedKernelEvent& event) override;
  void Add(const LaunchCountEvent& event) override;
  void Add(const CopyEvent& event) override;
  void Add(const MemsetEvent& event) override;
  void Add(const AllocationEvent& event) override;
  void Add(const PoolEvent& event) override;
  void Add(const UnifiedMemoryEvent& event) override;
  void Add(const GpuStateEvent& event) override;
  void Add(const GraphRunEvent& event) override;
  void Add(const StreamEvent& event) override;
  void Add(const GraphNodeEvent& event) override;
  void Add(const SyncEvent& event) override;
  void Add(const ApiEvent& event) override;
  void Add(const OverheadEvent& event) override;
  void Add(const TorchShapesInfo& shapes);
  void Add(uint32_t tid, const RangeEvent& event);
  void Add(const SpanEvent& event);
  void Add(const MarkEvent& event);
  void Add(const PayloadEvent& event);
  // The row of its owner is the next one that is added.
  void Add(const NumberEvent& event);
  void Add(const NameEvent& event);
  void Add(const CounterSampleEvent& event) override;
  // Samples without a time, or of a series that is not known, are counted as lost.
  void Add(const PmBatchEvent& batch) override;
  void Add(const ProfilerIntervalEvent& event) override;
  void Add(const NoticeEvent& event) override;
  void Add(const ClockPair& clocks);

  // Adds the encoder's own losses, and the kernels and the host time that it has seen.
  void AddCounts(Integrity& integrity) const;

  // The rows of the block under construction.
  [[nodiscard]] size_t pending_rows() const;
  // Whether there is anything to write but integrity.
  [[nodiscard]] bool has_events() const;

  // Ends the block under construction and hands it to the sink.
  void WriteBlock(const Integrity& integrity);
  // Calls WriteBlock when the block has grown to about 128 KiB, with the integrity of the block
  // before. Called between buffers, so that blocks stay far below the format's limit.
  void WriteIfLarge() override;
  // From now on blocks go to `sink`, which has all blocks before.
  void SetSink(BlockSink* sink);
  // Ends the recording: the last block, with the trailer.
  void WriteLastBlock(const Integrity& integrity, int64_t end_ns);

 private:
  // A stack that is not in the table is none.
  uint32_t KnownStack(uint32_t id) const { return id <= host_stacks_ ? id : 0; }
  void AddShapes(uint32_t id);  // of the row that comes next
  void RepeatOpenRanges();
  void RememberLaunch(const KnownKernelEvent& event);  // for its samples
  void WriteKeptSamples(bool all);

  BlockSink* sink_;
  bool repeats_open_ranges_;  // in each block, because the sink may drop the one before
  std::unique_ptr<KeptSamples> kept_samples_;  // null: no block is ever dropped
  std::unique_ptr<BlockColumns> columns_;      // the block under construction
  EntryTables tables_;
  std::string payload_;              // of the last block, kept for its memory
  std::vector<PmLayout> pm_series_;  // by id - 1
  // By thread id - 1: of ranges, and of ops of PyTorch.
  std::vector<RangeEvent> last_steps_, last_torch_steps_;
  std::unordered_map<uint32_t, uint32_t> torch_shapes_;  // string ids, by TorchShapesInfo::id
  std::vector<bool> torch_paths_;  // by path id; filled where open ranges are repeated
  Integrity last_integrity_;
  uint32_t range_paths_ = 0, host_stacks_ = 0;
  bool has_header_ = false;   // the first block must have it
  size_t repeated_rows_ = 0;  // that RepeatOpenRanges added to the block under construction
  size_t notices_ = 0;
  uint64_t notices_dropped_ = 0;
  uint64_t kernels_ = 0;
  uint64_t untimed_ = 0;
  uint64_t counter_cost_ns_ = 0;
  uint64_t pm_samples_lost_ = 0;
  uint64_t graph_nodes_ = 0;
  uint64_t graph_nodes_dropped_ = 0;
};

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_WIRE_ENCODER_H_
