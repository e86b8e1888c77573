// SPDX-License-Identifier: Apache-2.0
//
// The finding that neighbours could be one kernel: kernels that DRAM limits follow each other on a
// stream, and each reads about as many bytes as the one before it wrote.
#ifndef PROF_LIB_ANALYZER_FINDINGS_FINDING_FUSION_H_
#define PROF_LIB_ANALYZER_FINDINGS_FINDING_FUSION_H_

#include <optional>
#include <vector>

#include "lib/analyzer/kernels/kernels.h"
#include "lib/analyzer/timeline/timeline.h"
#include "lib/snapshot/model/model.h"
#include "prof/report.h"

namespace prof::analyzer {

inline constexpr char kFusionFinding[] = "fuse-kernels";

// `kernels` are parallel to the groups. The bound is the time of the chains, less what one kernel
// in place of each needs at the DRAM's peak to read what the first read and to write what the last
// wrote, but for as much as L2 may have kept of the writes before. Absent: no chain, or the
// bytes that fusing could keep from moving take little of `undisturbed_ns`. Linear in operations.
[[nodiscard]] std::optional<Finding> FindFusion(const model::Model& model, const Timeline& timeline,
                                                const KernelGroups& groups,
                                                const std::vector<KernelReport>& kernels,
                                                double undisturbed_ns);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_FINDINGS_FINDING_FUSION_H_
