// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/threads/torch_shapes.h"

#include <sys/mman.h>

#include <algorithm>

#include "lib/capture/threads/range_strings.h"

namespace prof::capture {
namespace {

uint64_t HashOfShapes(const InputShapes& shapes) {
  uint64_t hash = shapes.size();
  for (size_t i = 0; i < shapes.size(); ++i) {
    hash = MixHash(hash, static_cast<uint64_t>(shapes.words()[i]));
  }
  return hash;
}

bool IsAt(const int64_t* stored, const InputShapes& shapes) {
  return *stored == static_cast<int64_t>(shapes.size()) &&
         std::equal(shapes.words(), shapes.words() + shapes.size(), stored + 1);
}

}  // namespace

void InputShapes::Add(const int64_t* sizes, size_t count) {
  if (cut_) return;
  if (count > kMostWords || size_ + count + 2 > kMostWords) {  // one word stays for kCut
    words_[size_++] = kCut;
    cut_ = true;
    return;
  }
  words_[size_++] = static_cast<int64_t>(count);
  for (size_t i = 0; i < count; ++i) words_[size_++] = sizes[i];
}

void TorchShapes::Prepare() {
  if (memory_.load(std::memory_order_relaxed) != nullptr) return;
  void* const pages =
      mmap(nullptr, sizeof(Memory), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) return;  // every list counts as one that has no room
  memory_.store(static_cast<Memory*>(pages), std::memory_order_release);
}

uint32_t TorchShapes::Store(const InputShapes& shapes, Memory* memory) {
  const auto words = static_cast<uint32_t>(1 + shapes.size());
  if (used_.load(std::memory_order_relaxed) + words >= kMostWords ||
      lists_.load(std::memory_order_relaxed) >= kMostLists) {
    return 0;
  }
  // Threads may pass this at the same time. There are more slots than lists, and what is behind the
  // last word is not used.
  lists_.fetch_add(1, std::memory_order_relaxed);
  const uint32_t place = 1 + used_.fetch_add(words, std::memory_order_relaxed);
  if (place + words > kMostWords) return 0;
  memory->words[place] = static_cast<int64_t>(shapes.size());
  std::copy_n(shapes.words(), shapes.size(), &memory->words[place] + 1);
  return place;
}

uint32_t TorchShapes::IdOf(const InputShapes& shapes) {
  Memory* const memory = memory_.load(std::memory_order_acquire);
  if (memory == nullptr) return 0;
  uint32_t mine = 0;
  for (size_t i = HashOfShapes(shapes) % kSlots;; i = (i + 1) % kSlots) {
    uint32_t place = memory->slots[i].load(std::memory_order_acquire);
    if (place == 0) {
      if (mine == 0) mine = Store(shapes, memory);
      if (mine == 0) return 0;
      // A thread that stored the same list first wins; our copy is lost room, nothing worse.
      if (memory->slots[i].compare_exchange_strong(place, mine, std::memory_order_acq_rel)) {
        return mine;
      }
    }
    if (IsAt(&memory->words[place], shapes)) return place;
  }
}

std::string TorchShapes::TextOf(uint32_t id) const {
  const int64_t* word = &memory_.load(std::memory_order_acquire)->words[id];
  const int64_t* const end = word + 1 + *word;
  std::string text = "[";
  for (++word; word < end;) {
    if (text.size() > 1) text += ", ";
    const int64_t count = *word++;
    if (count == InputShapes::kCut) {
      text += "...";
      break;
    }
    text += '[';
    for (int64_t i = 0; i < count; ++i) {
      if (i > 0) text += ", ";
      text += std::to_string(*word++);
    }
    text += ']';
  }
  return text + ']';
}

}  // namespace prof::capture
