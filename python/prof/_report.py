# SPDX-License-Identifier: Apache-2.0
"""A Report is the answer about a recording: kernels, ranges, idle time, and what to change."""

from __future__ import annotations

import json
import os
import warnings
from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from . import _frames, _native, _notebook
from ._rows import Rows

if TYPE_CHECKING:
    import pandas


def load(path: str | os.PathLike[str]) -> Report:
    """Reads and analyzes the recording in the file `path`. It needs no GPU.

    Raises prof.Error, with the reason, when the file cannot be read. Warns (UserWarning) when a
    part of the recording is missing; `Report.incomplete` has the reason. Costs time and memory in
    proportion to the recording, some 200 bytes a record. Other threads of Python run meanwhile.
    """
    report = Report(_native.load(os.fspath(path)), os.fspath(path))
    if report.incomplete:
        warnings.warn(f"{report.name}: {report.incomplete}", stacklevel=2)
    return report


class Report:
    """The report on one recording. It never changes; any thread may read it.

    Lists are tuples of typed objects: `report.kernels[0].verdict.limiter`. `launches`, `samples`
    and `steps` read the recording once more, when they are used first. Text that is not known is
    empty, and a number that is not known is None, or NaN in a Statistic with n == 0.
    """

    def __init__(self, recording: _native.Recording, name: str = "") -> None:
        """For prof's own use: call load(), or read Session.report."""
        self._recording = recording
        self.name = name  #: The path of the recording; empty: it was made in memory.

    @cached_property
    def kernels(self) -> tuple[_native.Kernel, ...]:
        """A row for each signature (kernel, grid, block, shared memory, NVTX path), by time."""
        return self._recording.kernels

    @cached_property
    def launches(self) -> Rows[_native.Launch]:
        """A row for each kernel, copy, memset and CUDA graph that ran, by start."""
        return Rows(self._recording.launches)

    @cached_property
    def samples(self) -> Rows[_native.Sample]:
        """A row for each launch, range or graph whose counters were read."""
        return Rows(self._recording.samples)

    @cached_property
    def ranges(self) -> tuple[_native.Range, ...]:
        """The NVTX ranges as a tree: each one before those in it."""
        return self._recording.ranges

    @cached_property
    def rows(self) -> tuple[_native.Row, ...]:
        """Where the span went, by range: the first table of the text report."""
        return self._recording.rows

    @cached_property
    def findings(self) -> tuple[_native.Finding, ...]:
        """Changes to the run that are worth making. `findings_missing`: why there can be none."""
        return self._recording.findings

    @cached_property
    def actions(self) -> tuple[_native.Action, ...]:
        """The few changes that save most, at most five."""
        return self._recording.actions

    @cached_property
    def notices(self) -> tuple[_native.Notice, ...]:
        """Problems and remarks that prof had while it recorded."""
        return self._recording.notices

    @property
    def integrity(self) -> tuple[str, ...]:
        """One sentence for each loss; empty: nothing was lost."""
        return self._recording.integrity

    @cached_property
    def gaps(self) -> tuple[_native.Gap, ...]:
        """Idle time of the devices, by cause."""
        return self._recording.gaps

    @cached_property
    def copies(self) -> tuple[_native.Copy, ...]:
        """Copies by direction and kinds of memory."""
        return self._recording.copies

    @cached_property
    def api_calls(self) -> tuple[_native.ApiCalls, ...]:
        """Calls of the CUDA API by function."""
        return self._recording.api_calls

    @cached_property
    def streams(self) -> tuple[_native.Stream, ...]:
        """Streams that ran something, by time."""
        return self._recording.streams

    @cached_property
    def devices(self) -> tuple[_native.Device, ...]:
        """Devices that were described or that ran something."""
        return self._recording.devices

    @cached_property
    def ops(self) -> tuple[_native.Op, ...]:
        """The ops of PyTorch, by GPU time of their own. Empty: none was recorded."""
        return self._recording.ops

    @cached_property
    def shapes(self) -> tuple[_native.Op, ...]:
        """The ops by the shapes of their inputs. Empty: no shapes were recorded."""
        return self._recording.shapes

    @cached_property
    def modules(self) -> tuple[_native.Module, ...]:
        """The modules of PyTorch, in the order of their first calls: each behind its parent."""
        return self._recording.modules

    @cached_property
    def lines(self) -> tuple[_native.Line, ...]:
        """The program's own lines of Python by the time that they caused. Empty: no stacks."""
        return self._recording.lines

    @property
    def line_steps(self) -> _native.LineSteps | None:
        """The steps that `Line.steps_ns` is about. None: the run has none that lines can be held
        against."""
        return self._recording.line_steps

    @cached_property
    def innermost_lines(self) -> tuple[_native.Line, ...]:
        """The same time by the innermost lines, those of libraries too."""
        return self._recording.innermost_lines

    @cached_property
    def source_lines(self) -> tuple[_native.SourceLine, ...]:
        """Each line with all that it called, by file and line."""
        return self._recording.source_lines

    @cached_property
    def memory(self) -> _native.Memory:
        """Allocations, their peak and growth, pools, and unified memory."""
        return self._recording.memory

    @cached_property
    def whole_run(self) -> _native.WholeRun | None:
        """What kernels took in the whole run, estimated, where `duty_percent` recorded a part of
        the time; all else in this report is about that part. None: everything was recorded."""
        return self._recording.whole_run

    @cached_property
    def steps(self) -> tuple[_native.Step, ...]:
        """The steps of the run, in order: those of the range that repeats, or of launches."""
        return self._recording.steps

    @cached_property
    def step_summary(self) -> _native.StepSummary:
        """All steps together: their times, their parts, and what was on their critical paths."""
        return self._recording.step_summary

    @property
    def incomplete(self) -> str:
        """Not empty: a part of the recording is not in this report."""
        return self._recording.incomplete

    @property
    def findings_missing(self) -> str:
        """Not empty: why there can be no findings."""
        return self._recording.findings_missing

    @property
    def span_ns(self) -> float:
        """First operation's start to last one's end, in nanoseconds."""
        return self._recording.span_ns

    @property
    def profiler_ns(self) -> float:
        """Of the span: what prof disturbed. It is no evidence."""
        return self._recording.profiler_ns

    @property
    def undisturbed_ns(self) -> float:
        """span_ns - profiler_ns: shares and findings come from it."""
        return self._recording.undisturbed_ns

    @property
    def totals(self) -> _native.Totals:
        """Counts of records."""
        return self._recording.totals

    @property
    def command(self) -> str:
        """Command line of the recorded program."""
        return self._recording.command

    @property
    def host(self) -> str:
        """Name of its machine."""
        return self._recording.host

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._recording.pid

    @property
    def rank(self) -> int:
        """Its rank, from the launcher; -1: none known."""
        return self._recording.rank

    @property
    def prof_version(self) -> str:
        """The version of prof that recorded it."""
        return self._recording.prof_version

    @property
    def nvidia_driver(self) -> str:
        """The driver's version; empty: not known."""
        return self._recording.nvidia_driver

    def to_pandas(self, table: str = "kernels") -> pandas.DataFrame:
        """A table as a pandas data frame. pandas has to be installed.

        Tables: kernels, launches (those that have a time), samples (a row for each value of a
        counter), ranges, rows, range_instances (a row for each time that a range was open), calls
        (of the CUDA API), api_calls (by function), findings, actions, notices, gaps, copies,
        streams, devices, steps, ops, shapes, modules, lines, innermost_lines, source_lines, and the
        lists of `memory`: memory.devices, memory.kinds, memory.ranges, memory.growth,
        memory.failures, memory.pools, memory.tensors, memory.tensor_failures, memory.unified. What
        is not known is NaN, or None. Raises
        ValueError for another name.
        """
        if table in _frames.CSV_TABLES:
            return _frames.from_csv(self._recording.csv(_frames.CSV_TABLES[table]))
        if table == "samples":
            return _frames.from_samples(self.samples)
        if table in _frames.LISTS:
            return _frames.from_rows(attrgetter(table)(self), _frames.LISTS[table])
        raise ValueError(f"there is no table {table!r}: choose {', '.join(_frames.NAMES)}")

    def text(
        self,
        width: int = 120,
        *,
        top: int = 20,
        details: bool = False,
        color: bool = False,
        utf8: bool = True,
    ) -> str:
        """The text report, `width` columns wide (80 to 1000), with `top` ranges and kernels.

        `details`: also signatures, evidence and samples over time. `color`: ANSI escapes. `utf8`:
        lines and ellipses; without it they are ASCII, as in a file that the program prof writes.
        """
        if not 80 <= width <= 1000:
            raise ValueError(f"width = {width} is not from 80 to 1000")
        if top < 1:
            raise ValueError(f"top = {top} is not 1 or more")
        return self._recording.text(
            width=width, top=top, details=details, color=color, utf8=utf8
        )

    def json(self) -> str:
        """Everything in the report as JSON, with stable keys: `prof report --json`."""
        return self._recording.json()

    def to_dict(self) -> dict[str, Any]:
        """Everything in the report as dictionaries and lists: json(), parsed."""
        data: dict[str, Any] = json.loads(self.json())
        return data

    def html(self) -> str:
        """The HTML report: one page that needs no other file. Reads the recording again.

        Raises prof.Error where prof was built without it, with the way out.
        """
        return self._recording.html()

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        name = repr(self.name) if self.name else "in memory"
        return f"<prof.Report {name}: {len(self.kernels)} kernels, {self.span_ns / 1e6:.3f} ms>"

    def _repr_html_(self) -> str:
        return _notebook.html_of(self)
