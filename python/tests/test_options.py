# SPDX-License-Identifier: Apache-2.0
"""Options of a session have the names, the types and the checks of the C++ side."""

from __future__ import annotations

import prof
import pytest
from conftest import can_record
from prof import _options


def test_the_typed_options_are_those_of_the_option_table() -> None:
    assert set(prof.SessionOptions.__annotations__) == set(prof._native.option_fields())


@can_record
@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"counterz": "none"}, TypeError, "did you mean 'counters'"),
        ({"counters": "most"}, ValueError, "counters = most is not"),
        ({"samples_per_signature": 0}, ValueError, "from 1 to 100"),
        ({"samples_per_signature": 1.5}, ValueError, "whole number"),
        ({"samples_per_signature": True}, TypeError, "samples_per_signature = True"),
        ({"ranges": 1}, TypeError, "ranges = 1 is no bool"),
        ({"kernel_filter": "("}, ValueError, "kernel_filter"),
        ({"continuous_interval_us": 1}, ValueError, "continuous_interval_us = 1"),
        ({"metrics": 5.0}, TypeError, "metrics"),
    ],
)
def test_a_wrong_option_is_an_error(
    options: dict[str, object], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message.replace("(", r"\(")):
        prof.session(**options).start()  # type: ignore[arg-type]
    assert prof.active() is None


@can_record
def test_path_and_output_together_are_an_error() -> None:
    with pytest.raises(TypeError, match="the same option"):
        prof.session("a.prof", output="b.prof")


def test_values_become_the_text_of_the_table() -> None:
    assert _options.texts_of(
        {"ranges": False, "metrics": ["a.sum", "b.avg"], "delay_seconds": 0.5, "step_skip": 3}
    ) == {"ranges": "0", "metrics": "a.sum,b.avg", "delay_seconds": "0.5", "step_skip": "3"}
