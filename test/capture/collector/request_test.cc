// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/collector/request.h"

#include <atomic>
#include <chrono>
#include <thread>

#include "test/support/catch.h"

namespace prof::capture {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kPatience(10'000);
std::atomic<int> wakes{0};

// Asks on another thread, and waits until the request is there.
struct Asking {
  Asking(Request* request, const std::string& argument)
      : thread([=] { result = request->Ask(argument, kPatience); }) {
    while (!(pending = request->Next())) std::this_thread::yield();
  }

  std::optional<Request::Pending> pending;
  std::atomic<bool> result{false};
  std::thread thread;
};

TEST_CASE("A request wakes the collector, and its answer is what the work returned") {
  wakes = 0;
  Request request([] { ++wakes; });
  request.Open();
  CHECK_FALSE(request.Next());
  for (const bool ok : {true, false}) {
    Asking asking(&request, "a.prof");
    CHECK(asking.pending->argument == "a.prof");
    request.Answer(asking.pending->ticket, ok);
    asking.thread.join();
    CHECK(asking.result == ok);
    CHECK_FALSE(request.Next());
  }
  CHECK(wakes == 2);
}

TEST_CASE("Nobody waits for a collector that has not started or has ended") {
  Request request([] {});
  CHECK_FALSE(request.Ask("", kPatience));
  request.Open();
  Asking asking(&request, "");
  request.Close();
  asking.thread.join();
  CHECK_FALSE(asking.result);
  CHECK_FALSE(request.Ask("", kPatience));
}

TEST_CASE("A request that nobody answers fails after its timeout") {
  Request request([] {});
  request.Open();
  const auto begin = std::chrono::steady_clock::now();
  CHECK_FALSE(request.Ask("", milliseconds(20)));
  CHECK(std::chrono::steady_clock::now() - begin >= milliseconds(20));
  CHECK(request.Next());  // the collector does not know that nobody waits
}

}  // namespace
}  // namespace prof::capture
