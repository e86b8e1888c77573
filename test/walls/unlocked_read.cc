// SPDX-License-Identifier: Apache-2.0
//
// A planted mistake: clang's -Wthread-safety has to refuse this file. It is never built.
#include "lib/capture/process/mutex.h"

class Counter {
 public:
  int Read() const { return count_; }  // without the lock

 private:
  mutable prof::capture::Mutex mutex_;
  int count_ PROF_GUARDED_BY(mutex_) = 0;
};

int main() { return Counter().Read(); }
