// SPDX-License-Identifier: Apache-2.0
//
// The numbers of Perfetto's fields that the exporter writes, from protos/perfetto/trace of Perfetto
// v58. Their messages are named in the comments.
#ifndef PROF_LIB_EXPORT_WRITERS_PERFETTO_FIELDS_H_
#define PROF_LIB_EXPORT_WRITERS_PERFETTO_FIELDS_H_

#include <cstdint>

namespace prof::exporting::perfetto {

constexpr uint32_t kTracePacket = 1;  // Trace

namespace packet {  // TracePacket
constexpr uint32_t kClockSnapshot = 6, kTimestamp = 8, kSequence = 10, kTrackEvent = 11,
                   kInterned = 12, kFlags = 13, kCompressed = 50, kCounterEvent = 52,
                   kRenderStage = 53, kClockId = 58, kDefaults = 59, kTrackDescriptor = 60,
                   kGpuInfo = 128;
constexpr uint64_t kStateCleared = 1, kNeedsState = 2;  // values of kFlags
}  // namespace packet

namespace clocks {  // ClockSnapshot, ClockSnapshot.Clock
constexpr uint32_t kClock = 1;
constexpr uint32_t kId = 1, kTimestamp = 2, kIncremental = 3;
constexpr uint64_t kRealtime = 1, kBoottime = 6;
constexpr uint64_t kDelta = 64;  // the first id of those that belong to one sequence
}  // namespace clocks

namespace interned {  // InternedData, and the messages in it: each has its id in field 1
constexpr uint32_t kCategories = 1, kEventNames = 2, kContexts = 23, kSpecifications = 24,
                   kStrings = 29, kCounterDescriptors = 47, kKernels = 1000, kArgNames = 1001;
constexpr uint32_t kIid = 1, kName = 2;
constexpr uint32_t kContextPid = 2, kContextApi = 3;
constexpr uint32_t kSpecificationCategory = 4;
constexpr uint32_t kKernelDemangled = 3, kKernelArch = 4, kKernelArgs = 5;
constexpr uint32_t kDescriptor = 2, kDescriptorGpu = 3;
constexpr uint64_t kCuda = 4;                 // InternedGraphicsContext.Api, GpuApi
constexpr uint64_t kOther = 0, kCompute = 2;  // RenderStageCategory
}  // namespace interned

namespace stage {  // GpuRenderStageEvent
constexpr uint32_t kEventId = 1, kDuration = 2, kContext = 5, kGpu = 11, kQueue = 13, kStage = 14,
                   kKernel = 19, kName = 20, kLaunch = 21;
constexpr uint32_t kGrid = 1, kBlock = 2, kArgs = 3;                         // ComputeKernelLaunch
constexpr uint32_t kArgName = 1, kArgInt = 3, kArgDouble = 5, kArgText = 6;  // ExtraComputeArg
}  // namespace stage

namespace track {  // TrackEvent, TrackDescriptor, ProcessDescriptor, ThreadDescriptor
constexpr uint32_t kCategory = 3, kAnnotation = 4, kType = 9, kNameIid = 10, kUuid = 11, kName = 23,
                   kFlow = 47, kCorrelation = 3000, kApi = 3001;
constexpr uint64_t kBegin = 1, kEnd = 2, kInstant = 3, kCounter = 4;  // values of kType
constexpr uint32_t kCounterValue = 30, kCounterDescriptor = 8, kCounterUnit = 3;
constexpr uint64_t kBytes = 3;        // CounterDescriptor.Unit
constexpr uint32_t kSubmissions = 1;  // GpuCorrelation
constexpr uint32_t kAnnotationName = 10, kAnnotationInt = 4, kAnnotationText = 6;
constexpr uint32_t kDescriptorUuid = 1, kDescriptorName = 2, kProcess = 3, kThread = 4, kParent = 5;
constexpr uint32_t kPid = 1, kCommand = 2, kProcessName = 6, kProcessLabels = 8;
constexpr uint32_t kTid = 2, kThreadName = 5;
}  // namespace track

namespace counter {  // GpuCounterEvent, GpuCounterDescriptor.GpuCounterSpec
constexpr uint32_t kCounter = 2, kGpu = 3, kDescriptorIid = 4;
constexpr uint32_t kId = 1, kDouble = 3;
constexpr uint32_t kSpecs = 1;
constexpr uint32_t kSpecName = 2, kSpecDescription = 3, kSpecGroups = 10;
constexpr uint64_t kSystemGroup = 1, kComputeGroup = 6;
}  // namespace counter

namespace gpu {  // GpuInfo, GpuInfo.Gpu
constexpr uint32_t kGpus = 1;
constexpr uint32_t kName = 1, kVendor = 2, kModel = 3, kArchitecture = 4, kUuid = 5;
}  // namespace gpu

// Packets of one sequence share interned data and a clock.
constexpr uint32_t kHeadSequence = 1, kGpuSequence = 2, kHostSequence = 3, kCounterSequence = 4,
                   kSpanSequence = 5, kCrossingSequence = 6, kOverheadSequence = 7;

}  // namespace prof::exporting::perfetto

#endif  // PROF_LIB_EXPORT_WRITERS_PERFETTO_FIELDS_H_
