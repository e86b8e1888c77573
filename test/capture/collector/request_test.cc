// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/collector/request.h"

#include <array>
#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "test/support/catch.h"

namespace prof::capture::request_test {
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

TEST_CASE("Requests for different things at one time are each done, for the same thing once") {
  std::atomic<int> asked{0};
  Request request([] {});
  request.Open();
  std::vector<std::thread> threads;
  std::array<std::atomic<bool>, 4> results{};
  const std::array<const char*, 4> arguments = {"a.prof", "bad.prof", "b.prof", "b.prof"};
  for (size_t i = 0; i < arguments.size(); ++i) {
    threads.emplace_back([&, i] {
      ++asked;
      results[i] = request.Ask(arguments[i], kPatience);
    });
    while (asked != static_cast<int>(i) + 1) std::this_thread::yield();
    std::this_thread::sleep_for(milliseconds(20));  // it is in the queue, as far as can be told
  }
  std::vector<std::string> done;
  while (const std::optional<Request::Pending> pending = request.Next()) {
    done.push_back(pending->argument);
    request.Answer(pending->ticket, pending->argument != "bad.prof");
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(done == std::vector<std::string>{"a.prof", "bad.prof", "b.prof"});
  CHECK(results[0]);
  CHECK_FALSE(results[1]);
  CHECK(results[2]);
  CHECK(results[3]);
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
  CHECK_FALSE(request.Next());  // nobody wants it any more
}

// Its thread is interrupted between its look at the requests and its wait for the answer.
TEST_CASE("A thread that never comes back from asking holds the collector up for a moment only") {
  static std::atomic<bool> asks{false}, goes_on{false};
  asks = goes_on = false;
  Request request([] {
    asks = true;
    while (!goes_on) std::this_thread::sleep_for(milliseconds(1));
  });
  request.Open();
  std::thread interrupted([&] { (void)request.Ask("a.prof", milliseconds(1)); });
  while (!asks) std::this_thread::yield();
  const auto begin = std::chrono::steady_clock::now();
  CHECK_FALSE(request.Next());
  request.Answer(1, true);
  request.Close();
  CHECK(std::chrono::steady_clock::now() - begin < milliseconds(2'000));
  goes_on = true;
  interrupted.join();
}

}  // namespace
}  // namespace prof::capture::request_test
