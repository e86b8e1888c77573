# SPDX-License-Identifier: Apache-2.0
"""prof shows where a CUDA program's time goes, what limits it, and what to change.

    import prof                          # before the first NVTX call of the program

    with prof.session() as recording:    # or prof.session("step.prof")
        for batch in batches:
            with prof.range("step"):
                step(batch)
    print(recording.report)

    report = prof.load("step.prof")      # needs no GPU
    for kernel in report.kernels:
        print(kernel.name, kernel.share, kernel.verdict.summary)

`python -m prof` is the program prof. Times are nanoseconds, and shares are fractions (0.80 is
80 %).
"""

from ._compare import compare
from ._export import export
from ._native import (
    Action,
    AllocationFailure,
    Allocations,
    ApiCalls,
    BlocksOfSize,
    Compared,
    Comparison,
    ContinuousValue,
    Copy,
    Device,
    DeviceMemory,
    Error,
    Finding,
    Gap,
    GrowingHolder,
    GrowingLine,
    Kernel,
    KernelAction,
    KernelChange,
    KernelLine,
    KernelModule,
    KernelOp,
    Launch,
    LimiterTime,
    Line,
    LineHolder,
    Memory,
    MemoryGrowth,
    MemoryHolder,
    Module,
    Notice,
    Occupancy,
    Op,
    OpHolder,
    Pool,
    Range,
    RangeAllocations,
    Ratio,
    Roofline,
    Row,
    Sample,
    SourceLine,
    SourcePlace,
    Statistic,
    Step,
    StepIdle,
    StepOffPath,
    StepPart,
    StepPathItem,
    StepPathTime,
    StepPhase,
    StepSummary,
    Stream,
    Totals,
    UnifiedMemory,
    UnitUse,
    Verdict,
)
from ._native import version as __version__
from ._options import SessionOptions
from ._range import range
from ._report import Report, load
from ._session import Session, active, library, pause, resume, session, step

__all__ = [
    "Action",
    "AllocationFailure",
    "Allocations",
    "ApiCalls",
    "BlocksOfSize",
    "Compared",
    "Comparison",
    "ContinuousValue",
    "Copy",
    "Device",
    "DeviceMemory",
    "Error",
    "Finding",
    "Gap",
    "GrowingHolder",
    "GrowingLine",
    "Kernel",
    "KernelAction",
    "KernelChange",
    "KernelLine",
    "KernelModule",
    "KernelOp",
    "Launch",
    "LimiterTime",
    "Line",
    "LineHolder",
    "Memory",
    "MemoryGrowth",
    "MemoryHolder",
    "Module",
    "Notice",
    "Occupancy",
    "Op",
    "OpHolder",
    "Pool",
    "Range",
    "RangeAllocations",
    "Ratio",
    "Report",
    "Roofline",
    "Row",
    "Sample",
    "Session",
    "SessionOptions",
    "SourceLine",
    "SourcePlace",
    "Statistic",
    "Step",
    "StepIdle",
    "StepOffPath",
    "StepPart",
    "StepPathItem",
    "StepPathTime",
    "StepPhase",
    "StepSummary",
    "Stream",
    "Totals",
    "UnifiedMemory",
    "UnitUse",
    "Verdict",
    "__version__",
    "active",
    "compare",
    "export",
    "library",
    "load",
    "pause",
    "range",
    "resume",
    "session",
    "step",
]
