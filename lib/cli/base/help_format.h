// SPDX-License-Identifier: Apache-2.0
//
// The help text of the program `prof`: lines that fit the terminal, and a usage line that a reader
// can follow.
#ifndef PROF_LIB_CLI_BASE_HELP_FORMAT_H_
#define PROF_LIB_CLI_BASE_HELP_FORMAT_H_

#include <CLI/CLI.hpp>
#include <string>

namespace prof::cli {

class HelpFormat : public CLI::Formatter {
 public:
  // `usage`: what follows "Usage:".
  explicit HelpFormat(std::string usage);

  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override;
  std::string make_usage(const CLI::App* app, std::string name) const override;
  std::string make_option_opts(const CLI::Option* option) const override;
  std::string make_option_desc(const CLI::Option* option) const override;

 private:
  std::string usage_;
};

}  // namespace prof::cli

#endif  // PROF_LIB_CLI_BASE_HELP_FORMAT_H_
