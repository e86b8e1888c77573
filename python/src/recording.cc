// SPDX-License-Identifier: Apache-2.0
#include "python/src/recording.h"

#include <sstream>
#include <utility>

#include "lib/html/html.h"
#include "lib/report/json.h"
#include "lib/report/text/text.h"
#include "prof/analyzer.h"
#include "python/src/problem.h"

namespace prof::python {

Recording::Recording(Snapshot snapshot)
    : snapshot_(std::move(snapshot)), report_(std::make_shared<Report>(Analyze(snapshot_))) {
  if (!report_->error.empty()) throw Problem(report_->error);
}

const std::shared_ptr<Report>& Recording::with_steps() {
  std::call_once(steps_read_, [this] {
    AnalyzeOptions options;
    options.steps = true;
    with_steps_ = std::make_shared<Report>(Analyze(snapshot_, options));
  });
  if (!with_steps_->error.empty()) throw Problem(with_steps_->error);
  return with_steps_;
}

const Events& Recording::events() {
  std::call_once(read_, [this] { events_ = ReadEvents(snapshot_); });
  if (!events_.error().empty()) throw Problem(events_.error());
  return events_;
}

std::string Recording::Text(const TextLooks& looks) const {
  TextOptions options;
  options.width = looks.width;
  options.max_rows = looks.top;
  options.color = looks.color;
  options.utf8 = looks.utf8;
  options.details = looks.details;
  std::ostringstream out;
  WriteText(out, *report_, options);
  return out.str();
}

std::string Recording::Json() const {
  std::ostringstream out;
  WriteJson(out, *report_);
  return out.str();
}

std::string Recording::Html() const {
  const std::string why_not = html::WhyNoHtml();
  if (!why_not.empty()) throw Problem(why_not);
  std::ostringstream out;
  const absl::Status written = html::WriteHtml(out, snapshot_, *report_);
  if (!written.ok()) throw Problem("no HTML report: " + std::string(written.message()));
  return out.str();
}

std::string Recording::Csv(ExportTable table) {
  ExportOptions options;
  options.format = ExportFormat::kCsv;
  options.table = table;
  std::ostringstream out;
  const ExportResult result = Export(events(), *report_, options, out);
  if (!result.error.empty()) throw Problem(result.error);
  return out.str();
}

ExportResult Recording::WriteTo(const std::string& path, const ExportOptions& options,
                                bool verdicts) {
  ExportResult result = ExportToFile(events(), verdicts ? *report_ : Report(), options, path);
  if (!result.error.empty()) throw Problem(result.error);
  return result;
}

}  // namespace prof::python
