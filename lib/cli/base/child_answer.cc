// SPDX-License-Identifier: Apache-2.0
#include "lib/cli/base/child_answer.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <string_view>

namespace prof::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr char kWhole = '\0';  // follows the answer

// Ends the process without any handler of its parent's.
[[noreturn]] void AnswerAndExit(const std::function<std::string()>& question, int out) {
  const std::string answer = question() + kWhole;
  std::string_view left = answer;
  while (!left.empty()) {
    const ssize_t written = write(out, left.data(), left.size());
    if (written <= 0) _exit(1);
    left.remove_prefix(static_cast<size_t>(written));
  }
  _exit(0);
}

// What comes before `deadline`, up to the mark of a whole answer.
std::optional<std::string> ReadWhole(int in, Clock::time_point deadline) {
  std::string answer;
  while (answer.empty() || answer.back() != kWhole) {
    // Rounded up: a limit of 100 ms is over after 100 ms, not after 99.
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
    pollfd ready = {in, POLLIN, 0};
    const int limit_ms = static_cast<int>(std::clamp<int64_t>(left, 0, 60'000));
    if (poll(&ready, 1, limit_ms) != 1) return std::nullopt;
    std::array<char, 4096> piece{};
    const ssize_t bytes = read(in, piece.data(), piece.size());
    if (bytes <= 0) return std::nullopt;
    answer.append(piece.data(), static_cast<size_t>(bytes));
  }
  answer.pop_back();
  return answer;
}

void End(pid_t child) {
  kill(child, SIGKILL);
  while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace

std::optional<std::string> ChildAnswer(const std::function<std::string()>& question,
                                       int64_t limit_ms) {
  const Clock::time_point deadline = Clock::now() + std::chrono::milliseconds(limit_ms);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return std::nullopt;
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    AnswerAndExit(question, ends[1]);
  }
  close(ends[1]);
  std::optional<std::string> answer;
  if (child > 0) {
    answer = ReadWhole(ends[0], deadline);
    End(child);
  }
  close(ends[0]);
  return answer;
}

}  // namespace prof::cli
