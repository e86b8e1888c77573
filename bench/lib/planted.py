# SPDX-License-Identifier: Apache-2.0
"""The planted timelines of bench/programs/planted.cu, and the findings that each must have.

What is neither expected nor true beside it names a cause that was not planted.
"""

import dataclasses

# The findings that name a cause. Left out: what depends on the machine (`clock`, `other-work`), and
# `unexplained-idle`, which says that no cause is known.
CAUSES = (
    "sync-bound", "allocation", "launch-bound", "code-loading", "host-work", "start",
    "transfer-bound", "dependency-idle", "idle-stretch", "cuda-graph", "small-kernels",
    "pageable-copy", "copy-not-overlapped", "link-bound", "small-copies", "sync-copy",
    "device-copies", "exposed-communication", "default-stream", "serialization", "outlier-steps",
    "step-drift", "fuse-kernels", "busiest-device", "out-of-memory", "memory-growth", "memory-left",
    "pool-unused")

# A timeline alone cannot have them: no difference between the forms.
NEED_COUNTERS = {"clock", "fuse-kernels", "other-work"}


@dataclasses.dataclass(frozen=True)
class Planted:
    expected: tuple = ()  # ids, one of which must be found; nothing: no cause is planted
    also: tuple = ()      # ids that are true as well
    needs_counters: bool = False  # a timeline alone cannot show it

    @property
    def harmful(self):
        return [cause for cause in CAUSES if cause not in self.expected + self.also]

    def found(self, ids):
        """Whether `ids` has what was planted. Where nothing was, there is nothing to find."""
        return not self.expected or bool(set(ids) & set(self.expected))

    def named(self, ids):
        """Those of `ids` that name a cause which was not planted."""
        return [one for one in ids if one in self.harmful]

    def is_right(self, ids):
        return self.found(ids) and not self.named(ids)


_NOTHING = Planted()
# A call of cudaMalloc may wait for the device.
_WAITS_FOR_MEMORY = ("allocation", "sync-bound")

TIMELINES = {
    "launches": Planted(("launch-bound", "cuda-graph", "small-kernels")),
    "graph": Planted(("dependency-idle", "small-kernels")),  # its nodes are tiny, with gaps between
    "graph-large": _NOTHING,
    "queued": _NOTHING,
    "two-threads": _NOTHING,
    "clean": _NOTHING,

    "waits": Planted(("sync-bound",)),
    "waits-layer": Planted(("sync-bound",)),
    "waits-event": Planted(("sync-bound",)),
    "polling": Planted(("sync-bound",)),
    "waits-behind": _NOTHING,
    "waits-cheap": _NOTHING,
    "waits-beside": _NOTHING,
    "stretch": Planted(("idle-stretch",)),

    "host-work": Planted(("host-work",)),
    # What a framework does for each launch makes launches slow.
    "framework": Planted(("host-work",), ("launch-bound", "cuda-graph")),
    "host-thread": _NOTHING,
    # A host that waits less often would be so far ahead that nobody notices the pauses.
    "pauses": Planted(("host-work", "sync-bound"), ("outlier-steps",)),
    "start": Planted(("start",)),

    "allocations": Planted(("allocation", "sync-bound")),
    "allocations-async": _NOTHING,
    "memory-growth": Planted(("memory-growth",), ("memory-left", *_WAITS_FOR_MEMORY)),
    "out-of-memory": Planted(("out-of-memory",), _WAITS_FOR_MEMORY),

    "small-grids": Planted(("serialization",)),
    "two-streams": _NOTHING,
    "default-stream": Planted(("default-stream",), ("dependency-idle", "serialization")),
    "hops": Planted(("dependency-idle",)),
    "communication": Planted(("exposed-communication",)),

    "pageable": Planted(("pageable-copy",)),
    "pinned": Planted(("copy-not-overlapped",)),
    "overlapped": _NOTHING,
    "link": Planted(("link-bound",)),
    # The host launches each copy, and each leaves a gap.
    "small-copies": Planted(("small-copies",),
                            ("transfer-bound", "launch-bound", "copy-not-overlapped")),
    "values-back": Planted(("sync-bound", "sync-copy"),
                           ("copy-not-overlapped", "small-copies", "transfer-bound")),
    "device-copies": Planted(("device-copies",), ("transfer-bound",)),

    "outliers": Planted(("outlier-steps",)),
    "evaluation": Planted(("outlier-steps",)),
    "drift": Planted(("step-drift",)),

    "code-loading": Planted(("code-loading",), ("host-work",)),
    "elementwise": Planted(("fuse-kernels",), needs_counters=True),
    "reductions": _NOTHING,
}
