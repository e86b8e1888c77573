// SPDX-License-Identifier: Apache-2.0
#include "lib/cli/run/verdict_share.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "lib/text/numbers.h"
#include "prof/analyzer.h"

namespace prof::cli {
namespace {

std::string ShareOf(const Report& report) {
  const bool was_measured = report.totals.samples > 0 || !report.continuous.empty();
  if (!was_measured || report.kernels.empty()) return "";
  return "verdicts for " + text::Percent(report.verdicts.share) + " of the kernel time";
}

// Analyzes, writes the share to `out`, and ends the process without any handler of its parent's.
[[noreturn]] void AnalyzeAndExit(const std::string& path, int out) {
  const std::string share = ShareOf(Analyze(Snapshot::FromFile(path)));
  const ssize_t written = write(out, share.data(), share.size());
  _exit(written == static_cast<ssize_t>(share.size()) ? 0 : 1);
}

// Shorter than what a pipe takes in one piece.
std::string ReadFrom(int in, int64_t limit_ms) {
  pollfd ready = {in, POLLIN, 0};
  if (poll(&ready, 1, static_cast<int>(std::clamp<int64_t>(limit_ms, 0, 60'000))) != 1) return "";
  char text[256];
  const ssize_t bytes = read(in, text, sizeof(text));
  return bytes > 0 ? std::string(text, static_cast<size_t>(bytes)) : "";
}

void End(pid_t child) {
  kill(child, SIGKILL);
  while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace

std::string VerdictShare(const std::string& path, int64_t limit_ms) {
  int ends[2];
  if (pipe(ends) != 0) return "";
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    AnalyzeAndExit(path, ends[1]);
  }
  close(ends[1]);
  std::string share;
  if (child > 0) {
    share = ReadFrom(ends[0], limit_ms);
    End(child);
  }
  close(ends[0]);
  return share;
}

}  // namespace prof::cli
