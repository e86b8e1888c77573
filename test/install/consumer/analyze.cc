// SPDX-License-Identifier: Apache-2.0
//
// The analyzer alone: bytes that are no snapshot give a report that says so.
#include <iostream>

#include "prof/analyzer.h"

int main() {
  const prof::Report report = prof::Analyze(prof::Snapshot::FromBytes("not a snapshot"));
  std::cout << report << "\n";
  return !report.error.empty() && report.kernels.empty() ? 0 : 1;
}
