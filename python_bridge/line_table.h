// SPDX-License-Identifier: Apache-2.0
//
// The line table of a code object maps its instructions to lines of the source. CPython 3.10 has
// one format (Objects/lnotab_notes.txt), 3.11 and later another (Objects/locations.md there,
// InternalDocs/code_objects.md since 3.14).
#ifndef PROF_PYTHON_BRIDGE_LINE_TABLE_H_
#define PROF_PYTHON_BRIDGE_LINE_TABLE_H_

#include <cstdint>
#include <string_view>

namespace prof::python {

enum class LineFormat : uint8_t { kPython310, kPython311 };

// The line of the instruction at `offset` bytes; 0: the table has none for it, or is damaged. A
// negative offset is before the first instruction: the answer is `first_line`. Any bytes may come;
// the work is in proportion to them.
[[nodiscard]] uint32_t LineAt(LineFormat format, std::string_view table, uint32_t first_line,
                              int64_t offset);

}  // namespace prof::python

#endif  // PROF_PYTHON_BRIDGE_LINE_TABLE_H_
