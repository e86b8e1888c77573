// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/timeline/gaps.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>

#include "lib/analyzer/base/kernel_names.h"
#include "lib/analyzer/timeline/gap_cause.h"
#include "lib/format/api_names.h"
#include "lib/snapshot/model/range_names.h"
#include "lib/text/demangle.h"
#include "lib/text/numbers.h"

namespace prof::analyzer {
namespace {

using model::kNoIndex;
using model::Model;

std::string ApiName(const Model& model, int32_t api) {
  return std::string(format::WithoutApiSuffix(model.strings[model.api_calls[api].name]));
}

std::string OpName(const Model& model, const model::Op& op) {
  switch (op.kind) {
    case model::OpKind::kKernel:
      return ShortName(text::Demangle(model.shapes[op.shape].name));
    case model::OpKind::kCopy:
      return "a copy";
    case model::OpKind::kMemset:
      return "a memset";
    case model::OpKind::kGraph:
      return "CUDA graph " + std::to_string(op.graph);
  }
  return "";
}

std::string PathName(const Model& model, uint32_t path) {
  return path == 0 ? "(no range)" : model.paths[path].full;
}

// " in step 123": where the gap's range is one of a family that shares a path.
std::string InFoldedRange(const Model& model, const model::ApiCall& call) {
  const std::string name = model::InstanceName(model, call.path, call.thread, call.start_ns);
  return name == model.paths[call.path].full ? "" : " in " + name;
}

// "; cudaStreamSynchronize had drained the queue 14.2 us before": of a gap that no call of its own
// explains.
std::string SinceWait(const Model& model, const GapParts& parts, const Gap& gap) {
  if (gap.cause != GapCause::kSync || parts.blocking_call != kNoIndex) return "";
  const int64_t since_ns = gap.start_ns - model.api_calls[gap.api].end_ns;
  if (since_ns < 0) return "";
  return "; " + ApiName(model, gap.api) + " had drained the queue " +
         text::Time(static_cast<double>(since_ns)) + " before";
}

// "412 us before saxpy: 3.10 us in cudaStreamSynchronize, 405 us of host code, ..."
std::string DescribeGap(const Model& model, const GapClassifier& classifier, const Gap& gap) {
  const GapParts parts = classifier.Parts(gap);
  std::string line = text::Time(static_cast<double>(gap.end_ns - gap.start_ns)) + " before " +
                     OpName(model, model.ops[gap.next_op]);
  if (parts.launch == kNoIndex) return line + ": the call that launched it was not recorded";
  const std::string launch = ApiName(model, parts.launch);
  const model::ApiCall& call = model.api_calls[parts.launch];
  line += InFoldedRange(model, call);
  if (gap.cause == GapCause::kTransfer || gap.cause == GapCause::kDependency) {
    if (call.start_ns > gap.start_ns) return line;
    return line + ": " + launch + " had put it into the queue " +
           text::Time(static_cast<double>(gap.start_ns - call.start_ns)) + " before the gap";
  }
  std::string list;
  const auto add = [&list](int64_t part_ns, const std::string& what) {
    if (part_ns == 0) return;
    list += (list.empty() ? "" : ", ") + text::Time(static_cast<double>(part_ns)) + ' ' + what;
  };
  if (parts.blocking_call != kNoIndex) {
    add(parts.blocked_ns, "until " + ApiName(model, parts.blocking_call) + " returned");
  }
  add(parts.host_ns, "of host code");
  add(parts.cuda_ns, "in other CUDA calls");
  add(parts.launch_ns, "in " + launch);
  add(parts.latency_ns, "from its return to the start on the GPU");
  if (!list.empty()) line += ": " + list;
  return line + SinceWait(model, parts, gap);
}

// Of the parts that others have.
std::string DescribeOthers(const Gap& gap) {
  std::string text;
  if (gap.beside_ns > 0) {
    text += (gap.cause == GapCause::kLoading ? "; host work took " : "; code was loaded in ") +
            text::Time(static_cast<double>(gap.beside_ns)) + " of it";
  }
  if (gap.disturbed_ns > 0) {
    text += "; " + text::Time(static_cast<double>(gap.disturbed_ns)) + " of it are prof's";
  }
  return text;
}

// The gaps of one cause.
struct GapsOfCause {
  GapSummary summary;
  std::optional<Gap> longest;
  std::unordered_map<uint32_t, int64_t> places;  // path, or string id of a call, to time
};

void AddGap(const Model& model, const Gap& gap, GapCause which, GapsOfCause* cause) {
  const int64_t part_ns = gap.of_cause_ns(which);
  GapSummary& summary = cause->summary;
  summary.device = gap.device;
  summary.cause = which;
  ++summary.count;
  summary.total_ns += static_cast<double>(part_ns);
  if (!cause->longest || static_cast<double>(part_ns) > summary.longest_ns) {
    cause->longest = gap;
    summary.longest_ns = static_cast<double>(part_ns);
  }
  const bool sync = which == GapCause::kSync;
  cause->places[sync ? model.api_calls[gap.api].name : gap.path] += part_ns;
}

std::string Where(const Model& model, const GapsOfCause& cause) {
  const auto most =
      std::max_element(cause.places.begin(), cause.places.end(), [](const auto& a, const auto& b) {
        return a.second != b.second ? a.second < b.second : a.first > b.first;
      });
  if (most == cause.places.end()) return "";
  if (cause.summary.cause == GapCause::kSync) {
    return std::string(format::WithoutApiSuffix(model.strings[most->first]));
  }
  return PathName(model, most->first);
}

}  // namespace

std::vector<GapSummary> SummarizeGaps(const Model& model, const Timeline& timeline) {
  std::vector<GapSummary> result;
  const GapClassifier classifier(model);
  for (const DeviceTimeline& device : timeline.devices) {
    std::map<GapCause, GapsOfCause> causes;
    for (const Gap& gap : device.gaps) {
      if (gap.cause == GapCause::kProfiler) continue;
      AddGap(model, gap, gap.cause, &causes[gap.cause]);
      if (gap.beside_ns > 0) {
        AddGap(model, gap, gap.beside_cause(), &causes[gap.beside_cause()]);
      }
    }
    for (auto& [key, cause] : causes) {
      GapSummary& summary = cause.summary;
      summary.where = Where(model, cause);
      summary.example =
          DescribeGap(model, classifier, *cause.longest) + DescribeOthers(*cause.longest);
      result.push_back(std::move(summary));
    }
  }
  std::sort(result.begin(), result.end(), [](const GapSummary& a, const GapSummary& b) {
    if (a.total_ns != b.total_ns) return a.total_ns > b.total_ns;
    return a.device != b.device ? a.device < b.device : a.cause < b.cause;
  });
  return result;
}

}  // namespace prof::analyzer
