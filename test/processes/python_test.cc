// SPDX-License-Identifier: Apache-2.0
//
// Python's multiprocessing under `prof run`, in each of its ways to start a process. Its workers
// end by os._exit().
#include <string>
#include <vector>

#include "test/processes/run.h"
#include "test/report/contains.h"
#include "test/support/catch.h"

namespace prof::test::python_test {
namespace {

// Each worker does what a framework's first call of CUDA does.
constexpr const char* kScript = R"(
import ctypes, multiprocessing, os, sys

def work(number):
    library = ctypes.CDLL(os.environ["CUDA_INJECTION64_PATH"])
    library.InitializeInjection()
    library.FakePush(b"worker")
    library.FakeLaunch(number + 1)
    library.FakePop()

if __name__ == "__main__":
    context = multiprocessing.get_context(sys.argv[1])
    workers = [context.Process(target=work, args=(number,)) for number in range(3)]
    for worker in workers: worker.start()
    for worker in workers: worker.join()
    sys.exit(7 if all(worker.exitcode == 0 for worker in workers) else 1)
)";

TEST_CASE(
    "Workers of Python's multiprocessing are recorded to their end, however they are started") {
  if (std::string(PROF_TEST_PYTHON).empty()) PROF_SKIP("there is no python3");
  for (const char* way : {"fork", "forkserver", "spawn"}) {
    INFO(way);
    const Folder folder;
    folder.Write("train.py", kScript);
    const Ended ended =
        Prof(RunLine({"-o", "run.prof"}, {PROF_TEST_PYTHON, folder.File("train.py"), way}),
             folder.path());
    INFO(ended.err);
    CHECK(ended.exit_code() == 7);
    CHECK_THAT(ended.err, Contains("3 processes were recorded"));
    size_t kernels = 0;
    for (const std::string& name : Recordings(folder)) {
      const model::Model model = Read(folder, name);
      CHECK(model.stopped_in_order);
      CHECK(HasPath(model, "worker"));
      kernels += model.ops.size();
    }
    CHECK(kernels == 1 + 2 + 3);
  }
}

}  // namespace
}  // namespace prof::test::python_test
