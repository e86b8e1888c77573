# SPDX-License-Identifier: Apache-2.0
"""Tables of a report as data frames."""

from __future__ import annotations

import sys
from operator import attrgetter

import prof
import pytest
from conftest import MANY_TOKENS

pandas = pytest.importorskip("pandas", reason="pandas is not installed")


def test_kernels_are_those_of_the_report(report: prof.Report) -> None:
    frame = report.to_pandas("kernels")
    assert list(frame["name"]) == [kernel.name for kernel in report.kernels]
    assert list(frame["range"]) == [kernel.range for kernel in report.kernels]
    assert list(frame["total_ns"]) == [kernel.total_ns for kernel in report.kernels]
    assert list(frame["launches"]) == [kernel.launches for kernel in report.kernels]


def test_a_counter_that_was_not_measured_is_nan(report: prof.Report) -> None:
    frame = report.to_pandas("kernels").set_index(report.to_pandas("kernels").index)
    metric = next(name for kernel in report.kernels for name in kernel.metrics)
    for row, kernel in enumerate(report.kernels):
        statistic = kernel.metrics.get(metric)
        known = statistic is not None and statistic.n > 0
        assert pandas.isna(frame[metric][row]) != known


def test_launches_have_their_times(report: prof.Report) -> None:
    frame = report.to_pandas("launches")
    timed = [launch for launch in report.launches if launch.start_ns is not None]
    assert list(frame["start_ns"]) == [launch.start_ns for launch in timed]
    assert list(frame["name"]) == [launch.name for launch in timed]
    assert frame["start_ns"].dtype == "int64"
    kernels = frame[frame["kind"] == "kernel"]
    assert kernels.groupby("name")["duration_ns"].sum().max() > 0


def test_samples_have_a_row_for_each_value(report: prof.Report) -> None:
    frame = report.to_pandas("samples")
    assert len(frame) == sum(len(sample.values) for sample in report.samples)


@pytest.mark.parametrize(
    "table",
    "ranges rows findings actions notices gaps copies api_calls streams devices steps".split(),
)
def test_each_list_is_a_table(report: prof.Report, table: str) -> None:
    frame = report.to_pandas(table)
    rows = getattr(report, table)
    assert len(frame) == len(rows)
    assert len(frame.columns) > 3
    for row, value in enumerate(rows):
        for column in frame.columns:
            cell = getattr(value, column)
            if isinstance(cell, (int, str)):
                assert frame[column][row] == cell


@pytest.mark.parametrize(
    "table",
    "ops lines innermost_lines source_lines memory.devices memory.kinds memory.ranges "
    "memory.growth memory.failures memory.pools".split(),
)
def test_ops_lines_and_memory_are_tables(training: prof.Report, table: str) -> None:
    frame = training.to_pandas(table)
    rows = attrgetter(table)(training)
    assert len(frame) == len(rows) > 0
    for row, value in enumerate(rows):
        for column in frame.columns:
            cell = getattr(value, column)
            if isinstance(cell, (int, str)):
                assert frame[column][row] == cell


def test_a_kernel_has_its_op_as_text(training: prof.Report) -> None:
    frame = training.to_pandas("kernels")
    for row, kernel in enumerate(training.kernels):
        assert frame["torch_op"][row] == (kernel.torch_ops[0].name if kernel.torch_ops else "")
        assert isinstance(frame["torch_forward"][row], str)


@pytest.mark.parametrize("table", "modules shapes memory.unified".split())
def test_what_was_not_recorded_is_a_table_without_rows(training: prof.Report, table: str) -> None:
    frame = training.to_pandas(table)
    assert len(frame) == 0 and len(frame.columns) > 3


def test_other_tables_exist(report: prof.Report) -> None:
    assert len(report.to_pandas("calls")) == report.totals.api_calls
    assert len(report.to_pandas("range_instances")) == report.totals.ranges


def test_another_name_is_an_error_with_the_names(report: prof.Report) -> None:
    with pytest.raises(ValueError, match="kernels"):
        report.to_pandas("kernel")


def test_without_pandas_the_error_has_the_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    report = prof.load(MANY_TOKENS)
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="pip install pandas"):
        report.to_pandas("kernels")
