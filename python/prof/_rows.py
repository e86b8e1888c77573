# SPDX-License-Identifier: Apache-2.0
"""Rows is a sequence whose rows are made when they are read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, Protocol, TypeVar, overload

T_co = TypeVar("T_co", covariant=True)


class _Source(Protocol[T_co]):
    def __len__(self) -> int: ...
    def __getitem__(self, index: int, /) -> T_co: ...


class Rows(Sequence[T_co], Generic[T_co]):
    """Rows of a recording. A row costs some microseconds when it is read, and no memory before.

    Any thread may read them. `Report.to_pandas()` is faster for all of them.
    """

    def __init__(self, source: _Source[T_co]) -> None:
        self._source = source

    def __len__(self) -> int:
        return len(self._source)

    @overload
    def __getitem__(self, index: int) -> T_co: ...
    @overload
    def __getitem__(self, index: slice) -> list[T_co]: ...
    def __getitem__(self, index: int | slice) -> T_co | list[T_co]:
        if isinstance(index, slice):
            return [self._source[i] for i in range(*index.indices(len(self)))]
        return self._source[index]

    def __repr__(self) -> str:
        return f"<{len(self)} rows>"
