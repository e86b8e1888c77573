// SPDX-License-Identifier: Apache-2.0
//
// The shapes of the inputs of PyTorch's ops, each list of them stored once and for the life of the
// process, so that the record of an op has a number in their place.
#ifndef PROF_LIB_CAPTURE_THREADS_TORCH_SHAPES_H_
#define PROF_LIB_CAPTURE_THREADS_TORCH_SHAPES_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

namespace prof::capture {

// The sizes of the inputs of one op, in the order of the inputs.
class InputShapes {
 public:
  // An input takes one word, and one for each of its sizes. What is beyond this is left out.
  static constexpr size_t kMostWords = 128;

  InputShapes() = default;

  // `count`: 0 for what is no tensor, and for a tensor of no dimensions.
  void Add(const int64_t* sizes, size_t count);

  [[nodiscard]] const int64_t* words() const { return words_.data(); }
  [[nodiscard]] size_t size() const { return size_; }
  [[nodiscard]] bool cut() const { return cut_; }  // further inputs are left out

 private:
  friend class TorchShapes;
  static constexpr int64_t kCut = -1;  // instead of an input: this one and those behind it

  // Of each input the number of its sizes, then these. Only the first `size_` are written.
  std::array<int64_t, kMostWords> words_;
  size_t size_ = 0;
  bool cut_ = false;
};

class TorchShapes {
 public:
  static constexpr uint32_t kMostLists = 1U << 15U;
  static constexpr uint32_t kMostWords = 1U << 19U;  // 4 MiB

  constexpr TorchShapes() = default;

  // Takes the memory, once, for good: programs that want no shapes have none of it. Before the
  // first IdOf(), by one thread at a time.
  void Prepare();

  // The number of this list; 0: there is no room. Any thread; lock-free, no allocation.
  [[nodiscard]] uint32_t IdOf(const InputShapes& shapes);

  // "[[8, 1024], [1024, 4096], []]". `id`: one that IdOf returned.
  [[nodiscard]] std::string TextOf(uint32_t id) const;

 private:
  static constexpr size_t kSlots = size_t{2} * kMostLists;

  // Zero pages of the system until they are used.
  struct Memory {
    // A list is its number of words, then the words. Place 0 is never used.
    std::array<int64_t, kMostWords> words;
    std::array<std::atomic<uint32_t>, kSlots> slots;  // place in `words`; 0: empty
  };

  uint32_t Store(const InputShapes& shapes, Memory* memory);

  // All zero, as the registry that this is a part of has to be.
  std::atomic<Memory*> memory_{nullptr};
  std::atomic<uint32_t> used_{0};  // words, from place 1 on
  std::atomic<uint32_t> lists_{0};
};

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_THREADS_TORCH_SHAPES_H_
