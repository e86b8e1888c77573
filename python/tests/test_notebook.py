# SPDX-License-Identifier: Apache-2.0
"""What a notebook shows of a report."""

from __future__ import annotations

import html

import prof
import pytest
from prof import _notebook


def test_a_report_is_the_page_in_a_frame(report: prof.Report) -> None:
    if prof._native.why_no_html():
        pytest.skip("prof was built without its HTML report")
    shown = report._repr_html_()
    assert shown.startswith("<iframe srcdoc=")
    page = shown[len('<iframe srcdoc="') : shown.index('" sandbox=')]
    assert '"' not in page
    assert html.unescape(page).replace('<base href="about:srcdoc">', "") == report.html()
    assert '<head><base href="about:srcdoc">' in html.unescape(page)


def test_a_large_page_becomes_a_table(report: prof.Report, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_notebook, "MOST_CHARACTERS", 10)
    shown = report._repr_html_()
    assert "<iframe" not in shown
    assert shown.count("<tr>") == 1 + min(len(report.kernels), _notebook.MOST_ROWS)
    assert report.kernels[0].name in html.unescape(shown)


def test_the_table_has_the_reason_and_escapes_names(report: prof.Report) -> None:
    shown = _notebook.table_of(report, "a reason with <tags>")
    assert "a reason with &lt;tags&gt;" in shown
    assert "<void" not in shown
