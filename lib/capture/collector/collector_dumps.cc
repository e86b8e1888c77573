// SPDX-License-Identifier: Apache-2.0
//
// The collector's part that writes what a recording keeps, when it is asked to.
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

#include "lib/capture/collector/collector.h"
#include "lib/capture/collector/dump_signal.h"
#include "lib/capture/process/clock.h"

namespace prof::capture {
namespace {

// Of the process: a second recording leaves the dumps of the first alone.
std::atomic<uint32_t> signal_dumps{0};

// "run.prof" becomes "run.dump1.prof".
std::string DumpPath(std::string output, uint32_t number) {
  constexpr std::string_view kExtension = ".prof";
  const bool has_extension =
      output.size() > kExtension.size() &&
      std::string_view(output).substr(output.size() - kExtension.size()) == kExtension;
  if (output.empty()) output = "prof-" + std::to_string(getpid());
  if (has_extension) output.resize(output.size() - kExtension.size());
  return output + ".dump" + std::to_string(number) + ".prof";
}

}  // namespace

bool Collector::Dump(const std::string& path, std::chrono::milliseconds timeout) {
  if (!kept_) return false;
  if (path.empty()) {
    std::fprintf(stderr, "prof: a dump needs the path of a file\n");
    return false;
  }
  std::unique_lock<std::mutex> lock(mutex_);
  if (finished_ || !thread_.joinable()) return false;
  dump_path_ = path;
  const uint64_t ticket = ++dump_wanted_;
  Wake();
  return done_.wait_for(lock, timeout, [&] { return dump_done_ >= ticket || finished_; }) &&
         dump_done_ >= ticket && dump_ok_;
}

void Collector::AnswerDumps() {
  if (options_.dump_signal != 0 && TakeDumpSignal()) {
    const std::string path = DumpPath(output_.path(), ++signal_dumps);
    if (WriteDump(path)) std::fprintf(stderr, "prof: wrote %s\n", path.c_str());
  }
  uint64_t ticket = 0;
  std::string path;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (dump_wanted_ == dump_done_) return;
    ticket = dump_wanted_;
    path = dump_path_;
  }
  const bool ok = WriteDump(path);
  const std::lock_guard<std::mutex> lock(mutex_);
  dump_done_ = ticket;
  dump_ok_ = ok;
  done_.notify_all();
}

bool Collector::WriteDump(const std::string& path) {
  Round(true);
  if (!header_written_) return false;  // nothing has happened that is worth a file
  encoder_.WriteBlock(CountLosses());
  kept_->Expire(MonotonicNs());
  Output dump(path);
  kept_->WriteTo(&dump, CountLosses(), RealtimeNs());
  if (dump.error().empty()) return true;
  std::fprintf(stderr, "prof: %s; recording goes on\n", dump.error().c_str());
  return false;
}

}  // namespace prof::capture
