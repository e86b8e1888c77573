// SPDX-License-Identifier: Apache-2.0
#include "test/analyzer/timelines/simulated_run.h"

#include <algorithm>
#include <cmath>

namespace prof::test {
namespace {

constexpr int64_t kUs = 1'000;
constexpr uint32_t kSms = 132;
constexpr double kDeviceBytesPerNs = 1'500;  // a copy within the device reads and writes
constexpr int64_t kCopyStartNs = 1'200;

}  // namespace

SimulatedRun::SimulatedRun(uint32_t seed, const SimulatedProf& prof)
    : random_(seed), jitter_random_(seed + 1), prof_random_(seed + 2), prof_(prof) {
  machine_.launch_call = Draw(2'900, 3'500);
  machine_.graph_call = Draw(5'000, 12'000);
  machine_.graph_node_call = Draw(100, 400);
  machine_.copy_call = Draw(2'500, 5'000);
  machine_.event_call = Draw(400, 1'200);
  machine_.arrival = Draw(1'000, 1'400);
  machine_.back_to_back = Draw(600, 1'300);
  machine_.across_streams = Draw(2'500, 4'000);
  machine_.node_edge = Draw(600, 1'300);
  machine_.wake_up = Draw(2'000, 8'000);
  machine_.allocate = Draw(60, 200) * kUs;
  machine_.free = Draw(40, 150) * kUs;
  machine_.pinned = static_cast<double>(Draw(20, 60));
  machine_.pageable = static_cast<double>(Draw(4, 12));
  machine_.jitter = 0.01 * static_cast<double>(Draw(1, 6));
  clocks_[kMainTid] = 1'000'000;
  builder_.Device(H200(0));
}

int64_t SimulatedRun::Draw(int64_t least, int64_t most) {
  return least + static_cast<int64_t>(random_() % static_cast<uint32_t>(most - least + 1));
}

int64_t SimulatedRun::Jitter(int64_t ns) {
  const double at = std::uniform_real_distribution<>(-1, 1)(jitter_random_);
  return ns + std::llround(static_cast<double>(ns) * machine_.jitter * at);
}

SimulatedKernel SimulatedRun::Plan(const std::string& name, int64_t length_ns, double sms) {
  const auto blocks = static_cast<uint32_t>(std::lround(sms * kSms));
  const uint32_t grid = sms >= 1 ? 8 * kSms : std::max(1U, blocks);
  return {builder_.Shape(name, {grid}, {256}), length_ns, sms};
}

void SimulatedRun::DeclareStream(uint32_t stream, model::StreamFlag flag, uint32_t device) {
  streams_[stream].flag = flag;
  if (device > 0 && devices_.count(device) == 0) builder_.Device(H200(device));
  devices_[device];
  streams_[stream].device = device;
  model::Stream record;
  record.context = 1 + device;
  record.stream = stream;
  record.flag = flag;
  builder_.Stream(record);
}

void SimulatedRun::OnThread(uint32_t tid) {
  const int64_t now_ns = clock();
  tid_ = tid;
  clocks_.emplace(tid, now_ns);
}

void SimulatedRun::Interleave(const std::map<uint32_t, std::function<void()>>& turn_of_thread,
                              int turns) {
  for (const auto& [tid, turn] : turn_of_thread) clocks_.emplace(tid, clock());
  std::map<uint32_t, int> left;
  for (const auto& [tid, turn] : turn_of_thread) left[tid] = turns;
  while (!left.empty()) {
    const auto behind = std::min_element(
        left.begin(), left.end(),
        [&](const auto& a, const auto& b) { return clocks_.at(a.first) < clocks_.at(b.first); });
    tid_ = behind->first;
    turn_of_thread.at(tid_)();
    if (--behind->second == 0) left.erase(behind);
  }
}

void SimulatedRun::Work(int64_t ns) { clock() += Jitter(ns); }

void SimulatedRun::Enter(const std::string& range) {
  const auto& open = ranges_[tid_];
  const std::string full = open.empty() ? range : open.back().first + "/" + range;
  ranges_[tid_].emplace_back(full, clock());
}

void SimulatedRun::Leave() {
  clock() += 100;
  builder_.Range(ranges_[tid_].back().first, ranges_[tid_].back().second, clock(), tid_);
  ranges_[tid_].pop_back();
}

// A call that puts something into a stream. A full queue holds it up.
Launch SimulatedRun::Call(const char* api, int64_t cost_ns, uint32_t stream) {
  Launch call;
  call.api = api;
  call.tid = tid_;
  call.stream = stream;
  call.device = Stream(stream).device;
  call.context = 1 + call.device;
  call.api_start_ns = clock();
  DeviceState& device = DeviceOf(stream);
  if (device.starts.size() >= machine_.queue) {
    clock() = std::max(clock(), device.starts.front());
  }
  clock() += Jitter(cost_ns);
  call.api_end_ns = clock();
  return call;
}

// When the GPU may begin with what the call put into its stream.
int64_t SimulatedRun::Earliest(const Launch& call) {
  const StreamState& stream = Stream(call.stream);
  int64_t earliest_ns = std::max(*call.api_end_ns + Jitter(machine_.arrival), stream.not_before_ns);
  earliest_ns = std::max(earliest_ns, devices_[call.device].not_before_ns);
  if (stream.until_ns > 0) {
    earliest_ns = std::max(earliest_ns, stream.until_ns + Jitter(machine_.back_to_back));
  }
  for (const auto& [id, other] : streams_) {
    const bool waits =
        (stream.flag == model::StreamFlag::kNull && other.flag == model::StreamFlag::kDefault) ||
        (stream.flag == model::StreamFlag::kDefault && other.flag == model::StreamFlag::kNull);
    if (waits && other.device == call.device && other.until_ns > 0) {
      earliest_ns = std::max(earliest_ns, other.until_ns + Jitter(machine_.back_to_back));
    }
  }
  return earliest_ns;
}

// The first moment from which the SMs have room for the whole length.
int64_t SimulatedRun::FitSms(const DeviceState& device, int64_t from_ns, int64_t length_ns,
                             double sms) const {
  std::vector<int64_t> candidates = {from_ns};
  for (const Running& other : device.running) {
    if (other.end_ns > from_ns) candidates.push_back(other.end_ns);
  }
  std::sort(candidates.begin(), candidates.end());
  for (const int64_t at_ns : candidates) {
    double used = sms;
    for (const Running& other : device.running) {
      if (other.start_ns < at_ns + length_ns && other.end_ns > at_ns) used += other.sms;
    }
    if (used <= 1.0 + 1e-9) return at_ns;
  }
  return candidates.back();
}

void SimulatedRun::Ran(uint32_t stream, int64_t start_ns, int64_t end_ns, double sms) {
  DeviceState& device = DeviceOf(stream);
  Stream(stream).until_ns = end_ns;
  device.until_ns = std::max(device.until_ns, end_ns);
  if (sms > 0) device.running.push_back({start_ns, end_ns, sms});
  if (device.running.size() > 16) device.running.pop_front();
  device.starts.push_back(start_ns);
  if (device.starts.size() > machine_.queue) device.starts.pop_front();
}

int64_t SimulatedRun::EndOfDevice() const {
  int64_t end_ns = 0;
  for (const auto& [id, device] : devices_) end_ns = std::max(end_ns, device.until_ns);
  return end_ns;
}

// A counter range waits for the GPU on the host before and behind its kernel.
bool SimulatedRun::BeginSample(int64_t* begin_ns) {
  if (prof_.sampled_share <= 0 || clock() < next_sample_ns_) return false;
  if (std::uniform_real_distribution<>(0, 1)(prof_random_) >= prof_.sampled_share) return false;
  *begin_ns = clock();
  clock() = std::max(clock(), EndOfDevice()) + 400 * kUs;
  return true;
}

void SimulatedRun::EndSample(uint32_t correlation, int64_t begin_ns, int64_t op_end_ns) {
  clock() = std::max(clock(), op_end_ns) + 500 * kUs;
  next_sample_ns_ = clock() + prof_.pause_ns;
  builder_.Profiler(model::ProfilerWork::kSample, begin_ns, clock(), tid_);
  builder_.Sample(correlation, {{"gpc__cycles_elapsed.avg.per_second", 1.755e9}});
}

void SimulatedRun::Kernel(const SimulatedKernel& kernel, uint32_t stream) {
  int64_t begin_ns = 0;
  const bool sampled = BeginSample(&begin_ns);
  Launch call = Call("cudaLaunchKernel", machine_.launch_call, stream);
  const int64_t length_ns = std::llround(static_cast<double>(Jitter(kernel.length_ns)) * slowness_);
  const int64_t start_ns = FitSms(DeviceOf(stream), Earliest(call), length_ns, kernel.sms);
  const uint32_t id = builder_.Kernel(kernel.shape, "", start_ns, start_ns + length_ns, call);
  Ran(stream, start_ns, start_ns + length_ns, kernel.sms);
  if (sampled) EndSample(id, begin_ns, start_ns + length_ns);
}

void SimulatedRun::LoadAndLaunch(const SimulatedKernel& kernel, int64_t loading_ns,
                                 uint32_t stream) {
  const int64_t begin_ns = clock() + kUs;
  const int64_t own_ns = Jitter(loading_ns);
  Launch call = Call("cudaLaunchKernel", machine_.launch_call, stream);
  clock() += own_ns;
  call.api_end_ns = clock();
  builder_.Overhead("lazy function loading", begin_ns, begin_ns + own_ns, tid_);
  const int64_t length_ns = Jitter(kernel.length_ns);
  const int64_t start_ns = FitSms(DeviceOf(stream), Earliest(call), length_ns, kernel.sms);
  builder_.Kernel(kernel.shape, "", start_ns, start_ns + length_ns, call);
  Ran(stream, start_ns, start_ns + length_ns, kernel.sms);
}

void SimulatedRun::Graph(const std::vector<SimulatedKernel>& nodes, uint32_t stream) {
  const auto count = static_cast<int64_t>(nodes.size());
  Launch call =
      Call("cudaGraphLaunch", machine_.graph_call + count * machine_.graph_node_call, stream);
  call.graph = 1;
  int64_t at_ns = Earliest(call);
  for (size_t i = 0; i < nodes.size(); ++i) {
    const int64_t length_ns = Jitter(nodes[i].length_ns);
    const int64_t start_ns = FitSms(DeviceOf(stream), at_ns, length_ns, nodes[i].sms);
    call.graph_node = i + 1;
    call.no_api = i > 0;
    call.correlation = builder_.Kernel(nodes[i].shape, "", start_ns, start_ns + length_ns, call);
    Ran(stream, start_ns, start_ns + length_ns, nodes[i].sms);
    at_ns = start_ns + length_ns + Jitter(machine_.node_edge);
  }
}

void SimulatedRun::Copy(model::CopyKind kind, uint64_t bytes, bool pinned, bool async,
                        uint32_t stream) {
  Launch call = Call(async ? "cudaMemcpyAsync" : "cudaMemcpy", machine_.copy_call, stream);
  const bool to_host = kind == model::CopyKind::kDeviceToHost;
  int64_t& engine_ns = to_host ? DeviceOf(stream).to_host_ns : DeviceOf(stream).to_device_ns;
  const double rate = pinned ? machine_.pinned : machine_.pageable;
  const int64_t length_ns = kCopyStartNs + Jitter(std::llround(static_cast<double>(bytes) / rate));
  const int64_t start_ns = std::max(Earliest(call), engine_ns);
  engine_ns = start_ns + length_ns;
  Ran(stream, start_ns, engine_ns, 0);
  if (!async || !pinned) clock() = std::max(clock(), engine_ns + Jitter(machine_.wake_up));
  call.api_end_ns = clock();
  call.synchronous = !async;
  const auto host = pinned ? model::MemoryKind::kPinned : model::MemoryKind::kPageable;
  const auto device = model::MemoryKind::kDevice;
  builder_.Copy(kind, to_host ? device : host, to_host ? host : device, bytes, "", start_ns,
                engine_ns, call);
}

void SimulatedRun::DeviceCopy(uint64_t bytes, uint32_t stream) {
  const Launch call = Call("cudaMemcpyAsync", machine_.copy_call, stream);
  const int64_t length_ns =
      kCopyStartNs + Jitter(std::llround(static_cast<double>(bytes) / kDeviceBytesPerNs));
  const int64_t start_ns = std::max(Earliest(call), DeviceOf(stream).on_device_ns);
  DeviceOf(stream).on_device_ns = start_ns + length_ns;
  builder_.Copy(model::CopyKind::kDeviceToDevice, model::MemoryKind::kDevice,
                model::MemoryKind::kDevice, bytes, "", start_ns, start_ns + length_ns, call);
  Ran(stream, start_ns, start_ns + length_ns, 0);
}

void SimulatedRun::Memset(uint64_t bytes, uint32_t stream) {
  const Launch call = Call("cudaMemsetAsync", machine_.copy_call, stream);
  const int64_t length_ns =
      kCopyStartNs + Jitter(std::llround(static_cast<double>(bytes) / (2 * kDeviceBytesPerNs)));
  const int64_t start_ns = Earliest(call);
  builder_.Memset(bytes, "", start_ns, start_ns + length_ns, call);
  Ran(stream, start_ns, start_ns + length_ns, 0);
}

// A call that returns when the GPU has got to `until_ns`, and has `own_ns` of its own to do then.
void SimulatedRun::Wait(const char* api, int64_t until_ns, int64_t own_ns) {
  const int64_t begin_ns = clock();
  clock() += Jitter(machine_.event_call);
  if (until_ns > clock()) clock() = until_ns + Jitter(machine_.wake_up);
  clock() += own_ns;
  builder_.Api(api, begin_ns, clock(), tid_);
}

void SimulatedRun::SyncStream(uint32_t stream) {
  Wait("cudaStreamSynchronize", Stream(stream).until_ns, 0);
}
void SimulatedRun::SyncDevice() { Wait("cudaDeviceSynchronize", EndOfDevice(), 0); }
void SimulatedRun::Allocate() { Wait("cudaMalloc", EndOfDevice(), Jitter(machine_.allocate)); }
void SimulatedRun::Free() { Wait("cudaFree", EndOfDevice(), Jitter(machine_.free)); }

int64_t SimulatedRun::Record(uint32_t stream) {
  const int64_t begin_ns = clock();
  clock() += Jitter(machine_.event_call);
  builder_.Api("cudaEventRecord", begin_ns, clock(), tid_);
  return std::max(clock() + machine_.arrival, Stream(stream).until_ns);
}

void SimulatedRun::WaitEvent(uint32_t stream, int64_t event_ns) {
  const int64_t begin_ns = clock();
  clock() += Jitter(machine_.event_call);
  builder_.Api("cudaStreamWaitEvent", begin_ns, clock(), tid_);
  int64_t& not_before_ns = Stream(stream).not_before_ns;
  not_before_ns = std::max(not_before_ns, event_ns + Jitter(machine_.across_streams));
}

void SimulatedRun::SyncEvent(int64_t event_ns) { Wait("cudaEventSynchronize", event_ns, 0); }

// Where the first answer is yes there was no wait, and no call is recorded.
void SimulatedRun::AskUntil(int64_t event_ns) {
  if (event_ns > clock()) Wait("cudaEventQuery", event_ns, 0);
}

void SimulatedRun::LoseGpu(int64_t ns, uint32_t device) {
  devices_[device].not_before_ns = devices_[device].until_ns + Jitter(ns);
}

std::string SimulatedRun::Recorded() {
  OnThread(kMainTid);
  SyncDevice();
  return builder_.Bytes();
}

Report SimulatedRun::Analyzed(const AnalyzeOptions& options) {
  return Analyze(Snapshot::FromBytes(Recorded()), options);
}

}  // namespace prof::test
