// SPDX-License-Identifier: Apache-2.0
//
// This file has the field numbers of the messages in include/prof/snapshot.proto, as far as the
// writer uses them. A test reads every field with libprotobuf.
#ifndef PROF_LIB_CAPTURE_WIRE_WIRE_TAGS_H_
#define PROF_LIB_CAPTURE_WIRE_WIRE_TAGS_H_

#include <cstdint>

namespace prof::capture::tag {

namespace block {
enum : uint32_t {
  kHeader = 1,
  kStrings = 2,
  kDevices = 3,
  kRangePaths = 4,
  kKernelShapes = 5,
  kLanes = 6,
  kThreads = 7,
  kPassGroups = 8,
  kPmSeries = 9,
  kKernels = 10,
  kCopies = 11,
  kMemsets = 12,
  kSyncs = 13,
  kApiCalls = 14,
  kOverheads = 15,
  kRanges = 16,
  kSpans = 17,
  kMarks = 18,
  kPmSamples = 19,
  kSamples = 20,
  kProfilerIntervals = 21,
  kNotices = 22,
  kClock = 23,
  kIntegrity = 24,
  kTrailer = 25,
  kNames = 26,
  kPayloads = 27,
  kAllocations = 28,
  kPoolOperations = 29,
  kUnifiedMemory = 30,
  kStreams = 31,
  kGraphNodes = 32,
  kHostFrames = 40,
  kHostStacks = 41,
  kHostSamples = 48,
  kTensors = 56,
  kLaunchCounts = 57,
  kGraphRuns = 33,
  kGpuStates = 35
};
}  // namespace block

namespace header {
enum : uint32_t {
  kFormatVersion = 1,
  kProfVersion = 2,
  kStartNs = 3,
  kPid = 4,
  kHost = 5,
  kCommand = 6,
  kRank = 7,
  kCudaDriverVersion = 8,
  kCuptiVersion = 9,
  kCuptiPath = 10,
  kNvidiaDriver = 11,
  kInjected = 12,
  kCuptiDeviceBytes = 13
};
}  // namespace header

namespace device {
enum : uint32_t {
  kId = 1,
  kName = 2,
  kChip = 3,
  kComputeMajor = 4,
  kComputeMinor = 5,
  kSmCount = 6,
  kWarpSize = 7,
  kMaxThreadsPerSm = 8,
  kMaxBlocksPerSm = 9,
  kRegistersPerSm = 10,
  kSharedMemoryPerSm = 11,
  kReservedSharedMemoryPerBlock = 12,
  kL2Bytes = 13,
  kMemoryBytes = 14,
  kSmClockKhz = 15,
  kMemoryClockKhz = 16,
  kMemoryBusBits = 17,
  kUuid = 18,
  kPeaks = 19,
  kCeilings = 20
};
}  // namespace device

namespace device_peak {
enum : uint32_t { kMetric = 1, kValue = 2 };
}  // namespace device_peak

namespace device_ceiling {
enum : uint32_t { kKind = 1, kPerS = 2, kN = 3, kMin = 4, kMax = 5, kSmClockHz = 6 };
}  // namespace device_ceiling

namespace range_path {
enum : uint32_t {
  kParent = 1,
  kName = 2,
  kDomain = 3,
  kColor = 4,
  kCategory = 5,
  kStar = 6,
  kTorch = 7
};
}  // namespace range_path

namespace name_numbers {
enum : uint32_t { kRowDelta = 1, kValueDelta = 2, kStyledDelta = 3, kStyle = 4 };
}  // namespace name_numbers

namespace kernel_shape {
enum : uint32_t { kName = 1, kCode = 18 };
}  // namespace kernel_shape

namespace kernel_code {
enum : uint32_t { kInstructions = 1, kLooped = 2, kCallsOthers = 3, kCount = 4, kLoopedCount = 5 };
}  // namespace kernel_code

namespace lane {
enum : uint32_t { kDevice = 1, kContext = 2, kStream = 3, kChannel = 4, kChannelType = 5 };
}  // namespace lane

namespace stream {
enum : uint32_t { kContext = 1, kStream = 2, kPriority = 3, kFlag = 4 };
}  // namespace stream

namespace graph_nodes {
enum : uint32_t { kNodeDelta = 1, kPathDelta = 2, kStackDelta = 3, kTorchOpDelta = 4 };
}  // namespace graph_nodes

namespace host_frame {
enum : uint32_t {
  kFunction = 1,
  kFile = 2,
  kFirstLine = 3,
  kLine = 4,
  kModule = 5,
  kBuildId = 6,
  kOffset = 7
};
}  // namespace host_frame

namespace host_stack {
enum : uint32_t { kParent = 1, kFrame = 2 };
}  // namespace host_stack

namespace host_sample_columns {
enum : uint32_t {
  kBaseNs = 1,
  kThread = 2,
  kTimeDeltaNs = 3,
  kStackDelta = 4,
  kKind = 5,
  kState = 6
};
}  // namespace host_sample_columns

namespace host_thread {
enum : uint32_t { kTid = 1, kName = 2 };
}  // namespace host_thread

namespace kernel_columns {
enum : uint32_t {
  kBaseNs = 1,
  kGraphRow = 7,
  kUntimedRow = 10,
  kUntracedRow = 11,
  kShapeGuess = 12,
  kLaneGuess = 13,
  kCorrelationGuess = 14,
  kStartGuessNs = 15,
  kDurationGuessNs = 16
};
}  // namespace kernel_columns

namespace copy_columns {
enum : uint32_t {
  kBaseNs = 1,
  kKind = 2,
  kSource = 3,
  kDestination = 4,
  kBytes = 5,
  kLane = 6,
  kStartDeltaNs = 7,
  kDurationNs = 8,
  kCorrelationDelta = 9,
  kAsync = 10,
  kGraphRow = 11
};
}  // namespace copy_columns

namespace memset_columns {
enum : uint32_t {
  kBaseNs = 1,
  kBytes = 2,
  kMemory = 3,
  kLane = 4,
  kStartDeltaNs = 5,
  kDurationNs = 6,
  kCorrelationDelta = 7,
  kGraphRow = 8
};
}  // namespace memset_columns

namespace graph_run_columns {
enum : uint32_t {
  kBaseNs = 1,
  kGraphId = 2,
  kLane = 3,
  kStartDeltaNs = 4,
  kDurationNs = 5,
  kCorrelationDelta = 6
};
}  // namespace graph_run_columns

namespace allocation_columns {
enum : uint32_t {
  kBaseNs = 1,
  kOperation = 2,
  kMemory = 3,
  kBytes = 4,
  kAddressDelta = 5,
  kLane = 6,
  kTimeDeltaNs = 7,
  kCorrelationDelta = 8,
  kPoolRow = 9,
  kPool = 10
};
}  // namespace allocation_columns

namespace tensor_columns {
enum : uint32_t {
  kBaseNs = 1,
  kChange = 2,
  kDevice = 3,
  kThread = 4,
  kTimeDeltaNs = 5,
  kAddressDelta = 6,
  kBytes = 7,
  kStackDelta = 8
};
}  // namespace tensor_columns

namespace pool_state_columns {
enum : uint32_t {
  kType = 1,
  kAddressDelta = 2,
  kReservedDelta = 3,
  kUsedDelta = 4,
  kThresholdDelta = 5
};
}  // namespace pool_state_columns

namespace pool_columns {
enum : uint32_t {
  kBaseNs = 1,
  kOperation = 2,
  kDevice = 3,
  kState = 4,
  kManaged = 5,
  kKeepBytes = 6,
  kTimeDeltaNs = 7,
  kCorrelationDelta = 8
};
}  // namespace pool_columns

namespace unified_memory_columns {
enum : uint32_t {
  kBaseNs = 1,
  kKind = 2,
  kValue = 3,
  kSource = 4,
  kDestination = 5,
  kCause = 6,
  kStartDeltaNs = 7,
  kDurationNs = 8
};
}  // namespace unified_memory_columns

namespace gpu_state_columns {
enum : uint32_t {
  kBaseNs = 1,
  kKind = 2,
  kDevice = 3,
  kValue = 4,
  kSecond = 5,
  kReasons = 6,
  kTimeDeltaNs = 7
};
}  // namespace gpu_state_columns

namespace sync_columns {
enum : uint32_t {
  kBaseNs = 1,
  kKind = 2,
  kContext = 3,
  kStream = 4,
  kStartDeltaNs = 5,
  kDurationNs = 6,
  kCorrelationDelta = 7
};
}  // namespace sync_columns

namespace api_columns {
enum : uint32_t {
  kBaseNs = 1,
  kErrorRow = 7,
  kErrorCode = 8,
  kNameGuess = 9,
  kThreadGuess = 10,
  kCorrelationGuess = 11,
  kStartGuessNs = 12,
  kDurationGuessNs = 13,
  kStackGuess = 14
};
}  // namespace api_columns

namespace overhead_columns {
enum : uint32_t { kBaseNs = 1, kKind = 2, kThread = 3, kStartDeltaNs = 4, kDurationNs = 5 };
}  // namespace overhead_columns

namespace range_columns {
enum : uint32_t {
  kBaseNs = 1,
  kThreadGuess = 5,
  kPathGuess = 6,
  kTimeGuessNs = 7,
  kNumbers = 8,
  kShapesRowDelta = 9,
  kShapes = 10
};
}  // namespace range_columns

namespace span_columns {
enum : uint32_t {
  kBaseNs = 1,
  kPath = 2,
  kStartThread = 3,
  kEndThread = 4,
  kStartDeltaNs = 5,
  kDurationNs = 6,
  kNumbers = 7
};
}  // namespace span_columns

namespace mark_columns {
enum : uint32_t { kBaseNs = 1, kPath = 2, kThread = 3, kTimeDeltaNs = 4, kNumbers = 5 };
}  // namespace mark_columns

namespace name {
enum : uint32_t { kKind = 1, kId = 2, kDomain = 3, kName = 4, kContext = 5, kStream = 6 };
}  // namespace name

namespace payload_columns {
enum : uint32_t {
  kBaseNs = 1,
  kThread = 2,
  kTimeDeltaNs = 3,
  kPath = 4,
  kType = 5,
  kBits = 6,
  kField = 7
};
}  // namespace payload_columns

namespace pass_group {
enum : uint32_t { kMetric = 1, kLevel = 2, kThroughputs = 3 };
}  // namespace pass_group

namespace throughput {
enum : uint32_t { kMetric = 1, kPart = 2, kMissing = 3 };
}  // namespace throughput

namespace counter_sample {
enum : uint32_t {
  kGroup = 1,
  kContext = 2,
  kCorrelation = 3,
  kValue = 4,
  kBeginNs = 5,
  kEndNs = 6,
  kRangePath = 7,
  kUnit = 8,
  kShape = 9,
  kLane = 10,
  kDurationNs = 11
};
}  // namespace counter_sample

namespace pm_series {
enum : uint32_t { kDevice = 1, kIntervalNs = 2, kMetric = 3, kScale = 4 };
}  // namespace pm_series

namespace pm_columns {
enum : uint32_t {
  kSeries = 1,
  kBaseNs = 2,
  kDurationDeltaNs = 3,
  kGapRow = 4,
  kGapNs = 5,
  kMergedRow = 6,
  kMergedCount = 7,
  kValues = 8
};
}  // namespace pm_columns

namespace pm_values {
enum : uint32_t { kDelta = 1, kMissingRow = 2 };
}  // namespace pm_values

namespace profiler_interval {
enum : uint32_t { kWork = 1, kBeginNs = 2, kEndNs = 3, kThread = 4 };
}  // namespace profiler_interval

namespace launch_count {
enum : uint32_t { kDevice = 1, kShape = 2, kGraphId = 3, kLaunches = 4, kCountedNs = 5 };
}  // namespace launch_count

namespace notice {
enum : uint32_t { kSeverity = 1, kSubsystem = 2, kCode = 3, kWhat = 4, kFix = 5, kTimeNs = 6 };
}  // namespace notice

namespace clock_sample {
enum : uint32_t { kRealtimeNs = 1, kMonotonicNs = 2, kUncertaintyNs = 3 };
}  // namespace clock_sample

namespace trailer {
enum : uint32_t { kEndNs = 1, kBlocks = 2 };
}  // namespace trailer

}  // namespace prof::capture::tag

#endif  // PROF_LIB_CAPTURE_WIRE_WIRE_TAGS_H_
