// SPDX-License-Identifier: Apache-2.0
#include "lib/options/name_filter.h"

#include <pthread.h>

#include <string>

#include "test/support/catch.h"

namespace prof::options::name_filter_test {
namespace {

bool Matches(const std::string& expression, const std::string& name) {
  bool failed = false;
  const bool matches = NameFilter(expression).Matches(name, &failed);
  CHECK_FALSE(failed);
  return matches;
}

TEST_CASE("An expression is looked for anywhere in the name") {
  CHECK(Matches("gemm", "void sgemm_128x64(float*)"));
  CHECK(Matches("gemm|conv", "implicit_convolve"));
  CHECK(Matches("^void .*<float", "void axpy<float, 4>(int)"));
  CHECK(Matches("^a|b$", "xb"));
  CHECK(Matches("layer [0-9]+/(mlp|attention)$", "step/layer 12/mlp"));
  CHECK_FALSE(Matches("gemm", "saxpy"));
  CHECK_FALSE(Matches("^gemm", "sgemm"));
  CHECK_FALSE(Matches("^(a|b)$", "xb"));
  CHECK_FALSE(Matches("layer [0-9]+$", "step/layer 12/mlp"));
}

TEST_CASE("An empty expression matches every name, also an empty one") {
  CHECK(NameFilter().empty());
  CHECK(Matches("", "anything"));
  CHECK(Matches("", ""));
  CHECK_FALSE(NameFilter("a").empty());
  CHECK_FALSE(Matches("a", ""));
}

TEST_CASE("An expression that is none has a problem with its reason, and matches no name") {
  for (const char* wrong : {"(", "a)", "[a", "a{2", "*", "(a)\\1", "a)|(b"}) {
    INFO(wrong);
    CHECK(ExpressionProblem(wrong).rfind("a regular expression", 0) == 0);
    CHECK_FALSE(Matches(wrong, "a"));
    CHECK_FALSE(NameFilter(wrong).empty());
  }
  for (const char* good :
       {"", "gemm", "a|b", "[a-z]+", "(a)(b)", "\\(", "^x$", "(?:x)", "\\d\\s"}) {
    INFO(good);
    CHECK(ExpressionProblem(good).empty());
  }
}

// A launching thread may have little stack, and names of templates are long.
TEST_CASE("A name of a hundred thousand characters needs neither much stack nor much time") {
  const auto body = [](void* result) -> void* {
    const std::string name(100'000, 'a');
    bool failed = false;  // Catch's checks are for one thread
    *static_cast<bool*>(result) = !NameFilter("(a|aa)+b").Matches(name, &failed) &&
                                  NameFilter("(a|b)*$").Matches(name, &failed) && !failed;
    return nullptr;
  };
  bool as_expected = false;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 256 << 10);
  pthread_t thread;
  REQUIRE(pthread_create(&thread, &attributes, body, &as_expected) == 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  CHECK(as_expected);
}

}  // namespace
}  // namespace prof::options::name_filter_test
