// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/base/quantiles.h"

#include <cstddef>

namespace prof::analyzer {

double StudentQuantile(double freedom) {
  constexpr double kExact[] = {12.71, 4.30, 3.18, 2.78, 2.57};
  if (!(freedom >= 1)) return kExact[0];
  if (freedom < 6) return kExact[static_cast<size_t>(freedom) - 1];
  // Abramowitz and Stegun 26.7.5, the first three terms.
  constexpr double z = kNormal, z3 = z * z * z, z5 = z3 * z * z;
  return z + (z3 + z) / (4 * freedom) + (5 * z5 + 16 * z3 + 3 * z) / (96 * freedom * freedom);
}

}  // namespace prof::analyzer
