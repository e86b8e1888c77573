// SPDX-License-Identifier: Apache-2.0
//
// Shell completion and the man page, read by the shells and by groff where they are installed.
#include <iostream>
#include <string>
#include <vector>

#include "lib/options/option_table.h"
#include "test/cli/program.h"
#include "test/report/contains.h"
#include "test/support/catch.h"

namespace prof::test::completion_test {
namespace {

std::string Printed(const std::vector<std::string>& arguments) {
  static const Folder folder;
  const Ended ended = Prof(arguments, folder.path());
  CHECK(ended.exit_code() == 0);
  CHECK(ended.err.empty());
  return ended.out;
}

// By the shell, which looks for programs in PATH.
Ended Shell(const std::string& line, const std::string& folder) {
  return Program({"/bin/sh", "-c", line}, folder).Wait();
}

bool IsInstalled(const std::string& program) {
  const Folder folder;
  const bool installed = Shell("command -v " + program, folder.path()).exit_code() == 0;
  if (!installed) std::cout << "[skipped] " << program << " is not installed\n";
  return installed;
}

// What bash offers for the last of the words.
std::string Offered(const std::vector<std::string>& words) {
  const Folder folder;
  folder.Write("prof.bash", Printed({"completion", "bash"}));
  std::string line;
  for (const std::string& word : words) line += " '" + word + "'";
  folder.Write("ask.bash", ". ./prof.bash\nCOMP_WORDS=(prof" + line +
                               ")\nCOMP_CWORD=" + std::to_string(words.size()) +
                               "\n_prof\necho \"${COMPREPLY[*]}\"\n");
  const Ended ended = Shell("exec bash --norc ask.bash", folder.path());
  CHECK(ended.err.empty());
  return ended.out;
}

TEST_CASE("bash completes commands, options, and the values that an option takes") {
  if (!IsInstalled("bash")) return;
  CHECK(Offered({"rep"}) == "report\n");
  CHECK_THAT(Offered({""}), Contains("run") && Contains("doctor") && Contains("help"));
  CHECK(Offered({"help", "met"}) == "metrics\n");
  CHECK_THAT(Offered({"run", "--count"}), Contains("--counters") && Contains("--count-range"));
  CHECK(Offered({"run", "--counters", "st"}) == "stalls\n");
  CHECK(Offered({"report", "--js"}) == "--json\n");
  CHECK(Offered({"report", "--counters", "st"}) == "\n");  // files: readline's part
  CHECK_THAT(Offered({"run", "--", "bas"}), Contains("bash"));
}

TEST_CASE("Every flag of the table is completed in each shell") {
  const std::string bash = Printed({"completion", "bash"}), zsh = Printed({"completion", "zsh"}),
                    fish = Printed({"completion", "fish"});
  for (const options::Option& option : options::kOptions) {
    const std::string flag = option.flag;
    const size_t name = flag.find("--");
    if (name == std::string::npos) continue;
    INFO(flag);
    CHECK_THAT(bash, Contains(flag.substr(name)));
    CHECK_THAT(zsh, Contains("'" + flag.substr(name)));
    CHECK_THAT(fish, Contains(" -l " + flag.substr(name + 2) + " "));
  }
}

TEST_CASE("Each shell can read its completion") {
  const Folder folder;
  for (const char* shell : {"bash", "zsh", "fish"}) {
    folder.Write(shell, Printed({"completion", shell}));
    if (!IsInstalled(shell)) continue;
    const Ended ended = Shell(std::string("exec ") + shell + " -n " + shell, folder.path());
    CHECK(ended.exit_code() == 0);
    CHECK(ended.err.empty());
  }
}

TEST_CASE("A shell that is not known is named") {
  const Folder folder;
  const Ended ended = Prof({"completion", "tcsh"}, folder.path());
  CHECK(ended.exit_code() == 2);
  CHECK_THAT(ended.err, Contains("bash, zsh and fish"));
}

TEST_CASE("The man page has each command, each option and each variable") {
  const std::string page = Printed({"man"});
  for (const char* command : {"run", "report", "info", "metrics", "ctl", "doctor"}) {
    CHECK_THAT(page, Contains(std::string(".SS prof ") + command));
  }
  for (const options::Option& option : options::kOptions) {
    INFO(option.variable);
    CHECK_THAT(page, Contains("\\fB" + std::string(option.variable) + "\\fR"));
  }
  CHECK_THAT(page, Contains("EXIT STATUS") && Contains("\\-\\-counters LEVEL"));
}

TEST_CASE("groff formats the man page without a warning") {
  if (!IsInstalled("groff")) return;
  const Folder folder;
  folder.Write("prof.1", Printed({"man"}));
  const Ended ended = Shell("exec groff -man -Tascii -ww -P-cbou prof.1", folder.path());
  CHECK(ended.exit_code() == 0);
  CHECK(ended.err.empty());
  CHECK_THAT(ended.out, Contains("--keep-last SECONDS") && Contains("Examples:"));
}

}  // namespace
}  // namespace prof::test::completion_test
