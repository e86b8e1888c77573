# SPDX-License-Identifier: Apache-2.0
"""This module records programs in which something is risky for prof that the end alone is not.

CUPTI is ended in mid-run, a program hangs and its last seconds are asked for, threads have default
streams of their own, sessions end inside a counted range. A row is one of the experiment `endings`;
"wrong" has what its kind adds to the problems.
"""

import functools
import os
import re

from lib import processes
from lib import prof_report
from lib import results
from lib import settings

_RUN_LIMIT_S, _SESSION_LIMIT_S = 20, 40
_KERNEL = "counted"
_UNSEEN = "unseen"  # the phase in which launches may be missing
_LAUNCHED = re.compile(r"^\[ending\] kernels (\d+)", re.MULTILINE)
_PHASE = re.compile(r"^\[phase\] (.+): (\d+)$", re.MULTILINE)
_ALONE = re.compile(r"^\[alone\] (.+): (\d+)$", re.MULTILINE)
_ANSWER = re.compile(r"^\[checksum\].*", re.MULTILINE)
_WRONG = re.compile(r"^\[wrong\] (.*)", re.MULTILINE)
_RECORDED = re.compile(r"^\[session\] recorded (\d+)", re.MULTILINE)
_FROM_PROF = re.compile(r"^prof: .*", re.MULTILINE)
_LOST = re.compile(r"^([\d,]+) times? another profiler in the process ended CUPTI")
_NOT_KEPT = re.compile(r"^[\d,]+ older events? w")

_SOME = ("--budget-seconds", "2")  # less than a row may be later than bare
_FINALIZED = {"finalize": {"timeline": ("none", ()), "default": ("auto", ()),
                           "all counters": ("all", _SOME)},
              "finalize-graph": {"timeline": ("none", ()), "default": ("auto", ())}}
_RINGS = {1: "the last second", 60: "all in memory"}


def subscriptions_lost(losses):
    """How often prof has seen that CUPTI was ended, by the report's sentences."""
    found = [match for match in map(_LOST.match, losses) if match]
    return int(found[0][1].replace(",", "")) if found else 0


def phases_of(report):
    """{phase: launches that were recorded in it}"""
    found = {}
    for kernel in report["kernels"]:
        if kernel["name"] == _KERNEL:
            found[kernel["range"]] = found.get(kernel["range"], 0) + kernel["launches"]
    return found


def _samples(report):
    return sum(kernel["samples_used"] for kernel in report["kernels"])


def wrong_of_phases(launched, recorded, doubtful=()):
    """Launches that CUPTI could see, and that are not recorded; or more than there were."""
    return [f"{phase}: {recorded.get(phase, 0)} of {count} kernels"
            for phase, count in launched.items()
            if phase not in (_UNSEEN, *doubtful) and recorded.get(phase, 0) != count]


def wrong_of_finalized(launched, report, doubtful=()):
    """prof must count that CUPTI was ended, once, and record all that it was there for."""
    lost = subscriptions_lost(report["integrity"])
    return [*([] if lost == 1 else [f"{lost} subscriptions lost, not 1"]),
            *wrong_of_phases(launched, phases_of(report), doubtful)]


def wrong_of_ring(report, is_cut):
    """Counter samples stay, however few seconds are kept. Older events go only where they must."""
    cut = any(map(_NOT_KEPT.match, report["integrity"]))
    return [*([] if _samples(report) else ["no kernel has counters"]),
            *([] if cut == is_cut else ["older events were dropped" if cut
                                        else "no older event was dropped"])]


def wrong_of_dump(launched, dumped):
    if dumped is None:
        return ["no dump"]
    found = sum(phases_of(dumped).values())
    return [] if found == launched else [f"the dump has {found} of {launched} kernels"]


def _loaded(bench, snapshot):
    if not os.path.exists(snapshot):
        return None
    report = prof_report.load(bench.prof, snapshot)
    os.remove(snapshot)
    return report


def _ran(command, limit_s=_RUN_LIMIT_S):
    """A run of a program. Raises RuntimeError where there is no GPU."""
    seconds, code, output = processes.timed(command, limit_s)
    if "[skipped]" in output:
        raise RuntimeError(output.strip()[-200:])
    launched = _LAUNCHED.search(output)
    return {"seconds": seconds, "exit_code": code, "output": output,
            "launched": int(launched[1]) if launched else 0,
            "phases": {name: int(count) for name, count in _PHASE.findall(output)},
            "answer": _ANSWER.findall(output)}


def _row(case, bare, ours, report):
    return {"case": case, "bare_s": bare["seconds"], "seconds": ours["seconds"],
            "bare_exit_code": bare["exit_code"], "exit_code": ours["exit_code"],
            "launched": ours["launched"],
            "recorded": None if report is None else sum(phases_of(report).values()),
            "samples": None if report is None else _samples(report),
            "same_answer": ours["answer"] == bare["answer"],
            "losses": report["integrity"] if report else [],
            "said": _FROM_PROF.findall(ours["output"]), "wrong": []}


def _under_prof(bench, case, kind, counters, options):
    """(its row, the run, the report or None)"""
    program = bench.program("endings", kind)
    bare = _ran(program)
    snapshot = f"{bench.scratch}/ending.prof"
    ours = _ran(bench.under_prof(snapshot, program, counters, *options))
    report = _loaded(bench, snapshot)
    return _row(case, bare, ours, report), ours, report


def _finalized(bench, case, kind, name):
    counters, options = _FINALIZED[kind][name]
    row, ours, report = _under_prof(bench, case, kind, counters, options)
    # prof traces no launch that it counts with a pause of tracing. Of a kernel it keeps the launch;
    # of a graph it may lack the nodes.
    doubtful = ("before",) if counters != "none" and kind == "finalize-graph" else ()
    return {**row, **_phases(ours["phases"], phases_of(report) if report else {}),
            "subscriptions_lost": subscriptions_lost(row["losses"]),
            "wrong": wrong_of_finalized(ours["phases"], report, doubtful) if report else []}


def _phases(launched, recorded):
    """What a row has of its phases. Kernels that may be missing are no part of its sums."""
    seen = [phase for phase in launched if phase != _UNSEEN]
    return {"phases": {phase: [recorded.get(phase, 0), count]
                       for phase, count in launched.items()},
            "launched": sum(launched[phase] for phase in seen),
            "recorded": sum(recorded.get(phase, 0) for phase in seen)}


def _alone(bench, case, kind):
    """The same without prof: the program is CUPTI's client. What fails here is not prof's."""
    bare = _ran(bench.program("endings", kind))
    path = ":".join(filter(None, [
        os.environ.get("LD_LIBRARY_PATH"), os.path.join(settings.CUDA, "lib64"),
        os.path.join(settings.CUDA, "extras", "CUPTI", "lib64")]))
    ours = _ran(["env", f"LD_LIBRARY_PATH={path}", bench.binary("endings"), f"{kind}-alone"])
    recorded = {name: int(count) for name, count in _ALONE.findall(ours["output"])}
    return {**_row(case, bare, ours, None), **_phases(ours["phases"], recorded), "control": True,
            "wrong": wrong_of_phases(ours["phases"], recorded)}


def _ring(bench, case, seconds):
    row, _, report = _under_prof(bench, case, "steps", "all",
                                 (*_SOME, "--keep-last", str(seconds)))
    return {**row, "wrong": wrong_of_ring(report, seconds == 1) if report else []}


def _hung(bench, case):
    row, ours, _ = _under_prof(bench, case, "hung", "auto",
                               ("--keep-last", "60", "--dump-signal", "USR1"))
    dumped = _loaded(bench, f"{bench.scratch}/ending.dump1.prof")
    return {**row, "wrong": wrong_of_dump(ours["launched"], dumped)}


def _per_thread(bench, case, counters):
    return _under_prof(bench, case, "per-thread", counters, _SOME)[0]


def _session(bench, case, *words):
    """A program with sessions of its own. It checks by itself, so there is no bare run."""
    ours = _ran(bench.program("endings_session", *words), _SESSION_LIMIT_S)
    recorded = _RECORDED.search(ours["output"])
    bare = {"seconds": None, "exit_code": 0, "answer": []}
    return {**_row(case, bare, ours, None), "limit_s": _SESSION_LIMIT_S,
            "recorded": int(recorded[1]) if recorded else None,
            "wrong": _WRONG.findall(ours["output"])}


def measurements(bench):
    """{case: how to measure it}"""
    found = {}
    for kind, options in _FINALIZED.items():
        for name in options:
            found[f"{kind}, {name}"] = functools.partial(_finalized, kind=kind, name=name)
        found[f"{kind}, CUPTI without prof"] = functools.partial(_alone, kind=kind)
    for seconds, name in _RINGS.items():
        found[f"steps, {name}, all counters"] = functools.partial(_ring, seconds=seconds)
    found["hung, dump"] = _hung
    for name, counters in (("default", "auto"), ("all counters", "all")):
        found[f"per-thread, {name}"] = functools.partial(_per_thread, counters=counters)
    calls = {case: functools.partial(measure, bench, case) for case, measure in found.items()}
    dump = os.path.join(bench.scratch, "session.dump.prof")
    for case, words in (("session, Stop in a counted range", ("counted-range",)),
                        ("session, Dump while a wait hangs", ("dump", dump))):
        calls[case] = functools.partial(_session, bench, case, *words)
    return calls


def phases_table(rows):
    """Recorded and launched kernels of each phase, where CUPTI was ended; "": nowhere."""
    rows = [row for row in rows if "phases" in row]
    phases = list(dict.fromkeys(phase for row in rows for phase in row["phases"]))
    if not rows:
        return ""
    return results.table(
        ["case", "subscriptions lost", "counter samples",
         *(f"{phase}: recorded of launched" for phase in phases)],
        [[row["case"], row.get("subscriptions_lost"), row["samples"],
          *("{} of {}".format(*row["phases"][phase]) if phase in row["phases"] else None
            for phase in phases)] for row in rows])
