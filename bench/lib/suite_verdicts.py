# SPDX-License-Identifier: Apache-2.0
"""This module reads of reports how far prof got: the share of time with a verdict, and the same
verdicts as another report has.

A program has a report for each of its processes.
"""

from lib import prof_report

_NONE, _COMMUNICATION = ("not-measured", "unknown"), "communication"
LEAST_SHARE, LEAST_NS = 0.01, 10_000  # of a kernel whose verdict is compared


def kernels_of(reports):
    """[(rank, kernel)]. The rank is the place among the processes."""
    return [(rank, kernel) for rank, report in enumerate(reports) for kernel in report["kernels"]]


def is_decided(kernel):
    return kernel["verdict"]["limiter"] not in _NONE


def total_ns(kernel):
    return kernel["total_ns"] or 0


def share_with_verdict(reports):
    """Of the kernel time of all processes, kernels in graphs included, without those of NCCL, whose
    verdict is by their name. None without kernels.
    """
    kernels = [kernel for _, kernel in kernels_of(reports)
               if kernel["verdict"]["limiter"] != _COMMUNICATION]
    whole = sum(map(total_ns, kernels))
    return sum(total_ns(kernel) for kernel in kernels if is_decided(kernel)) / whole \
        if whole else None


def without_verdict(reports, most=5):
    """The longest kernels without a verdict: [[name, share, what is missing]]."""
    kernels = [kernel for _, kernel in kernels_of(reports)]
    whole = sum(map(total_ns, kernels)) or 1
    rest = sorted((kernel for kernel in kernels if not is_decided(kernel)), key=total_ns,
                  reverse=True)
    return [[kernel["name"][:60], round(total_ns(kernel) / whole, 4),
             str(kernel["verdict"].get("missing") or "")[:120]] for kernel in rest[:most]]


def _key(rank, kernel):
    return (rank, prof_report.key_of(kernel["full_name"], kernel["grid"], kernel["block"]))


def _by_key(reports):
    """{key: {range: kernel}}"""
    found = {}
    for rank, kernel in kernels_of(reports):
        found.setdefault(_key(rank, kernel), {})[kernel["range"]] = kernel
    return found


def _partner(by_range, kernel):
    """The same kernel under the same range; under the only other one where prof split another way.
    """
    if kernel["range"] in by_range:
        return by_range[kernel["range"]]
    return next(iter(by_range.values())) if len(by_range) == 1 else None


def is_sure(confidence, other):
    """Whether neither of two verdicts calls itself doubtful."""
    return "low" not in (confidence, other)


def compare(reports, full):
    """{"compared", "same", "sure", "different": [...]}: verdicts that both have, of long kernels.

    "sure": how many of those that are the same have low confidence in neither. A difference is a
    contradiction where the first has high confidence.
    """
    whole = sum(total_ns(kernel) for _, kernel in kernels_of(reports)) or 1
    theirs, same, sure, different = _by_key(full), 0, 0, []
    for rank, kernel in kernels_of(reports):
        other = _partner(theirs.get(_key(rank, kernel), {}), kernel)
        median_ns = kernel["duration_ns"]["median"] or 0
        if (other is None or not is_decided(kernel) or not is_decided(other)
                or total_ns(kernel) < LEAST_SHARE * whole or median_ns < LEAST_NS):
            continue
        ours, expected = kernel["verdict"], other["verdict"]
        if ours["limiter"] == expected["limiter"]:
            same += 1
            sure += is_sure(ours["confidence"], expected["confidence"])
            continue
        different.append({
            "kernel": kernel["name"], "us": median_ns * 1e-3, "default": ours["limiter"],
            "confidence": ours["confidence"], "full": expected["limiter"],
            "full_confidence": expected["confidence"],
            "contradiction": ours["confidence"] == "high"})
    return {"compared": same + len(different), "same": same, "sure": sure, "different": different}


def findings(reports):
    """The ids of the findings of the reports, sorted. Withheld ones are no advice."""
    return sorted({finding["id"] for report in reports for finding in report["findings"]
                   if not finding.get("withheld")})


def idle_shares(reports):
    """{cause: its part of the undisturbed time of all processes}, as a fraction."""
    whole = sum(report["undisturbed_ns"] for report in reports) or 1  # without gaps, too
    shares = {}
    for gap in (gap for report in reports for gap in report["gaps"]):
        shares[gap["cause"]] = shares.get(gap["cause"], 0) + gap["total_ns"] / whole
    return shares


def names_apart(reports, others):
    """Kernels of 1 % of the time or more that only one of the two has: another choice was made."""
    def names(found):
        whole = sum(total_ns(kernel) for _, kernel in kernels_of(found)) or 1
        return {kernel["full_name"] for _, kernel in kernels_of(found)
                if total_ns(kernel) >= LEAST_SHARE * whole}

    def all_names(found):
        return {kernel["full_name"] for _, kernel in kernels_of(found)}

    return sorted(name[:100] for name in
                  (names(reports) - all_names(others)) | (names(others) - all_names(reports)))


def of_phases(reports, phases):
    """The verdict of each known kernel beside its label: [{"kernel", "limiters", "verdict", ...}].

    A phase of cuBLAS is a range. The longest kernel in it counts.
    """
    rows = []
    kernels = [kernel for _, kernel in kernels_of(reports)]
    for phase in phases:
        name = phase["kernel"]
        mine = [kernel for kernel in kernels
                if name in (kernel["name"], kernel["range"].rsplit("/", 1)[-1])]
        best = max(mine, key=total_ns, default=None)
        verdict = best["verdict"] if best else {"limiter": "not recorded", "confidence": "none"}
        rows.append({"kernel": name, "label": " or ".join(phase["limiters"]),
                     "verdict": verdict["limiter"], "confidence": verdict["confidence"],
                     "right": verdict["limiter"] in phase["limiters"]})
    return rows
