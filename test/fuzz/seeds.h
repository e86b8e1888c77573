// SPDX-License-Identifier: Apache-2.0
//
// Small valid snapshots that use every part of the schema: where fuzzing starts from.
#ifndef PROF_TEST_FUZZ_SEEDS_H_
#define PROF_TEST_FUZZ_SEEDS_H_

#include <string>
#include <vector>

namespace prof::test {

std::vector<std::string> Seeds();

}  // namespace prof::test

#endif  // PROF_TEST_FUZZ_SEEDS_H_
