// SPDX-License-Identifier: Apache-2.0
//
// The recording of a storm of launches, which the benchmarks of recordings read, and the memory
// that they take.
#ifndef PROF_BENCH_STORM_RECORDING_H_
#define PROF_BENCH_STORM_RECORDING_H_

#include <cstdint>
#include <string>

namespace prof::bench {

// Writes `launches` launches of 20 kernels, with their calls and ranges (test/support).
void WriteStormRecording(const std::string& path, int64_t launches);

// Resets the most memory that the process used, which PeakBytes() reads.
void ResetPeak();
[[nodiscard]] double PeakBytes();

}  // namespace prof::bench

#endif  // PROF_BENCH_STORM_RECORDING_H_
