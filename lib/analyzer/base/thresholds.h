// SPDX-License-Identifier: Apache-2.0
//
// Thresholds that rules compare with, each with its source, as docs/guide/rules.md has them. A
// number that one part of the analyzer alone uses stands in that part. The capture half decides by
// a few of them too: those are in lib/format/depth.h. Sources: [ncu] a rule shipped with Nsight
// Compute 2025; [nsys] one of Nsight Systems; [hta] HolisticTraceAnalysis; [hw] the hardware's
// documentation; [own] our choice, to be calibrated.
#ifndef PROF_LIB_ANALYZER_BASE_THRESHOLDS_H_
#define PROF_LIB_ANALYZER_BASE_THRESHOLDS_H_

#include <cstddef>
#include <cstdint>

#include "lib/format/depth.h"

namespace prof::analyzer {

// Throughput, as fractions of peak.
using format::kBusy;       // 0.60, and its source: lib/format/depth.h
using format::kIssueBusy;  // 0.70
using format::kMargin;     // 0.10
using format::kSaturated;  // 0.80
// Nothing is expected to use more of the DRAM's peak than this: the highest of 26 kernels under two
// tools was 94.6 %, reads alone on an H200. Reads and writes together reached 82 to 90 %. [own]
// What a calibration of the device measured decides advice in its place, and bounds where it is
// more.
constexpr double kDramCeiling = 0.95;
// [own] What a kernel whose matrix products are all of a warp (mma.sync) reached of the tensor pipe
// of compute capability 9.0: `mma_sync_chains` (docs/measurements/coverage.md, also by ncu). Four
// types in the zoo reached 80 %, wgmma 96 % (H200).
constexpr double kWarpMatrixCeiling = 0.87;
// [own] A grid that fills so much of the block slots fills them on purpose: 128 blocks on 132 SMs.
constexpr double kAllSlots = 0.95;
constexpr double kWorthwhileGain = 0.05;    // [ncu] WorkloadImbalance: the least gain it reports
constexpr double kTensorKernel = 0.10;      // [own] above it a kernel exists for the tensor pipe
constexpr double kLowAchievedWarps = 0.50;  // [own] below it people try to raise occupancy
constexpr double kSharedIsMost = 0.50;      // [own] share of L1 wavefronts that are shared memory's
// [hw] IMAD runs on the heavy half of the FMA pipe only.
constexpr double kHeavyOverWholeFma = 1.50;

// [hw] The use of the slowest pipe over that of the issue slots: FP64 on a chip with two lanes for
// it in an SM, where an instruction of a warp takes 16 cycles, and four schedulers issue one in
// each.
constexpr double kSlowestPipe = 64;

// [own] Of its peak: the next explanation is a unit that competes, rather than a consequence.
constexpr double kLeastRival = 0.30;

// [own] A bound by other units that lets less than half of the time remain helps nobody to decide.
constexpr double kBoundOfOthers = 0.50;
// [own] SMs that were active for less give no use while active: fill and drain are most of it.
constexpr double kLeastActive = 0.02;

// [own] A verdict by a use with a wider error bound has low confidence.
constexpr double kWideBound = 0.10;
// [own] Above it a value by PM samples may show what limits a kernel, and nothing else.
constexpr double kSureBound = 0.15;

// Causes that compete with the units.
constexpr double kExplainsMost = 0.50;  // [own] of the time that the busiest unit leaves unused
// [own] Packed half precision runs on the FMA and on the tensor pipe (HFMA2 and HFMA2.MMA, which
// the compiler mixes): 87.78 and 87.78 % in a kernel of it. A matrix kernel has not the same use of
// both.
constexpr double kSameCount = 0.005;
constexpr double kHalfOf = 0.50;         // [own] a part below half of the whole is not the whole
constexpr double kSectorsOfOp = 0.05;    // [own] of all global sectors: fewer are not the pattern
constexpr double kWavesOf16Bytes = 4;    // [hw] a warp's 512 bytes take four wavefronts
constexpr double kHostShare = 0.50;      // [own] of L2's fills, from host memory
constexpr double kLeastHostFills = 0.2;  // [own] percent of peak; a PCIe 5.0 link reaches about 1
// [own] cycles of a stall per instruction. A chain of loads from DRAM waited for 540 of them,
// atomics on one address for 28,600.
constexpr double kLongestLoad = 5000;
constexpr double kSleeps = 0.10;  // [own] of the warps' time: others at a barrier wait for it
// [own] of its peak: a unit that is used less has no work of the kernel.
constexpr double kNoWork = 0.01;
// [own] of L2's peak: a link to the host keeps it busy for less. Reads and writes of host memory
// took 1.5 % (H200, PCIe 5.0 x16).
constexpr double kLinkOnL2 = 0.05;
// [own] in a cycle, by PM samples: of less the parts are not told.
constexpr double kLeastSampledRate = 0.01;
// [hw] sectors of a line, which a coalesced access asks for with one request.
constexpr double kSectorsOfLine = 4;
// [own] of sectors in a request: fewer are scattered accesses, and this much more than a line for
// the bytes that L1 returned is waste. Of the zoo's kernels gathers, transposes and wide strides
// had 1.0 to 1.1 sectors, all others 2.6 and more; atomics that return got 4.6 for 128 bytes.
constexpr double kScatteredSectors = 2;
constexpr double kMoreThanReturned = 1.25;
constexpr double kLeastReadsForStores = 5;  // [own] percent of DRAM's peak
// [own] sectors in a request of stores: 4.00 on an H200, and 1.0 to 2.9 of atomics.
constexpr double kSectorsOfStore = 3.5;
constexpr double kHits = 0.80;  // [own] of the sectors: the level that serves them

// Latency.
constexpr double kIssueHealthy = 0.80;     // [ncu] CPIStall: issued per cycle and scheduler
constexpr double kStallShare = 0.30;       // [ncu] CPIStall: share of a warp's latency
constexpr double kStallShareClear = 0.40;  // [own] below it the top reason is one of several
constexpr double kMostlyStalled = 0.50;    // [own] of a warp's time, by all reasons together
constexpr double kEligibleEnough = 1.0;    // [hw] one eligible warp per cycle feeds a scheduler
constexpr double kLowTheoretical = 0.80;   // [ncu] TheoreticalOccupancy

// Shape of the grid.
// [own] of a wave: more blocks are worth a bound where as many again fit, and no stalls were read.
// Of nine kernels of the zoo with half a wave or more, more blocks gained nothing for seven; of six
// with less, more warps gained half of the time or more for five.
constexpr double kHalfWave = 0.50;
constexpr double kIdleSms = 0.10;      // [own] fewer than 1 in 10 SMs without a block is no defect
constexpr double kManyIdleSms = 0.20;  // [own] they are the cause whatever the other warps wait for
constexpr double kTailLost = 0.10;     // [own] of (ceil(w) - w) / ceil(w); ncu: 20 % of 1/(1+whole)
constexpr double kImbalance = 0.05;    // [ncu] WorkloadImbalance: 1 - average / maximum
constexpr double kHalfUsed = 0.50;     // [own] of a unit's peak: its work may be most of the time
constexpr double kClearImbalance = 0.20;  // [own] where no warps were counted
constexpr double kUnevenPart = 0.30;      // [own] of less than a wave, whose blocks wait together
constexpr double kAchievedBelow = 0.10;   // [ncu] AchievedOccupancy: theoretical - achieved
using format::kLaunchSizedNs;             // 5000
// [own] launch to the last block's start, and the last block's end to the kernel's: null kernels
// took 2 us. PM samples count it as SMs without work.
constexpr double kFillAndDrainNs = 3000;
constexpr double kLongEnoughNs = 20'000;  // [own] above it ramp and drain are below a few percent

// Trust.
constexpr double kEnoughLaunches = 3;     // [own] with fewer, an odd launch is not noticed
constexpr double kClockSpread = 0.03;     // [own] of the SM clock among samples
constexpr double kSameClock = 0.05;       // [own] clocks that two kernels show: less is the same
constexpr double kDurationSpread = 0.10;  // [own] among samples, and against the timeline
constexpr double kRangeStartNs = 2000;    // [own] a counter range may add as much to a duration

// Modifiers.
constexpr double kSectorBytes = 32;  // [hw] a sector of L1 and L2
// [hw] the most that L2 fetches for a sector: cudaLimitMaxL2FetchGranularity. A partial store makes
// L2 read the rest of the sector, within the same bytes.
constexpr double kFetchBytes = 128;
constexpr double kScatteredUse = 0.50;  // [own] of a unit of memory, by sectors that waste most
// [own] 80 % of a sector; ncu reports any value below 32.
constexpr double kUsefulBytesPerSector = 26;
constexpr double kWidestSectors = 16;    // [hw] 32 lanes x 16 B: more sectors a request are waste
constexpr double kLsuShareOfL2 = 0.50;   // [own] below it TMA moves the bytes, not the LSU
constexpr double kConflictShare = 0.10;  // [ncu] SharedMemoryConflicts
constexpr double kThreadsPerInst = 24;   // [ncu] ThreadDivergence
constexpr double kWarpThreads = 32;      // [hw]
constexpr double kLeastPhase = 0.20;     // [own] of a launch, that one unit leads
constexpr double kLeastDrain = 0.10;     // [own] of a launch, with less than half of the SMs
constexpr double kLocalShare = 0.05;     // [own] local sectors of all LSU sectors
// [own] of the instructions that access memory: what the code shows without a counter.
constexpr double kMostInCode = 0.50;
// [hw: 128 KiB for an SM of Volta, by microbenchmarks (Jia et al., 2018); of newer ones no figure
// is known] in instructions of 16 bytes.
constexpr int64_t kInstructionCache = 128 * 1024 / 16;
constexpr double kLeastLocalOnL1 = 0.05;  // [own] of L1's peak, where local memory is most of it
constexpr double kAtomicShare = 0.20;     // [own] atomic and reduction sectors of the L2's
constexpr double kUnfusedGain = 0.10;     // [ncu] FPInstructions: half the non-fused share
constexpr double kNoFlops = 0.05;  // [own] floating-point instructions of all thread instructions

// The run, as fractions of the span unless a unit is named.
constexpr double kIdleShare = 0.05;  // [own] nsys: half of a 1/30 of the run; too coarse here
constexpr double kClockCost = 0.02;  // [own] of a lower SM clock than in the counted launches
constexpr double kLowClock = 0.10;   // [own] below the device's highest SM clock
constexpr int64_t kIdleForClockNs = 5'000'000;  // [own] idle as long, a GPU may lower its clocks
constexpr double kMostlyHeld = 0.50;  // [own] of the readings that name what holds the clock down
constexpr double kCopyShare = 0.02;   // [own]
constexpr double kOverlapped = 0.80;  // [own] of a copy's time under kernels: nothing to gain
constexpr double kLinkBusy = 0.90;    // [own] of the span: copies in one direction are the limit
constexpr double kLinkRate = 0.50;  // [own] of the link's: slower copies have a cause of their own
constexpr double kSmallKernelNs = 10'000;   // [hta] kernels shorter than their launch call
constexpr double kQueueDelayNs = 10'000;    // [hta] a longer delay: the GPU, not the host, was busy
constexpr double kSmallKernels = 10;        // [own] fewer are not a pattern
constexpr double kRepeats = 3;              // [own] of a launch sequence
constexpr double kMostOf = 0.90;            // [own] of a sequence that must repeat
constexpr double kSmallCopyBytes = 65'536;  // [own] below it the fixed cost of a copy dominates
constexpr double kSmallCopies = 32;         // [own]
constexpr double kHostLinkBytesPerS = 63e9;        // [hw] PCIe 5.0 x16, one direction
constexpr double kNewerHostLinkBytesPerS = 126e9;  // [hw] PCIe 6.0 x16: compute capability 10 on
constexpr double kChipLinkBytesPerS = 450e9;       // [hw] NVLink-C2C of a Grace superchip
// A stretch of the run in which one cause keeps the GPU idle.
// [own] of its time: six times what a finding about the whole run needs, so that it is another kind
// of work, and no part of it by chance.
constexpr double kStretchIdle = 0.30;
// [own] and of the undisturbed time: shorter ones come and go, and cost less than 0.3 % of the run.
constexpr double kLeastStretchNs = 50e6;
constexpr double kLeastStretch = 0.01;
constexpr double kStretchGaps = 20;        // [own] fewer are single stalls, and no phase
constexpr double kOneGapOfStretch = 0.50;  // [own] of its idle time: one stall, and what is near it
constexpr double kUnexplainedGapNs = 10'000;  // [own] shorter idle times need no explanation
constexpr double kCauseKnown = 0.90;          // [own] share of idle time whose API call is known
constexpr double kLaunchBoundKernels = 0.50;  // [hta] most kernels are shorter than their launch
constexpr double kMostOfPlace = 0.50;         // [own] of idle time: the range is named first
constexpr double kWhileSampling = 0.50;       // [own] of launch gaps: sampling may be their cause
constexpr double kSlowerCall = 0.05;          // [own] of a launch's time: less is no difference
constexpr double kSlowedShare = 0.25;  // [own] of launch gaps: time that sampling added to launches
// [own] a stream starts its next operation within 2 us; longer, it waits for an event.
constexpr double kLongDependencyNs = 10'000;
// [own] host code between two calls: a stall. Shorter stretches are the cost of a launch: an eager
// framework spends some 10 us on each.
constexpr int64_t kHostStallNs = 100'000;
// [own] a wait that took less did not wait: its call alone takes a few microseconds.
constexpr int64_t kRealWaitNs = 10'000;
// [own] Three gaps at most that make half of the idle time are looked at first, where there are ten
// times as many.
constexpr double kMostOfFew = 0.50;
constexpr int64_t kFewOf = 10;
// [own] Of fewer gaps those that make nearly all of the time, and are as long as a start is.
constexpr double kMostOfStart = 0.90, kStartNs = 50e6;
// [own] of the span, or kStartNs: single launch calls that last are a finding. The first launch of
// a process takes some 13 ms (measured on an H200), which is 5 % of a quarter of a second.
constexpr double kStallsShare = 0.10;
// [own] Gaps of a start that has many: no framework works as long for one launch. Half of the time
// until the last of them is idle in them, and it is a part of the run: of gaps that come evenly
// nine tenths are over after nine tenths of it. A later one of less than a hundredth is the loop's.
constexpr double kLongGapNs = 1e6, kIdleInStart = 0.50, kLongestStart = 0.85;
constexpr double kOneMoreOfStart = 0.01;
// [own] Of idle time, in the second half of the time behind the start: it goes on.
constexpr double kGoesOn = 0.25;
// [own] Host code between two launches that is shorter than this is what the program and its
// framework do for each launch: 20 to 100 us of an operation of PyTorch, several times as much on a
// busy host. With half or more of the idle time in such gaps the remedy is fewer launches.
constexpr double kDispatchNs = 500'000, kMostlyDispatch = 0.50;
constexpr double kMuchHostWork = 0.50;     // [own] of the idle time after waits: worth a line
constexpr double kEnoughOtherwise = 0.10;  // [own] time without sampling, of that with it
constexpr double kHardlyAny = 0.25;        // [own] launch idle there, of that while sampling
constexpr double kFewSms = 0.50;           // [own] two such kernels fit side by side
constexpr double kMostlyTransfer = 0.50;   // [own] of collectives, if all took as the shortest
constexpr double kTurns = 10;              // [own] between two streams: fewer are no pattern
// [own] of the bytes that a kernel wrote: the next one reads as many. The rest may have stayed in
// L2.
constexpr double kReadsWhatWasWritten = 0.50;
constexpr double kSharedTraffic = 0.10;  // [own] of the bytes of two kernels, written and read back
constexpr double kFusionShare = 0.02;    // [own] of the span, at the DRAM's peak
// [own] of the SMs, in samples between operations. Six recordings of a program that was alone on
// its GPU have 0.0 % there, in few such samples.
constexpr double kOtherWork = 0.05;
constexpr double kLeastIdleSeconds = 0.001;  // [own] of idle time in samples
constexpr double kStraggler = 0.10;          // [own] of the mean work of the devices
constexpr double kEnoughSteps = 20;          // [own] for an outlier or a trend
// [own] of the GPU's time by a thread, that turns of launches have to have: less says little.
constexpr double kLeastTurnsOfRun = 0.25;
// [own] of that time, or of what the longest stretch has of it: what is left is its begin and its
// end.
constexpr double kNearlyAllTurns = 0.80;
constexpr double kOutlier = 2;         // [own] times the median step
constexpr double kFewSteps = 0.10;     // [own] more are not outliers but another kind of step
constexpr size_t kDriftParts = 10;     // [own] of the run, each with a median
constexpr double kDriftRising = 0.90;  // [own] of their pairs; by chance p < 0.001 (Kendall)
constexpr double kDriftJump = 0.50;    // [own] of the growth, between two parts: a jump, no drift
constexpr double kDriftGrowth = 0.05;  // [own] of a step, from the first part to the last
constexpr double kLeastOffPath =
    0.01;  // [own] of the steps' time: shorter work is not worth a line
constexpr double kHardlyOnPath = 0.10;           // [own] of an operation's time
constexpr double kLeastGrowthBytes = 1'000'000;  // [own] of memory, over all steps
constexpr double kSettled = 0.50;            // [own] growth of the last third of the first third's
constexpr double kChanceOfGrowth = 0.02;     // [own] of so many rises, if each part rose by chance
constexpr double kLeftBehind = 0.90;         // [own] of the instances of a range that repeats
constexpr double kEarly = 0.50;              // [own] of the run: the first one that left memory
constexpr double kLate = 0.90;               // [own] of the run: the last one
constexpr double kLeastUnusedBytes = 256e6;  // [own] of a pool
constexpr double kMuchUnused = 0.25;         // [own] of what a pool reserved
constexpr int64_t kFewHostSamples = 20;      // [own] fewer name no line: +-22 % at a half
constexpr int64_t kHostSampleQuietNs = 200'000;  // as HostSampler::kQuietNs
constexpr double kMostSamplesOfALine = 0.67;     // [own] that were in one state: it is the line's
constexpr int kFewCalls = 20;                    // [own] for a median of launch calls
constexpr double kLeastUndisturbed = 0.10;  // [own] of the span: from less there are no findings

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_BASE_THRESHOLDS_H_
