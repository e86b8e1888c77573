// SPDX-License-Identifier: Apache-2.0
#include "lib/report/text/details/range_detail.h"

#include <algorithm>
#include <locale>
#include <ostream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "lib/report/base/kernel_text.h"
#include "lib/report/base/strings.h"
#include "lib/report/text/heading.h"
#include "lib/report/text/sections/kernels_section.h"
#include "lib/report/text/sections/ranges_section.h"
#include "lib/report/text/sections/signatures_section.h"

namespace prof {
namespace {

using Matches = std::function<bool(const std::string&)>;

bool AnyMember(const RangeNode& node, const Matches& matches) {
  return std::any_of(node.members.begin(), node.members.end(),
                     [&](const RangeMember& member) { return matches(member.path); });
}

// The report with these ranges alone, each on its own instead of in a tree.
Report Selection(const Report& report, const Matches& matches) {
  Report selected;
  selected.span_ns = report.span_ns;
  selected.undisturbed_ns = report.undisturbed_ns;
  selected.profiler_ns = report.profiler_ns;
  selected.continuous = report.continuous;
  std::set<std::string> labels;
  for (RangeNode node : report.ranges) {
    if (!matches(node.path) && !AnyMember(node, matches)) continue;
    node.name = node.path;
    node.depth = 0;
    labels.insert(node.rows.begin(), node.rows.end());
    selected.ranges.push_back(std::move(node));
  }
  for (const RangeRow& row : report.rows) {
    if (labels.count(row.label) != 0) selected.rows.push_back(row);
  }
  for (const KernelReport& kernel : report.kernels) {
    if (labels.count(kernel.range) != 0) selected.kernels.push_back(kernel);
  }
  return selected;
}

// Each row's place under the roofline.
void WriteRooflines(std::ostream& out, const std::vector<RangeRow>& rows,
                    const TextOptions& options) {
  int shown = 0;
  for (const RangeRow& row : rows) {
    const std::string roofline = report::RooflineText(row.roofline);
    if (roofline.empty() || shown == options.max_rows) continue;
    if (shown++ == 0) {
      report::WriteHeading(out, "Rooflines: what a range launches itself, together", options);
    }
    report::WriteParagraph(out, "", report::Printable(row.label) + ": " + roofline, options.width);
  }
}

}  // namespace

bool WriteRangeDetail(std::ostream& out, const Report& report, const Matches& matches,
                      const TextOptions& requested) {
  TextOptions options = requested;
  options.width = std::max(options.width, 80);
  for (const KernelReport& kernel : report.kernels) options.kernels_ns += kernel.total_ns;
  const Report selected = Selection(report, matches);
  if (selected.ranges.empty()) return false;
  std::ostringstream text;
  text.imbue(std::locale::classic());
  report::WriteRanges(text, selected, options);
  WriteRooflines(text, selected.rows, options);
  report::WriteKernels(text, selected, options);
  report::WriteSignatures(text, selected, options);
  const std::string bytes = text.str().substr(1);  // without the blank line
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return true;
}

}  // namespace prof
