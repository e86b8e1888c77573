// SPDX-License-Identifier: Apache-2.0
#include "lib/ranks/job_text.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>

#include "lib/report/base/strings.h"
#include "lib/report/base/table.h"
#include "lib/text/numbers.h"

namespace prof::ranks {
namespace {

using Json = nlohmann::ordered_json;
using report::Align;
using report::Printable;
using report::WriteParagraph;

std::string OfSpan(double ns, const Job& job) {
  return text::Time(ns) + " (" + text::ShortPercent(job.span_ns > 0 ? ns / job.span_ns : 0) + ")";
}

const char* ToText(Finding finding) {
  switch (finding) {
    case Finding::kTooFew:
      return "too-few";
    case Finding::kStraggler:
      return "straggler";
    case Finding::kInTurn:
      return "in-turn";
    case Finding::kTogether:
      break;
  }
  return "together";
}

std::string Conclusion(const Job& job) {
  switch (job.finding) {
    case Finding::kTooFew:
      return "No verdict: the recordings share " + text::Count(job.collectives) +
             " collectives, and it takes " +
             text::Count(static_cast<int64_t>(kFewestParts * kFewestOfPart)) + ".";
    case Finding::kInTurn:
      return "No rank is late more often than others. Ranks are late in turn, which costs at "
             "most " +
             OfSpan(job.late_ns, job) +
             ": look at what differs from step to step, such as the "
             "input.";
    case Finding::kTogether:
      return "No rank is late: waiting for the last one costs at most " + OfSpan(job.late_ns, job) +
             ".";
    case Finding::kStraggler:
      break;
  }
  return "";
}

std::string CauseOf(const RankVerdict& verdict) {
  const std::string more = text::Time(std::max(verdict.compute_more_ns, verdict.idle_more_ns));
  switch (verdict.cause) {
    case Cause::kSlowerKernels:
      return "the same kernels take longer on it: its GPU computes for " + more +
             " more than the median of the others. Look at its clock, power and temperature (prof "
             "run --gpu-state), and at what else runs on that GPU.";
    case Cause::kMoreWork:
      return "it has more work: its GPU computes for " + more +
             " more than the median of the others. Divide the work, or the input, evenly.";
    case Cause::kHost:
      return "its GPU has nothing to run for " + more +
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
  std::string line = Printable(work.kernel) + ": " + text::Time(difference.ns) + " more; " +
                     text::Plural(work.launches, "launch", "launches") + " of " +
                     text::Time(work.mean_ns());
  if (difference.others_mean_ns <= 0) return line + ", the others have none";
  return line + ", the others " + text::Count(std::llround(difference.others_launches)) + " of " +
         text::Time(difference.others_mean_ns);
}

void WriteStraggler(std::ostream& out, const Job& job, const RankVerdict& verdict, int width) {
  const Rank& rank = job.ranks[verdict.rank];
  WriteParagraph(out, "",
                 Printable(rank.name) + " is late: all ranks would gain at most " +
                     OfSpan(verdict.late_ns, job) + " if it never came last.",
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
                   {"kernels", Align::kRight}, {"collectives alone", Align::kRight},
                   {"idle", Align::kRight},    {"file", Align::kLeft, 12, 1, true}};
  for (const RankVerdict& verdict : job.verdicts) {
    const Rank& rank = job.ranks[verdict.rank];
    const double meetings = std::max<double>(1, static_cast<double>(job.collectives));
    table.rows.push_back(
        {{Printable(rank.name), Printable(rank.host),
          text::ShortPercent(static_cast<double>(verdict.last) / meetings),
          text::Time(verdict.late_ns), text::Time(rank.compute_ns), text::Time(rank.exposed_ns),
          text::Time(rank.idle_ns), Printable(rank.file)}});
  }
  report::WriteTable(out, table, width, false);
  WriteParagraph(out, "",
                 "last in: collectives to which it came last. late: what all would gain if it had "
                 "come with the one before it. kernels: any other kernel ran. Times are between "
                 "the first and the last collective.",
                 width);
}

Json ToJson(const Difference& difference) {
  const Work& work = difference.work;
  return {{"kernel", work.kernel},
          {"grid", work.grid},
          {"block", work.block},
          {"launches", work.launches},
          {"mean_ns", work.mean_ns()},
          {"others_launches", difference.others_launches},
          {"others_mean_ns", difference.others_mean_ns},
          {"more_ns", difference.ns}};
}

Json ToJson(const Job& job, const RankVerdict& verdict) {
  const Rank& rank = job.ranks[verdict.rank];
  Json json = {{"name", rank.name},
               {"rank", rank.number},
               {"host", rank.host},
               {"device", rank.device},
               {"file", rank.file},
               {"last", verdict.last},
               {"late_ns", verdict.late_ns},
               {"straggles", verdict.straggles},
               {"span_ns", rank.span_ns},
               {"compute_ns", rank.compute_ns},
               {"exposed_ns", rank.exposed_ns},
               {"idle_ns", rank.idle_ns}};
  if (!verdict.straggles) return json;
  json["cause"] = ToString(verdict.cause);
  json["compute_more_ns"] = verdict.compute_more_ns;
  json["idle_more_ns"] = verdict.idle_more_ns;
  json["differences"] = Json::array();
  for (const Difference& difference : verdict.differences) {
    json["differences"].push_back(ToJson(difference));
  }
  return json;
}

}  // namespace

void WriteJobText(std::ostream& out, const Job& job, int width) {
  if (!job.problem.empty()) {
    out << Printable(job.problem) << '\n';
    return;
  }
  WriteParagraph(out, "",
                 text::Count(static_cast<int64_t>(job.ranks.size())) + " ranks, " +
                     text::Plural(job.collectives, "collective", "collectives") + " in " +
                     text::Time(job.span_ns) + ". The data takes " + OfSpan(job.transfer_ns, job) +
                     " once the last rank has come.",
                 width);
  out << '\n';
  if (job.finding == Finding::kStraggler) {
    for (const RankVerdict& verdict : job.verdicts) {
      if (verdict.straggles) WriteStraggler(out, job, verdict, width);
    }
  } else {
    WriteParagraph(out, "", Conclusion(job), width);
  }
  out << '\n';
  WriteRanks(out, job, width);
  for (const std::string& note : job.notes) WriteParagraph(out, "Note: ", Printable(note), width);
}

void WriteJobJson(std::ostream& out, const Job& job) {
  Json json;
  json["error"] = job.problem;
  if (job.problem.empty()) {
    json["finding"] = ToText(job.finding);
    json["collectives"] = job.collectives;
    json["span_ns"] = job.span_ns;
    json["transfer_ns"] = job.transfer_ns;
    json["late_ns"] = job.late_ns;
    json["ranks"] = Json::array();
    for (const RankVerdict& verdict : job.verdicts) json["ranks"].push_back(ToJson(job, verdict));
    json["notes"] = job.notes;
  }
  out << json.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
}

}  // namespace prof::ranks
