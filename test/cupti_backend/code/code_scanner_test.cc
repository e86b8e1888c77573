// SPDX-License-Identifier: Apache-2.0
//
// What stands in the code of a kernel, against NVIDIA's disassembler (test/data/code/make.py).
#include "cupti_backend/code/code_scanner.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>
#include <string>

#include "cupti_backend/code/cubin_reader.h"
#include "lib/analyzer/base/code_counts.h"
#include "test/support/catch.h"
#include "test/support/temp_folder.h"

namespace prof::cupti::test::code_scanner_test {
namespace {

using nlohmann::json;
using prof::test::ReadFile;

std::string Cubin(const std::string& file) { return ReadFile(PROF_TEST_CODE "/" + file); }

// As make.py writes it: without the kinds that do not occur.
json ToJson(const format::CodeCensus& census) {
  const KernelCode code = analyzer::CodeOf(census);
  json result = {{"calls_others", code.calls_others}};
  const auto add = [&](const char* name, const KernelCode::Count& count) {
    if (count.all > 0) result[name] = {count.all, count.in_loops};
  };
  add("instructions", code.instructions);
  for (const KernelCode::Kind& kind : code.kinds()) add(kind.name, kind.count);
  return result;
}

// A copy without room behind it: a sanitizer sees each byte that is read too far.
struct Exact {
  explicit Exact(const std::string& from) : bytes(from.size()), data(new uint8_t[bytes]) {
    std::memcpy(data.get(), from.data(), bytes);
  }
  size_t bytes;
  std::unique_ptr<uint8_t[]> data;
};

uint64_t ReadAll(const uint8_t* data, size_t bytes) {
  CubinReader reader(data, bytes);
  CubinFunction function;
  uint64_t sum = 0;
  while (reader.Next(&function)) {
    sum += function.name.size();
    sum += Scan(function.code, function.bytes, reader.architecture()).instructions;
  }
  return sum;
}

TEST_CASE("The code has what NVIDIA's disassembler finds in it, on each architecture") {
  const json expected = json::parse(ReadFile(PROF_TEST_CODE "/expected.json"));
  REQUIRE(expected.size() == 6);
  for (const auto& [file, functions] : expected.items()) {
    const std::string cubin = Cubin(file);
    CubinReader reader(cubin.data(), cubin.size());
    CHECK("sm_" + std::to_string(reader.architecture()) ==
          file.substr(0, file.find_first_of("a.", 3)));
    CHECK(CanScan(reader.architecture()));
    CubinFunction function;
    size_t found = 0;
    for (; reader.Next(&function); ++found) {
      INFO(file << " " << function.name);
      CHECK(ToJson(Scan(function.code, function.bytes, reader.architecture())) ==
            functions.at(std::string(function.name)));
    }
    CHECK(found == functions.size());
  }
}

TEST_CASE("What is no cubin has no functions, and an architecture that is not known is not read") {
  CHECK(ReadAll(nullptr, 100) == 0);
  const std::string cubin = Cubin("sm_90a.cubin");
  CHECK(ReadAll(reinterpret_cast<const uint8_t*>(cubin.data()), 0) == 0);
  std::string other = cubin;
  other[18] = 62;  // x86-64
  CHECK(CubinReader(other.data(), other.size()).architecture() == 0);
  CHECK_FALSE(CanScan(0));
  CHECK_FALSE(CanScan(61));
  CHECK_FALSE(CanScan(255));
}

TEST_CASE("A cubin that is cut or damaged anywhere is read within its bytes") {
  const std::string cubin = Cubin("sm_80.cubin");
  std::mt19937 random(std::random_device{}());
  const auto below = [&](size_t bound) {
    return std::uniform_int_distribution<size_t>(0, bound - 1)(random);
  };
  for (int i = 0; i < 300; ++i) {
    const Exact cut(cubin.substr(0, below(cubin.size())));
    ReadAll(cut.data.get(), cut.bytes);
    Exact damaged(cubin);
    for (int j = 0; j < 20; ++j) {
      // The headers of the file and of the sections, at its end, as often as the code.
      const size_t at = j % 3 == 0   ? below(64)
                        : j % 3 == 1 ? cubin.size() - 1 - below(4096)
                                     : below(cubin.size());
      damaged.data[at] = static_cast<uint8_t>(random());
    }
    std::memcpy(damaged.data.get(), cubin.data(), 20);  // it stays a cubin
    ReadAll(damaged.data.get(), damaged.bytes);
  }
}

TEST_CASE("Code of random bytes is counted to its end, and calls that nest cost no more") {
  std::mt19937 random(7);
  for (const uint32_t architecture : {75U, 90U}) {
    std::string code(16 * 5000 + 8, '\0');
    for (char& byte : code) byte = static_cast<char>(random());
    const Exact exact(code);
    const format::CodeCensus census = Scan(exact.data.get(), exact.bytes, architecture);
    CHECK(census.instructions > 4900);  // without NOP
    CHECK(census.looped <= census.instructions);
  }
  const std::string longest(16 * kMostInstructions, '\0'), longer(longest.size() + 16, '\0');
  const auto scanned = [](const std::string& code) {
    return Scan(reinterpret_cast<const uint8_t*>(code.data()), code.size(), 90).instructions;
  };
  CHECK(scanned(longest) == kMostInstructions);
  CHECK(scanned(longer) == 0);
  // Calls without a return, each in front of all that were called before, in one loop.
  constexpr size_t kCalls = 20'000;
  std::string calls(16 * (2 * kCalls + 1), '\0');
  const auto put = [&](size_t at, uint64_t operation, int64_t distance) {
    const uint64_t raw = static_cast<uint64_t>(distance * 4) & 0xffffffffffffU;
    const uint64_t low = operation | raw << 34U, high = raw >> 30U;
    std::memcpy(&calls[16 * at], &low, 8);
    std::memcpy(&calls[16 * at + 8], &high, 8);
  };
  for (size_t i = 0; i < kCalls; ++i) {
    const auto target = static_cast<int64_t>(2 * kCalls - i);
    put(i, 0x944, target - static_cast<int64_t>(i) - 1);
  }
  put(kCalls, 0x947, -static_cast<int64_t>(kCalls) - 1);
  const format::CodeCensus census =
      Scan(reinterpret_cast<const uint8_t*>(calls.data()), calls.size(), 80);
  CHECK(census.looped > kCalls);
}

}  // namespace
}  // namespace prof::cupti::test::code_scanner_test
