// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/wire/entry_tables.h"

#include <utility>
#include <vector>

#include "lib/capture/wire/utf8.h"
#include "lib/capture/wire/wire_tags.h"
#include "lib/capture/wire/wire_writer.h"

namespace prof::capture {
namespace {

// The tables are bounded: a program that makes names without end must not fill the host's memory.
constexpr size_t kMaxStrings = 1 << 20;
constexpr size_t kMaxStringBytes = 32 << 20;
constexpr size_t kMaxShapes = 1 << 18;
constexpr size_t kMaxShapesOfNames = 1 << 16;  // beyond kMaxShapes: a kernel's name alone
constexpr size_t kMaxLanes = 1 << 16;
constexpr size_t kMaxHostThreads = 1 << 20;  // a server may start a thread for each request
constexpr size_t kMaxRecentString = 4096;

// Compares without memcmp, which waits for a key that was just put together word by word.
template <size_t N>
bool SameKey(const std::array<uint32_t, N>& a, const std::array<uint32_t, N>& b) {
  for (size_t i = 0; i < N; ++i) {
    if (a[i] != b[i]) return false;
  }
  return true;
}

}  // namespace

uint32_t EntryTables::Intern(std::string_view text) {
  if (text.empty()) return 0;
  // A text usually comes from the same address again. The content decides.
  const auto address = reinterpret_cast<uintptr_t>(text.data());
  auto& recent = recent_strings_.at(uint64_t{address} * 0x9e3779b97f4a7c15u >> 54);
  if (recent.id != 0 && recent.key == text) return recent.id;
  const uint32_t id = InternNew(text);
  if (id != 0 && text.size() <= kMaxRecentString) {
    recent.key = text;
    recent.id = id;
  }
  return id;
}

uint32_t EntryTables::InternNew(std::string_view text) {
  std::string clean = SanitizeUtf8(text);
  const auto found = strings_.find(clean);
  if (found != strings_.end()) return found->second;
  if (strings_.size() >= kMaxStrings || string_bytes_ + clean.size() > kMaxStringBytes) {
    ++dropped_;
    return 0;
  }
  const auto id = static_cast<uint32_t>(strings_.size() + 1);
  string_bytes_ += clean.size();
  block_->new_string_bytes += clean.size();
  block_->new_strings.push_back(clean);
  strings_.emplace(std::move(clean), id);
  return id;
}

uint32_t EntryTables::Lane(const StreamKey& key) {
  auto& recent = recent_lanes_.at(key[0] + key[1] + key[2] + key[3]);
  if (recent.id != 0 && SameKey(recent.key, key)) return recent.id;
  const auto found = lanes_.find(key);
  if (found != lanes_.end()) {
    recent = {key, found->second};
    return found->second;
  }
  if (lanes_.size() >= kMaxLanes) {
    ++dropped_;
    return 0;
  }
  const auto id = static_cast<uint32_t>(lanes_.size() + 1);
  lanes_.emplace(key, id);
  Message block(block_->entries);
  Message lane(block, tag::block::kLanes);
  First(lane, tag::lane::kDevice, key[0]);
  U32(lane, tag::lane::kContext, key[1]);
  U32(lane, tag::lane::kStream, key[2]);
  U32(lane, tag::lane::kChannel, key[3]);
  if (key[4] != 0) lane.add_enum(tag::lane::kChannelType, static_cast<int32_t>(key[4]));
  return id;
}

void EntryTables::Stream(const StreamEvent& event) {
  const std::array<uint32_t, 2> key = {event.context, event.stream};
  const std::array<uint32_t, 2> value = {static_cast<uint32_t>(event.priority),
                                         static_cast<uint32_t>(event.flag)};
  const auto known = streams_.find(key);
  if (known != streams_.end() && known->second == value) return;
  if (known == streams_.end() && streams_.size() >= kMaxLanes) {
    ++dropped_;
    return;
  }
  streams_[key] = value;
  Message block(block_->entries);
  Message stream(block, tag::block::kStreams);
  First(stream, tag::stream::kContext, event.context);
  U32(stream, tag::stream::kStream, event.stream);
  if (event.priority != 0) stream.add_sint32(tag::stream::kPriority, event.priority);
  if (event.flag != StreamFlag::kUnknown) {
    stream.add_enum(tag::stream::kFlag, static_cast<int32_t>(event.flag));
  }
}

uint32_t EntryTables::Thread(uint32_t tid) {
  auto& recent = recent_threads_.at(tid);
  if (recent.id != 0 && recent.key == tid) return recent.id;
  const auto found = threads_.find(tid);
  if (found != threads_.end()) {
    recent = {tid, found->second};
    return found->second;
  }
  if (threads_.size() >= kMaxHostThreads) {
    ++dropped_;
    return 0;
  }
  const auto id = static_cast<uint32_t>(threads_.size() + 1);
  threads_.emplace(tid, id);
  const auto name = thread_names_.find(tid);
  Message block(block_->entries);
  Message thread(block, tag::block::kThreads);
  First(thread, tag::host_thread::kTid, tid);
  U32(thread, tag::host_thread::kName, name == thread_names_.end() ? 0 : name->second);
  return id;
}

void EntryTables::NameThread(uint32_t tid, uint32_t name) {
  if (thread_names_.size() < kMaxHostThreads) thread_names_[tid] = name;
}

namespace {

void AddCode(const format::CodeCensus& census, Message& shape) {
  std::vector<uint32_t> all, looped;
  for (const format::CodeCensus::Count& count : census.counts) {
    all.push_back(count.all);
    looped.push_back(count.looped);
  }
  for (std::vector<uint32_t>* const counts : {&all, &looped}) {
    while (!counts->empty() && counts->back() == 0) counts->pop_back();
  }
  Message code(shape, tag::kernel_shape::kCode);
  First(code, tag::kernel_code::kInstructions, census.instructions);
  U32(code, tag::kernel_code::kLooped, census.looped);
  if (census.calls_others) code.add_bool(tag::kernel_code::kCallsOthers, true);
  Packed32(code, tag::kernel_code::kCount, all);
  Packed32(code, tag::kernel_code::kLoopedCount, looped);
}

// What a launch call has of its kernel.
template <typename Event>
KernelEvent Called(const Event& event) {
  KernelEvent launch;
  launch.name = event.name;
  launch.grid = event.grid;
  launch.block = event.block;
  launch.dynamic_shared_bytes = event.dynamic_shared_bytes;
  return launch;
}

}  // namespace

uint32_t EntryTables::Shape(const KernelEvent& event) {
  const uint32_t name = Intern(event.name);
  const ShapeKey key = {name,
                        event.grid[0],
                        event.grid[1],
                        event.grid[2],
                        event.block[0],
                        event.block[1],
                        event.block[2],
                        event.cluster[0],
                        event.cluster[1],
                        event.cluster[2],
                        event.static_shared_bytes,
                        event.dynamic_shared_bytes,
                        event.shared_executed_bytes,
                        event.registers_per_thread,
                        event.local_bytes_per_thread,
                        event.launch_type,
                        event.local_known ? 1U : 0U};
  auto& recent = recent_shapes_.at(
      (name * 0x9e3779b1u ^ key[1] * 0x85ebca6bu ^ (key[2] + key[4] + key[11]) * 0xc2b2ae35u) >>
      22);
  if (recent.id != 0 && SameKey(recent.key, key)) return recent.id;
  const auto found = shapes_.find(key);
  if (found != shapes_.end()) {
    recent = {key, found->second};
    return found->second;
  }
  if (shapes_.size() >= kMaxShapes) return ShapeOfName(name);
  const auto id = static_cast<uint32_t>(shapes_.size() + 1);
  shapes_.emplace(key, id);
  shape_of_launch_[{name, key[1], key[2], key[3], key[4], key[5], key[6],
                    event.dynamic_shared_bytes}] = id;
  Message block(block_->entries);
  Message shape(block, tag::block::kKernelShapes);
  First(shape, tag::kernel_shape::kName, key[0]);
  for (uint32_t i = 1; i < key.size(); ++i) U32(shape, i + 1, key[i]);  // field i+1 is key[i]
  if (event.code != nullptr) AddCode(*event.code, shape);
  return id;
}

// A kernel whose grids never end keeps its name. A kernel that comes late has one at all.
uint32_t EntryTables::ShapeOfName(uint32_t name) {
  ++dropped_;
  ShapeKey key{};
  key[0] = name;
  const auto found = shapes_.find(key);
  if (found != shapes_.end()) return found->second;
  if (shapes_.size() >= kMaxShapes + kMaxShapesOfNames) return 0;
  const auto id = static_cast<uint32_t>(shapes_.size() + 1);
  shapes_.emplace(key, id);
  Message block(block_->entries);
  Message shape(block, tag::block::kKernelShapes);
  First(shape, tag::kernel_shape::kName, name);
  return id;
}

template <typename Event>
LaunchKey EntryTables::KeyOfLaunch(const Event& event) {
  return {Intern(event.name), event.grid[0],  event.grid[1],  event.grid[2],
          event.block[0],     event.block[1], event.block[2], event.dynamic_shared_bytes};
}

uint32_t EntryTables::Shape(const UntracedKernelEvent& event) {
  const auto known = shape_of_launch_.find(KeyOfLaunch(event));
  if (known != shape_of_launch_.end()) return known->second;
  KernelEvent launch = Called(event);
  launch.static_shared_bytes = event.static_shared_bytes;
  launch.registers_per_thread = event.registers_per_thread;
  launch.local_bytes_per_thread = event.local_bytes_per_thread;
  launch.local_known = event.local_known;
  return Shape(launch);
}

uint32_t EntryTables::Shape(const LaunchCountEvent& event) {
  const LaunchKey key = KeyOfLaunch(event);
  const auto known = shape_of_launch_.find(key);
  if (known != shape_of_launch_.end()) return known->second;
  const uint32_t shape = Shape(Called(event));
  shape_of_launch_.erase(key);  // a count knows nothing of the kernel's resources
  return shape;
}

}  // namespace prof::capture
