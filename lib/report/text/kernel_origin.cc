// SPDX-License-Identifier: Apache-2.0
#include "lib/report/text/kernel_origin.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

#include "lib/report/base/strings.h"
#include "lib/text/numbers.h"

namespace prof::report {
namespace {

constexpr size_t kMostOfKernel = 5;  // in a line of its detail

std::string NameOf(const KernelOp& op) {
  // An op of the backward pass is known by what it is the backward pass of.
  return op.forward.empty() || op.forward == op.name ? op.name : op.name + " of " + op.forward;
}

std::string NameOf(const KernelModule& module) { return module.name; }

std::string NameOf(const KernelSource& line) {
  std::string name = line.file.empty() ? "(unknown file)" : line.file;
  if (line.line != 0) name += ":" + std::to_string(line.line);
  return name + " " + line.function;
}

// `origins`: most time first.
template <typename Origin>
std::string ListOf(const std::vector<Origin>& origins) {
  std::string text;
  for (size_t i = 0; i < std::min(origins.size(), kMostOfKernel); ++i) {
    const Origin& origin = origins[i];
    text += (i > 0 ? "; " : "") + Printable(NameOf(origin)) +
            (origin.backward ? " (backward) " : " ") + text::Time(origin.time_ns) + ", " +
            text::Count(origin.launches) + " launches";
  }
  if (origins.size() > kMostOfKernel) {
    text += "; and " + text::Count(static_cast<int64_t>(origins.size() - kMostOfKernel)) + " more";
  }
  return text;
}

std::string Short(const KernelOp& op) { return op.forward.empty() ? op.name : op.forward; }

std::string Short(const KernelSource& line) {
  const std::string file = line.file.substr(line.file.rfind('/') + 1);
  return (file.empty() ? "(unknown file)" : file) +
         (line.line != 0 ? ":" + std::to_string(line.line) : "");
}

// By name, to time.
using Times = std::map<std::string, double>;

template <typename Origin>
void Add(const std::vector<Origin>& origins, Times* times) {
  for (const Origin& origin : origins) {
    (*times)[Short(origin) + (origin.backward ? ", backward" : "")] += origin.time_ns;
  }
}

}  // namespace

std::string OpsOf(const KernelReport& kernel) { return ListOf(kernel.torch_ops); }

std::string ModulesOf(const KernelReport& kernel) { return ListOf(kernel.torch_modules); }

std::string LinesOf(const KernelReport& kernel) { return ListOf(kernel.lines); }

std::string OriginOf(const std::vector<const KernelReport*>& kernels) {
  Times times;
  for (const KernelReport* const kernel : kernels) Add(kernel->torch_ops, &times);
  if (times.empty()) {
    for (const KernelReport* const kernel : kernels) Add(kernel->lines, &times);
  }
  if (times.empty()) return "";
  const auto most = std::max_element(
      times.begin(), times.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  const std::string more =
      times.size() < 2 ? "" : " +" + text::Count(static_cast<int64_t>(times.size() - 1));
  return Printable(most->first) + more;
}

}  // namespace prof::report
