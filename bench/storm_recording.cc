// SPDX-License-Identifier: Apache-2.0
#include "bench/storm_recording.h"

#include <cstdlib>
#include <fstream>

#include "lib/capture/collector/file_output.h"
#include "lib/capture/wire/encoder.h"
#include "test/support/launch_storm.h"

namespace prof::bench {

void WriteStormRecording(const std::string& path, int64_t launches) {
  capture::FileOutput output(path);
  capture::Encoder encoder(&output);
  test::LaunchStorm storm(&encoder, 20);
  for (int64_t i = 0; i < launches; ++i) {
    storm.Launch();
    if (i % 64 == 0) encoder.WriteIfLarge();
  }
  encoder.WriteLastBlock({}, storm.host_ns());
}

void ResetPeak() { std::ofstream("/proc/self/clear_refs") << "5"; }

double PeakBytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind("VmHWM:", 0) == 0) return std::strtod(line.c_str() + 6, nullptr) * 1024;
  }
  return 0;
}

}  // namespace prof::bench
