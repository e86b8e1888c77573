// SPDX-License-Identifier: Apache-2.0
//
// The finding on neighbours that could be one kernel, on chains whose traffic is known.
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "lib/analyzer/findings/finding_fusion.h"
#include "lib/analyzer/findings/finding_small_kernels.h"
#include "test/support/catch.h"

namespace prof::test::fusion_test {
namespace {

constexpr int64_t kUs = 1000;
constexpr double kMb = 1e6;
constexpr double kPeak = 4e12;  // bytes per second: 4 MB in a microsecond

// Kernels of a device whose DRAM moves 4 TB/s, in the order in which they are launched.
class FusionRun {
 public:
  FusionRun() {
    model::Device device;
    device.l2_bytes = 50'000'000;
    device.memory_clock_khz = 2'000'000;
    device.memory_bus_bits = 8000;  // x 2 x 2 GHz / 8 = 4 TB/s
    model_.devices.push_back(device);
    timeline_.devices.emplace_back();
    timeline_.devices[0].end_ns = 1'000'000'000;
  }

  // A kernel and its DRAM traffic per launch, in MB.
  int32_t Kernel(const std::string& name, double read, double written) {
    KernelReport kernel;
    kernel.name = name;
    kernel.verdict.limiter = Limiter::kDram;
    const double ns = (read + written) * kMb / kPeak * 1e9 / 0.8;
    kernel.duration_ns = {3, ns, ns, ns, 3 * ns};
    const auto metric = [&](const char* id, double mb) {
      kernel.metrics[id] = {3, mb * kMb, mb * kMb, mb * kMb, 3 * mb * kMb};
    };
    metric("dram__bytes_read.sum", read);
    metric("dram__bytes_write.sum", written);
    kernels_.push_back(kernel);
    groups_.groups.emplace_back();
    return static_cast<int32_t>(kernels_.size()) - 1;
  }

  // `times`: it takes so many times what the kernel does by median.
  void Launch(int32_t group, uint32_t stream = 7, double times = 1) {
    model::Op op;
    op.stream = stream;
    op.start_ns = now_ns_;
    op.end_ns = now_ns_ + static_cast<int64_t>(times * kernels_[group].duration_ns.median);
    now_ns_ = op.end_ns + kUs;
    model_.ops.push_back(op);
    groups_.group_of_op.push_back(group);
  }

  void Wait(int64_t ns) { now_ns_ += ns; }
  void Back(int64_t ns) { now_ns_ -= ns; }

  void Copy() {
    model::Op op;
    op.kind = model::OpKind::kCopy;
    op.stream = 7;
    op.start_ns = now_ns_;
    op.end_ns = now_ns_ += kUs;
    model_.ops.push_back(op);
    groups_.group_of_op.push_back(model::kNoIndex);
  }

  std::optional<Finding> Find() const {
    return analyzer::FindFusion(model_, timeline_, groups_, kernels_, static_cast<double>(now_ns_));
  }

  // A finding about small kernels with these bounds, without what the DRAM has to read.
  Finding Small(double gain_ns, double of_kernels_ns) const {
    std::vector<Finding> findings(1);
    findings[0].id = analyzer::kSmallKernelsFinding;
    findings[0].gain_at_most_ns = gain_ns;
    findings[0].kernels_at_most_ns = of_kernels_ns;
    analyzer::KeepDramReads(model_, timeline_, groups_, kernels_, &findings);
    return findings[0];
  }

  KernelReport& kernel(int32_t group) { return kernels_[group]; }
  model::Model& model() { return model_; }
  double now_ns() const { return static_cast<double>(now_ns_); }

 private:
  model::Model model_;
  analyzer::Timeline timeline_;
  analyzer::KernelGroups groups_;
  std::vector<KernelReport> kernels_;
  int64_t now_ns_ = 0;
};

std::string Evidence(const Finding& finding) {
  std::string all;
  for (const std::string& line : finding.evidence) all += line + '\n';
  return all;
}

TEST_CASE("A chain whose kernels read what the one before wrote could be one kernel") {
  FusionRun run;
  const int32_t mul = run.Kernel("mul", 400, 200);
  const int32_t add = run.Kernel("add", 200, 200);
  const int32_t gelu = run.Kernel("gelu", 200, 200);
  for (int i = 0; i < 10; ++i) {
    for (const int32_t group : {mul, add, gelu}) run.Launch(group);
  }
  const std::optional<Finding> finding = run.Find();
  REQUIRE(finding);
  CHECK(finding->id == "fuse-kernels");
  CHECK(finding->title.find("10 times") != std::string::npos);
  CHECK(Evidence(*finding).find("mul, add, gelu, 10 times") != std::string::npos);
  // 14 GB moved, 8 GB of them between the kernels: 2 ms at the peak.
  CHECK(Evidence(*finding).find("14.0 GB") != std::string::npos);
  CHECK(Evidence(*finding).find("8.00 GB of it") != std::string::npos);
  // A launch takes 187.5, 125 and 125 us, with 1 us between them. One kernel has to read 400 MB and
  // write 150 MB, if 50 MB of the last one's writes are older ones that L2 held.
  const double chain_ns = 187'500 + 125'000 + 125'000 + 2 * kUs;
  CHECK(finding->gain_at_most_ns == Approx(10 * (chain_ns - 550 * kMb / kPeak * 1e9)));
  CHECK(finding->confidence == Confidence::kMedium);
  CHECK_FALSE(finding->withheld);
}

TEST_CASE("The bound holds for the kernel that was written in place of a chain") {
  // The fused kernel moves what is left at 95 % of the peak or less.
  for (const double mb : {60.0, 100.0, 1000.0}) {
    FusionRun run;
    const int32_t first = run.Kernel("first", mb, mb);
    const int32_t second = run.Kernel("second", mb, mb);
    for (int i = 0; i < 5; ++i) {
      run.Launch(first);
      run.Launch(second);
    }
    const std::optional<Finding> finding = run.Find();
    REQUIRE(finding);
    const double fused_ns = 5 * 2 * mb * kMb / (0.95 * kPeak) * 1e9;
    CHECK(run.now_ns() - fused_ns <= finding->gain_at_most_ns + 5 * 2 * kUs);
  }
}

TEST_CASE("Matrix products of one vector are no chain: they read their weights") {
  FusionRun run;
  const int32_t up = run.Kernel("gemv_up", 400, 0.1);
  const int32_t down = run.Kernel("gemv_down", 400, 0.1);
  for (int i = 0; i < 10; ++i) {
    run.Launch(up);
    run.Launch(down);
  }
  CHECK_FALSE(run.Find());
}

TEST_CASE("A kernel that reads much less than the one before wrote is no part of its chain") {
  FusionRun run;
  const int32_t writes = run.Kernel("writes", 200, 400);
  const int32_t reads = run.Kernel("reads", 150, 400);
  for (int i = 0; i < 10; ++i) {
    run.Launch(writes);
    run.Launch(reads);
    run.Copy();
  }
  CHECK_FALSE(run.Find());
}

TEST_CASE("Operations on lists of tensors, of many launches each, are links of one chain") {
  FusionRun run;
  std::vector<int32_t> ops;
  for (const char* name : {"lerp", "mul", "sqrt", "add"}) ops.push_back(run.Kernel(name, 100, 100));
  // The rest of a list has another grid, and no samples.
  std::vector<int32_t> rests;
  for (const char* name : {"lerp", "mul", "sqrt", "add"}) {
    rests.push_back(run.Kernel(name, 10, 10));
    run.kernel(rests.back()).metrics.clear();
  }
  run.kernel(ops[2]).verdict.limiter = Limiter::kLatency;  // it moves 80 % of the peak all the same
  for (int step = 0; step < 5; ++step) {
    for (size_t i = 0; i < ops.size(); ++i) {
      for (int launch = 0; launch < 20; ++launch) run.Launch(ops[i]);
      run.Launch(rests[i]);
    }
    run.Wait(500 * kUs);
  }
  const std::optional<Finding> finding = run.Find();
  REQUIRE(finding);
  CHECK(finding->title.find("5 times") != std::string::npos);
  CHECK(Evidence(*finding).find("lerp, mul, sqrt, add, 5 times") != std::string::npos);
  // Of 200 MB in each of 400 launches those between the four operations: 6 of 8 parts.
  CHECK(Evidence(*finding).find("80.0 GB from and to DRAM; up to 60.0 GB") != std::string::npos);
}

TEST_CASE("One launch behind many of one kernel may read what the last of them wrote") {
  FusionRun run;
  const int32_t add = run.Kernel("add", 100, 100);
  const int32_t sum = run.Kernel("sum", 100, 10);
  for (int step = 0; step < 5; ++step) {
    for (int launch = 0; launch < 5; ++launch) run.Launch(add);
    run.Launch(sum);
  }
  const std::optional<Finding> finding = run.Find();
  REQUIRE(finding);
  CHECK(Evidence(*finding).find("add, sum, 5 times") != std::string::npos);
  CHECK(Evidence(*finding).find("1.55 GB from and to DRAM; up to 1.00 GB") != std::string::npos);
}

TEST_CASE("What fills memory makes a chain with what reads nearly all of it") {
  for (const auto& [read, is_chain] : {std::pair(134.0, false), std::pair(260.0, true)}) {
    FusionRun run;
    const int32_t fill = run.Kernel("fill", 0, 268);
    const int32_t sum = run.Kernel("sum", read, 67);
    for (int i = 0; i < 10; ++i) {
      run.Launch(fill);
      run.Launch(sum);
    }
    CHECK(run.Find().has_value() == is_chain);
  }
}

TEST_CASE("What runs between two kernels, on another stream, or again, makes no chain") {
  FusionRun between, streams, again;
  for (FusionRun* run : {&between, &streams, &again}) {
    const int32_t first = run->Kernel("first", 200, 200);
    const int32_t second = run->Kernel("second", 200, 200);
    for (int i = 0; i < 10; ++i) {
      run->Launch(first);
      if (run == &between) {
        run->Copy();
        run->Launch(second);
        run->Copy();
      } else if (run == &streams) {
        run->Launch(second, 8);
      }
    }
  }
  CHECK_FALSE(between.Find());
  CHECK_FALSE(streams.Find());
  CHECK_FALSE(again.Find());
}

TEST_CASE("What L2 holds is not read from DRAM: small tensors make no chain") {
  for (const auto& [mb, is_chain] : {std::pair(20.0, false), std::pair(26.0, true)}) {
    FusionRun run;
    const int32_t first = run.Kernel("first", mb, mb);
    const int32_t second = run.Kernel("second", mb, mb);
    for (int i = 0; i < 10; ++i) {
      run.Launch(first);
      run.Launch(second);
    }
    CHECK(run.Find().has_value() == is_chain);
  }
}

TEST_CASE("Kernels with host work between them make no chain") {
  for (const auto& [wait_us, is_chain] : {std::pair(50, true), std::pair(150, false)}) {
    FusionRun run;
    const int32_t first = run.Kernel("first", 200, 200);
    const int32_t second = run.Kernel("second", 200, 200);
    for (int i = 0; i < 10; ++i) {
      run.Launch(first);
      run.Wait(wait_us * kUs);
      run.Launch(second);
      run.Copy();
    }
    CHECK(run.Find().has_value() == is_chain);
  }
}

TEST_CASE("A launch of another size than the median of its kernel makes no chain") {
  for (const auto& [times, is_chain] :
       {std::pair(0.3, false), std::pair(0.8, true), std::pair(1.5, true), std::pair(3.0, false)}) {
    FusionRun run;
    const int32_t first = run.Kernel("first", 200, 200);
    const int32_t second = run.Kernel("second", 200, 200);
    for (int i = 0; i < 10; ++i) {
      run.Launch(first);
      run.Launch(second, 7, times);
      run.Copy();
    }
    CHECK(run.Find().has_value() == is_chain);
  }
}

TEST_CASE("Kernels of two streams that overlap, and a graph's, make chains of their own streams") {
  FusionRun run;
  const int32_t first = run.Kernel("first", 200, 200);
  const int32_t second = run.Kernel("second", 200, 200);
  for (int i = 0; i < 10; ++i) {
    run.Launch(first);
    run.Back(50 * kUs);  // the other stream begins before this one ends
    run.Launch(first, 8);
    run.Back(50 * kUs);
    run.Launch(second, 7);
    run.Back(50 * kUs);
    run.Launch(second, 8);
    run.Copy();
  }
  for (size_t i = 0; i < run.model().ops.size(); ++i) {
    CHECK((i == 0 || run.model().ops[i].start_ns >= run.model().ops[i - 1].start_ns));
  }
  const std::optional<Finding> finding = run.Find();
  REQUIRE(finding);
  CHECK(finding->title.find("20 times") != std::string::npos);
  // From the first launch's begin to the end of the last one, in each round: the copy stays.
  CHECK(finding->gain_at_most_ns <= run.now_ns() - 10 * kUs);
}

TEST_CASE("A kernel that DRAM does not limit, or whose traffic is not known, makes no chain") {
  FusionRun run;
  const int32_t first = run.Kernel("first", 200, 200);
  const int32_t second = run.Kernel("second", 200, 200);
  for (int i = 0; i < 10; ++i) {
    run.Launch(first);
    run.Launch(second);
  }
  CHECK(run.Find());
  run.kernel(second).verdict.limiter = Limiter::kTensor;
  CHECK(run.Find());  // it moves 80 % of the DRAM's peak all the same
  run.kernel(second).duration_ns.median *= 2;
  CHECK_FALSE(run.Find());
  run.kernel(second).duration_ns.median /= 2;
  run.kernel(second).verdict.limiter = Limiter::kDram;
  run.kernel(second).metrics.clear();
  CHECK_FALSE(run.Find());
}

TEST_CASE("Traffic by PM samples makes the same chain as by counters") {
  FusionRun counted, sampled;
  for (FusionRun* run : {&counted, &sampled}) {
    const int32_t first = run->Kernel("first", 200, 200);
    const int32_t second = run->Kernel("second", 200, 200);
    for (int i = 0; i < 10; ++i) {
      run->Launch(first);
      run->Launch(second);
    }
  }
  for (const int32_t group : {0, 1}) {
    KernelReport& kernel = sampled.kernel(group);
    kernel.metrics.clear();
    for (const char* metric :
         {"FBSP.TriageCompute.dramc__read_throughput.avg.pct_of_peak_sustained_elapsed",
          "FBSP.TriageCompute.dramc__write_throughput.avg.pct_of_peak_sustained_elapsed"}) {
      kernel.continuous[metric].value = 40;
    }
  }
  REQUIRE(counted.Find());
  REQUIRE(sampled.Find());
  CHECK(sampled.Find()->title == counted.Find()->title);
  CHECK(sampled.Find()->gain_at_most_ns == Approx(counted.Find()->gain_at_most_ns));
  // A value of all that ran at the same time is not the kernel's.
  for (auto& [metric, value] : sampled.kernel(1).continuous) value.beside = "other";
  CHECK_FALSE(sampled.Find());
}

TEST_CASE("Where records are lost, a chain is named and nothing is promised") {
  FusionRun run;
  const int32_t first = run.Kernel("first", 200, 200);
  const int32_t second = run.Kernel("second", 200, 200);
  for (int i = 0; i < 10; ++i) {
    run.Launch(first);
    run.Launch(second);
  }
  run.model().truncation = "the end is missing";
  const std::optional<Finding> finding = run.Find();
  REQUIRE(finding);
  CHECK(finding->withheld);
  CHECK(finding->gain_at_most_ns == 0);
  CHECK(finding->action.empty());
}

TEST_CASE("One kernel in place of small ones reads the same weights") {
  FusionRun run;
  const int32_t gemv = run.Kernel("gemv", 20, 0);  // 6.25 us, 5 of which the DRAM needs
  const int32_t add = run.Kernel("add", 0, 1);
  run.kernel(gemv).verdict.limiter = Limiter::kSmallGrid;  // whatever limits it
  for (int i = 0; i < 10; ++i) {
    run.Launch(gemv);
    run.Launch(add);
  }
  run.Launch(gemv, 8);  // alone on its stream: no part of a row
  const Finding finding = run.Small(200e3, 70e3);
  CHECK(finding.gain_at_most_ns == Approx(150e3));
  CHECK(finding.kernels_at_most_ns == Approx(20e3));
  CHECK(Evidence(finding).find("less the 50.0 us") != std::string::npos);
  // What takes no time of kernels cannot take less.
  CHECK(run.Small(200e3, 0).gain_at_most_ns == Approx(200e3));
}

TEST_CASE("Of what small kernels read by PM samples the lower end of the error bound counts") {
  FusionRun run;
  const int32_t gemv = run.Kernel("gemv", 20, 0);
  run.kernel(gemv).metrics.clear();
  const auto sample = [&](const char* metric, double percent, double error) {
    ContinuousValue& value = run.kernel(gemv).continuous[metric];
    value.value = percent;
    value.error = error;
  };
  sample("FBSP.TriageCompute.dramc__read_throughput.avg.pct_of_peak_sustained_elapsed", 80, 20);
  sample("FBSP.TriageCompute.dramc__write_throughput.avg.pct_of_peak_sustained_elapsed", 0, 1);
  for (int i = 0; i < 10; ++i) run.Launch(gemv);
  CHECK(run.Small(200e3, 70e3).gain_at_most_ns == Approx(200e3 - 10 * 0.6 * 6.25e3));
}

TEST_CASE("Small kernels that read nothing from DRAM may all be fused") {
  FusionRun run;
  const int32_t add = run.Kernel("add", 0, 1);
  for (int i = 0; i < 10; ++i) run.Launch(add);
  CHECK(run.Small(200e3, 70e3).gain_at_most_ns == Approx(200e3));
}

}  // namespace
}  // namespace prof::test::fusion_test
