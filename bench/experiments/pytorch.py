# SPDX-License-Identifier: Apache-2.0
"""This experiment records a PyTorch program and compares its output and its kernels.

Its output must be as without prof, and prof must record as many kernels as an independent counter.
"""

import difflib
import re

QUESTION = "Does a PyTorch program behave as without prof, and does prof record all its kernels?"
LIMIT_S = 200
RESULTS = ()
FILES = ("llama_report.txt",)

_SCRIPT = "examples/pytorch/llama_like.py"
_COUNTED = re.compile(r"^\d+ kernels (\d+) dropped (\d+)$", re.MULTILINE)


def _compare_output(bench, other):
    bare, text = bench.text("llama_bare.txt"), bench.text(other)
    if "checksum" in bare and bare == text:
        bench.show(f"{'':12} the output of {other} is that of llama_bare.txt")
        return
    bench.fail(f"the output of {other} DIFFERS from llama_bare.txt, or has no checksum")
    with open(bench.path(f"{other}.diff"), "w", encoding="utf-8") as file:
        file.writelines(difflib.unified_diff(bare.splitlines(True), text.splitlines(True)))


def _counted(text):
    """What kernel_counter.cc wrote, for all processes."""
    lines = _COUNTED.findall(text)
    if not lines:
        return "unknown"
    kernels, dropped = (sum(int(line[i]) for line in lines) for i in (0, 1))
    return f"{kernels} with {dropped} dropped"


def run(bench):
    script = [bench.python, _SCRIPT]
    bench.step(60, "llama_bare.txt", script)
    bench.step(60, "llama_bare_again.txt", script)
    counter = bench.build_injection("kernel_counter")
    if counter:
        bench.step(60, "llama_counted.txt", bench.injected(
            counter, script, KERNEL_COUNTER_OUTPUT=bench.path("kernel_counts.txt")))
    # The program's stdout goes to a file of its own, so that what prof prints cannot hide in it.
    bench.step(90, "llama_prof_stderr.txt",
               bench.under_prof(bench.path("llama.prof"), script, "stalls"), "llama_prof.txt")
    report = bench.report_json("llama.prof", "llama.json")
    bench.step(60, "llama_report.txt", [bench.prof, "report", bench.path("llama.prof")])

    for other in ("llama_bare_again.txt", "llama_prof.txt"):
        _compare_output(bench, other)
    recorded = report["totals"]["kernels"] if report else "unknown"
    bench.show(f"{'':12} kernels: an independent counter saw "
              f"{_counted(bench.text('kernel_counts.txt'))}; prof recorded {recorded}")
