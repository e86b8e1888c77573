# SPDX-License-Identifier: Apache-2.0
"""Tables of a report as pandas data frames."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from . import _native

if TYPE_CHECKING:
    import pandas

# Tables that the C++ side writes as CSV, by their names in to_pandas().
CSV_TABLES = {
    "kernels": "kernels",
    "launches": "launches",
    "range_instances": "ranges",
    "calls": "calls",
}

# Tables with a row for each object in the list of that name: of the report, or of its memory.
LISTS: dict[str, type] = {
    "ranges": _native.Range,
    "rows": _native.Row,
    "findings": _native.Finding,
    "actions": _native.Action,
    "notices": _native.Notice,
    "gaps": _native.Gap,
    "copies": _native.Copy,
    "api_calls": _native.ApiCalls,
    "streams": _native.Stream,
    "devices": _native.Device,
    "steps": _native.Step,
    "ops": _native.Op,
    "shapes": _native.Op,
    "modules": _native.Module,
    "lines": _native.Line,
    "innermost_lines": _native.Line,
    "source_lines": _native.SourceLine,
    "memory.devices": _native.DeviceMemory,
    "memory.kinds": _native.Allocations,
    "memory.ranges": _native.RangeAllocations,
    "memory.growth": _native.MemoryGrowth,
    "memory.failures": _native.AllocationFailure,
    "memory.pools": _native.Pool,
    "memory.tensors": _native.TensorMemory,
    "memory.tensor_failures": _native.TensorFailure,
    "memory.unified": _native.UnifiedMemory,
}

NAMES = sorted(["samples", *CSV_TABLES, *LISTS])

# Columns of CSV that hold text: an empty cell is an empty text there, and a number that is not
# known elsewhere.
_TEXT = frozenset(
    "action confidence copy destination full_name kernel kind level limiter metric "
    "memory_sol_largest memory_sol_missing missing name occupancy_limited_by path range rule "
    "sm_sol_largest sm_sol_missing source summary torch_forward torch_module torch_op unit".split()
)


def from_csv(text: str) -> pandas.DataFrame:
    """A data frame of a table in CSV."""
    pd = _pandas()
    frame = pd.read_csv(
        io.StringIO(text),
        dtype={name: str for name in _TEXT},
        keep_default_na=False,
        na_values={name: [""] for name in text[: text.index("\n")].split(",") if name not in _TEXT},
    )
    return frame


def from_samples(samples: Iterable[_native.Sample]) -> pandas.DataFrame:
    """A data frame with a row for each value of a counter."""
    names = "unit level kernel range device correlation start_ns duration_ns".split()
    rows = []
    for sample in samples:
        common = [getattr(sample, name) for name in names]
        rows += [[*common, metric, value] for metric, value in sample.values.items()]
    return _pandas().DataFrame(rows, columns=[*names, "metric", "value"])


def from_rows(rows: Sequence[object], kind: type) -> pandas.DataFrame:
    """A data frame with a column for each property of `kind`; of a Statistic: its median."""
    names = [name for name, value in vars(kind).items() if isinstance(value, property)]
    return _pandas().DataFrame([_cells(row, names) for row in rows], columns=names)


def _cells(row: object, names: Iterable[str]) -> list[Any]:
    cells = [getattr(row, name) for name in names]
    return [cell.median if isinstance(cell, _native.Statistic) else cell for cell in cells]


def _pandas() -> Any:
    try:
        import pandas
    except ImportError as missing:
        raise ImportError("to_pandas() needs pandas: pip install pandas") from missing
    return pandas
