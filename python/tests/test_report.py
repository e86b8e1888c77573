# SPDX-License-Identifier: Apache-2.0
"""A report in Python has what the program prof prints about the same recording."""

from __future__ import annotations

import gc
import json
import math
import os
import subprocess
import threading
from pathlib import Path

import prof
import pytest
from conftest import MANY_TOKENS, ONE_TOKEN, PROGRAM


def printed(*arguments: str) -> str:
    environment = {**os.environ, "LC_ALL": "C.UTF-8"}
    run = subprocess.run(
        [PROGRAM, *arguments], capture_output=True, text=True, check=True, env=environment
    )
    return run.stdout


def test_json_is_that_of_the_program(report: prof.Report) -> None:
    assert report.json() == printed("report", "--json", str(MANY_TOKENS))


@pytest.mark.parametrize("width", [80, 120, 200])
def test_text_is_that_of_the_program(report: prof.Report, width: int) -> None:
    expected = printed("report", "--width", str(width), "--no-pager", str(MANY_TOKENS))
    assert report.text(width, utf8=False) == expected
    assert max(map(len, report.text(width).splitlines())) <= width


def test_str_is_the_text(report: prof.Report) -> None:
    assert str(report) == report.text(120)


@pytest.mark.parametrize("width", [79, 1001])
def test_a_width_out_of_range_is_an_error(report: prof.Report, width: int) -> None:
    with pytest.raises(ValueError, match=f"width = {width}"):
        report.text(width)


def test_each_list_has_the_values_of_json(report: prof.Report) -> None:
    data = report.to_dict()
    assert [k.name for k in report.kernels] == [k["name"] for k in data["kernels"]]
    assert [k.total_ns for k in report.kernels] == [k["total_ns"] for k in data["kernels"]]
    assert [k.verdict.limiter for k in report.kernels] == [
        k["verdict"]["limiter"] for k in data["kernels"]
    ]
    assert [r.path for r in report.ranges] == [r["path"] for r in data["ranges"]]
    assert [r.label for r in report.rows] == [r["label"] for r in data["rows"]]
    assert [f.id for f in report.findings] == [f["id"] for f in data["findings"]]
    assert [(a.what, a.saves_at_most_ns) for a in report.actions] == [
        (a["what"], a["saves_at_most_ns"]) for a in data["actions"]
    ]
    assert [n.what for n in report.notices] == [n["what"] for n in data["notices"]]
    assert list(report.integrity) == data["integrity"]
    assert [g.cause for g in report.gaps] == [g["cause"] for g in data["gaps"]]
    assert [c.bytes for c in report.copies] == [c["bytes"] for c in data["copies"]]
    assert [a.count for a in report.api_calls] == [a["count"] for a in data["api_calls"]]
    assert [s.stream for s in report.streams] == [s["stream"] for s in data["streams"]]
    assert [d.name for d in report.devices] == [d["name"] for d in data["devices"]]
    assert report.span_ns == data["span_ns"]
    assert len(report.kernels) > 5 and len(report.ranges) > 5 and len(report.actions) > 0


def test_ops_lines_and_memory_have_the_values_of_json(training: prof.Report) -> None:
    data = training.to_dict()
    torch, lines, memory = data["torch"], data["lines"], data["memory"]
    for ops, expected in ((training.ops, "ops"), (training.shapes, "ops_by_shapes")):
        assert [(o.name, o.gpu_ns) for o in ops] == [
            (o["name"], o["gpu_ns"]) for o in torch[expected]
        ]
    assert [(m.name, m.parent) for m in training.modules] == [
        (m["name"], m["parent"]) for m in torch["modules"]
    ]
    for rows, expected in (
        (training.lines, "own"),
        (training.innermost_lines, "all"),
        (training.source_lines, "within"),
    ):
        assert [(r.file, r.line, r.time_ns) for r in rows] == [
            (r["file"], r["line"], r["time_ns"]) for r in lines[expected]
        ]
    assert [d.peak_bytes for d in training.memory.devices] == [
        d["peak_bytes"] for d in memory["devices"]
    ]
    assert [r.bytes for r in training.memory.ranges] == [r["bytes"] for r in memory["ranges"]]
    steps, expected_steps = training.line_steps, lines["steps"]
    assert (steps and (steps.range, steps.count, steps.time_ns)) == (
        expected_steps
        and (expected_steps["range"], expected_steps["count"], expected_steps["time_ns"])
    )
    assert training.whole_run is None  # all of the time was recorded
    assert len(training.ops) > 3 and len(training.lines) > 3 and training.memory.devices


def test_a_kernel_has_the_ops_and_lines_that_launched_it(training: prof.Report) -> None:
    for kernel, expected in zip(training.kernels, training.to_dict()["kernels"]):
        assert [op.name for op in kernel.torch_ops] == [op["name"] for op in expected["torch_ops"]]
        assert [line.line for line in kernel.lines] == [x["line"] for x in expected["lines"]]
    assert any(kernel.torch_ops and kernel.lines for kernel in training.kernels)


def test_without_ops_or_stacks_the_lists_are_empty(report: prof.Report) -> None:
    assert report.ops == report.shapes == report.modules == report.lines == ()


def test_steps_are_those_of_the_program() -> None:
    report = prof.load(MANY_TOKENS)
    steps = json.loads(printed("report", "--json", "--steps", str(MANY_TOKENS)))["steps"]
    assert [s.duration_ns for s in report.steps] == [s["duration_ns"] for s in steps["steps"]]
    assert [s.left_out for s in report.steps] == [s["left_out"] for s in steps["steps"]]
    summary = report.step_summary
    assert [i.what for i in summary.items] == [i["what"] for i in steps["items"]]
    assert [p.part for p in summary.parts] == [p["part"] for p in steps["parts"]]
    assert summary.duration_ns.median == steps["duration_ns"]["median"]
    assert len(report.steps) > 1000 and summary.counted > 1000


def test_counters_of_a_kernel_are_by_name(report: prof.Report) -> None:
    data = report.to_dict()["kernels"]
    measured = 0
    for kernel, expected in zip(report.kernels, data):
        assert set(kernel.metrics) == set(expected["metrics"])
        for name, statistic in kernel.metrics.items():
            median = expected["metrics"][name]["median"]
            assert math.isnan(statistic.median) if median is None else statistic.median == median
            measured += 1
    assert measured > 50


def test_launches_are_rows_in_order(report: prof.Report) -> None:
    launches = report.launches
    assert len(launches) == len(list(launches)) > 100
    assert launches[-1].name == list(launches)[-1].name
    assert [launch.name for launch in launches[2:5]] == [launches[i].name for i in (2, 3, 4)]
    starts = [launch.start_ns for launch in launches if launch.start_ns is not None]
    assert starts == sorted(starts)
    with pytest.raises(IndexError):
        launches[len(launches)]
    kernels = sum(launch.kind == "kernel" for launch in launches)
    assert kernels == report.totals.kernels


def test_samples_have_the_values_of_counters(report: prof.Report) -> None:
    samples = report.samples
    assert len(samples) == report.totals.samples > 0
    assert all(len(sample.values) > 0 for sample in samples)
    assert any(sample.kernel == report.kernels[0].name for sample in samples)


def test_a_row_outlives_its_report() -> None:
    kernel = prof.load(ONE_TOKEN).kernels[0]
    launch = prof.load(ONE_TOKEN).launches[0]
    gc.collect()
    assert kernel.name and kernel.verdict.summary and launch.name
    assert kernel.name in repr(kernel)


def test_threads_may_read_one_report_together() -> None:
    report = prof.load(ONE_TOKEN)
    lengths: list[int] = []
    threads = [
        threading.Thread(target=lambda: lengths.append(len(list(report.launches))))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert lengths == [len(report.launches)] * 8


def test_a_file_that_is_no_recording_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(prof.Error, match="missing.prof"):
        prof.load(tmp_path / "missing.prof")
    (tmp_path / "no.prof").write_text("this is no recording")
    with pytest.raises(prof.Error, match="no.prof"):
        prof.load(tmp_path / "no.prof")


def test_a_cut_recording_gives_a_warning_and_what_it_has(tmp_path: Path) -> None:
    cut = tmp_path / "cut.prof"
    cut.write_bytes(ONE_TOKEN.read_bytes()[:400_000])
    with pytest.warns(UserWarning, match="cut.prof"):
        report = prof.load(cut)
    assert report.incomplete
    assert len(report.kernels) > 0


def test_repr_is_short(report: prof.Report) -> None:
    assert "transformer_layer_2048.prof" in repr(report) and "\n" not in repr(report)


def test_html_is_a_page_or_an_error_with_the_way_out(report: prof.Report) -> None:
    if prof._native.why_no_html():
        with pytest.raises(prof.Error, match="PROF_HTML"):
            report.html()
    else:
        assert report.html().lstrip().lower().startswith("<!doctype html>")


def test_json_is_valid() -> None:
    assert json.loads(prof.load(ONE_TOKEN).json())["error"] == ""
