# SPDX-License-Identifier: Apache-2.0
"""Programs that fork, start threads, or end in the middle of a recording."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Callable
from pathlib import Path

import prof
import pytest
from conftest import MANY_TOKENS, can_record

pytestmark = can_record
Run = Callable[..., "subprocess.CompletedProcess[str]"]


def test_forked_data_loaders_leave_the_recording_alone(run_python: Run) -> None:
    run = run_python(
        """
        import multiprocessing, warnings
        import prof

        warnings.filterwarnings("ignore", category=DeprecationWarning)

        def load(item):
            with prof.range("in a child"):
                assert prof.active() is None and prof.step() is False
            return item * item

        with prof.session(counters="none") as session:
            with prof.range("before"):
                pass
            with multiprocessing.get_context("fork").Pool(4) as pool:
                assert pool.map(load, range(100)) == [i * i for i in range(100)]
            with prof.range("after"):
                pass
        print(sorted(f'{node.path} {node.calls}' for node in session.report.ranges))
        """
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout == "['after 1', 'before 1']\n"


def test_a_forked_child_may_leave_the_block_and_ask_for_a_session(run_python: Run) -> None:
    run = run_python(
        """
        import os, sys
        import prof

        outer = prof.session("outer.prof", counters="none")
        with outer:
            child = os.fork()
            if child == 0:
                try:
                    with prof.session(counters="none") as inner:
                        pass
                    inner.report
                except prof.Error as error:
                    print("child:", error, flush=True)
        if child == 0:
            os._exit(7)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
        with prof.range("late"):
            pass
        print("parent:", len(outer.report.ranges), prof.load("outer.prof").incomplete == "")
        """
    )
    assert run.returncode == 0, run.stderr
    child, parent = run.stdout.splitlines()
    assert child.startswith("child: nothing was recorded: ") and "fork" in child
    assert parent == "parent: 0 True"


@pytest.mark.filterwarnings("ignore:.*not stopped in order")
@pytest.mark.parametrize("end", ["sys.exit(3)", "raise KeyboardInterrupt", "os._exit(3)"])
def test_a_program_that_ends_in_the_block_leaves_a_recording(
    run_python: Run, tmp_path: Path, end: str
) -> None:
    run = run_python(
        f"""
        import os, sys, time
        import prof

        with prof.session("end.prof", counters="none"):
            with prof.range("work"):
                pass
            time.sleep(2)
            {end}
        """
    )
    assert run.returncode != 0
    report = prof.load(tmp_path / "end.prof")
    assert (report.incomplete != "") == ("_exit" in end)
    assert [node.path for node in report.ranges] == ["work"]


def test_a_session_that_nobody_stops_ends_with_the_program(
    run_python: Run, tmp_path: Path
) -> None:
    run = run_python(
        """
        import prof
        session = prof.session("end.prof", counters="none").start()
        with prof.range("cell"):
            pass
        """
    )
    assert run.returncode == 0, run.stderr
    assert "leak" not in run.stderr
    report = prof.load(tmp_path / "end.prof")
    assert report.incomplete == ""
    assert [node.path for node in report.ranges] == ["cell"]


def test_other_threads_run_while_a_recording_is_analyzed() -> None:
    ticks = 0
    done = threading.Event()

    def count() -> None:
        nonlocal ticks
        while not done.is_set():
            ticks += 1

    thread = threading.Thread(target=count)
    thread.start()
    before = ticks
    prof._native.load(str(MANY_TOKENS))  # one call: with the GIL, nobody else would run in it
    after = ticks
    done.set()
    thread.join()
    assert after - before > 1000
