// SPDX-License-Identifier: Apache-2.0
//
// This file has the field numbers of prof.wire.Block in include/prof/snapshot.proto. A test reads
// every field with libprotobuf.
#ifndef PROF_LIB_CAPTURE_WIRE_WIRE_TAGS_H_
#define PROF_LIB_CAPTURE_WIRE_WIRE_TAGS_H_

#include <cstdint>

namespace prof::capture::tag::block {

constexpr uint32_t kHeader = 1;
constexpr uint32_t kStrings = 2;
constexpr uint32_t kDevices = 3;
constexpr uint32_t kRangePaths = 4;
constexpr uint32_t kKernelShapes = 5;
constexpr uint32_t kLanes = 6;
constexpr uint32_t kThreads = 7;
constexpr uint32_t kPassGroups = 8;
constexpr uint32_t kPmSeries = 9;
constexpr uint32_t kKernels = 10;
constexpr uint32_t kCopies = 11;
constexpr uint32_t kMemsets = 12;
constexpr uint32_t kSyncs = 13;
constexpr uint32_t kApiCalls = 14;
constexpr uint32_t kOverheads = 15;
constexpr uint32_t kRanges = 16;
constexpr uint32_t kSpans = 17;
constexpr uint32_t kMarks = 18;
constexpr uint32_t kPmSamples = 19;
constexpr uint32_t kSamples = 20;
constexpr uint32_t kProfilerIntervals = 21;
constexpr uint32_t kNotices = 22;
constexpr uint32_t kClock = 23;
constexpr uint32_t kIntegrity = 24;
constexpr uint32_t kTrailer = 25;
constexpr uint32_t kNames = 26;
constexpr uint32_t kPayloads = 27;
constexpr uint32_t kAllocations = 28;
constexpr uint32_t kPoolOperations = 29;
constexpr uint32_t kUnifiedMemory = 30;
constexpr uint32_t kStreams = 31;
constexpr uint32_t kGraphNodes = 32;
constexpr uint32_t kGraphRuns = 33;

}  // namespace prof::capture::tag::block

#endif  // PROF_LIB_CAPTURE_WIRE_WIRE_TAGS_H_
