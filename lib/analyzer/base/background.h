// SPDX-License-Identifier: Apache-2.0
//
// A stage of the analysis that runs on a thread of its own, beside stages that it does not need. It
// is a function from values to a value, so results do not depend on what ran when.
#ifndef PROF_LIB_ANALYZER_BASE_BACKGROUND_H_
#define PROF_LIB_ANALYZER_BASE_BACKGROUND_H_

#include <cstddef>
#include <future>
#include <utility>

namespace prof::analyzer {

// A stage over fewer rows is not worth a thread.
constexpr size_t kManyRows = 100'000;

// The result of `stage()`. Where `rows` are few, or the system has no thread to give, get() calls
// it. The destructor of the future waits for the stage, which may refer to what was declared
// before.
template <typename Stage>
[[nodiscard]] auto InBackground(size_t rows, Stage stage) {
  const auto when =
      rows < kManyRows ? std::launch::deferred : std::launch::async | std::launch::deferred;
  return std::async(when, std::move(stage));
}

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_BASE_BACKGROUND_H_
