// SPDX-License-Identifier: Apache-2.0
#include "lib/export/writers/folded.h"

#include <string>

#include "test/export/example_recording.h"
#include "test/support/catch.h"
#include "test/support/python_stacks.h"
#include "test/support/snapshot_builder.h"

namespace prof::exporting::folded_test {
namespace {

TEST_CASE("A folded line is the Python stack and the operation, with the sum of its time") {
  test::SnapshotBuilder b;
  test::PythonStacks python;
  const uint32_t main = python.Stack(0, "<module>", "/app/a;b.py", 3);
  const uint32_t step = python.Stack(main, "step", "/app/train.py", 21);
  const uint32_t gemm = b.Shape("gemm", {132}, {256});
  python.of_call[b.Kernel(gemm, "", 10'000, 20'000)] = step;
  python.of_call[b.Kernel(gemm, "", 30'000, 45'000)] = step;
  python.of_call[b.Memset(64, "", 50'000, 51'000)] = main;
  b.Kernel(gemm, "", 60'000, 62'000);
  b.edit = [&](wire::Block& block) { python.AddTo(&block); };
  ExportOptions options;
  options.format = ExportFormat::kFolded;
  CHECK(test::Exported(b.Snapshot(), options) ==
        "(no stack);gemm 2000\n"
        "<module> (/app/a,b.py:3);Memset (Device) 1000\n"
        "<module> (/app/a,b.py:3);step (/app/train.py:21);gemm 25000\n");
}

}  // namespace
}  // namespace prof::exporting::folded_test
