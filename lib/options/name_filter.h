// SPDX-License-Identifier: Apache-2.0
//
// Regular expressions that choose kernels and ranges by name. The program prof checks what the user
// wrote with the same code that the library matches with.
#ifndef PROF_LIB_OPTIONS_NAME_FILTER_H_
#define PROF_LIB_OPTIONS_NAME_FILTER_H_

#include <memory>
#include <string>
#include <string_view>

namespace prof::options {

// Why `expression` cannot be used, as the end of "... is not "; empty: it can. ECMAScript without
// back references: the matcher's time is then linear in the text, and its stack does not grow with
// it. Both matter on a launching thread of somebody else's program.
std::string ExpressionProblem(const std::string& expression);

// Looks for an expression anywhere in a name. An empty expression is found in every name, one with
// a problem in none. Any thread.
class NameFilter {
 public:
  explicit NameFilter(const std::string& expression = {});
  ~NameFilter();
  NameFilter(NameFilter&&) noexcept;
  NameFilter& operator=(NameFilter&&) noexcept;

  bool empty() const { return empty_; }

  // About 1 us for each 10 characters; text without operators ("gemm") costs a plain search. False,
  // with `*failed` set, when the matcher itself gave up (out of memory).
  bool Matches(std::string_view name, bool* failed) const noexcept;

 private:
  struct Expression;
  bool empty_ = true;
  std::string plain_;  // not empty: an expression that stands for itself
  std::unique_ptr<Expression> expression_;
};

}  // namespace prof::options

#endif  // PROF_LIB_OPTIONS_NAME_FILTER_H_
