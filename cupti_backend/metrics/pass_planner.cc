// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/metrics/pass_planner.h"

#include <algorithm>
#include <set>
#include <utility>

#include "cupti_backend/metrics/metric_search.h"

namespace prof::cupti {
namespace {

using Names = std::vector<std::string>;

class Planner {
 public:
  explicit Planner(const MetricHost& host) : host_(host) {}

  void Add(const MetricLevel& level) {
    level_ = level.name;
    const size_t first = plan_.groups.size();
    Names extras;
    for (const MetricGroup& group : level.groups) {
      if (PlaceWhole(group)) continue;
      Names hardware, software;
      for (const std::string& metric : group.metrics) Accept(metric, &hardware, &software);
      Place(software, {}, first, &extras);
      Place(hardware, Unplanned(group.extras), first, &extras);
    }
    for (const std::string& metric : extras) Fit(metric, first);
    throughputs_.insert(level.throughputs.begin(), level.throughputs.end());
    std::stable_sort(plan_.groups.begin() + static_cast<ptrdiff_t>(first), plan_.groups.end(),
                     [](const auto& a, const auto& b) { return a.cost < b.cost; });
  }

  // CUPTI 13.0 patches code for the first configuration of software counters, and reads the later
  // ones from that: so one group has those of all levels.
  void JoinSoftware() {
    std::vector<PlannedGroup>& groups = plan_.groups;
    const auto software = [](const PlannedGroup& g) { return IsSoftware(g.metrics.front()); };
    const auto first = std::find_if(groups.begin(), groups.end(), software);
    if (first == groups.end()) return;
    for (auto next = std::find_if(first + 1, groups.end(), software); next != groups.end();
         next = std::find_if(next, groups.end(), software)) {
      level_ = first->level;
      Names joint = first->metrics;
      joint.insert(joint.end(), next->metrics.begin(), next->metrics.end());
      if (!Try(std::move(joint), &*first)) {
        for (const std::string& metric : next->metrics) {
          LeaveOut(metric, "does not fit one pass with the other metrics of patched code");
        }
      }
      next = groups.erase(next);
    }
  }

  PassPlan Take() {
    for (const std::string& throughput : throughputs_) {
      if (host_.Knows(throughput)) Explain(throughput, false);
    }
    return std::move(plan_);
  }

 private:
  // True when the chip reads this group of the tables in one pass: one question.
  bool PlaceWhole(const MetricGroup& group) {
    Names metrics = Unplanned(group.metrics);
    if (metrics.empty() || metrics.size() != group.metrics.size()) return false;
    const Names extras = Unplanned(group.extras);
    metrics.insert(metrics.end(), extras.begin(), extras.end());
    PlannedGroup whole;
    const bool mixed = std::any_of(metrics.begin(), metrics.end(), IsSoftware);
    if (mixed || !Try(metrics, &whole)) return false;
    planned_.insert(metrics.begin(), metrics.end());
    plan_.groups.push_back(std::move(whole));
    return true;
  }

  // Adds `metric`, or its parts, to the metrics to place; or the reason to leave it out.
  void Accept(const std::string& metric, Names* hardware, Names* software) {
    if (planned_.count(metric) != 0) return;
    if (!host_.Knows(metric)) return LeaveOut(metric, ExplainName(host_, metric));
    const size_t passes = host_.Passes({metric}, nullptr);
    if (passes == 0) return LeaveOut(metric, ExplainName(host_, metric));
    if (passes == 1) {
      planned_.insert(metric);
      (IsSoftware(metric) ? software : hardware)->push_back(metric);
      return;
    }
    const std::string base = host_.BaseOf(metric);
    if (host_.metrics().at(base) != MetricKind::kThroughput || host_.PartsOf(base).empty()) {
      return LeaveOut(metric,
                      "needs " + std::to_string(passes) + " passes, more than one launch can give");
    }
    for (const std::string& part : Explain(metric, true).parts) {
      if (planned_.insert(part).second) hardware->push_back(part);
    }
  }

  void LeaveOut(const std::string& metric, const std::string& why) {
    plan_.left_out.push_back(metric + ": " + why);
  }

  // Finds the parts of a throughput; they have its suffix. Without `ask` every metric that is not
  // planned counts as a missing part: that is enough to know what was not read.
  const ThroughputPlan& Explain(const std::string& metric, bool ask) {
    for (const ThroughputPlan& known : plan_.throughputs) {
      if (known.metric == metric) return known;
    }
    ThroughputPlan throughput{metric, {}, {}};
    const std::string base = host_.BaseOf(metric);
    for (const std::string& part : host_.PartsOf(base)) {
      AddPart(part, metric.substr(base.size()), ask, &throughput);
    }
    return plan_.throughputs.emplace_back(std::move(throughput));
  }

  // A part that is a throughput itself is not divided where it needs one pass.
  void AddPart(const std::string& base, const std::string& suffix, bool ask,
               ThroughputPlan* throughput) {
    const std::string metric = base + suffix;
    const Names parts = host_.PartsOf(base);
    const bool single =
        planned_.count(metric) != 0 || (ask ? host_.Passes({metric}, nullptr) == 1 : parts.empty());
    if (single) return throughput->parts.push_back(metric);
    if (parts.empty()) throughput->missing.push_back(metric);
    for (const std::string& part : parts) AddPart(part, suffix, ask, throughput);
  }

  Names Unplanned(const Names& metrics) const {
    Names unplanned;
    for (const std::string& metric : metrics) {
      if (planned_.count(metric) == 0 && host_.Knows(metric)) unplanned.push_back(metric);
    }
    return unplanned;
  }

  // `metrics` as one group if they need one pass together.
  bool Try(Names metrics, PlannedGroup* group) const {
    metrics.erase(std::remove(metrics.begin(), metrics.end(), kWindowMetric), metrics.end());
    if (metrics.empty() || !IsSoftware(metrics.front())) {
      metrics.insert(metrics.begin(), kWindowMetric);
    }
    std::vector<uint8_t> image;
    if (host_.Passes(metrics, &image) != 1) return false;
    const MetricCost cost = CostOf(metrics);
    const format::Needs answers = AnswersOf(level_, metrics);
    *group = {level_, std::move(metrics), std::move(image), cost, answers};
    return true;
  }

  // A group of `metrics` and `extras`, or of `metrics` alone and the extras put off, or several.
  void Place(const Names& metrics, const Names& extras, size_t first, Names* put_off) {
    if (metrics.empty()) {
      put_off->insert(put_off->end(), extras.begin(), extras.end());
      return;
    }
    PlannedGroup group;
    Names all = metrics;
    all.insert(all.end(), extras.begin(), extras.end());
    if (Try(all, &group)) {
      planned_.insert(extras.begin(), extras.end());
      plan_.groups.push_back(std::move(group));
      return;
    }
    put_off->insert(put_off->end(), extras.begin(), extras.end());
    if (!extras.empty() && Try(metrics, &group)) {
      plan_.groups.push_back(std::move(group));
      return;
    }
    for (const std::string& metric : metrics) {
      if (Fit(metric, first)) continue;
      if (Try({metric}, &group)) {
        plan_.groups.push_back(std::move(group));
      } else {
        LeaveOut(metric, std::string("does not fit one pass with ") + kWindowMetric);
      }
    }
  }

  // Into the first group of the level that has room for it.
  bool Fit(const std::string& metric, size_t first) {
    for (size_t i = first; i < plan_.groups.size(); ++i) {
      if (IsSoftware(plan_.groups[i].metrics.front()) != IsSoftware(metric)) continue;
      Names joint = plan_.groups[i].metrics;
      joint.push_back(metric);
      if (!Try(std::move(joint), &plan_.groups[i])) continue;
      planned_.insert(metric);
      return true;
    }
    return false;
  }

  const MetricHost& host_;
  std::string level_;
  std::set<std::string> planned_;
  std::set<std::string> throughputs_;  // explained when everything is planned
  PassPlan plan_;
};

}  // namespace

format::Needs AnswersOf(const std::string& level, const std::vector<std::string>& metrics) {
  if (level == "user") return format::kNeedsRequested;
  format::Needs answers = format::kNeedsNothing;
  for (const std::string& metric : metrics) answers |= format::AnswersOf(metric);
  return answers;
}

PassPlan PlanPasses(const MetricHost& host, const std::vector<MetricLevel>& levels) {
  Planner planner(host);
  for (const MetricLevel& level : levels) planner.Add(level);
  planner.JoinSoftware();
  return planner.Take();
}

PassPlan PlanReplay(const MetricHost& host, const std::vector<MetricLevel>& levels) {
  PassPlan plan;
  PlannedGroup all;
  all.level = "replay";
  all.cost = MetricCost::kSm;
  all.metrics = {kWindowMetric};
  const auto add = [&](const std::string& metric) {
    if (std::find(all.metrics.begin(), all.metrics.end(), metric) != all.metrics.end()) return;
    if (host.Knows(metric) && host.Passes({metric}, nullptr) > 0) {
      all.metrics.push_back(metric);
    } else {
      plan.left_out.push_back(metric + ": " + ExplainName(host, metric));
    }
  };
  for (const MetricLevel& level : levels) {
    for (const MetricGroup& group : level.groups) {
      std::for_each(group.metrics.begin(), group.metrics.end(), add);
    }
    std::for_each(level.throughputs.begin(), level.throughputs.end(), add);
  }
  if (host.Passes(all.metrics, &all.config_image) > 0) {
    plan.groups.push_back(std::move(all));
  } else {
    plan.left_out.push_back("CUPTI rejects the metrics together");
  }
  return plan;
}

}  // namespace prof::cupti
