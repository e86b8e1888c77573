// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/collector/dump_requests.h"

#include <atomic>
#include <cstdint>
#include <utility>

#include "lib/capture/collector/dump_signal.h"
#include "lib/capture/collector/output_path.h"
#include "lib/capture/process/complain.h"

namespace prof::capture {
namespace {

// Of the process: a second recording leaves the dumps of the first alone.
std::atomic<uint32_t> dumps{0};

}  // namespace

DumpRequests::DumpRequests(int signal, std::string output, void (*wake)())
    : signal_(signal), output_(std::move(output)), wake_(wake), request_(wake) {}

bool DumpRequests::Ask(const std::string& path, std::chrono::milliseconds timeout) {
  if (path.empty()) {
    Complain("prof: a dump needs the path of a file\n");
    return false;
  }
  return request_.Ask(path, timeout);
}

void DumpRequests::Open() {
  request_.Open();
  if (signal_ == 0) return;
  (void)TakeDumpSignal();  // one that came late for the recording before
  const std::string problem = CatchDumpSignal(signal_, wake_);
  if (problem.empty()) return;
  Complain("prof: signal %d will not dump the recording: %s\n", signal_, problem.c_str());
}

std::string DumpRequests::WriteOwn(
    const std::function<std::string(const std::string& path)>& write) {
  std::string path = write(DumpPath(output_, ++dumps));
  if (!path.empty()) Complain("prof: wrote %s\n", path.c_str());
  return path;
}

void DumpRequests::Answer(const std::function<std::string(const std::string& path)>& write) {
  if (signal_ != 0 && TakeDumpSignal()) (void)WriteOwn(write);
  if (const auto pending = request_.Next()) {  // another one has its own wake-up
    request_.Answer(pending->ticket, !write(pending->argument).empty());
  }
}

}  // namespace prof::capture
