# SPDX-License-Identifier: Apache-2.0
"""Sessions in this process. What a GPU is needed for is absent from these tests."""

from __future__ import annotations

import threading
from pathlib import Path

import prof
import pytest
from conftest import can_record

pytestmark = can_record


def calls_of(report: prof.Report) -> dict[str, int]:
    return {node.path: node.calls for node in report.ranges}


def test_a_session_records_ranges_in_memory() -> None:
    with prof.session(counters="none") as session:
        for _ in range(10):
            with prof.range("step"), prof.range("inner"):
                pass
    assert calls_of(session.report) == {"step": 10, "step/inner": 10}
    assert session.path == "" and session.report is session.report
    assert session.report.integrity == ()


def test_without_a_gpu_the_report_has_what_is_missing() -> None:
    with prof.session(counters="none") as session:
        timeline = session.status.timeline
        assert timeline.state in ("working", "degraded", "unavailable")
    if timeline.state == "unavailable":
        assert any(timeline.what in notice.what for notice in session.report.notices)
        assert len(session.report.kernels) == 0
        assert "timeline" in repr(session.status)


def test_a_session_with_a_path_leaves_a_file(tmp_path: Path) -> None:
    with prof.session(tmp_path / "run-%p.prof", counters="none") as session:
        with prof.range("step"):
            pass
    assert Path(session.path).parent == tmp_path and "%" not in session.path
    assert calls_of(prof.load(session.path)) == calls_of(session.report) == {"step": 1}


def test_a_session_in_a_session_is_an_error_and_the_outer_one_goes_on() -> None:
    with prof.session(counters="none") as outer:
        with pytest.raises(prof.Error, match="a session is active"):
            prof.session().start()
        assert prof.active() is outer
        with prof.range("after"):
            pass
    assert prof.active() is None
    assert calls_of(outer.report) == {"after": 1}


def test_an_exception_ends_the_recording_and_goes_on() -> None:
    session = prof.session(counters="none")
    with pytest.raises(KeyError):
        with session, prof.range("step"):
            raise KeyError("of the program")
    assert calls_of(session.report) == {"step": 1}


def test_start_and_stop_do_what_a_block_does() -> None:
    session = prof.session(counters="none").start()
    with prof.range("cell"):
        pass
    session.stop()
    session.stop()
    assert calls_of(session.report) == {"cell": 1}
    with pytest.raises(prof.Error, match="used before"):
        session.start()


def test_a_session_that_did_not_start_has_no_report() -> None:
    session = prof.session()
    for use in (session.stop, session.step, lambda: session.status, lambda: session.report):
        with pytest.raises(prof.Error):
            use()


def test_there_is_no_report_before_the_end() -> None:
    with prof.session(counters="none") as session:
        with pytest.raises(prof.Error, match="has ended"):
            session.report  # noqa: B018


def test_a_pause_leaves_ranges_out() -> None:
    with prof.session(counters="none") as session:
        with prof.range("before"):
            pass
        if not prof.pause():
            pytest.skip("a pause needs a timeline: no GPU")
        with prof.range("paused"):
            pass
        assert prof.resume() and not prof.resume()
    assert "paused" not in calls_of(session.report)


def test_steps_are_those_of_the_active_session() -> None:
    with prof.session(counters="none", step_wait=1, step_active=1, step_repeat=1):
        assert prof.step() is True
    with prof.session(counters="none"):
        assert prof.step() is False
    assert prof.step() is False and prof.pause() is False and prof.resume() is False


def test_the_last_seconds_are_dumped_on_demand(tmp_path: Path) -> None:
    with prof.session(counters="none", keep_last_seconds=30) as session:
        with prof.range("kept"):
            pass
        assert session.dump(tmp_path / "dump.prof")
    assert calls_of(prof.load(tmp_path / "dump.prof")) == {"kept": 1}


def test_ranges_of_all_threads_are_recorded() -> None:
    def work() -> None:
        for _ in range(1000):
            with prof.range("thread"):
                pass

    with prof.session(counters="none") as session:
        threads = [threading.Thread(target=work) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert calls_of(session.report) == {"thread": 8000}


def test_ten_sessions_one_after_another_are_ten_reports() -> None:
    for number in range(10):
        with prof.session(counters="none") as session, prof.range(f"session {number}"):
            pass
        assert calls_of(session.report) == {f"session {number}": 1}
