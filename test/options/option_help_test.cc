// SPDX-License-Identifier: Apache-2.0
#include "lib/options/option_help.h"

#include <string>

#include "test/options/sample_values.h"
#include "test/support/catch.h"

namespace prof::options::option_help_test {
namespace {

TEST_CASE("A flag is shown with its value, which may be left out of an interval") {
  CHECK(FlagUsage(OptionOf("PROF_OUTPUT")) == "-o,--output PATTERN");
  CHECK(FlagUsage(OptionOf("PROF_RANGES")) == "--no-ranges");
  CHECK(FlagUsage(OptionOf("PROF_CONTINUOUS")) == "--continuous[=US]");
  CHECK(FlagUsage(OptionOf("PROF_SKIP")).empty());
}

TEST_CASE("Help names the allowed values, the unit and the default") {
  CHECK(AllowedText(OptionOf("PROF_BUFFER_MIB")) == "1 to 4096 MiB");
  CHECK(DefaultText(OptionOf("PROF_BUFFER_MIB")) == "64 MiB");
  CHECK(AllowedText(OptionOf("PROF_LAUNCH_SKIP")) == "0 to 1000000000000000");
  CHECK(DefaultText(OptionOf("PROF_CONTINUOUS")) == "off, 100 us");
  CHECK(DefaultText(OptionOf("PROF_RANGES")) == "on");
  CHECK(DefaultText(OptionOf("PROF_KERNEL")) == "all");
  CHECK(DefaultText(OptionOf("PROF_COUNTERS")) == "auto");
  CHECK(DefaultText(OptionOf("PROF_SAMPLES")) ==
        std::to_string(SessionOptions().samples_per_signature));
}

}  // namespace
}  // namespace prof::options::option_help_test
