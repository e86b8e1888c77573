// SPDX-License-Identifier: Apache-2.0
#include "lib/export/writers/perfetto_counters.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "lib/export/base/json_text.h"
#include "lib/export/base/proto_writer.h"
#include "lib/export/writers/perfetto_fields.h"

namespace prof::exporting::perfetto {
namespace {

constexpr int64_t kNever = std::numeric_limits<int64_t>::min();

struct Counter {
  uint32_t id = 0;
  std::string name, description;
  uint64_t group = 0;
  int64_t end_ns = kNever;  // of its last value
};

// The counters of one GPU, by name.
struct GpuCounters {
  std::map<std::string, Counter> by_name;

  Counter& Add(const std::string& name, const std::string& description, uint64_t group) {
    Counter& counter = by_name[name];
    if (counter.id == 0) {
      counter.id = static_cast<uint32_t>(by_name.size());
      counter.name = name;
      counter.description = description;
      counter.group = group;
    }
    return counter;
  }
};

// A metric of PM samples has a name of its own: Perfetto's queries would take its values for those
// of single kernels.
std::string PmName(const std::string& metric) { return "PM " + metric; }

class CounterWriter {
 public:
  CounterWriter(const Events& events, const Selection& selection, PacketStream* stream)
      : events_(events), selection_(selection), stream_(stream) {
    for (const CounterEvent& sample : events.counters()) {
      if (!IsWritten(sample)) continue;
      for (const std::string& metric : *sample.metrics) {
        gpus_[DeviceOf(sample)].Add(metric, "counters of single launches", counter::kComputeGroup);
      }
    }
    for (const PmSeriesInfo& series : events.pm_series()) {
      for (const std::string& metric : series.metrics) {
        gpus_[series.device].Add(PmName(metric), "PM samples of the whole GPU",
                                 counter::kSystemGroup);
      }
    }
  }

  [[nodiscard]] bool empty() const { return gpus_.empty(); }

  // The names of all counters. A descriptor has the id of its GPU plus 1.
  void WriteDescriptors(Sequence* sequence) {
    const size_t begin = sequence->BeginInterned();
    ProtoWriter& out = stream_->writer();
    for (const auto& [gpu, counters] : gpus_) {
      const size_t message = out.Begin(interned::kCounterDescriptors);
      out.Integer(interned::kIid, gpu + 1);
      const size_t descriptor = out.Begin(interned::kDescriptor);
      for (const auto& [name, counter] : counters.by_name) {
        const size_t spec = out.Begin(counter::kSpecs);
        out.Integer(counter::kId, counter.id);
        out.Text(counter::kSpecName, ValidUtf8(name));
        out.Text(counter::kSpecDescription, counter.description);
        out.Integer(counter::kSpecGroups, counter.group);
        out.End(spec);
      }
      out.End(descriptor);
      out.Integer(interned::kDescriptorGpu, gpu);
      out.End(message);
    }
    sequence->EndInterned(begin);
  }

  int64_t WriteSamples() {
    std::vector<std::pair<int64_t, size_t>> order;  // by the kernel's start
    const EventTable<CounterEvent> samples = events_.counters();
    for (size_t row = 0; row < samples.size(); ++row) {
      if (IsWritten(samples[row])) order.emplace_back(KernelOf(samples[row]).start_ns, row);
    }
    std::sort(order.begin(), order.end());
    int64_t left_out = 0;
    for (const auto& [start_ns, row] : order) left_out += WriteSample(samples[row]) ? 0 : 1;
    return left_out;
  }

  void WritePm(size_t series) {
    const PmSeriesInfo& info = events_.pm_series()[series];
    std::vector<Counter*> counters;
    for (const std::string& metric : info.metrics) {
      counters.push_back(&gpus_[info.device].by_name.at(PmName(metric)));
    }
    for (const PmSampleEvent& sample : events_.pm_samples(series)) {
      if (!selection_.HasOn(info.device, sample.start_ns, sample.end_ns)) continue;
      const std::vector<double> values(sample.values, sample.values + counters.size());
      WriteInterval(info.device, counters, values, sample.start_ns, sample.end_ns);
    }
  }

 private:
  OperationEvent KernelOf(const CounterEvent& sample) const {
    return events_.operations()[static_cast<size_t>(sample.operation)];
  }
  uint32_t DeviceOf(const CounterEvent& sample) const { return KernelOf(sample).device; }
  bool IsWritten(const CounterEvent& sample) const {
    return sample.operation >= 0 &&
           selection_.Has(KernelOf(sample), static_cast<size_t>(sample.operation));
  }

  bool WriteSample(const CounterEvent& sample) {
    const OperationEvent op = KernelOf(sample);
    GpuCounters& gpu = gpus_[op.device];
    std::vector<Counter*> counters;
    for (const std::string& metric : *sample.metrics) {
      counters.push_back(&gpu.by_name.at(metric));
      if (counters.back()->end_ns > op.start_ns) return false;
    }
    WriteInterval(op.device, counters, *sample.values, op.start_ns, op.end_ns);
    return true;
  }

  // Perfetto's counters look backwards: a value is that of the time since the one before. So there
  // is a 0 at the begin, for the time before it, and the value at the end. Where the interval
  // begins as the one before it ends, the 0 is left out: Perfetto's queries would take it for a
  // value within the interval.
  void WriteInterval(uint32_t gpu, const std::vector<Counter*>& counters,
                     const std::vector<double>& values, int64_t start_ns, int64_t end_ns) {
    std::vector<std::pair<uint32_t, double>> opening, closing;
    for (size_t i = 0; i < counters.size() && i < values.size(); ++i) {
      if (std::isnan(values[i])) continue;
      if (counters[i]->end_ns != start_ns) opening.emplace_back(counters[i]->id, 0);
      closing.emplace_back(counters[i]->id, values[i]);
      counters[i]->end_ns = end_ns;
    }
    WriteValues(gpu, start_ns, opening);
    WriteValues(gpu, end_ns, closing);
  }

  void WriteValues(uint32_t gpu, int64_t time_ns,
                   const std::vector<std::pair<uint32_t, double>>& values) {
    if (values.empty()) return;
    ProtoWriter& out = stream_->writer();
    const size_t packet = stream_->Begin(kCounterSequence);
    out.Integer(packet::kClockId, clocks::kBoottime);  // samples of kernels and of PM mix
    out.Integer(packet::kTimestamp, static_cast<uint64_t>(time_ns));
    out.Integer(packet::kFlags, packet::kNeedsState);
    const size_t event = out.Begin(packet::kCounterEvent);
    for (const auto& [id, value] : values) {
      const size_t counter = out.Begin(counter::kCounter);
      out.Integer(counter::kId, id);
      out.Double(counter::kDouble, value);
      out.End(counter);
    }
    out.Integer(counter::kGpu, gpu);
    out.Integer(counter::kDescriptorIid, gpu + 1);
    out.End(event);
    stream_->End(packet);
  }

  const Events& events_;
  const Selection& selection_;
  PacketStream* stream_;
  std::map<uint32_t, GpuCounters> gpus_;
};

}  // namespace

int64_t WriteCounters(const Events& events, const Selection& selection, int64_t begin_ns,
                      PacketStream* stream) {
  CounterWriter writer(events, selection, stream);
  if (writer.empty()) return 0;
  Sequence sequence(stream, kCounterSequence, begin_ns);
  writer.WriteDescriptors(&sequence);
  const int64_t left_out = writer.WriteSamples();
  for (size_t series = 0; series < events.pm_series().size(); ++series) writer.WritePm(series);
  return left_out;
}

}  // namespace prof::exporting::perfetto
