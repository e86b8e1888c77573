# SPDX-License-Identifier: Apache-2.0
"""The runner gives each experiment its time and a process of its own, and collects what they leave.

$OUT gets at most settings.FILES files: summary.txt first, results.tgz with everything, and those that are worth
reading by themselves. No experiment stops the ones after it.
"""

import functools
import os
import shutil
import subprocess
import tempfile
import time

from lib import machine
from lib import processes
from lib import settings
from lib.bench import Bench, FAILED, Summary, set_environment

_MOST_FILES = max(settings.FILES - 2, 0)  # beside summary.txt and results.tgz
_LARGEST_BYTES = 15 << 20
_GRACE_S = 10  # for a step that reaches its limit to leave its log


def command_of(name):
    return " ".join([*settings.in_command(), "bench/gpu/run_on_gpu.sh", name])


def _guarded(experiment, bench):
    with bench.failing("the experiment"):
        experiment.run(bench)


def run_experiment(experiment, bench):
    """Runs it in a process of its own, so that one that hangs or crashes ends alone."""
    limit_s = bench.left_s()
    code = processes.isolated(functools.partial(_guarded, experiment, bench), limit_s + _GRACE_S)
    if code == processes.STOPPED:
        bench.fail(f"stopped after {limit_s:.0f} s")
    elif code != 0:
        bench.fail(f"it ended with {code}")


def limit_of(experiment, only, now, end):
    """The time when an experiment has to end. One alone has all the time."""
    return end if only else min(end, now + experiment.LIMIT_S)


def _small(path):
    return os.path.isfile(path) and os.path.getsize(path) < _LARGEST_BYTES


def files_to_copy(work, experiments):
    """The first _MOST_FILES of those that the experiments name. Results come before other files."""
    named = [file for experiment in experiments for file in experiment.FILES]
    ranked = sorted(named, key=lambda file: not file.endswith(".json"))
    found = [file for file in ranked if _small(os.path.join(work, file))]
    return found[:_MOST_FILES]


def collect(work, out, experiments, summary, earlier=()):
    """Fills `out`, removes `earlier` files that lost their place, and returns what it copied."""
    copied = files_to_copy(work, experiments)
    for file in set(earlier) - set(copied):
        os.remove(os.path.join(out, file))
    for file in [os.path.basename(summary.path), *copied]:
        shutil.copy(os.path.join(work, file), out)
    packed = os.path.join(out, "results.tgz")
    pack = ["tar", "-czf", packed, "-C", work]
    subprocess.run([*pack, "."], check=False)
    if os.path.getsize(packed) > _LARGEST_BYTES:
        summary.show("results.tgz is without snapshots: with them it is too large")
        subprocess.run([*pack, "--exclude=*.prof", "."], check=False)
    return copied


def run(chosen, known, seconds=settings.SECONDS, out=settings.OUT):
    """`known`: {name: experiment module}. Returns the number of failures."""
    begun = time.monotonic()
    processes.exit_on_sigterm()
    set_environment()
    os.makedirs(out, exist_ok=True)
    work = os.path.join("out", f"gpu.{os.getpid()}")  # relative, as BINARIES
    os.makedirs(work)
    try:
        return _run_in(work, chosen, known, begun, seconds, out)
    finally:
        shutil.rmtree(work)


def _run_in(work, chosen, known, begun, seconds, out):
    summary = Summary(os.path.join(work, "summary.txt"))
    summary.show(f"{(machine.gpus() or ['no nvidia-smi'])[0]}; commit {machine.commit()}")
    ran, copied = [], []
    for name in chosen:
        if name not in known:
            summary.show(f"{name}: {FAILED}: no such experiment; "
                        f"there are {' '.join(known)}")
            continue
        experiment = known[name]
        end = limit_of(experiment, len(chosen) == 1, time.monotonic(), begun + seconds)
        left_s = end - time.monotonic()
        if left_s <= 0:
            summary.show(f"--- {name}: {FAILED}: not begun, the time is over")
            continue
        summary.show(f"--- {name} (at most {left_s:.0f} s)")
        with tempfile.TemporaryDirectory() as scratch:
            head = machine.describe(command_of(name))
            bench = Bench(name, head, summary, work, scratch, end)
            run_experiment(experiment, bench)
        ran.append(experiment)
        # After each, because a machine may be taken away.
        copied = collect(work, out, ran, summary, copied)
    failed = summary.failures()
    summary.show(f"--- {time.monotonic() - begun:.0f} s in all; {failed} failed")
    shutil.copy(summary.path, out)
    return failed
