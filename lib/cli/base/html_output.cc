// SPDX-License-Identifier: Apache-2.0
#include "lib/cli/base/html_output.h"

#include <filesystem>
#include <fstream>
#include <iostream>

#include "absl/status/status.h"
#include "lib/cli/base/message.h"
#include "lib/cli/base/output_check.h"
#include "lib/cli/base/progress.h"
#include "lib/cli/base/recording_file.h"
#include "lib/html/comparison_page.h"
#include "lib/html/html.h"
#include "lib/text/numbers.h"
#include "prof/analyzer.h"

namespace prof::cli {
namespace {

std::string NameFor(const std::string& path, const std::string& recording) {
  const std::filesystem::path file(path);
  const std::string stem = std::filesystem::path(recording).stem().string();
  return (file.parent_path() / file.stem()).string() + "." + stem + file.extension().string();
}

bool IsWritten(const absl::Status& written) {
  return written.ok() || Fail("no HTML report: " + std::string(written.message())) == 0;
}

template <typename Write>
bool WriteToStandardOutput(const Write& write) {
  if (!IsWritten(write(std::cout))) return false;
  std::cout << std::flush;
  return std::cout || Fail("cannot write the HTML report to standard output") == 0;
}

// `write` writes the page. False after a message.
template <typename Write>
bool WritePage(const std::string& path, const Write& write) {
  const std::string why_not = html::WhyNoHtml();
  if (!why_not.empty()) return Fail(why_not) == 0;
  if (IsStandardOutput(path)) return WriteToStandardOutput(write);
  // The run that it is of may have made the file meanwhile.
  const std::string problem = OutputProblem("--html", path, {});
  if (!problem.empty()) return Fail(problem) == 0;
  std::ofstream out(path, std::ios::binary);
  if (!out) return Fail("cannot write '" + path + "': check its folder and permissions") == 0;
  const absl::Status written = [&] {
    const Progress progress("writing " + path);
    return write(out);
  }();
  if (!IsWritten(written)) return false;
  const auto bytes = static_cast<double>(out.tellp());
  out.close();
  if (!out) return Fail("cannot write '" + path + "': is the disk full?") == 0;
  std::cerr << "prof: wrote " << path << " (" << text::Bytes(bytes) << "): open it in a browser\n";
  return true;
}

}  // namespace

bool WriteHtmlFile(const std::string& path, const Snapshot& snapshot, const Report& report) {
  return WritePage(path, [&](std::ostream& out) { return html::WriteHtml(out, snapshot, report); });
}

bool WriteComparisonFile(const std::string& path, const Comparison& comparison) {
  return WritePage(path,
                   [&](std::ostream& out) { return html::WriteComparisonPage(out, comparison); });
}

bool WriteHtmlFiles(const std::string& path, const std::vector<std::string>& recordings) {
  bool all_well = true;
  for (const std::string& recording : recordings) {
    const Snapshot snapshot = Snapshot::FromFile(recording);
    const Report report = [&] {
      const Progress progress("analyzing " + recording);
      return Analyze(snapshot);
    }();
    if (!report.error.empty()) {
      all_well = Fail("cannot read " + report.error) == 0;
      continue;
    }
    const std::string name = recordings.size() == 1 ? path : NameFor(path, recording);
    all_well &= WriteHtmlFile(name, snapshot, report);
  }
  return all_well;
}

}  // namespace prof::cli
