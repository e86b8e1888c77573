// SPDX-License-Identifier: Apache-2.0
//
// The enums of snapshot.proto, for the half that writes the file and the half that reads it. The
// number of an enumerator is its number in the file. A test compares numbers and names with the
// schema.
#ifndef PROF_LIB_FORMAT_ENUMS_H_
#define PROF_LIB_FORMAT_ENUMS_H_

#include <array>
#include <cstddef>
#include <cstdint>

namespace prof::format {

// Each enum has its names beside it, in the order of their numbers.
template <typename Enum>
inline constexpr std::array<const char*, 0> kNames{};

// The hardware channel through which work came.
enum class ChannelType : uint8_t { kUnknown, kCompute, kCopy, kDecompression };
template <>
inline constexpr std::array kNames<ChannelType>{"unknown", "compute", "copy", "decompression"};

// How a stream was created. The null stream has a flag of its own.
enum class StreamFlag : uint8_t { kUnknown, kDefault, kNonBlocking, kNull };
template <>
inline constexpr std::array kNames<StreamFlag>{"unknown", "default", "non-blocking", "null"};

enum class MemoryKind : uint8_t { kUnknown, kPageable, kPinned, kDevice, kArray, kManaged };
template <>
inline constexpr std::array kNames<MemoryKind>{"unknown", "pageable", "pinned",
                                               "device",  "array",    "managed"};

enum class CopyKind : uint8_t {
  kUnknown,
  kHostToDevice,
  kDeviceToHost,
  kDeviceToDevice,
  kHostToHost,
  kPeerToPeer
};
template <>
inline constexpr std::array kNames<CopyKind>{"unknown",          "host to device", "device to host",
                                             "device to device", "host to host",   "peer to peer"};

// What waits, and for what.
enum class SyncKind : uint8_t { kUnknown, kEvent, kStreamWaitEvent, kStream, kContext };
template <>
inline constexpr std::array kNames<SyncKind>{"unknown", "event", "stream wait event", "stream",
                                             "context"};

// What happened to a tensor of PyTorch. From kWeight on: what the program uses it as.
enum class TensorChange : uint8_t {
  kUnknown,
  kAllocated,
  kFreed,
  kRefused,
  kWeight,
  kBuffer,
  kGradient,
  kOptimizerState,
  kCache
};
template <>
inline constexpr std::array kNames<TensorChange>{"unknown",  "allocated",       "freed",
                                                 "refused",  "weight",          "buffer",
                                                 "gradient", "optimizer state", "cache"};

// What a path stands for: NVTX ranges, or ops of PyTorch. Ops have a tree of their own: its root,
// which has no name, stands for "in no op". A function is an op, or what the autograd engine does
// around a node; backward a node of the autograd graph; user a torch.profiler.record_function;
// module a call of a torch.nn.Module.
enum class TorchScope : uint8_t { kNone, kOutside, kFunction, kBackward, kUser, kModule };
template <>
inline constexpr std::array kNames<TorchScope>{"none",     "outside", "function",
                                               "backward", "user",    "module"};

// What a look at a thread of the program has found: the stack of its Python frames; no such frames;
// frames that changed while they were read; frames that could not be read or had no room.
enum class HostSampleKind : uint8_t { kUnknown, kStack, kNative, kTorn, kUnread };
template <>
inline constexpr std::array kNames<HostSampleKind>{"unknown", "stack", "native", "torn", "unread"};

// What a thread of the program did: it ran (or waited for a processor only), or it waited in the
// kernel: for a lock (a futex), for a time, for input or output, or for something else.
enum class HostState : uint8_t { kUnknown, kRunning, kLock, kSleep, kInput, kOther };
template <>
inline constexpr std::array kNames<HostState>{"unknown", "running", "lock",
                                              "sleep",   "input",   "other wait"};

enum class AllocationOperation : uint8_t { kUnknown, kAllocate, kFree };
template <>
inline constexpr std::array kNames<AllocationOperation>{"unknown", "allocate", "free"};

enum class PoolType : uint8_t { kUnknown, kLocal, kImported };
template <>
inline constexpr std::array kNames<PoolType>{"unknown", "local", "imported"};

// kAllocation is not in the file, and so it has no name: the reader gives it to the state of a pool
// that came with an allocation or a free.
enum class PoolOperation : uint8_t { kUnknown, kCreated, kDestroyed, kTrimmed, kAllocation };
template <>
inline constexpr std::array kNames<PoolOperation>{"unknown", "created", "destroyed", "trimmed"};

enum class UnifiedMemoryKind : uint8_t {
  kUnknown,
  kHostToDevice,
  kDeviceToHost,
  kCpuFault,
  kGpuFault,
  kThrashing,
  kThrottling,
  kRemoteMap,
  kDeviceToDevice
};
template <>
inline constexpr std::array kNames<UnifiedMemoryKind>{
    "unknown",   "host to device", "device to host", "CPU fault",       "GPU fault",
    "thrashing", "throttling",     "remote map",     "device to device"};

// What a reading of the state of a GPU has.
enum class GpuStateKind : uint8_t { kUnknown, kClocks, kTemperature, kPower };
template <>
inline constexpr std::array kNames<GpuStateKind>{"unknown", "clocks", "temperature", "power"};

// The type of an NVTX payload; the numbers are also those of nvtxPayloadType_t.
enum class PayloadType : uint8_t { kNone, kUint64, kInt64, kDouble, kUint32, kInt32, kFloat };
template <>
inline constexpr std::array kNames<PayloadType>{"none",   "uint64", "int64", "double",
                                                "uint32", "int32",  "float"};

// What a program gave a name to, other than a range.
enum class NameKind : uint8_t { kUnknown, kThread, kCategory, kStream };
template <>
inline constexpr std::array kNames<NameKind>{"unknown", "thread", "category", "stream"};

// What the counters of one sample ran for: one launch, one instance of an NVTX range, or one launch
// of a CUDA graph.
enum class SampleUnit : uint8_t { kKernel, kRange, kGraph };
template <>
inline constexpr std::array kNames<SampleUnit>{"kernel", "range", "graph"};

// What prof did while it held up a thread of the program; kPause: the program had paused it.
enum class ProfilerWork : uint8_t { kUnknown, kSetup, kRotate, kSample, kPause };
template <>
inline constexpr std::array kNames<ProfilerWork>{"unknown", "setup", "rotate", "sample", "pause"};

// How much a notice matters: nothing is missing, something is, or a whole subsystem does not work.
enum class Severity : uint8_t { kInfo, kWarning, kError };
template <>
inline constexpr std::array kNames<Severity>{"info", "warning", "error"};

enum class Subsystem : uint8_t { kUnknown, kTimeline, kRanges, kCounters, kOutput, kOptions };
template <>
inline constexpr std::array kNames<Subsystem>{"unknown",  "timeline", "ranges",
                                              "counters", "output",   "options"};

template <typename Enum>
[[nodiscard]] constexpr const char* Name(Enum value) {
  const auto number = static_cast<size_t>(value);
  return number < kNames<Enum>.size() ? kNames<Enum>[number] : kNames<Enum>[0];
}

// The enumerator with this number. A number of a newer version becomes the first enumerator.
template <typename Enum>
[[nodiscard]] constexpr Enum FromNumber(int number) {
  const bool known = number >= 0 && static_cast<size_t>(number) < kNames<Enum>.size();
  return known ? static_cast<Enum>(number) : Enum{};
}

}  // namespace prof::format

#endif  // PROF_LIB_FORMAT_ENUMS_H_
