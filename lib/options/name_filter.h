// SPDX-License-Identifier: Apache-2.0
//
// A NameFilter is a regular expression that chooses kernels or ranges by name. The program prof
// checks the user's expression with the code that the library matches with.
#ifndef PROF_LIB_OPTIONS_NAME_FILTER_H_
#define PROF_LIB_OPTIONS_NAME_FILTER_H_

#include <memory>
#include <string>
#include <string_view>

namespace prof::options {

// Why `expression` cannot be used, as the end of "... is not "; empty: it can. The language is
// ECMAScript without back references. The matcher's time is then linear in the text, and its stack
// does not grow with the text: both matter on a launching thread of another program.
[[nodiscard]] std::string ExpressionProblem(const std::string& expression);

// Looks for an expression anywhere in a name. An empty expression matches every name, one with a
// problem matches none. Any thread may use it.
class NameFilter {
 public:
  explicit NameFilter(const std::string& expression = {});
  ~NameFilter();
  NameFilter(NameFilter&&) noexcept;
  NameFilter& operator=(NameFilter&&) noexcept;

  [[nodiscard]] bool empty() const { return empty_; }

  // Takes about 1 us for each 10 characters; text without operators ("gemm") takes a plain search.
  // Returns false and sets `*failed` when the matcher ran out of memory.
  [[nodiscard]] bool Matches(std::string_view name, bool* failed) const noexcept;

 private:
  struct Expression;
  bool empty_ = true;
  std::string plain_;  // not empty: an expression without operators
  std::unique_ptr<Expression> expression_;
};

}  // namespace prof::options

#endif  // PROF_LIB_OPTIONS_NAME_FILTER_H_
