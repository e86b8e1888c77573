// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/kept_ceilings.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/format/ceilings_csv.h"

namespace prof::cupti {
namespace {

constexpr size_t kMostCeilingBytes = size_t{1} << 20U;

// Nothing where there is no such file, or where it is none that can be read whole.
std::string ReadCeilings(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return "";
  std::string text;
  struct stat status = {};
  if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) &&
      static_cast<size_t>(status.st_size) <= kMostCeilingBytes) {
    text.resize(static_cast<size_t>(status.st_size));
    const ssize_t got = read(file, text.data(), text.size());
    text.resize(got < 0 ? 0 : static_cast<size_t>(got));
  }
  close(file);
  return text;
}

}  // namespace

std::string AddKeptCeilings(const std::string& path, std::vector<capture::DeviceEvent>* devices) {
  const std::string text = path.empty() ? "" : ReadCeilings(path);
  if (text.empty()) return "";
  const format::CeilingsCsv kept = format::ParseCeilings(text);
  for (const format::CeilingRow& row : kept.rows) {
    for (capture::DeviceEvent& device : *devices) {
      if (row.device != device.name || row.sm_count != device.sm_count) continue;
      device.ceilings.push_back({row.kind, row.per_s, row.n, row.min, row.max, row.sm_clock_hz});
    }
  }
  return kept.error.empty() ? "" : path + " has no ceilings: " + kept.error;
}

}  // namespace prof::cupti
