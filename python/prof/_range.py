# SPDX-License-Identifier: Apache-2.0
"""A range names the work in it. It is an NVTX range, so other tools see it, too."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from . import _native

if TYPE_CHECKING:
    from typing_extensions import Self

P = ParamSpec("P")
R = TypeVar("R")


def _nothing(name: str = "") -> None:
    """Ranges of a build that cannot record."""


_push: Callable[[str], None] = _native.push_range if _native.has_capture else _nothing
_pop: Callable[[], None] = _native.pop_range if _native.has_capture else _nothing


class range:
    """Names a block, or each call of a function, on the calling thread.

        with prof.range("decode"):
            ...

        @prof.range("decode")
        def decode(batch): ...

    Costs about a microsecond, most of it Python's own. The name is copied. A range belongs to its
    thread and ends in it. So it cannot be around an `async` function or a generator, in the middle
    of which other work runs: TypeError.
    """

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        if not isinstance(name, str):
            raise TypeError(f"the name of a range is a str: prof.range('name'), not {name!r}")
        self._name = name

    def __enter__(self) -> Self:
        _push(self._name)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        _pop()

    def __call__(self, function: Callable[P, R]) -> Callable[P, R]:
        if any(
            is_kind(function)
            for is_kind in (
                inspect.iscoroutinefunction,
                inspect.isgeneratorfunction,
                inspect.isasyncgenfunction,
            )
        ):
            raise TypeError(
                f"{function!r} stops in its middle, and other work of the thread runs in its "
                "range: put the range around a part without await and yield"
            )
        name = self._name

        @functools.wraps(function)
        def in_range(*args: P.args, **kwargs: P.kwargs) -> R:
            _push(name)
            try:
                return function(*args, **kwargs)
            finally:
                _pop()

        return in_range
