# SPDX-License-Identifier: Apache-2.0
"""Runs before a change and after it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Union

from . import _native
from ._report import Report, load

Run = Union[str, "os.PathLike[str]", Report]


def compare(
    before: Run | Sequence[Run],
    after: Run | Sequence[Run],
    *,
    alpha: float = 0.05,
    threshold: float = 0.05,
    least_share: float = 0.005,
    across: bool = False,
) -> _native.Comparison:
    """What became slower from `before` to `after`, what faster, and why.

    Each side is one run or several: a recording, a report, or a list of them. One run of a side is
    seldom enough to decide (docs/guide/compare.md). `alpha`: chance of any false alarm.
    `threshold`: the least effect that counts, a fraction. `least_share`: kernels with less of the time are not
    tested. `across`: compare across devices and drivers. Raises prof.Error where the runs cannot be
    compared. Costs about 2 ms for each tested kernel; other threads of Python run meanwhile.
    """
    return _native.compare(
        _runs(before), _runs(after), alpha=alpha, threshold=threshold,
        least_share=least_share, across=across,
    )  # fmt: skip


def _runs(side: Run | Sequence[Run]) -> list[_native.Recording]:
    runs = [side] if isinstance(side, (str, os.PathLike, Report)) else side
    return [_recording(run) for run in runs]


def _recording(run: Run) -> _native.Recording:
    return (run if isinstance(run, Report) else load(run))._recording
