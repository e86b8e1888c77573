// SPDX-License-Identifier: Apache-2.0
#include "lib/html/html.h"

#include <ostream>
#include <string>

#include "absl/status/statusor.h"
#include "lib/html/bundle.h"
#include "lib/html/gather.h"
#include "lib/html/packed.h"
#include "lib/html/page_head.h"
#include "lib/html/page_json.h"
#include "lib/html/timeline_data.h"
#include "lib/snapshot/model/model.h"
#include "lib/snapshot/read/reader.h"

namespace prof::html {
namespace {

absl::StatusOr<TimelineData> TimelineOf(const Snapshot& snapshot, const Report& report) {
  const absl::StatusOr<model::Model> model = ReadSnapshot(snapshot);
  if (!model.ok()) return model.status();
  return Gather(*model, report);
}

void WriteBytes(std::ostream& out, const std::string& id, const std::string& packed) {
  out << "<script type=\"application/octet-stream\" id=\"" << id << "\">" << packed
      << "</script>\n";
}

// The script stands before the blocks: the browser draws the first view while it still reads them.
void WriteBody(std::ostream& out, const Bundle& bundle, const Report& report,
               const TimelineData& data) {
  out << "<body>\n<div id=\"app\"></div>\n"
         "<noscript>This report needs JavaScript. prof report prints it as text.</noscript>\n"
         "<script type=\"application/json\" id=\"report\">"
      << ReportJson(report) << "</script>\n<script type=\"application/json\" id=\"timeline\">"
      << TimelineJson(data) << "</script>\n<script>" << bundle.script << "</script>\n";
  if (!data.stacks.nodes.empty()) WriteBytes(out, "stacks", Packed(StacksJson(data.stacks)));
  for (size_t i = 0; i < data.blocks.size(); ++i) {
    WriteBytes(out, "block" + std::to_string(i), data.blocks[i].packed);
  }
  out << "</body>\n</html>\n";
}

}  // namespace

std::string WhyNoHtml() { return std::string(BuiltBundle(PageKind::kReport).missing); }

absl::Status WriteHtml(std::ostream& out, const Snapshot& snapshot, const Report& report) {
  const Bundle bundle = BuiltBundle(PageKind::kReport);
  if (!bundle.missing.empty()) return absl::UnimplementedError(WhyNoHtml());
  const absl::StatusOr<TimelineData> data = TimelineOf(snapshot, report);
  if (!data.ok()) return data.status();
  WriteHead(out, bundle, report.command);
  WriteBody(out, bundle, report, *data);
  return absl::OkStatus();
}

}  // namespace prof::html
