// SPDX-License-Identifier: Apache-2.0
//
// The seeds are small valid snapshots that use every part of the schema. Fuzzing starts from them.
#ifndef PROF_TEST_FUZZ_SEEDS_H_
#define PROF_TEST_FUZZ_SEEDS_H_

#include <string>
#include <vector>

namespace prof::test {

std::vector<std::string> Seeds();

}  // namespace prof::test

#endif  // PROF_TEST_FUZZ_SEEDS_H_
