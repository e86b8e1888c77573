// SPDX-License-Identifier: Apache-2.0
//
// The part of the page about options that is made from the option table.
#ifndef PROF_TEST_OPTIONS_OPTIONS_PAGE_H_
#define PROF_TEST_OPTIONS_OPTIONS_PAGE_H_

#include <string>

namespace prof::options {

// A Markdown table for each section of the option table.
std::string OptionTables();

// `page` with OptionTables() between its lines `<!-- begin option_tables -->` and
// `<!-- end option_tables -->`.
std::string WithOptionTables(const std::string& page);

// The content of `path`; empty: it cannot be read.
std::string ReadPage(const std::string& path);

}  // namespace prof::options

#endif  // PROF_TEST_OPTIONS_OPTIONS_PAGE_H_
