# SPDX-License-Identifier: Apache-2.0
"""The settings of a run are environment variables. No other file reads them."""

import os
import shlex

_NAMES = ("PROF_GPU_SECONDS", "PROF_GPU_LONG_SECONDS", "PROF_GPU_KINDS", "PROF_GPU_WORKLOADS",
          "PROF_GPU_VARIANTS", "PROF_GPU_SEED")

# Nothing begins after them: a rented machine is often lent for ten minutes.
SECONDS = int(os.environ.get("PROF_GPU_SECONDS", "560"))
# Files in OUT: a person reads these few; results.tgz has everything.
FILES = int(os.environ.get("PROF_GPU_FILES", "8"))
LONG_SECONDS = int(os.environ.get("PROF_GPU_LONG_SECONDS", "60"))  # the long run of `continuous`
KINDS = os.environ.get("PROF_GPU_KINDS", "plain,ranges,graph,parts,graph parts").split(",")
# Expressions: they choose among the workloads and variants of `peers`, `coverage` and others.
WORKLOADS = os.environ.get("PROF_GPU_WORKLOADS", "")
VARIANTS = os.environ.get("PROF_GPU_VARIANTS", "")
SEED = int(os.environ["PROF_GPU_SEED"]) if os.environ.get("PROF_GPU_SEED") else None  # to repeat
PYTHON = os.environ.get("PROF_GPU_PYTHON", "python3")  # for experiments that use PyTorch
KEEP = os.environ.get("PROF_GPU_KEEP", "")  # a folder for recordings that are read once otherwise
OUT = os.environ.get("OUT", os.path.join("out", "gpu"))
CUDA = os.environ.get("CUDA_HOME", "/usr/local/cuda")


def in_command():
    """The settings that the user made, as they stand before a command."""
    return [f"{name}={shlex.quote(os.environ[name])}" for name in _NAMES if name in os.environ]
