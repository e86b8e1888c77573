#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# prof and another tool in one process: the program has to run as without both, and what prof could
# not record it has to say.
#
#   living_with.py --bin device/bin --markdown OUT.md --json OUT.json
"""Runs programs under prof together with nsys, ncu, compute-sanitizer, cuda-gdb and others."""

import argparse
import json
import os
import re
import shutil
import sys
import tempfile
import time

import machine
import processes
import results

_KERNELS, _STEPS = 4_000, 20_000
_RUN_LIMIT_S = 60
_REPORT_LIMIT_S = 30
_REFUSE = {  # by themselves, and say so: what prof could do is not to be there
    "ncu": "it ends where CUDA_INJECTION64_PATH is set",
    "proton": "its subscription to CUPTI fails, which it raises as an exception",
}
_SAID = re.compile(r"^prof: .*", re.MULTILINE)
_ANSWER = re.compile(r"^\[(?:checksum|failed)\].*", re.MULTILINE)


def tools(scratch):
    """{tool: the words before a program}."""
    return {
        "nsys": [machine.nsys() or "nsys", "profile", "--trace=cuda,nvtx", "--sample=none", "--cpuctxsw=none",
                 "--force-overwrite=true", f"--output={scratch}/nsys"],
        "ncu": ["ncu", "--launch-count", "3", "--metrics", "dram__bytes.sum"],
        "compute-sanitizer": ["compute-sanitizer"],
        "cuda-gdb": ["cuda-gdb", "--batch", "-ex", "run", "--args"],
    }


def cases(arguments, scratch):
    """{name: (command, snapshot, command without prof)}."""
    storm = [f"{arguments.bin}/storm_bare", str(_KERNELS), "1", "ranges"]
    pytorch = ["bench/gpu/pytorch_storm.py", "--steps", str(_STEPS)]
    found = {}

    def add(name, before, program):
        snapshot = f"{scratch}/{len(found)}.prof"
        prof = [f"{arguments.bin}/prof", "run", "--counters", arguments.counters, "--output",
                snapshot, "--"]
        found[f"{name} around prof"] = ([*before, *prof, *program], snapshot, program)
        snapshot = f"{scratch}/{len(found)}.prof"
        found[f"prof around {name}"] = ([*prof[:5], snapshot, "--", *before, *program], snapshot,
                                        program)

    for name, before in tools(scratch).items():
        if shutil.which(before[0]):
            add(name, before, storm)
    for name in ("torch", "torch-cpu", "proton"):
        snapshot = f"{scratch}/{name}.prof"
        under = [arguments.python, "bench/gpu/with_tool.py", name, f"{scratch}/{name}.hatchet",
                 "--", *pytorch]
        found[f"{name} inside prof"] = (
            [f"{arguments.bin}/prof", "run", "--counters", arguments.counters, "--output",
             snapshot, "--", *under], snapshot, [arguments.python, *pytorch])
    return found


def inspect(arguments, command, snapshot, bare):
    """What one case did to the program, and what prof says of it."""
    _, bare_code, bare_output = processes.timed(bare, _RUN_LIMIT_S)
    seconds, code, output = processes.timed(command, _RUN_LIMIT_S)
    for folder in (os.getcwd(), os.path.dirname(snapshot), tempfile.gettempdir()):
        output = output.replace(folder + "/", "")
    ended = code == bare_code and "[timing]" in output
    row = {"seconds": seconds, "exit_code": code, "bare_exit_code": bare_code,
           "same_answer": ended and _ANSWER.findall(output) == _ANSWER.findall(bare_output),
           "said": _SAID.findall(output), "kernels": None, "losses": None,
           "output_tail": output.strip().splitlines()[-3:]}
    if os.path.exists(snapshot):
        _, code, text = processes.timed([f"{arguments.bin}/prof", "report", "--json", snapshot],
                                        _REPORT_LIMIT_S)
        try:
            report = json.loads(text)
            row.update(kernels=report["totals"]["kernels"], losses=report["integrity"])
        except (ValueError, KeyError) as error:
            row["losses"] = [f"prof report: exit code {code}: {error}"]
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", default="device/bin")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--counters", default="none")
    parser.add_argument("--seconds", type=float, default=200, help="begin no run after this")
    parser.add_argument("--markdown", required=True)
    parser.add_argument("--json", required=True)
    arguments = parser.parse_args()

    rows = []
    deadline = time.monotonic() + arguments.seconds
    with tempfile.TemporaryDirectory() as scratch:
        for name, (command, snapshot, bare) in cases(arguments, scratch).items():
            if time.monotonic() > deadline:
                break
            rows.append({"case": name, **inspect(arguments, command, snapshot, bare)})
            write(arguments, rows)  # after each: the time may be over any moment
    print(write(arguments, rows))
    broken = [row["case"] for row in rows if not row["same_answer"]
              and not any(tool in row["case"].split() for tool in _REFUSE)]
    for case in broken:
        print(f"[failed] {case}: the program did not end, or answer, as it does without tools")
    return 1 if broken or not rows else 0


def write(arguments, rows):
    text = "\n".join([
        results.where(), "",
        results.table(["case", "exit code", "bare", "same answer", "kernels in the snapshot",
                       "prof said"],
                      [[row["case"], row["exit_code"], row["bare_exit_code"], row["same_answer"],
                        row["kernels"], " / ".join(row["said"])[:160]] for row in rows])])
    results.write_text(arguments.markdown, text)
    results.write(arguments.json, {"rows": rows, "refuse": _REFUSE})
    return text


if __name__ == "__main__":
    sys.exit(main())
