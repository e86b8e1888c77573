// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/timeline/nvtx.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "lib/analyzer/base/statistics.h"

namespace prof::analyzer {
namespace {

using model::Model;

// The program's name of a path's category, its number when it has none, "" without a category.
class Categories {
 public:
  explicit Categories(const Model& model) {
    for (const model::CategoryName& name : model.category_names) {
      names_[{name.domain, name.category}] = name.name;
    }
  }
  std::string Of(const model::RangePath& path) const {
    const auto name = names_.find({path.domain, path.category});
    if (name != names_.end()) return name->second;
    return path.category != 0 ? std::to_string(path.category) : "";
  }

 private:
  std::map<std::pair<std::string, uint32_t>, std::string> names_;
};

std::vector<AnnotationReport> Annotations(const Model& model) {
  std::vector<int64_t> marks(model.paths.size(), 0);
  for (const model::Mark& mark : model.marks) ++marks[mark.path];
  std::vector<std::vector<double>> values(model.paths.size());
  std::map<std::pair<uint32_t, uint32_t>, std::vector<double>> of_fields;  // of a path and a field
  for (const model::Payload& payload : model.payloads) {
    if (!std::isfinite(payload.value)) continue;
    (payload.field == 0 ? values[payload.path] : of_fields[{payload.path, payload.field}])
        .push_back(payload.value);
  }
  const Categories categories(model);
  std::vector<AnnotationReport> annotations;
  for (size_t id = 1; id < model.paths.size(); ++id) {
    const model::RangePath& path = model.paths[id];
    AnnotationReport annotation;
    annotation.category = categories.Of(path);
    annotation.color = path.color;
    annotation.marks = marks[id];
    annotation.value = Summarize(values[id].begin(), values[id].end());
    if (annotation.marks == 0 && annotation.value.n == 0 && annotation.category.empty() &&
        annotation.color == 0) {
      continue;
    }
    annotation.range = path.full;
    annotations.push_back(std::move(annotation));
  }
  for (auto& [key, of_field] : of_fields) {
    const model::RangePath& path = model.paths[key.first];
    AnnotationReport annotation;
    annotation.range = path.full;
    annotation.field = model.strings[key.second];
    annotation.category = categories.Of(path);
    annotation.color = path.color;
    annotation.value = Summarize(of_field.begin(), of_field.end());
    annotations.push_back(std::move(annotation));
  }
  std::stable_sort(annotations.begin(), annotations.end(),
                   [](const AnnotationReport& a, const AnnotationReport& b) {
                     return a.marks + a.value.n > b.marks + b.value.n;
                   });
  return annotations;
}

std::vector<NamedStream> Streams(const Model& model) {
  // The last name of each; streams without CUPTI's ids are identified by their handles.
  std::map<std::pair<uint32_t, uint64_t>, NamedStream> streams;
  for (const model::StreamName& name : model.stream_names) {
    const bool mapped = name.context != 0;
    streams[{name.context, mapped ? name.stream : name.handle}] = {
        name.name, mapped, name.context, name.stream, name.handle, 0};
  }
  if (streams.empty()) return {};
  for (const model::Op& op : model.ops) {
    const auto stream = streams.find({op.context, op.stream});
    if (stream != streams.end() && stream->second.mapped) ++stream->second.operations;
  }
  std::vector<NamedStream> list;
  list.reserve(streams.size());
  for (auto& [key, stream] : streams) list.push_back(std::move(stream));
  return list;
}

}  // namespace

NvtxReport DescribeNvtx(const Model& model) {
  NvtxReport nvtx;
  nvtx.annotations = Annotations(model);
  nvtx.streams = Streams(model);
  for (size_t id = 1; id < model.threads.size(); ++id) {
    const model::Thread& thread = model.threads[id];
    if (!thread.name.empty()) nvtx.threads.push_back({thread.tid, thread.name});
  }
  for (const model::RangeInstance& instance : model.instances) {
    if (!instance.closed) ++nvtx.open_at_end;
  }
  return nvtx;
}

}  // namespace prof::analyzer
