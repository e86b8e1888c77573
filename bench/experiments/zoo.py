# SPDX-License-Identifier: Apache-2.0
"""This experiment labels the kernels of the zoo by intervention, and records them with prof.

The labels come from the times of changed kernels (lib/zoo_labels.py). Then the unchanged kernels
run under prof with default options, and with all counters. In the recordings they have numbers for
names.
"""

import json
import os
import random
import re
import statistics
import tempfile

from lib import processes
from lib import prof_report
from lib import results
from lib import settings
from lib import suite_runs
from lib import zoo_labels

QUESTION = "What limits the kernels of the zoo, by intervention, and what does prof say?"
LIMIT_S = 560
RESULTS = ("zoo_labels",)
FILES = ("zoo_labels.json",)

_MEASURE_LIMIT_S = 110
_PARTS = 6
_SECONDS = {"default": 1.5, "all": 2.0}  # of each kernel: depth needs 0.6 s of its GPU time
_MOST_LAUNCHES = 12000  # of each kernel: recordings stay small
_VARIANTS = {"default": suite_runs.DEFAULT, "all": suite_runs.FULL}
_RUN_LIMIT_S, _EVAL_LIMIT_S = 90, 60
_LOST = 3  # the exit code of a program whose context is lost


def _measure(bench, seed, limit_s):
    """The lines of `zoo --measure`. A family that loses the context costs itself alone."""
    lines, last = [], None
    end = bench.left_s() - limit_s
    while bench.left_s() > max(end, 1):
        after = ("--after", last) if last else ()
        _, code, output = processes.timed(
            bench.program("zoo", "--measure", "--seed", str(seed), *after), bench.left_s() - end)
        for text in output.splitlines():
            if text.startswith("{"):
                try:
                    lines.append(json.loads(text))
                except json.JSONDecodeError:
                    bench.show(f"zoo: a line that is no JSON: {text[:80]}")
        if code != _LOST or not lines or lines[-1]["name"] == last:
            if code != 0:
                bench.fail(f"zoo --measure: exit code {code}: {output[-200:]}")
            break
        last = lines[-1]["name"]
    return lines


def _record(bench, form, part, seed, skipped):
    file = f"zoo_{form}_{part}.prof"
    program = bench.program("zoo", "--run", "--part", f"{part}/{_PARTS}", "--seed", str(seed),
                            "--seconds", str(_SECONDS[form]),
                            "--launches", str(_MOST_LAUNCHES),
                            *(("--skip", ",".join(skipped)) if skipped else ()))
    command = suite_runs.under_prof(bench.prof, _VARIANTS[form], os.path.abspath(bench.path(file)),
                                    program)
    return file if bench.step(_RUN_LIMIT_S, f"zoo_{form}_{part}.txt", command) else None


def _durations(bench, files):
    """{name of a kernel: its median duration on the timeline, in us}"""
    found = {}
    for file in files:
        with bench.failing(f"the report of {file}"):
            for kernel in prof_report.load(bench.prof, bench.path(file))["kernels"]:
                found.setdefault(kernel["name"], kernel["duration_ns"]["median"] / 1000)
    return found


def _label(bench, lines, durations):
    """(kernels with labels, [[name, why there is none]])"""
    kernels, without = [], []
    for line in lines:
        problem = line.get("skipped") or line.get("error")
        if problem is None and line.get("right") is False:
            problem = "its result is wrong"
        if problem:
            without.append([line["name"], problem])
            if "skipped" not in line:
                bench.show(f"zoo: {line['name']}: {problem}")
            continue
        kernel_us = durations.get(line["kernel"])
        kernels.append({"name": line["kernel"], "family": line["name"], "cause": line["cause"],
                        "launches": line["launches"],
                        "base_us": statistics.median(line["configurations"][0]["us"]),
                        "kernel_us": kernel_us, "label": zoo_labels.label(line, kernel_us)})
    return kernels, without


def _verdicts(bench, files):
    """By the rules of the commit, which was there before the seed: `prof eval` of these files."""
    with bench.failing("prof eval"), tempfile.TemporaryDirectory() as folder:
        for file in files:  # other experiments leave JSON beside them
            os.symlink(os.path.abspath(bench.path(file)), os.path.join(folder, file))
        _, output = processes.checked([bench.prof, "eval", "--json", folder], _EVAL_LIMIT_S)
        return json.loads(output)["evaluations"]
    return []


def _row(kernel):
    label = kernel["label"]
    return [kernel["name"], kernel["family"], kernel["base_us"], " ".join(label["limiters"]),
            " ".join(label["rules"]),
            " ".join(f"{one['resource']} {one['elasticity']:.2f}" for one in label["elasticities"]),
            " ".join(f"{one['action']} {100 * one['gain']:.0f} %" for one in label["pairs"])]


def run(bench):
    seed = settings.SEED if settings.SEED is not None else \
        random.SystemRandom().randrange(1 << 31)
    lines = _measure(bench, seed, _MEASURE_LIMIT_S)
    results.write_packed(bench.path("zoo_times.json.gz"), lines)
    # A kernel that failed must not end the recording of the others.
    failed = [line["name"] for line in lines if "error" in line]
    recordings = {form: [] for form in _VARIANTS}
    for form in filter(lambda name: re.search(settings.VARIANTS, name), _VARIANTS):
        for part in range(_PARTS):
            with bench.failing(f"the recording {form} {part}"):
                recordings[form].append(_record(bench, form, part, seed, failed))
    recordings = {form: [file for file in files if file] for form, files in recordings.items()}
    kernels, without = _label(bench, lines, _durations(bench, recordings["default"]))
    # `prof eval` reads a folder of the recordings and their labels, also of a changed tree.
    results.dump(bench.path("zoo.json"), {"format": 2, "seed": seed, "recordings": recordings,
                                          "kernels": kernels})
    files = ["zoo.json", *(file for found in recordings.values() for file in found)]
    table = "\n".join([
        bench.where() + f" Seed {seed}.", "",
        results.table(["kernel", "family", "us", "limiters", "cause", "elasticities", "changes"],
                      [_row(kernel) for kernel in kernels]),
        "".join(f"No label: {name}: {why}\n" for name, why in without)])
    bench.publish("zoo_labels", {"format": 2, "seed": seed, "recordings": recordings,
                                 "without_label": without, "kernels": kernels,
                                 "verdicts": _verdicts(bench, files)}, table)
    if not kernels:
        bench.fail("no kernel has a label")
