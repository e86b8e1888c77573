// SPDX-License-Identifier: Apache-2.0
#include "lib/report/text/details/source_detail.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <ostream>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/report/base/strings.h"
#include "lib/report/base/table.h"
#include "lib/report/text/heading.h"
#include "lib/text/numbers.h"

namespace prof {
namespace {

using report::Align;

constexpr int64_t kAround = 2;  // lines shown before and behind one that has something
constexpr size_t kMostListed = 8;

std::string_view FileName(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == path.npos ? path : path.substr(slash + 1);
}

bool EndsWithParts(std::string_view path, std::string_view end) {
  if (path.size() < end.size() || path.substr(path.size() - end.size()) != end) return false;
  return path.size() == end.size() || path[path.size() - end.size() - 1] == '/';
}

// The files that have a line, those with most time first.
std::vector<std::string> Files(const LinesReport& lines) {
  std::map<std::string, double> times;
  for (const SourceLine& line : lines.within) times[line.file] += 0;
  for (const LineReport& line : lines.own) {
    times[line.file] += line.time_ns + line.backward_ns + line.idle_ns;
  }
  std::vector<std::pair<double, std::string>> sorted;
  sorted.reserve(times.size());
  for (const auto& [file, time_ns] : times) sorted.emplace_back(-time_ns, file);
  std::sort(sorted.begin(), sorted.end());
  std::vector<std::string> files;
  files.reserve(sorted.size());
  for (auto& [time_ns, file] : sorted) files.push_back(std::move(file));
  return files;
}

std::string FileList(const std::vector<std::string>& files) {
  std::string list;
  for (size_t i = 0; i < std::min(files.size(), kMostListed); ++i) {
    list += (i == 0 ? ": " : ", ") + report::Printable(files[i]);
  }
  return list + (files.size() > kMostListed ? ", ..." : "");
}

// What one line of the file has.
struct LineCells {
  const SourceLine* within = nullptr;
  double here_ns = 0;
};

std::map<int64_t, LineCells> LinesOf(const LinesReport& lines, const std::string& file) {
  std::map<int64_t, LineCells> found;
  for (const SourceLine& line : lines.within) {
    if (line.file == file && line.line != 0) found[line.line].within = &line;
  }
  for (const LineReport& line : lines.own) {
    if (line.file == file && line.line != 0) found[line.line].here_ns += line.time_ns;
  }
  return found;
}

double BusyNs(const LinesReport& lines) {
  double busy_ns = lines.without_stack_ns;
  for (const LineReport& line : lines.all) busy_ns += line.time_ns + line.backward_ns;
  return busy_ns;
}

}  // namespace

std::string FindSource(const Report& report, const std::string& name, std::string* problem) {
  const std::vector<std::string> files = Files(report.lines);
  const auto matching = [&](const auto& matches) {
    std::vector<std::string> found;
    std::copy_if(files.begin(), files.end(), std::back_inserter(found), matches);
    return found;
  };
  std::string_view end = name;
  while (end.substr(0, 2) == "./") end.remove_prefix(2);
  std::vector<std::string> found = matching([&](const std::string& file) { return file == name; });
  if (found.empty()) {
    found =
        matching([&](const std::string& file) { return !end.empty() && EndsWithParts(file, end); });
  }
  if (found.empty()) {
    found = matching([&](const std::string& file) { return FileName(file) == FileName(end); });
  }
  if (found.size() == 1) return found.front();
  *problem = found.empty()
                 ? "no stack has a line of '" + name + "'; those with most time" + FileList(files)
                 : "'" + name + "' may be any of several files" + FileList(found);
  return "";
}

void WriteSourceDetail(std::ostream& out, const Report& report, const std::string& file,
                       const std::vector<std::string>& source, const TextOptions& options) {
  const std::map<int64_t, LineCells> lines = LinesOf(report.lines, file);
  const double busy_ns = BusyNs(report.lines);
  std::set<int64_t> shown;
  const auto count = static_cast<int64_t>(source.size());
  for (const auto& [number, cells] : lines) {
    for (int64_t i = number - kAround; i <= number + kAround; ++i) {
      if (i >= 1 && (i <= count || i == number)) shown.insert(i);
    }
  }
  report::Table table;
  table.columns = {
      {"line", Align::kRight},        {"GPU", Align::kRight},          {"%", Align::kRight},
      {"here", Align::kRight},        {"its backward", Align::kRight}, {"idle", Align::kRight},
      {"", Align::kLeft, 40, 0, true}};
  int64_t last = 0;
  for (const int64_t number : shown) {
    if (number != last + 1 && last != 0) table.rows.push_back({{"", "", "", "", "", "", "..."}});
    last = number;
    const auto at = lines.find(number);
    const SourceLine* within = at != lines.end() ? at->second.within : nullptr;
    const double gpu_ns = within != nullptr ? within->time_ns : 0;
    const double both_ns = within != nullptr ? within->time_ns + within->backward_ns : 0;
    table.rows.push_back(
        {{std::to_string(number), report::TimeOrBlank(gpu_ns),
          both_ns > 0 && busy_ns > 0 ? text::Fixed(100 * both_ns / busy_ns, 1) : "",
          report::TimeOrBlank(at != lines.end() ? at->second.here_ns : 0),
          report::TimeOrBlank(within != nullptr ? within->backward_ns : 0),
          report::TimeOrBlank(within != nullptr ? within->idle_ns : 0),
          number <= count ? report::Printable(source[static_cast<size_t>(number - 1)])
                          : "(the file has no such line)"}});
  }
  report::WriteHeading(out, report::Printable(file), options);
  report::WriteTable(out, table, options.width, options.utf8);
  out << '\n';
  report::WriteParagraph(
      out, "",
      "GPU: busy time of what the line launched, with all that it called, so a line and one that "
      "it calls have the same time; here: what no other line of the program launched for it; its "
      "backward: of the backward pass of PyTorch's ops that it launched; %: of the GPU's busy "
      "time, with its backward; idle: how long the GPU idled because of the line or of what it "
      "called, as for --by-line.",
      options.width);
}

}  // namespace prof
