// SPDX-License-Identifier: Apache-2.0
//
// VerdictShare() analyzes a recording for the line with which `prof run` ends, and gives up where
// that takes too long.
#ifndef PROF_LIB_CLI_RUN_VERDICT_SHARE_H_
#define PROF_LIB_CLI_RUN_VERDICT_SHARE_H_

#include <cstdint>
#include <string>

namespace prof::cli {

// "verdicts for 96.5 % of the kernel time". Empty: the recording has no kernels, or neither
// counters nor PM samples of them; it cannot be read; or the analysis took longer than `limit_ms`.
//
// The analysis runs in a child process that ends with this call, so nothing of it stays behind.
[[nodiscard]] std::string VerdictShare(const std::string& path, int64_t limit_ms);

}  // namespace prof::cli

#endif  // PROF_LIB_CLI_RUN_VERDICT_SHARE_H_
