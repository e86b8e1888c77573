// SPDX-License-Identifier: Apache-2.0
#include "lib/options/option_text.h"

#include <csignal>
#include <limits>
#include <locale>
#include <map>
#include <string>
#include <vector>

#include "lib/options/option_checks.h"
#include "test/options/sample_values.h"
#include "test/support/catch.h"

namespace prof::options::option_text_test {
namespace {

// Values as libprof reads them from variables that hold `values`.
SessionOptions ThroughVariables(const SessionOptions& values) {
  std::map<std::string, std::string> variables;
  for (const Option& option : kOptions) variables[option.variable] = ValueText(option, values);
  std::vector<std::string> problems;
  SessionOptions read = ReadVariables([&](const char* name) { return variables[name]; }, &problems);
  CHECK(problems == std::vector<std::string>{});
  return read;
}

void CheckEqual(const SessionOptions& left, const SessionOptions& right) {
  for (const Option& option : kOptions) {
    INFO(option.variable);
    CHECK(ValueText(option, left) == ValueText(option, right));
  }
}

std::string ProblemOf(const std::string& variable, const std::string& text) {
  SessionOptions values;
  return SetValue(OptionOf(variable), text, &values).value_or("");
}

TEST_CASE("Each value of each option survives the way through a variable") {
  for (const Option& option : kOptions) {
    const std::vector<std::string> samples = SampleValues(option);
    REQUIRE(samples.size() >= 2);
    for (const std::string& text : samples) {
      INFO(option.variable << "=" << text);
      SessionOptions values = DefaultOptions();
      REQUIRE_FALSE(SetValue(option, text, &values));
      CHECK(ValueText(option, values) == text);
      CheckEqual(ThroughVariables(values), values);
    }
  }
}

TEST_CASE("A value changes its own option and no other") {
  for (const Option& option : kOptions) {
    for (const std::string& text : SampleValues(option)) {
      SessionOptions values = DefaultOptions();
      REQUIRE_FALSE(SetValue(option, text, &values));
      REQUIRE_FALSE(SetValue(option, ValueText(option, DefaultOptions()), &values));
      INFO(option.variable << "=" << text);
      CheckEqual(values, DefaultOptions());
    }
  }
}

TEST_CASE("The defaults are those of SessionOptions, and a file of this process") {
  SessionOptions values = DefaultOptions();
  CHECK(values.output == "prof-%h-%i.prof");
  values.output.clear();
  CheckEqual(values, SessionOptions());
}

TEST_CASE("A value that is not allowed is answered with the allowed ones") {
  CHECK(ProblemOf("PROF_SAMPLES", "0") == "a whole number from 1 to 100");
  CHECK(ProblemOf("PROF_SAMPLES", "2.5") == "a whole number from 1 to 100");
  CHECK(ProblemOf("PROF_CONTINUOUS_CORE", "0") == "a number from 0.1 to 100");
  CHECK(ProblemOf("PROF_COUNTERS", "T1") == "one of none, auto, pulse, sol, stalls, all");
  CHECK(ProblemOf("PROF_RANGES", "yes") == "0 or 1");
  CHECK(ProblemOf("PROF_CONTINUOUS", "19") == "0, 1 or an interval from 20 to 1000000 us");
  CHECK(ProblemOf("PROF_KERNEL", "(").rfind("a regular expression", 0) == 0);
}

TEST_CASE("A number is all of the text, and finite") {
  for (const char* text : {"", "nan", "inf", "-inf", "1e999", "3 apples", "three", "5,5", "-1"}) {
    INFO(text);
    CHECK_FALSE(ProblemOf("PROF_BUDGET_PERCENT", text).empty());
  }
  CHECK(ProblemOf("PROF_BUDGET_PERCENT", "2.5").empty());
  CHECK(ProblemOf("PROF_SAMPLES", "1e1").empty());
}

class CommaForPoint : public std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
};

TEST_CASE("Numbers do not depend on the program's locale") {
  const std::locale before =
      std::locale::global(std::locale(std::locale::classic(), new CommaForPoint));
  SessionOptions values;
  const bool read = !SetValue(OptionOf("PROF_BUDGET_PERCENT"), "2.5", &values);
  const std::string text = ValueText(OptionOf("PROF_BUDGET_PERCENT"), values);
  std::locale::global(before);
  CHECK(read);
  CHECK(text == "2.5");
}

TEST_CASE("A fraction keeps all its digits") {
  SessionOptions values;
  values.counter_budget_seconds = 1.0 / 3;
  CHECK(ThroughVariables(values).counter_budget_seconds == 1.0 / 3);
}

TEST_CASE("An interval that is the default is written as a switch") {
  SessionOptions values;
  values.continuous = true;
  CHECK(ValueText(OptionOf("PROF_CONTINUOUS"), values) == "1");
  values.continuous_interval_us = 50;
  CHECK(ValueText(OptionOf("PROF_CONTINUOUS"), values) == "50");
  values.continuous = false;
  CHECK(ValueText(OptionOf("PROF_CONTINUOUS"), values) == "0");
}

TEST_CASE("Options are named as the reader wrote them") {
  const Option& samples = OptionOf("PROF_SAMPLES");
  CHECK(Assignment(samples, "0", Naming::kFlag) == "--samples 0");
  CHECK(Assignment(samples, "0", Naming::kVariable) == "PROF_SAMPLES=0");
  CHECK(Assignment(samples, "0", Naming::kField) == "samples_per_signature = 0");
  CHECK(NameOf(OptionOf("PROF_OUTPUT"), Naming::kFlag) == "--output");
  CHECK(NameOf(OptionOf("PROF_SKIP"), Naming::kFlag) == "PROF_SKIP");
  const Option& continuous = OptionOf("PROF_CONTINUOUS");
  CHECK(Assignment(continuous, "1", Naming::kFlag) == "--continuous");
  CHECK(Assignment(continuous, "50", Naming::kFlag) == "--continuous=50");
  CHECK(Assignment(continuous, "50", Naming::kVariable) == "PROF_CONTINUOUS=50");
  CHECK(NameOf(continuous, Naming::kField) == "continuous");
}

}  // namespace
}  // namespace prof::options::option_text_test
