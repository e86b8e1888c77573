// SPDX-License-Identifier: Apache-2.0
#include <exception>
#include <string>

#include "absl/status/status.h"
#include "lib/html/html.h"
#include "prof/write.h"

namespace prof {

std::string WriteHtml(std::ostream& out, const Snapshot& snapshot, const Report& report) {
  try {
    const absl::Status written = html::WriteHtml(out, snapshot, report);
    return std::string(written.message());
  } catch (const std::exception& problem) {  // most likely out of memory
    return std::string("writing HTML failed: ") + problem.what();
  }
}

}  // namespace prof
