// SPDX-License-Identifier: Apache-2.0
//
// The published layout is the table of offsets that an interpreter of CPython 3.13 or later has at
// the beginning of _PyRuntime. Each minor version has its entries at other places.
#ifndef PROF_PYTHON_BRIDGE_PUBLISHED_LAYOUT_H_
#define PROF_PYTHON_BRIDGE_PUBLISHED_LAYOUT_H_

#include <string>

#include "python_bridge/python_layout.h"

namespace prof::python {

constexpr int kFirstPublished = 13, kLastPublished = 14;  // minor versions of 3.x

// Fills `layout` from the table at `python.runtime`. The answer is why prof cannot read this
// interpreter; empty: it can. `python.minor` is one of the above.
[[nodiscard]] std::string PublishedLayout(const PythonSymbols& python, PythonLayout* layout);

}  // namespace prof::python

#endif  // PROF_PYTHON_BRIDGE_PUBLISHED_LAYOUT_H_
