#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""This program runs a script under a profiler that has to start inside of the process.

    with_tool.py torch|torch-cpu|torch-all|proton OUTPUT -- script.py [arguments]

torch-all: with stacks, shapes and memory. OUTPUT is what torch.profiler or Triton's Proton writes.
"""

import runpy
import sys


def run(script, arguments):
    """Runs the script as if it had been started by itself. Its failure is a failure of ours."""
    sys.argv = [script, *arguments]
    try:
        runpy.run_path(script, run_name="__main__")
    except SystemExit as end:
        if end.code not in (None, 0):
            raise


def main():
    tool, output, dashes, script, *arguments = sys.argv[1:]
    if dashes != "--":
        sys.exit(f"usage:{__doc__.splitlines()[2]}")
    if tool == "proton":
        import triton.profiler as proton
        proton.start(output.removesuffix(".hatchet"), hook=None)
        run(script, arguments)
        proton.finalize()
        return
    from torch.profiler import ProfilerActivity, profile
    activities = [ProfilerActivity.CUDA]
    if tool != "torch":
        activities.append(ProfilerActivity.CPU)
    everything = tool == "torch-all"
    with profile(activities=activities, with_stack=everything, record_shapes=everything,
                 profile_memory=everything) as profiler:
        run(script, arguments)
    profiler.export_chrome_trace(output)


if __name__ == "__main__":
    main()
