// SPDX-License-Identifier: Apache-2.0
#include "lib/ranks/job_json.h"

#include <nlohmann/json.hpp>
#include <ostream>

namespace prof::ranks {
namespace {

using Json = nlohmann::ordered_json;

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
               {"span_ns", verdict.span_ns},
               {"wait_ns", verdict.wait_ns},
               {"compute_ns", verdict.compute_ns},
               {"idle_ns", verdict.idle_ns}};
  if (!verdict.straggles) return json;
  json["cause"] = ToString(verdict.cause);
  json["compute_more_ns"] = verdict.compute_more_ns;
  json["taken_from_others_ns"] = verdict.taken_from_others_ns;
  json["idle_more_ns"] = verdict.idle_more_ns;
  if (verdict.sm_clock_hz > 0) {
    json["sm_clock_hz"] = verdict.sm_clock_hz;
    json["others_sm_clock_hz"] = verdict.others_sm_clock_hz;
  }
  json["differences"] = Json::array();
  for (const Difference& difference : verdict.differences) {
    json["differences"].push_back(ToJson(difference));
  }
  return json;
}

}  // namespace

void WriteJobJson(std::ostream& out, const Job& job) {
  Json json = {{"finding", ToText(job.finding)}, {"meetings", job.meetings},
               {"span_ns", job.span_ns},         {"transfer_ns", job.transfer_ns},
               {"wait_ns", job.wait_ns},         {"gain_ns", job.gain_ns}};
  json["ranks"] = Json::array();
  for (const RankVerdict& verdict : job.verdicts) json["ranks"].push_back(ToJson(job, verdict));
  json["notes"] = job.notes;
  out << json.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
}

}  // namespace prof::ranks
