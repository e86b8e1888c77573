#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""This program uses the GPUs from several processes, and each ends as such processes end.

    many_processes.py fork|forkserver|spawn|os-exit [--workers N] [--launches N]
    torchrun --nproc-per-node N many_processes.py ranks [--launches N]

Each worker launches `launches` kernels on one GPU in the range "worker", and waits for them. It
prints one line: its pid and how many kernels it launched. `fork` starts its workers before the
parent uses CUDA; with `os-exit` they leave by os._exit().
"""

import argparse
import multiprocessing
import os
import sys

_RANKS = "ranks"


def launch(device, launches):
    import torch  # not before a fork: what is forked must not have used CUDA
    torch.cuda.set_device(device)
    x = torch.zeros(1, device="cuda")  # one fill
    with torch.cuda.nvtx.range("worker"):
        for _ in range(launches):
            x.add_(1)
    torch.cuda.synchronize()
    print(f"[worker] pid {os.getpid()} kernels {launches + 1} sum {x.item():.0f}", flush=True)


def work(index, launches, ends_at_once):
    import torch
    launch(index % torch.cuda.device_count(), launches)
    if ends_at_once:
        sys.stdout.flush()
        os._exit(0)


def run_ranks(launches):
    import torch
    from torch import distributed
    rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(rank)
    distributed.init_process_group("nccl")
    x = torch.ones(1 << 16, device="cuda")
    for _ in range(3):
        distributed.all_reduce(x)
    launch(rank, launches)
    distributed.destroy_process_group()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("way", choices=["fork", "forkserver", "spawn", "os-exit", _RANKS])
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--launches", type=int, default=2000)
    arguments = parser.parse_args()
    if arguments.way == _RANKS:
        run_ranks(arguments.launches)
        return 0
    ends_at_once = arguments.way == "os-exit"
    context = multiprocessing.get_context("fork" if ends_at_once else arguments.way)
    workers = [context.Process(target=work, args=(i, arguments.launches, ends_at_once))
               for i in range(arguments.workers)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return max(abs(worker.exitcode) for worker in workers)


if __name__ == "__main__":
    sys.exit(main())
