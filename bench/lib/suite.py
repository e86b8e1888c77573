# SPDX-License-Identifier: Apache-2.0
"""These are the programs of the coverage suite.

Each draws its sizes from a seed, so that no run is like the one before it. Each repeats a number of
steps, so that all variants of a run do the same work.
"""

import dataclasses
import re

_FOLDER = "bench/programs/coverage"
PHASE_S = 0.3
_FIRST_S = 1  # of the loop of a run that only compiles and chooses

# What a program stands for, in the table of goals.
STEADY, PHASES, GRAPHS, SHORT, OTHER = "steady", "phases", "graphs, overlap", "0.1 s", "other"


@dataclasses.dataclass(frozen=True)
class Program:
    name: str
    command: tuple  # without its seed and steps
    kind: str
    seconds: float = 5  # of its loop, bare
    gpus: int = 1
    # It compiles, or chooses among candidates: the bare run comes after a first one, which it is
    # compared with. For others the first one is the bare run.
    chooses: bool = False

    @property
    def has_phases(self):
        return self.kind == PHASES


def programs(bench):
    """In the order in which they run: the quick ones first."""
    def native(name, *arguments):
        return tuple(bench.program(name, *arguments))

    def python(script, *arguments):
        return (bench.python, f"{_FOLDER}/{script}.py", *arguments)

    found = [
        Program("one second", native("layer_steps", "prefill"), OTHER, 0.4),
        Program("prefill", native("layer_steps", "prefill"), STEADY),
        Program("decode", native("layer_steps", "decode"), STEADY),
        Program("phases", native("known_kernels", "--phases", str(PHASE_S)), PHASES),
        Program("pipeline", native("pipeline"), GRAPHS, 3),
        Program("long kernels", native("long_kernels"), OTHER, 8),
        Program("cupy", python("cupy_short"), SHORT, 0.1, chooses=True),
        Program("jax", python("jax_jit"), GRAPHS, 3, chooses=True),
        Program("triton", python("triton_autotuned"), STEADY, chooses=True),
        Program("llama forward", python("llama", "forward"), STEADY),
        Program("llama decode", python("llama", "decode"), STEADY),
        Program("llama train", python("llama", "train"), STEADY),
        Program("llama graph", python("llama", "graph"), GRAPHS, 3),
        Program("compile default", python("compiled", "default"), STEADY, chooses=True),
        Program("compile graphs", python("compiled", "reduce-overhead"), GRAPHS, 3, chooses=True),
        Program("ddp overlap", python("ddp", "overlap"), GRAPHS, 3, gpus=2),
        Program("ddp apart", python("ddp", "apart"), GRAPHS, 3, gpus=2),
    ]
    return {program.name: program for program in found}


def chosen(known, expression, gpus):
    """Those whose name the expression matches, and that the machine has enough GPUs for."""
    return [program for program in known.values()
            if re.search(expression, program.name) and program.gpus <= gpus]


def words(program, seed, calibrated=None):
    """The command of a run. `calibrated`: what calibrate() made of the first one, or None."""
    limit = []
    if program.has_phases:
        limit = ["--plan", calibrated] if calibrated else []
    elif calibrated:
        limit = ["--steps", str(calibrated)]
    else:
        seconds = min(program.seconds, _FIRST_S) if program.chooses else program.seconds
        limit = ["--seconds", str(seconds)]
    return [*program.command, "--seed", str(seed), *limit]


def calibrate(program, printed):
    """The plan, or the steps, of the runs after the first. `printed`: its line, as JSON."""
    if program.has_phases:
        return printed["plan"]
    if not program.chooses:
        return printed["steps"]
    rate = printed["steps"] / max(printed["loop_s"], 1e-6)
    return max(1, round(rate * program.seconds))
