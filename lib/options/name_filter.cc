// SPDX-License-Identifier: Apache-2.0
#include "lib/options/name_filter.h"

#include <exception>
#include <regex>

namespace prof::options {
namespace {

// libstdc++'s default matcher recurses once for each character: a demangled name of some ten
// thousand characters overflows the stack. Its polynomial matcher does not.
constexpr std::regex::flag_type kFlags = std::regex::ECMAScript | std::regex::nosubs
#ifdef __GLIBCXX__
                                         | std::regex_constants::__polynomial
#endif
    ;

constexpr const char* kOperators = "^$\\.*+?()[]{}|";

}  // namespace

struct NameFilter::Expression {
  std::regex regex;
};

std::string ExpressionProblem(const std::string& expression) {
  try {
    const std::regex compiled(expression, kFlags);
    return {};
  } catch (const std::exception& error) {
    return std::string("a regular expression (ECMAScript, no back references): ") + error.what();
  }
}

NameFilter::NameFilter(const std::string& expression) : empty_(expression.empty()) {
  if (expression.find_first_of(kOperators) == std::string::npos) {
    plain_ = expression;
    return;
  }
  if (!ExpressionProblem(expression).empty()) return;
  // The expression itself skips the characters before a match, in one pass over the name.
  // regex_search would start again at each character.
  expression_ = std::make_unique<Expression>();
  expression_->regex.assign("[\\s\\S]*?(?:" + expression + ")", kFlags);
}

NameFilter::~NameFilter() = default;
NameFilter::NameFilter(NameFilter&&) noexcept = default;
NameFilter& NameFilter::operator=(NameFilter&&) noexcept = default;

bool NameFilter::Matches(std::string_view name, bool* failed) const noexcept {
  if (empty_) return true;
  if (!plain_.empty()) return name.find(plain_) != std::string_view::npos;
  if (expression_ == nullptr) return false;
  try {
    return std::regex_search(name.begin(), name.end(), expression_->regex,
                             std::regex_constants::match_continuous);
  } catch (const std::exception&) {
    *failed = true;
    return false;
  }
}

}  // namespace prof::options
