// SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "lib/cli/doctor/doctor_checks.h"
#include "lib/cli/doctor/doctor_facts.h"
#include "test/cli/program.h"
#include "test/report/contains.h"
#include "test/support/catch.h"

namespace prof::cli::doctor_test {
namespace {

using prof::test::Contains;
using prof::test::Folder;

DoctorFacts Healthy() {
  DoctorFacts facts;
  facts.module_version = "580.159.04";
  facts.libcuda = true;
  facts.libcuda_version = 13000;
  facts.gpus = {{"NVIDIA H200", 9, 0}};
  facts.devices = {{"/dev/nvidia0", true}, {"/dev/nvidiactl", true}};
  facts.cupti = {"/usr/lib/libcupti.so.13", 130001, "", ""};
  facts.inject = "/usr/lib/libprof_inject.so";
  facts.folder = "/home/ada";
  facts.folder_writable = true;
  return facts;
}

Check CheckOf(const DoctorFacts& facts, const std::string& subject) {
  for (const Check& check : ChecksOf(facts)) {
    if (check.subject == subject) return check;
  }
  FAIL("no check of " + subject);
  return {};
}

std::string Parts(const DoctorFacts& facts) {
  std::string parts;
  for (const Check& part : ExpectedParts(facts)) {
    parts += part.health == Health::kGood ? '+' : part.health == Health::kLimited ? '~' : '-';
  }
  return parts;
}

TEST_CASE("On a machine with everything nothing is to be fixed") {
  const DoctorFacts facts = Healthy();
  CHECK(WorstOf(ChecksOf(facts)) == Health::kGood);
  for (const Check& check : ChecksOf(facts)) CHECK(check.fix.empty());
  CHECK(Parts(facts) == "+++");
}

TEST_CASE("Each thing that a recording needs is missing with its way out") {
  struct Case {
    const char* subject;
    void (*take)(DoctorFacts*);
    const char* parts;
  };
  const std::vector<Case> cases = {
      {"driver", [](DoctorFacts* f) { f->module_version.clear(); }, "-~+"},
      {"driver", [](DoctorFacts* f) { f->module_version = "470.1"; }, "-~+"},
      {"libcuda", [](DoctorFacts* f) { f->libcuda = false; }, "-~+"},
      {"libcuda", [](DoctorFacts* f) { f->cuda_error = 999; }, "-~+"},
      {"GPUs", [](DoctorFacts* f) { f->gpus.clear(); }, "-~+"},
      {"device files", [](DoctorFacts* f) { f->devices.clear(); }, "-~+"},
      {"device files", [](DoctorFacts* f) { f->devices[0].usable = false; }, "-~+"},
      {"CUPTI",
       [](DoctorFacts* f) {
         f->cupti = {"", 0, "not found", "install it"};
       },
       "-~+"},
      {"CUPTI", [](DoctorFacts* f) { f->cupti.version = 110800; }, "-~+"},
      {"prof's library", [](DoctorFacts* f) { f->inject.clear(); }, "-~+"},
      {"CUPTI", [](DoctorFacts* f) { f->cupti.version = 120500; }, "+~+"},
      {"GPUs", [](DoctorFacts* f) { f->gpus[0].compute_major = 6; }, "+~+"},
      {"GPUs", [](DoctorFacts* f) { f->gpus[0].name = "NVIDIA H200 MIG 1g.18gb"; }, "+~+"},
      {"permission", [](DoctorFacts* f) { f->counters_for_admins_only = true; }, "+~+"},
      {"other profilers", [](DoctorFacts* f) { f->programs = {"nv-hostengine"}; }, "+++"},
      {"this folder", [](DoctorFacts* f) { f->folder_writable = false; }, "+++"}};
  for (const Case& one : cases) {
    DoctorFacts facts = Healthy();
    one.take(&facts);
    INFO(one.subject);
    const Check check = CheckOf(facts, one.subject);
    CHECK(check.health != Health::kGood);
    CHECK_FALSE(check.fix.empty());
    CHECK(Parts(facts) == one.parts);
  }
}

TEST_CASE("The Multi-Process Service is named with its own way out") {
  DoctorFacts facts = Healthy();
  facts.programs = {"nv-hostengine (process 7)", "nvidia-cuda-mps (process 12)"};
  const Check check = CheckOf(facts, "other profilers");
  CHECK(check.health == Health::kLimited);
  CHECK_THAT(check.finding, Contains("nvidia-cuda-mps (process 12)"));
  CHECK_THAT(check.fix, Contains("echo quit | nvidia-cuda-mps-control"));
}

TEST_CASE("An administrator may count, whatever the driver lets others do") {
  DoctorFacts facts = Healthy();
  facts.counters_for_admins_only = facts.admin = true;
  CHECK(CheckOf(facts, "permission").health == Health::kGood);
}

TEST_CASE("In a container the way out is the container's") {
  DoctorFacts facts = Healthy();
  facts.container = facts.counters_for_admins_only = true;
  CHECK_THAT(CheckOf(facts, "permission").fix, Contains("--cap-add=SYS_ADMIN"));
  facts.module_version.clear();
  CHECK_THAT(CheckOf(facts, "driver").fix, Contains("docker run --gpus"));
  CHECK_THAT(CheckOf(facts, "permission").finding, Contains("not known"));
}

TEST_CASE("Another tool in the environment is named, prof's own library is none") {
  DoctorFacts facts = Healthy();
  ReadVariables(
      [](const std::string& name) -> std::optional<std::string> {
        if (name != "CUDA_INJECTION64_PATH") return std::nullopt;
        return "/opt/nsys/libToolsInjection64.so";
      },
      &facts);
  CHECK(CheckOf(facts, "environment").health == Health::kLimited);
  CHECK_THAT(CheckOf(facts, "environment").finding, Contains("/opt/nsys/"));
  facts.variables = {"CUDA_INJECTION64_PATH=/usr/lib/libprof_inject.so"};
  CHECK(CheckOf(facts, "environment").health == Health::kGood);
}

TEST_CASE("The facts of the machine come from its files") {
  const Folder root;
  for (const char* folder : {"/proc/driver/nvidia", "/proc/self", "/proc/4711", "/dev"}) {
    std::filesystem::create_directories(root.path() + folder);
  }
  root.Write("proc/driver/nvidia/version",
             "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159.04  Release Build\n"
             "GCC version:  gcc 12.2.0\n");
  root.Write("proc/driver/nvidia/params", "EnableMSI: 1\nRmProfilingAdminOnly: 1\n");
  root.Write("proc/self/status", "Name:\tprof\nCapEff:\t0000000000200000\n");
  root.Write("proc/4711/comm", "nv-hostengine\n");
  for (const char* name : {"nvidia0", "nvidia17", "nvidiactl", "nvidia-uvm", "nvidia-modeset"}) {
    root.Write(std::string("dev/") + name, "");
  }
  root.Write(".dockerenv", "");
  DoctorFacts facts;
  ReadFiles(root.path(), &facts);
  CHECK(facts.module_version == "580.159.04");
  CHECK(facts.counters_for_admins_only);
  CHECK(facts.admin);
  CHECK(facts.devices.size() == 4);
  CHECK(facts.programs == std::vector<std::string>{"nv-hostengine (process 4711)"});
  CHECK(facts.container);

  root.Write("proc/self/status", "CapEff:\t00000000a80425fb\n");  // Docker's usual ones
  root.Write("proc/driver/nvidia/params", "RmProfilingAdminOnly: 0\n");
  DoctorFacts others;
  ReadFiles(root.path(), &others);
  CHECK_FALSE(others.admin);
  CHECK_FALSE(others.counters_for_admins_only);
}

TEST_CASE("prof doctor prints each check, and what will work") {
#if defined(PROF_SANITIZED)
  PROF_SKIP("CUPTI loads its libraries in a way that a sanitizer refuses");
#endif
  const Folder folder;
  const prof::test::Ended ended = prof::test::Prof({"doctor"}, folder.path());
  CHECK((ended.exit_code() >= 0 && ended.exit_code() <= 2));
  CHECK_THAT(ended.out, Contains("driver") && Contains("CUPTI") && Contains("permission") &&
                            Contains("What will work:") && Contains("timeline and ranges"));
  CHECK((ended.exit_code() == 0) == (ended.out.find("to get it: ") == std::string::npos));
}

}  // namespace
}  // namespace prof::cli::doctor_test
