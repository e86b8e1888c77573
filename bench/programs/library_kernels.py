#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""This program runs kernels of cuBLAS, CUB, PyTorch, cuDNN, cuFFT and Triton, one after the other.

Each case has an NVTX range with its label, and sizes that the seed draws. A case may launch several
kernels: the longest one of its range is the one to look at. A case that fails is named on stderr.
The program does not know prof: it runs under `prof run`, or with --once under ncu.

    library_kernels.py --seed N [--part P/N] [--seconds S] [--launches N]
    library_kernels.py --seed N --once    each once, between the calls that ncu waits for
    library_kernels.py --seed N --list    the labels and sizes; needs neither PyTorch nor GPU
"""

import argparse
import json
import sys
import time

import library_inputs
import library_cases

torch = library_cases.torch

WARM_UP_CALLS = 3
BATCH_S = 0.004   # of calls between two waits for the GPU
MOST_IN_BATCH = 100


def parse():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--part", default="0/1", help="P/N: every Nth case, from case P on")
    parser.add_argument("--seconds", type=float, default=1, help="of each case, at most")
    parser.add_argument("--launches", type=int, default=20_000, help="of each case, at most")
    parser.add_argument("--once", action="store_true")
    parser.add_argument("--list", action="store_true")
    arguments = parser.parse_args()
    try:
        part, parts = map(int, arguments.part.split("/"))
    except ValueError:
        parser.error(f"--part wants P/N, not {arguments.part!r}")
    if not 0 <= part < parts:
        parser.error(f"--part {arguments.part}: P goes from 0 to N - 1")
    arguments.cases = library_cases.CASES[part::parts]
    return arguments


def list_cases(arguments):
    for case in arguments.cases:
        print(json.dumps({"label": case.label, "library": case.library,
                          "sizes": case.sizes(arguments.seed)}))


def warm_up(call):
    for _ in range(WARM_UP_CALLS):
        call()
    torch.cuda.synchronize()


def run_once(call, label):
    torch.cuda.profiler.start()
    with torch.cuda.nvtx.range(label):
        call()
        torch.cuda.synchronize()
    torch.cuda.profiler.stop()


def run_long(call, arguments):
    start = time.perf_counter()
    call()
    torch.cuda.synchronize()
    batch = int(BATCH_S / (time.perf_counter() - start))
    batch = min(max(batch, 1), MOST_IN_BATCH)
    done, start = 0, time.perf_counter()
    while done < arguments.launches and time.perf_counter() - start < arguments.seconds:
        for _ in range(min(batch, arguments.launches - done)):
            call()
        torch.cuda.synchronize()
        done += batch


def run_case(case, inputs, arguments):
    call = case.make(inputs, **case.sizes(arguments.seed))
    torch.cuda.synchronize()
    with torch.no_grad():
        with torch.cuda.nvtx.range(case.label):  # elsewhere the same kernel is another one for prof
            warm_up(call)
            if not arguments.once:
                run_long(call, arguments)
        if arguments.once:
            run_once(call, case.label)


def main():
    arguments = parse()
    if arguments.list:
        list_cases(arguments)
        return
    if torch is None or not torch.cuda.is_available():
        print("[skipped] no PyTorch, or no CUDA device")
        return
    inputs, ran, start = library_inputs.Inputs(arguments.seed), 0, time.perf_counter()
    for case in arguments.cases:
        try:
            run_case(case, inputs, arguments)
            ran += 1
        except Exception as error:  # pylint: disable=broad-except  # whatever a library raises
            reason = (str(error).strip().splitlines() or [""])[0]
            print(f"{case.label}: {type(error).__name__}: {reason}", file=sys.stderr, flush=True)
    print(f"[timing] cases {ran} of {len(arguments.cases)} "
          f"seconds {time.perf_counter() - start:.2f}")


if __name__ == "__main__":
    main()
