// SPDX-License-Identifier: Apache-2.0
//
// ChildAnswer() gets an answer from a child process, so that nothing that finding it loads or
// leaves stays in this one.
#ifndef PROF_LIB_CLI_BASE_CHILD_ANSWER_H_
#define PROF_LIB_CLI_BASE_CHILD_ANSWER_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace prof::cli {

// What `question` returns in a child, which has ended after this call. nullopt: it took longer than
// `limit_ms`, it crashed, or there was no process or pipe to be had.
[[nodiscard]] std::optional<std::string> ChildAnswer(const std::function<std::string()>& question,
                                                     int64_t limit_ms);

}  // namespace prof::cli

#endif  // PROF_LIB_CLI_BASE_CHILD_ANSWER_H_
