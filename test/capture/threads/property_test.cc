// SPDX-License-Identifier: Apache-2.0
//
// The test compares random sequences of calls with a model that is too simple to be wrong.
#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "lib/capture/threads/thread_recorder.h"
#include "test/capture/threads/recording.h"
#include "test/support/catch.h"

namespace prof::capture::property_test {
namespace {

// One thread's open ranges, as a list of texts.
struct Model {
  struct Open {
    std::string domain, name;
    uint64_t span = 0;
  };
  std::vector<Open> open;

  std::string Path() const {
    std::string path;
    for (const Open& range : open) {
      if (!path.empty()) path += "/";
      path += range.domain.empty() ? range.name : range.domain + ":" + range.name;
    }
    return path;
  }
  int Depth(const std::string& domain) const {
    return static_cast<int>(std::count_if(open.begin(), open.end(), [&](const Open& range) {
      return range.span == 0 && range.domain == domain;
    }));
  }
  void Pop(const std::string& domain) {
    for (auto range = open.end(); range != open.begin();) {
      --range;
      if (range->span != 0 || range->domain != domain) continue;
      open.erase(range);
      return;
    }
  }
  void End(uint64_t span) {
    open.erase(std::find_if(open.begin(), open.end(),
                            [&](const Open& range) { return range.span == span; }));
  }
};

void RunRandomCalls(uint32_t seed) {
  CAPTURE(seed);
  std::mt19937 random(seed);
  const auto pick = [&](int n) { return static_cast<int>(random() % n); };
  const std::vector<std::string> domains = {"", "NCCL", "data"};
  const std::vector<std::string> names = {"forward", "decoder.layer.0"};
  // Six labels, five levels: all that can come up are 9,330 paths, which the path table holds.
  constexpr size_t kDeepest = 5;
  Model model;
  Recording recording;
  std::vector<std::string> expected_steps;
  std::vector<std::string> expected_spans;
  std::map<uint64_t, std::string> span_paths;
  uint64_t expected_unbalanced = 0;

  for (int call = 0; call < 400; ++call) {
    const std::string before = model.Path();
    const std::string& domain = domains[pick(3)];
    const std::string& name = names[pick(2)];
    bool noticed = true;
    switch (pick(8)) {
      case 0:
      case 1:
      case 2: {
        if (model.open.size() == kDeepest) break;
        const int depth = model.Depth(domain);
        CHECK(PushRange({name, domain}) == depth);
        model.open.push_back({domain, name, 0});
        break;
      }
      case 3:
      case 4: {
        const int depth = model.Depth(domain);
        CHECK(PopRange(domain) == depth - 1);
        if (depth == 0) ++expected_unbalanced;
        model.Pop(domain);
        break;
      }
      case 5: {
        if (model.open.size() == kDeepest) break;
        const uint64_t span = StartRange({name, domain});
        model.open.push_back({domain, name, span});
        span_paths[span] = model.Path();
        break;
      }
      case 6: {
        if (span_paths.empty()) break;
        auto span = span_paths.begin();
        std::advance(span, pick(static_cast<int>(span_paths.size())));
        if (pick(2) == 0) {
          EndRange(span->first);
        } else {
          std::thread([&] { EndRange(span->first); }).join();
          noticed = pick(2) == 0;
        }
        model.End(span->first);
        expected_spans.push_back(span->second);
        span_paths.erase(span);
        break;
      }
      case 7:
        if (model.open.size() < kDeepest) Mark({name, domain});
        break;
    }
    if (model.Path() != before) expected_steps.push_back(model.Path());
    if (!noticed) continue;
    const uint32_t path = CurrentPath();
    if (pick(16) == 0) recording.Drain();
    if (path < recording.texts.size()) CHECK(recording.Text(path) == model.Path());
  }

  CurrentPath();  // notices what other threads ended at the very end
  CHECK(recording.MyPaths() == expected_steps);
  std::vector<std::string> spans;
  for (const Recording::Span& span : recording.spans) spans.push_back(span.path);
  std::sort(spans.begin(), spans.end());
  std::sort(expected_spans.begin(), expected_spans.end());
  CHECK(spans == expected_spans);
  CHECK(recording.reader.unbalanced_pops() == expected_unbalanced);
  CHECK(recording.reader.events_dropped() == 0);
  CHECK(recording.order_errors == 0);
  for (size_t i = 1; i < recording.steps.size(); ++i) {
    if (recording.steps[i].tid != recording.steps[i - 1].tid) continue;
    CHECK(recording.steps[i].time_ns >= recording.steps[i - 1].time_ns);
  }

  for (const auto& [span, path] : span_paths) EndRange(span);
  for (const std::string& domain : domains) {
    while (model.Depth(domain) > 0) {
      PopRange(domain);
      model.Pop(domain);
    }
  }
  CHECK(CurrentPath() == 0);
}

TEST_CASE("Random calls give the steps, spans and depths of a simple model") {
  for (uint32_t seed = 1; seed <= 200; ++seed) RunRandomCalls(seed);
}

}  // namespace
}  // namespace prof::capture::property_test
