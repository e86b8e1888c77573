// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <regex>
#include <string>
#include <variant>
#include <vector>

#include "lib/options/name_filter.h"
#include "lib/options/option_text.h"
#include "test/cli/program.h"
#include "test/options/sample_values.h"
#include "test/report/contains.h"
#include "test/support/catch.h"
#include "test/support/snapshot_builder.h"

namespace prof::test::run_command_test {
namespace {

std::string Recording() {
  SnapshotBuilder builder;
  const uint32_t saxpy = builder.Shape("saxpy", {1320, 1, 1}, {256, 1, 1});
  builder.Kernel(saxpy, "step", 10'000, 20'000);
  builder.Kernel(saxpy, "step", 30'000, 45'000);
  return builder.Bytes();
}

// 40 us of `saxpy`, whose launch of 40 us was counted, and 10 us of `other`, which was not.
std::string MeasuredRecording() {
  SnapshotBuilder builder;
  const uint32_t saxpy = builder.Shape("saxpy", {1320, 1, 1}, {256, 1, 1});
  const uint32_t launch = builder.Kernel(saxpy, "step", 10'000, 50'000);
  builder.Kernel(builder.Shape("other", {1320, 1, 1}, {256, 1, 1}), "step", 60'000, 70'000);
  builder.Sample(launch, {{"gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed", 91.0}});
  return builder.Bytes();
}

// The value that the program saw, from the output of `env`.
std::string Seen(const Ended& ended, const std::string& name) {
  std::smatch match;
  const std::string text = "\n" + ended.out;
  return std::regex_search(text, match, std::regex("\n" + name + "=([^\n]*)")) ? match[1].str()
                                                                               : "(unset)";
}

TEST_CASE("The exit status is the program's") {
  const Folder folder;
  CHECK(Prof(RunLine({}, {"sh", "-c", "exit 7"}), folder.path()).exit_code() == 7);
  CHECK(Prof(RunLine({}, {"true"}), folder.path()).exit_code() == 0);
}

TEST_CASE("The program runs without a -- before it, too, and keeps its own options") {
  const Folder folder;
  const Ended ended = Prof(
      {"run", "--inject", PROF_INJECT_NOTHING, "echo", "--counters", "x", "-n"}, folder.path());
  CHECK(ended.exit_code() == 0);
  CHECK(ended.out == "--counters x -n\n");
}

TEST_CASE("Stdout is byte for byte the program's, stdin is passed on") {
  const Folder folder;
  std::string bytes;
  for (int i = 0; i < 100'000; ++i) bytes += static_cast<char>(i * 31);
  folder.Write("in", bytes);
  const Ended ended = Prof(RunLine({"--report"}, {"sh", "-c", "exec cat < in"}), folder.path());
  CHECK(ended.exit_code() == 0);
  CHECK((ended.out == bytes));  // without printing them
}

TEST_CASE("A program that is not found gives 127, one that cannot be executed 126") {
  const Folder folder;
  const Ended missing = Prof(RunLine({}, {"no_such_program"}), folder.path());
  CHECK(missing.exit_code() == 127);
  CHECK_THAT(missing.err, Contains("cannot find the program 'no_such_program'"));
  folder.Write("data", "no program");
  const Ended data = Prof(RunLine({}, {"./data"}), folder.path());
  CHECK(data.exit_code() == 126);
  CHECK_THAT(data.err, Contains("./data") && Contains("Permission denied") && Contains("chmod"));
  CHECK(Prof(RunLine({}, {folder.path()}), folder.path()).exit_code() == 126);
}

TEST_CASE(
    "Without libprof_inject.so nothing is run, and the message names the places that were tried") {
  const Folder folder;
  const Ended ended =
      Prof({"run", "--inject", "/no/such/lib.so", "--", "echo", "ran"}, folder.path());
  CHECK(ended.exit_code() == 2);
  CHECK(ended.out.empty());
  CHECK_THAT(ended.err, Contains("/no/such/lib.so") && Contains("--inject"));
}

// Runs `echo ran` with `options`, which prof must refuse. Returns what prof wrote on stderr.
std::string Refusal(const std::vector<std::string>& options,
                    const std::vector<std::string>& environment = {}) {
  const Folder folder;
  const Ended ended = Prof(RunLine(options, {"echo", "ran"}), folder.path(), environment);
  CHECK(ended.exit_code() == 2);
  CHECK(ended.out.empty());
  return ended.err;
}

TEST_CASE("A value that cannot be used is named, and nothing is run") {
  const std::vector<std::vector<std::string>> wrong = {
      {"--counters", "many"},  {"--samples", "0"},          {"--budget", "-1"},
      {"--budget", "nan"},     {"--budget-seconds", "nan"}, {"--kernel", "("},
      {"--range", "[a"},       {"--count-range", "*"},      {"--launch-skip", "-1"},
      {"--launch-skip", "x"},  {"--launch-count", "1.5"},   {"--every", "0"},
      {"--continuous=19"},     {"--continuous=fast"},       {"--continuous=1000001"},
      {"--replay", "program"}, {"--continuous-core", "0"},  {"--no-ranges=maybe"}};
  for (const std::vector<std::string>& options : wrong) {
    const std::string flag = options[0].substr(0, options[0].find('='));
    CHECK_THAT(Refusal(options), Contains(flag) && Contains("prof run --help"));
  }
}

TEST_CASE("All values that cannot be used are named at once") {
  CHECK_THAT(Refusal({"--samples", "0", "--every", "0"}),
             Contains("--samples 0 is not") && Contains("; --every 0 is not"));
  CHECK_THAT(Refusal({}, {"PROF_SAMPLES=0", "PROF_SAMPLE_EVERY=0"}),
             Contains("PROF_SAMPLES=0 is not") && Contains("; PROF_SAMPLE_EVERY=0 is not"));
}

TEST_CASE("An expression that is none is refused with the library's own words") {
  CHECK_THAT(Refusal({"--kernel", "gemm("}),
             Contains("gemm( is not " + options::ExpressionProblem("gemm(")));
}

TEST_CASE("An option that would have no effect is refused") {
  CHECK_THAT(Refusal({"--counters", "none", "--replay", "kernel"}),
             Contains("--replay kernel has no effect with --counters none"));
  CHECK_THAT(Refusal({"--dump-signal", "USR1"}),
             Contains("--dump-signal USR1 has no effect without --keep-last"));
  CHECK_THAT(Refusal({"--replay", "kernel"}, {"PROF_COUNTERS=none"}), Contains("--counters none"));
  CHECK_THAT(Refusal({"--counters", "none", "--samples", "7", "--until-complete", "9"}),
             Contains("--samples 7 has no effect with --counters none; --until-complete 9 has no "
                      "counters to wait for with --counters none"));
  CHECK_THAT(Refusal({"--counters", "stalls", "--triage-core", "10"}),
             Contains("--triage-core 10 has no effect with --counters stalls"));
  CHECK_THAT(Refusal({"--continuous-core", "50"}),
             Contains("--continuous-core 50 has no effect without --continuous"));
}

TEST_CASE("A variable of the whole machine that has no effect is not refused") {
  const Folder folder;
  const Ended ended = Prof(RunLine({"--counters", "none"}, {"echo", "ran"}), folder.path(),
                           {"PROF_SAMPLES=4", "PROF_BUDGET_PERCENT=20"});
  CHECK(ended.out == "ran\n");
}

TEST_CASE("A variable that cannot be read is refused, unless a flag overrides it") {
  CHECK_THAT(Refusal({}, {"PROF_SAMPLES=0"}), Contains("PROF_SAMPLES=0 is not a whole number"));
  const Folder folder;
  const Ended ended = Prof(RunLine({"--samples", "9"}, {"env"}), folder.path(), {"PROF_SAMPLES=0"});
  CHECK(ended.exit_code() == 0);
  CHECK(Seen(ended, "PROF_SAMPLES") == "9");
}

TEST_CASE("The option --continuous does not take the program for its interval") {
  const Folder folder;
  const auto seen = [&](const std::string& option) {
    const std::vector<std::string> line = {"run", "--inject", PROF_INJECT_NOTHING, option, "env"};
    return Seen(Prof(line, folder.path()), "PROF_CONTINUOUS");
  };
  CHECK(seen("--continuous") == "1");
  CHECK(seen("--continuous=50") == "50");
  CHECK(seen("--continuous=0") == "0");
  CHECK(seen("--no-ranges") == "(unset)");
  CHECK(seen("--unified-memory") == "(unset)");
}

// The words of the command line that give `value` to an option; none where they cannot.
std::vector<std::string> Flag(const options::Option& option, const std::string& value) {
  const std::string name = options::NameOf(option, options::Naming::kFlag);
  if (std::holds_alternative<options::Interval>(option.kind)) return {name + "=" + value};
  if (*option.value != '\0') return {name, value};
  if (value == options::ValueText(option, SessionOptions())) return {};
  return {name};
}

// What else the option needs to have an effect.
std::vector<std::string> NeededBy(const options::Option& option) {
  const std::string flag = option.flag;
  if (flag.rfind("--dump-", 0) == 0) return {"--keep-last", "1"};
  if (flag == "--window-count") return {"--window", "x"};
  if (flag == "--continuous-core") return {"--continuous"};
  if (flag == "--step") return {"--step-active", "1"};
  if (flag == "--torch-shapes" || flag == "--torch-memory") return {"--torch", "ops"};
  if (flag.rfind("--step-", 0) == 0 && flag != "--step-active") return {"--step-active", "1"};
  return {};
}

TEST_CASE("Each flag reaches the program under the name that libprof reads") {
  const Folder folder;
  for (const options::Option& option : options::kOptions) {
    if (*option.flag == '\0') continue;
    if (std::string(option.flag) == "--metrics") continue;  // these are no metrics of any GPU
    for (const std::string& value : options::SampleValues(option)) {
#ifndef PROF_TEST_WITH_CUDA
      if (value == "modules") continue;  // its Python files come with the recorder
#endif
      std::vector<std::string> line = Flag(option, value);
      if (line.empty()) continue;
      for (const std::string& word : NeededBy(option)) line.push_back(word);
      INFO(option.flag << " " << value);
      const Ended ended = Prof(RunLine(line, {"env"}), folder.path());
      const bool is_path = std::holds_alternative<options::Text>(option.kind);
      CHECK(Seen(ended, option.variable) == (is_path ? folder.File(value) : value));
    }
  }
}

TEST_CASE("The program is started with the library in it") {
  const Folder folder;
  const Ended ended = Prof(RunLine({}, {"env"}), folder.path());
  CHECK(Seen(ended, "LD_PRELOAD") == PROF_INJECT_NOTHING);
  CHECK(Seen(ended, "CUDA_INJECTION64_PATH") == PROF_INJECT_NOTHING);
  CHECK(Seen(ended, "NVTX_INJECTION64_PATH") == PROF_INJECT_NOTHING);
}

TEST_CASE("Variables of the environment stay unless a flag overrides them") {
  const Folder folder;
  const Ended ended = Prof(RunLine({"--samples", "9"}, {"env"}), folder.path(),
                           {"PROF_COUNTERS=sol", "PROF_SAMPLES=4", "PROF_OUTPUT=/tmp/mine-%p.prof",
                            "CUDA_INJECTION64_PATH=/opt/other.so",
                            std::string("LD_PRELOAD=") + PROF_INJECT_NOTHING, "EMPTY=",
                            // A sanitized prof refuses to start with anything before its runtime.
                            "ASAN_OPTIONS=verify_asan_link_order=0"});
  CHECK(Seen(ended, "PROF_COUNTERS") == "sol");
  CHECK(Seen(ended, "PROF_SAMPLES") == "9");
  CHECK(Seen(ended, "PROF_OUTPUT") == "/tmp/mine-%p.prof");
  CHECK(Seen(ended, "CUDA_INJECTION64_PATH") == "/opt/other.so");
  CHECK(Seen(ended, "LD_PRELOAD") == std::string(PROF_INJECT_NOTHING) + ":" + PROF_INJECT_NOTHING);
  CHECK(Seen(ended, "EMPTY").empty());
  CHECK(Seen(ended, "PROF_RANGES") == "(unset)");
}

TEST_CASE("The default output is in the folder that prof was started in") {
  const Folder folder;
  CHECK(Seen(Prof(RunLine({}, {"env"}), folder.path()), "PROF_OUTPUT") ==
        folder.File("prof-%h-%i.prof"));
}

TEST_CASE("A percent sign in the folder's name is not taken for a pattern") {
  const Folder folder;
  std::filesystem::create_directory(folder.File("50%p"));
  CHECK(Seen(Prof(RunLine({}, {"env"}), folder.File("50%p")), "PROF_OUTPUT") ==
        folder.path() + "/50%%p/prof-%h-%i.prof");
}

TEST_CASE("Files written by the run are named afterwards, older ones are not") {
  const Folder folder;
  folder.Write("prof-h-1.prof", "old");
  folder.Write("prof-h-2.prof", "old");
  const Ended ended =
      Prof(RunLine({}, {"sh", "-c", "echo longer > prof-h-2.prof; echo > prof-h-3.prof"}),
           folder.path());
  CHECK(ended.out.empty());
  CHECK_THAT(ended.err, Contains("wrote " + folder.File("prof-h-2.prof")) &&
                            Contains("wrote " + folder.File("prof-h-3.prof")) &&
                            !Contains("prof-h-1.prof"));
}

// What `prof run` shows on a terminal at the end of a program that leaves a recording with `bytes`.
std::string ShownAfter(const std::string& bytes) {
  const Folder folder;
  folder.Write("recording", bytes);
  return ProfOnTerminal(RunLine({}, {"cp", "recording", "prof-h-1.prof"}), folder.path());
}

TEST_CASE("The share of the kernels' time with a verdict follows the file's size") {
  // prof gives the analysis a limited time, which a busy machine may need for something else.
  constexpr int kMostTries = 5;
  std::string shown;
  for (int i = 0; i < kMostTries && shown.find("verdicts for") == shown.npos; ++i) {
    shown = ShownAfter(MeasuredRecording());
  }
  CHECK_THAT(shown, Contains("B): verdicts for 80.0 % of the kernel time\nprof: read it with"));
}

TEST_CASE("Without kernels, without counters or in a damaged file there is no share of verdicts") {
  for (const std::string& bytes :
       {Recording(), SnapshotBuilder().Bytes(), std::string("damaged")}) {
    CHECK_THAT(ShownAfter(bytes), Contains("prof-h-1.prof (") && !Contains("verdicts for"));
  }
}

TEST_CASE("A script does not wait for the share of verdicts") {
  const Folder folder;
  folder.Write("recording", MeasuredRecording());
  const Ended ended = Prof(RunLine({}, {"cp", "recording", "prof-h-1.prof"}), folder.path());
  CHECK_THAT(ended.err, Contains("prof-h-1.prof (") && !Contains("verdicts for"));
}

TEST_CASE("A large recording is named without its share of verdicts") {
  // A file whose end is damaged still has the share.
  const auto printed = [](const std::string& size) {
    const Folder folder;
    folder.Write("recording", MeasuredRecording());
    const std::string make = "cp recording prof-h-1.prof; truncate -s " + size + " prof-h-1.prof";
    return ProfOnTerminal(RunLine({}, {"sh", "-c", make}), folder.path());
  };
  CHECK_THAT(printed("1M"), Contains("verdicts for 80.0 %"));
  CHECK_THAT(printed("64M"), Contains("prof-h-1.prof (") && !Contains("verdicts for"));
}

TEST_CASE("A run that wrote nothing is a message on stderr") {
  const Folder folder;
  folder.Write("prof-h-1.prof", "old");
  const Ended ended = Prof(RunLine({}, {"true"}), folder.path());
  CHECK_THAT(ended.err, Contains("nothing was recorded: no process") && !Contains("wrote"));
}

TEST_CASE("With --report the report follows on stderr") {
  const Folder folder;
  folder.Write("recording", Recording());
  const Ended ended =
      Prof(RunLine({"--report"}, {"sh", "-c", "cp recording prof-h-$$.prof; echo mine; exit 3"}),
           folder.path());
  CHECK(ended.exit_code() == 3);
  CHECK(ended.out == "mine\n");
  CHECK_THAT(ended.err, Contains("Where the time went") && Contains("saxpy"));
}

TEST_CASE("The page of --html cannot go to standard output, which is the program's") {
  CHECK_THAT(Refusal({"--html", "-"}), Contains("belongs to the program. Name a file"));
}

TEST_CASE("A folder as the output is refused, and a file in it is proposed") {
  const Folder folder;
  std::filesystem::create_directory(folder.File("d"));
  for (const char* output : {"d", "d/", "missing/"}) {
    const Ended ended = Prof(RunLine({"-o", output}, {"echo", "ran"}), folder.path());
    CHECK(ended.exit_code() == 2);
    CHECK(ended.out.empty());
    CHECK_THAT(ended.err, Contains("it is a folder") && Contains("prof-%h-%i.prof"));
  }
}

TEST_CASE("A folder in which no file can be made is named before the program runs") {
  const Folder folder;
  const Ended ended = Prof(RunLine({"-o", "/proc/x.prof"}, {"echo", "ran"}), folder.path());
  CHECK(ended.exit_code() == 2);
  CHECK(ended.out.empty());
  CHECK_THAT(ended.err,
             Contains("cannot write to /proc/") && Contains("Choose another output with -o"));
}

TEST_CASE("An output folder that does not exist is named before the program runs") {
  const Folder folder;
  const Ended ended = Prof(RunLine({"-o", "missing/x.prof"}, {"echo", "ran"}), folder.path());
  CHECK(ended.exit_code() == 2);
  CHECK(ended.out.empty());
  CHECK_THAT(ended.err, Contains(folder.File("missing/")) && Contains("-o"));
}

}  // namespace
}  // namespace prof::test::run_command_test
