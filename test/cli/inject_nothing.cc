// SPDX-License-Identifier: Apache-2.0
//
// A library to preload that does nothing.
extern "C" int prof_test_inject_nothing() { return 0; }
