// SPDX-License-Identifier: Apache-2.0
#include "lib/ranks/job_text.h"

#include <algorithm>
#include <cmath>
#include <ostream>
#include <string>

#include "lib/analyzer/base/kernel_names.h"
#include "lib/report/base/strings.h"
#include "lib/report/base/table.h"
#include "lib/text/numbers.h"

namespace prof::ranks {
namespace {

using report::Align;
using report::Printable;
using report::WriteParagraph;

std::string OfSpan(double ns, const Job& job) {
  return text::Time(ns) + " (" + text::ShortPercent(job.span_ns > 0 ? ns / job.span_ns : 0) + ")";
}

std::string Conclusion(const Job& job) {
  const std::string wait = OfSpan(job.wait_ns, job);
  switch (job.finding) {
    case Finding::kTooFew:
      return "No verdict: the ranks met in " +
             text::Plural(job.meetings, "collective", "collectives") + ", and it takes " +
             text::Count(static_cast<int64_t>(kFewestParts * kFewestOfPart)) + ".";
    case Finding::kInTurn:
      return "No rank is late more often than others. A rank waits for others for " + wait +
             " on average: look at what differs from step to step, such as the input.";
    case Finding::kTogether:
      return "No rank is late: a rank waits for others for " + wait + " on average.";
    case Finding::kStraggler:
      break;
  }
  return "All ranks would gain at most " + OfSpan(job.gain_ns, job) +
         " if what is named here never came after the others.";
}

constexpr double kWorthSaying = 0.1;  // of what the GPU computes more. [own]

std::string ClockText(const RankVerdict& verdict) {
  if (!(verdict.sm_clock_hz > 0)) return "";
  return " Its SM clock is " + text::Rate(verdict.sm_clock_hz, "Hz") +
         ", the median of the others " + text::Rate(verdict.others_sm_clock_hz, "Hz") + ".";
}

// Kernels of the others took longer because those that waited held SMs.
std::string ComputeText(const RankVerdict& verdict) {
  const double more_ns = verdict.compute_more_ns;
  std::string text = "its GPU computes for " + text::Time(std::abs(more_ns)) +
                     (more_ns < 0 ? " less" : " more") + " than the median of the others";
  if (verdict.taken_from_others_ns >= kWorthSaying * std::abs(more_ns)) {
    text += ", whose kernels took up to " + text::Time(verdict.taken_from_others_ns) +
            " longer beside waiting ones";
  }
  return text + ".";
}

std::string CauseOf(const RankVerdict& verdict) {
  switch (verdict.cause) {
    case Cause::kSlowerKernels:
      return "the same kernels take longer on it: " + ComputeText(verdict) + ClockText(verdict) +
             " Where all kernels do, look at its clock, power and temperature (prof run "
             "--gpu-state), and at what else runs on that GPU; where some do, at the data that "
             "they get.";
    case Cause::kMoreWork:
      return "it has more work: " + ComputeText(verdict) +
             " Divide the work, or the input, evenly.";
    case Cause::kHost:
      return "its GPU has nothing to run for " + text::Time(verdict.idle_more_ns) +
             " more than the median of the others: its host is late. The report of its recording "
             "has the causes of idle time.";
    case Cause::kUnknown:
      break;
  }
  return "its GPU neither computes nor waits for its host for much longer than the others: what "
         "makes it late does not show here.";
}

std::string DifferenceText(const Difference& difference) {
  const Work& work = difference.work;
  std::string line =
      Printable(analyzer::ShortName(work.kernel)) + ": " + text::Time(difference.ns) + " more; " +
      text::Plural(work.launches, "launch", "launches") + " of " + text::Time(work.mean_ns());
  if (difference.others_mean_ns <= 0) return line + ", the others have none";
  return line + ", the others " + text::Count(std::llround(difference.others_launches)) + " of " +
         text::Time(difference.others_mean_ns);
}

void WriteStraggler(std::ostream& out, const Job& job, const RankVerdict& verdict, int width) {
  const Rank& rank = job.ranks[verdict.rank];
  WriteParagraph(out, "",
                 Printable(rank.name) + " is late: the others wait " +
                     OfSpan(verdict.late_ns, job) + " longer than it does.",
                 width);
  WriteParagraph(out, "  cause: ", CauseOf(verdict), width);
  for (const Difference& difference : verdict.differences) {
    if (difference.ns <= 0) continue;
    WriteParagraph(out, "    - ", DifferenceText(difference), width);
  }
  WriteParagraph(out, "  next: ", "prof report " + Printable(rank.file), width);
}

void WriteRanks(std::ostream& out, const Job& job, int width) {
  report::Table table;
  table.columns = {{"rank", Align::kLeft},     {"host", Align::kLeft, 8, 2},
                   {"last in", Align::kRight}, {"late", Align::kRight},
                   {"waits", Align::kRight},   {"kernels", Align::kRight},
                   {"idle", Align::kRight},    {"file", Align::kLeft, 12, 1, true}};
  for (const RankVerdict& verdict : job.verdicts) {
    const Rank& rank = job.ranks[verdict.rank];
    const double meetings = std::max<double>(1, static_cast<double>(job.meetings));
    table.rows.push_back(
        {{Printable(rank.name), Printable(rank.host),
          text::ShortPercent(static_cast<double>(verdict.last) / meetings),
          verdict.late_ns > 0 ? text::Time(verdict.late_ns) : "-", text::Time(verdict.wait_ns),
          text::Time(verdict.compute_ns), text::Time(verdict.idle_ns), Printable(rank.file)}});
  }
  report::WriteTable(out, table, width, false);
  WriteParagraph(out, "",
                 "last in: collectives to which it came last. late: how much longer than it the "
                 "others waited, on average. waits: for others, with nothing else to run; of "
                 "waits beside other kernels the part of the SMs that they take. kernels: other "
                 "ones ran. Times are from the first collective to the last one.",
                 width);
}

}  // namespace

void WriteJobText(std::ostream& out, const Job& job, int width) {
  WriteParagraph(out, "",
                 text::Count(static_cast<int64_t>(job.ranks.size())) + " ranks met in " +
                     text::Plural(job.meetings, "collective", "collectives") + " in " +
                     text::Time(job.span_ns) + ". Once the last rank has come they take " +
                     OfSpan(job.transfer_ns, job) + " with nothing else beside them.",
                 width);
  out << '\n';
  for (const RankVerdict& verdict : job.verdicts) {
    if (verdict.straggles) WriteStraggler(out, job, verdict, width);
  }
  WriteParagraph(out, "", Conclusion(job), width);
  out << '\n';
  WriteRanks(out, job, width);
  for (const std::string& note : job.notes) WriteParagraph(out, "Note: ", Printable(note), width);
}

}  // namespace prof::ranks
