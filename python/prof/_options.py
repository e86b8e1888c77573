# SPDX-License-Identifier: Apache-2.0
"""The options of a session, by their names in C++ (prof::SessionOptions)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Literal, TypedDict


class SessionOptions(TypedDict, total=False):
    """What a session records. docs/guide/options.md has units, ranges and defaults."""

    counters: Literal["none", "auto", "pulse", "sol", "stalls", "all"]
    output: str
    samples_per_signature: int
    skip_first_launches: int
    counter_budget_percent: float
    counter_budget_seconds: float
    until_complete_seconds: float
    buffer_mib: int
    device_mib: int
    keep_last_seconds: int
    keep_mib: int
    dump_signal: Literal["none", "USR1", "USR2"]
    delay_seconds: float
    duration_seconds: float
    duty_percent: float
    profiler_api: bool
    window_ranges: str
    window_count: int
    step_ranges: str
    step_skip: int
    step_wait: int
    step_warmup: int
    step_active: int
    step_repeat: int
    dump_slow_step: float
    dump_long_step_ms: float
    dump_idle_percent: float
    control: bool
    ranges: bool
    code: bool
    python_stacks: bool
    native_stacks: bool
    host_samples: int
    torch: Literal["off", "ops", "modules"]
    torch_shapes: bool
    torch_memory: bool
    leave: bool
    unified_memory: bool
    gpu_state: bool
    graphs: Literal["nodes", "whole"]
    metrics: list[str]
    kernel_filter: str
    range_filter: str
    launch_skip: int
    launch_count: int
    sample_every: int
    counted_ranges: str
    continuous: bool
    continuous_interval_us: int
    continuous_core_percent: float
    triage_core_percent: float
    replay: Literal["none", "kernel"]


def texts_of(options: Mapping[str, object]) -> dict[str, str]:
    """The options as the C++ side reads them. TypeError for a name that is no option."""
    known = SessionOptions.__annotations__
    for name in options:
        if name not in known:
            near = get_close_matches(name, known, 1)
            hint = f": did you mean {near[0]!r}?" if near else ""
            raise TypeError(f"a session has no option {name!r}{hint}")
    return {name: _text_of(name, value) for name, value in options.items()}


def _text_of(name: str, value: object) -> str:
    kind = str(SessionOptions.__annotations__[name])
    is_switch = "bool" in kind
    if isinstance(value, bool) != is_switch:
        problem = "is no bool" if is_switch else "is a bool, which this option does not take"
        raise TypeError(f"{name} = {value!r} {problem}")
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, str):
        return value
    if "list" in kind:
        if isinstance(value, Iterable):
            return ",".join(str(item) for item in value)
    elif isinstance(value, (int, float)):
        return repr(value)
    raise TypeError(f"{name} = {value!r} is not a value of an option")
