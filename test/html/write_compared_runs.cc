// SPDX-License-Identifier: Apache-2.0
//
// write_compared_runs FOLDER writes seven made-up runs before a change and seven after it, with a
// kernel for each verdict and each kind of match, for the tests of the page of a comparison.
#include <array>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "test/support/snapshot_builder.h"

namespace prof::test {
namespace {

constexpr int64_t kLaunches = 10;

struct Planted {
  std::string name;
  int64_t before_ns = 0, after_ns = 0;  // 0: not on that side
  double work_after = 1;                // instructions and bytes, times those before
  uint32_t blocks_after = 1320, threads = 256;
  std::string range = "step", name_after;  // empty: the same name
  uint32_t slow_runs_after = 0;            // so many runs are a fifth longer than the others
};

const std::vector<Planted>& Kernels() {
  static const auto& kernels = *new std::vector<Planted>{
      {"gemm<float, 128>", 400'000, 460'000, 1.15},
      {"layer_norm", 200'000, 160'000},
      {"softmax", 300'000, 300'300},
      {"scatter", 150'000, 150'000, 1, 1320, 256, "step", "", 3},
      {"copy_rows", 120'000, 121'000, 1, 660},
      {"reduce_v1", 110'000, 110'000, 1, 1320, 256, "step", "reduce_v2"},
      {"only_before", 90'000, 0, 1, 1320, 64, "warm up"},
      {"only_after</script>", 0, 290'000, 9, 1320, 512, "check"},
      {"gelu", 100'000, 100'050, 1.2},
      {"tiny", 1'500, 1'600},
  };
  return kernels;
}

// `run`: 0 to 6. Runs of one side differ by 0.1 % to either side.
std::string RecordingOf(bool after, uint32_t run) {
  SnapshotBuilder b;
  b.process.pid = (after ? 200 : 100) + run;
  b.process.command = after ? "./app_new" : "./app_old";
  b.Device(H200());
  int64_t time_ns = 10'000;
  for (const Planted& kernel : Kernels()) {
    const int64_t median_ns = after ? kernel.after_ns : kernel.before_ns;
    if (median_ns == 0) continue;
    const uint32_t blocks = after ? kernel.blocks_after : 1320;
    const bool renamed = after && !kernel.name_after.empty();
    const uint32_t shape =
        b.Shape(renamed ? kernel.name_after : kernel.name, {blocks, 1, 1}, {kernel.threads, 1, 1});
    const bool slow = after && run < kernel.slow_runs_after;
    const double times = (slow ? 1.2 : 1) + 0.001 * (static_cast<double>(run) - 3) / 3;
    const auto length_ns = static_cast<int64_t>(static_cast<double>(median_ns) * times);
    for (int64_t launch = 0; launch < kLaunches; ++launch) {
      const uint32_t id = b.Kernel(shape, kernel.range, time_ns, time_ns + length_ns);
      time_ns += length_ns + 2'000;
      if (launch != 0) continue;
      const double work = 1e6 * (after ? kernel.work_after : 1);
      b.Sample(id, {{"smsp__inst_executed.sum", work}, {"dram__bytes_read.sum", 64 * work}});
    }
  }
  return b.Bytes();
}

bool WriteSide(const std::filesystem::path& folder, bool after) {
  std::filesystem::create_directories(folder);
  for (uint32_t run = 0; run < 7; ++run) {
    std::ofstream file(folder / (std::to_string(run) + ".prof"), std::ios::binary);
    file << RecordingOf(after, run);
    if (!file.flush()) return false;
  }
  return true;
}

}  // namespace
}  // namespace prof::test

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: write_compared_runs FOLDER\n", stderr);
    return 2;
  }
  const std::filesystem::path folder = argv[1];
  const bool written = prof::test::WriteSide(folder / "before", false) &&
                       prof::test::WriteSide(folder / "after", true);
  return written ? 0 : 1;
}
