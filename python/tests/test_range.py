# SPDX-License-Identifier: Apache-2.0
"""A range is a context manager and a decorator."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import prof
import pytest
from conftest import can_record


@can_record
def test_a_decorated_function_is_a_range_at_each_call() -> None:
    @prof.range("decode")
    def decode(depth: int) -> int:
        """Decodes."""
        return decode(depth - 1) + 1 if depth else 0

    with prof.session(counters="none") as session:
        assert decode(2) == 2
    assert (decode.__name__, decode.__doc__) == ("decode", "Decodes.")
    assert {node.path: node.calls for node in session.report.ranges} == {
        "decode": 1,
        "decode/decode": 1,
        "decode/decode/decode": 1,
    }


@can_record
def test_a_range_ends_with_an_exception() -> None:
    with prof.session(counters="none") as session:
        with pytest.raises(KeyError), prof.range("fails"):
            raise KeyError
        with prof.range("next"):
            pass
    assert [node.path for node in session.report.ranges] == ["fails", "next"]


@can_record
def test_names_may_be_any_text() -> None:
    with prof.session(counters="none") as session, prof.range("größe 中文 🙂"):
        pass
    assert [node.path for node in session.report.ranges] == ["größe 中文 🙂"]


def test_functions_that_stop_in_their_middle_are_refused() -> None:
    async def coroutine() -> None: ...

    def generator() -> Iterator[int]:
        yield 1

    async def generator_of_tasks() -> AsyncIterator[int]:
        yield 1

    for function in (coroutine, generator, generator_of_tasks):
        with pytest.raises(TypeError, match="await and yield"):
            prof.range("async")(function)


def test_without_a_name_there_is_an_error() -> None:
    with pytest.raises(TypeError, match="name of a range"):
        prof.range(len)  # type: ignore[arg-type]
