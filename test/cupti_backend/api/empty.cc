// SPDX-License-Identifier: Apache-2.0
//
// A library that is called libcupti and has nothing of it.
extern "C" int prof_test_not_cupti() { return 0; }
