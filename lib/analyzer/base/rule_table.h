// SPDX-License-Identifier: Apache-2.0
//
// `RuleTable` writes a table of docs/guide/rules.md, in Markdown. Its texts stand where the code
// decides; a program of test/analyzer/rules puts the tables into the page.
#ifndef PROF_LIB_ANALYZER_BASE_RULE_TABLE_H_
#define PROF_LIB_ANALYZER_BASE_RULE_TABLE_H_

#include <initializer_list>
#include <string>
#include <string_view>

namespace prof::analyzer {

class RuleTable {
 public:
  explicit RuleTable(std::initializer_list<std::string_view> heads);

  // As many cells as there are heads.
  void Add(std::initializer_list<std::string_view> cells);

  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
};

// An id in Markdown: "`tail`".
[[nodiscard]] std::string AsCode(std::string_view id);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_BASE_RULE_TABLE_H_
