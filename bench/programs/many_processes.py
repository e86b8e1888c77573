#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""This program uses the GPUs from several processes, and each ends as such processes end.

    many_processes.py fork|forkserver|spawn|os-exit|mpirun [--workers N] [--launches N]
    torchrun --nproc-per-node N many_processes.py ranks [--launches N]

Each worker launches `launches` kernels on one GPU in the range "worker", and waits for them. It
prints one line: its pid and how many kernels it launched. `fork` starts its workers before the
parent uses CUDA; with `os-exit` they leave by os._exit(). `mpirun` starts them as Open MPI's does:
programs of their own, with its variables, whose output goes through pipes of the parent. Ranks
that share a GPU meet by Gloo, because NCCL refuses that.
"""

import argparse
import multiprocessing
import os
import subprocess
import sys

_RANKS, _MPIRUN, _MPI_RANK = "ranks", "mpirun", "mpi-rank"


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
    rank, ranks = int(os.environ["LOCAL_RANK"]), int(os.environ["LOCAL_WORLD_SIZE"])
    gpus = torch.cuda.device_count()
    torch.cuda.set_device(rank % gpus)
    each_has_one = gpus >= ranks
    os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")
    distributed.init_process_group("nccl" if each_has_one else "gloo")
    x = torch.ones(1 << 16, device="cuda" if each_has_one else "cpu")
    for _ in range(3):
        distributed.all_reduce(x)
    launch(rank % gpus, launches)
    distributed.destroy_process_group()


def run_mpirun(workers, launches):
    """As mpirun without a cluster. The exit code is that of the first rank that failed."""
    command = [sys.executable, __file__, _MPI_RANK, "--launches", str(launches)]
    ranks = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={
        **os.environ, "OMPI_COMM_WORLD_SIZE": str(workers), "OMPI_COMM_WORLD_RANK": str(rank),
        "OMPI_COMM_WORLD_LOCAL_RANK": str(rank)}) for rank in range(workers)]
    for rank in ranks:
        print(rank.communicate()[0], end="", flush=True)
    return next((abs(rank.returncode) for rank in ranks if rank.returncode), 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("way", choices=["fork", "forkserver", "spawn", "os-exit", _RANKS,
                                        _MPIRUN, _MPI_RANK])
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--launches", type=int, default=2000)
    arguments = parser.parse_args()
    if arguments.way == _RANKS:
        run_ranks(arguments.launches)
        return 0
    if arguments.way == _MPIRUN:
        return run_mpirun(arguments.workers, arguments.launches)
    if arguments.way == _MPI_RANK:
        work(int(os.environ["OMPI_COMM_WORLD_LOCAL_RANK"]), arguments.launches, False)
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
