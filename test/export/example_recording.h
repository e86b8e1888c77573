// SPDX-License-Identifier: Apache-2.0
//
// A small recording with all that exporters write, and with names that are hard to write.
#ifndef PROF_TEST_EXPORT_EXAMPLE_RECORDING_H_
#define PROF_TEST_EXPORT_EXAMPLE_RECORDING_H_

#include <string>

#include "prof/export.h"
#include "prof/snapshot.h"

namespace prof::test {

// Quotes, backslashes, control characters, a comma, and characters beyond ASCII.
inline constexpr char kHardName[] = "a\"b\\c\n\t\x01,d\x7f\xC3\xA9\xF0\x9F\x94\xA5";

// Two GPUs' kernels, a copy, a memset, ranges, a span, a mark, counters of two kernels of which the
// second begins as the first one ends, PM samples.
Snapshot ExampleRecording();

// The export as bytes; fails the test on an error.
std::string Exported(const Snapshot& snapshot, const ExportOptions& options);
std::string Exported(ExportFormat format);

}  // namespace prof::test

#endif  // PROF_TEST_EXPORT_EXAMPLE_RECORDING_H_
