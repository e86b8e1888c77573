#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""This program lists and runs the experiments that need a GPU, and takes results into the tree.

    bench/run.py list
    bench/run.py run [NAME...]     by default all of them; bench/gpu/run_on_gpu.sh does the same
    bench/run.py docs FOLDER       FOLDER: results.tgz, unpacked
    bench/run.py commit            the commit that a result of this tree names

It runs in the root of the tree, with the programs that bench/gpu/pack.sh left in device/.
"""

import importlib
import os
import pathlib
import sys

from lib import docs
from lib import machine
from lib import runner

# In this order: short ones first, and the soak last.
_NAMES = ["tests", "transformer", "ceilings", "accuracy", "pytorch", "storm", "peers", "living",
          "gpus", "stragglers", "endings", "cupti_versions", "many_processes", "names",
          "names_cost", "leaving", "duty", "default_cost", "step_parts", "slow_lines", "memory",
          "gpu_state", "answer", "cases", "regressions", "coverage_hang", "zoo", "second_opinion",
          "stream_hops", "profiler_hooks", "coverage_timelines", "coverage_ncu", "coverage",
          "continuous", "cost", "soak"]
_ROOT = pathlib.Path(__file__).resolve().parents[1]


def experiments():
    """{name: module}"""
    return {name: importlib.import_module(f"experiments.{name}") for name in _NAMES}


def list_experiments():
    for name, module in experiments().items():
        print(f"{name:18} {module.LIMIT_S:4} s  {module.QUESTION}")
    return 0


def run(names):
    os.chdir(_ROOT)
    known = experiments()
    return 1 if runner.run(names or list(known), known) else 0


def take(folder):
    modules = experiments().values()
    names = {name for module in modules for name in module.RESULTS}
    merges = {name: module.MERGE for module in modules if hasattr(module, "MERGE")
              for name in module.RESULTS}
    done = docs.take(folder, _ROOT, names, merges)
    print("\n".join(done) or f"{folder} holds no results")
    return 0 if done else 1


def main(words):
    if words == ["list"]:
        return list_experiments()
    if words[:1] == ["run"]:
        return run(words[1:])
    if words[:1] == ["docs"] and len(words) == 2:
        return take(words[1])
    if words == ["commit"]:
        print(machine.checked_out())
        return 0
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
