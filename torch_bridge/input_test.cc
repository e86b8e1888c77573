// SPDX-License-Identifier: Apache-2.0
#include "torch_bridge/input_test.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

namespace prof::torch {
namespace {

// A tensor takes some 200 bytes.
constexpr size_t kTensorBytes = 1024;

constexpr int64_t kSizes[] = {3, 1009, 7}, kStrides[] = {7063, 7, 1};
constexpr int64_t kManySizes[] = {2, 1, 3, 1, 2, 1, 1013};
constexpr int64_t kManyStrides[] = {6078, 6078, 2026, 2026, 1013, 1013, 1};
constexpr int64_t kElements = 21'189;

constexpr uint16_t kFloat = 6;
constexpr uint64_t kFloatOnCpu =
    kFloat | 0xFFULL << 24U | 1ULL << 32U;  // device 0, index -1, known
// Contiguous; non-overlapping and dense; its metadata may change.
constexpr uint64_t kPlainFlags = 1U << 0U | 1U << 6U | 1U << 8U;
// Also: access to its storage throws, and its strides are its own affair, in two places.
constexpr uint64_t kUndefinedFlags = kPlainFlags | 1U << 1U | 1U << 10U | 1U << 13U;

constexpr uint32_t kNoneTag = 0, kIntTag = 5;

// Never destroyed: nothing of PyTorch owns them.
struct TestTensor {
  alignas(64) std::array<char, kTensorBytes> memory;
};
TestTensor plain, many;
alignas(64) std::array<char, kEventBytes> event_memory;
// PyTorch's answers, kept and never destroyed, as Sizes has to be.
struct Answer {
  Sizes sizes;
  Answer* before;
};
Answer* answers = nullptr;

template <size_t N>
void Make(const InputFunctions& inputs, const int64_t (&sizes)[N], const int64_t (&strides)[N],
          TestTensor* tensor) {
  tensor->memory.fill(0);
  inputs.construct_tensor(tensor->memory.data(), {}, {kFloat}, {0, -1, true});
  const MaybeSymInt no_offset;
  inputs.set_sizes(tensor->memory.data(), {sizes, N}, {strides, N}, &no_offset);
}

std::optional<size_t> FindSizes() {
  constexpr int64_t kWanted[] = {3, kSizes[0], kSizes[1], kSizes[2]};
  std::optional<size_t> found;
  for (size_t at = 0; at + sizeof(SizesPart) <= kTensorBytes; at += sizeof(int64_t)) {
    if (std::memcmp(&plain.memory[at], kWanted, sizeof(kWanted)) != 0) continue;
    if (found) return std::nullopt;
    found = at;
  }
  return found;
}

bool IsAsExpected(const InputLayout& layout) {
  const SizesPart& part = SizesOf(plain.memory.data(), layout);
  const SizesPart& large = SizesOf(many.memory.data(), layout);
  constexpr uint64_t kExpected = kFloatOnCpu | kPlainFlags << 40U;
  return part.elements == kElements && part.type_device_flags == kExpected &&
         large.type_device_flags == kExpected && large.count == std::size(kManySizes) &&
         std::equal(std::begin(kManySizes), std::end(kManySizes), large.sizes()) &&
         SizesOf(layout.undefined, layout).flags() == kUndefinedFlags;
}

// What PyTorch says of the event's inputs, in the form of InputShapes.
void Convert(const Sizes& sizes, capture::InputShapes* shapes) {
  for (const Sizes::OfOne* one = sizes.begin; one != sizes.end; ++one) {
    shapes->Add(one->begin, static_cast<size_t>(one->end - one->begin));
  }
}

bool IsEqual(const capture::InputShapes& a, const capture::InputShapes& b) {
  return std::equal(a.words(), a.words() + a.size(), b.words(), b.words() + b.size());
}

// Whether PyTorch and prof read the same inputs from an event that has some of each kind.
bool ReadsTheSame(const Functions& functions, const InputFunctions& inputs,
                  const InputLayout& layout) {
  const Value values[] = {{plain.memory.data(), kTensorTag},
                          {nullptr, kNoneTag},
                          {many.memory.data(), kTensorTag},
                          {&values, kIntTag},
                          {layout.undefined, kTensorTag}};
  const Array<Value> array{values, std::size(values)};
  Event* const event = event_memory.data();
  event_memory.fill(0);
  functions.construct(event, Scope::kStaticRuntimeModel);
  std::memcpy(&event_memory.at(layout.inputs), &array, sizeof(array));
  bool same = inputs.num_inputs(event) == array.size;
  if (same) {
    answers = new Answer{inputs.input_sizes(event, false), answers};
    capture::InputShapes theirs, ours;
    Convert(answers->sizes, &theirs);
    ReadShapes(event, layout, &ours);
    same = IsEqual(theirs, ours) && ours.words()[0] == static_cast<int64_t>(std::size(kSizes));
  }
  functions.destroy(event);
  return same;
}

}  // namespace

InputTest RunInputTest(const Functions& functions, const InputFunctions& inputs,
                       std::optional<size_t> sequence_offset) {
  InputTest result;
  if (!inputs.complete()) {
    result.problem = "it lacks a function that prof needs";
    return result;
  }
  if (!sequence_offset) {
    result.problem = "its events keep their inputs at an unknown place";
    return result;
  }
  try {
    Make(inputs, kSizes, kStrides, &plain);
    Make(inputs, kManySizes, kManyStrides, &many);
    const std::optional<size_t> sizes = FindSizes();
    result.layout = {*sequence_offset + sizeof(int64_t), sizes.value_or(0), inputs.undefined};
    if (!sizes || !IsAsExpected(result.layout)) {
      result.problem = "its tensors keep their sizes in another way";
    } else if (!ReadsTheSame(functions, inputs, result.layout)) {
      result.problem = "prof and PyTorch do not read the same inputs of an event";
    }
  } catch (...) {
    result.problem = "it threw an exception";
  }
  return result;
}

}  // namespace prof::torch
