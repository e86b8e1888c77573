// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/findings/finding_host.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "lib/analyzer/base/statistics.h"
#include "lib/analyzer/base/thresholds.h"
#include "lib/text/numbers.h"

namespace prof::analyzer {
namespace {

constexpr size_t kMostLines = 3;

// The samples of an own line.
struct Line {
  uint32_t own = 0, innermost = 0;  // frames; the innermost one with most samples
  int64_t samples = 0, most = 0;
  HostTime::States states{};
};

std::vector<Line> LinesOf(const HostTime& time) {
  std::map<uint32_t, Line> by_frame;
  for (const auto& [place, states] : time.places) {
    const int64_t samples = std::accumulate(states.begin(), states.end(), int64_t{0});
    Line& line = by_frame[place.own];
    line.own = place.own;
    line.samples += samples;
    for (size_t i = 0; i < states.size(); ++i) line.states[i] += states[i];
    if (samples <= line.most) continue;
    line.most = samples;
    line.innermost = place.innermost;
  }
  std::vector<Line> lines;
  lines.reserve(by_frame.size());
  for (const auto& [frame, line] : by_frame) lines.push_back(line);
  std::stable_sort(lines.begin(), lines.end(),
                   [](const Line& a, const Line& b) { return a.samples > b.samples; });
  return lines;
}

// What the thread did in most samples of a line.
std::string StateOf(const Line& line) {
  constexpr const char* kTexts[] = {
      "", "running", "waiting for a lock", "sleeping", "waiting for input or output", "in a wait"};
  const auto most = std::max_element(line.states.begin(), line.states.end());
  const char* const text = kTexts[most - line.states.begin()];
  if (static_cast<double>(*most) < kMostSamplesOfALine * static_cast<double>(line.samples)) {
    return "";
  }
  return *text == '\0' ? "" : ", " + std::string(text);
}

std::string DescribeHostLine(const model::Model& model, const Line& line, int64_t samples) {
  const ShareInterval interval = WilsonInterval(line.samples, samples);
  const auto percent = [](double share) { return text::Fixed(100 * share, 0); };
  const double share = static_cast<double>(line.samples) / static_cast<double>(samples);
  std::string text = percent(share) + " % (" + percent(interval.low) + " to " +
                     percent(interval.high) + " %) of the samples: the host was at " +
                     FrameText(model, line.own);
  if (line.innermost != line.own) text += ", in " + FrameText(model, line.innermost);
  return text + StateOf(line);
}

std::string SamplesText(const HostTime& time) {
  std::string text = text::Plural(time.samples, "sample", "samples") + " of the host in " +
                     text::Count(time.sampled_gaps) + " of " +
                     text::Plural(time.gaps, "gap", "gaps");
  if (time.idle_ns > 0) {
    text += ", which have " + text::Percent(time.sampled_ns / time.idle_ns) + " of this idle time";
  }
  const auto kind = [&time](model::HostSampleKind of) {
    return time.kinds[static_cast<size_t>(of)];
  };
  const auto add = [&text](int64_t count, const char* what) {
    if (count > 0) text += "; " + text::Count(count) + " " + what;
  };
  add(kind(model::HostSampleKind::kNative), "without Python frames");
  add(kind(model::HostSampleKind::kTorn), "torn: the frames changed while prof read them");
  add(kind(model::HostSampleKind::kUnread), "that could not be read");
  return text;
}

}  // namespace

std::string FrameText(const model::Model& model, uint32_t frame) {
  const model::HostFrame& at = model.host_frames[frame];
  const std::string& file = model.strings[at.file];
  std::string text = file.empty() ? "(unknown file)" : file;
  if (at.line != 0) text += ":" + std::to_string(at.line);
  return text + " " + model.strings[at.function];
}

std::vector<std::string> HostEvidence(const model::Model& model, const HostTime& time) {
  if (model.host_samples.empty()) return {};
  std::vector<std::string> evidence = {SamplesText(time)};
  if (time.samples < kFewHostSamples) {
    evidence.back() += ": too few to name lines (" + text::Count(kFewHostSamples) + " are needed)";
    return evidence;
  }
  const std::vector<Line> lines = LinesOf(time);
  for (size_t i = 0; i < std::min(lines.size(), kMostLines); ++i) {
    evidence.push_back(DescribeHostLine(model, lines[i], time.samples));
  }
  return evidence;
}

}  // namespace prof::analyzer
