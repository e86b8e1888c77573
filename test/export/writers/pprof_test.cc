// SPDX-License-Identifier: Apache-2.0
#include "lib/export/writers/pprof.h"

#include <map>
#include <string>
#include <vector>

#include "test/export/example_recording.h"
#include "test/export/wire_reader.h"
#include "test/support/catch.h"

namespace prof::exporting::pprof_test {
namespace {

using test::FieldsOf;
using test::IntegerAt;
using test::WireField;

TEST_CASE("A sample leads by locations and functions to the names of its ranges and kernel") {
  const std::string profile = test::Inflate(test::Exported(ExportFormat::kPprof));
  std::vector<std::string> strings;
  std::map<uint64_t, uint64_t> functions, names;  // location to function, function to string
  std::vector<std::string> samples;
  for (const WireField& field : FieldsOf(profile)) {
    if (field.number == 6) strings.emplace_back(field.bytes);
    if (field.number == 4) functions[IntegerAt(field.bytes, {1})] = IntegerAt(field.bytes, {4, 1});
    if (field.number == 5) names[IntegerAt(field.bytes, {1})] = IntegerAt(field.bytes, {2});
    if (field.number == 2) samples.emplace_back(field.bytes);
  }
  REQUIRE(samples.size() == 4);
  CHECK(strings.at(0).empty());
  CHECK(strings.at(IntegerAt(profile, {1, 1})) == "operations");
  std::vector<std::string> stack;
  std::vector<uint64_t> values;
  for (const WireField& field : FieldsOf(samples[0])) {
    if (field.number == 1) stack.push_back(strings.at(names.at(functions.at(field.integer))));
    if (field.number == 2) values.push_back(field.integer);
  }
  CHECK(stack == std::vector<std::string>{"saxpy", "step"});
  CHECK(values == std::vector<uint64_t>{3, 35'000});
  CHECK(strings.at(IntegerAt(profile, {14})) == "gpu_time");
}

}  // namespace
}  // namespace prof::exporting::pprof_test
