# SPDX-License-Identifier: Apache-2.0
"""A report in a notebook: the HTML report in a frame, or a table of the kernels."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

from . import _native

if TYPE_CHECKING:
    from ._report import Report

# A notebook keeps what it shows. A larger page makes its file slow to open and to save.
MOST_CHARACTERS = 8_000_000
MOST_ROWS = 20

_FRAME = (
    '<iframe srcdoc="{page}" sandbox="allow-scripts allow-downloads" title="prof report" '
    'style="width: 100%; height: 720px; border: 1px solid #8888"></iframe>'
)


def html_of(report: Report) -> str:
    """The report as HTML for the output of a cell."""
    why_not = _native.why_no_html()
    if not why_not:
        # A link to "#kernels" in a frame goes to that place of the notebook's page otherwise.
        page = report.html().replace("<head>", '<head><base href="about:srcdoc">', 1)
        if len(page) <= MOST_CHARACTERS:
            return _FRAME.format(page=html.escape(page))
        why_not = (
            f"the HTML report has {len(page) / 1e6:.0f} MB, which is too much for a notebook: "
            "write report.html() to a file, and open it in a browser"
        )
    return table_of(report, why_not)


def table_of(report: Report, note: str) -> str:
    """The kernels with most time as a table, with `note` below it."""
    heads = ["kernel", "range", "share", "launches", "median", "limited by", "what to do"]
    lines = ["<table><thead><tr>", *(f"<th>{head}</th>" for head in heads), "</tr></thead><tbody>"]
    for kernel in report.kernels[:MOST_ROWS]:
        verdict = kernel.verdict
        median = kernel.duration_ns.median / 1e3
        cells = [
            kernel.name,
            kernel.range,
            f"{kernel.share:.1%}",
            f"{kernel.launches:,}",
            f"{median:,.1f} µs" if kernel.duration_ns.n else "unknown",
            verdict.limiter,
            verdict.action or verdict.missing,
        ]
        lines += ["<tr>", *(f"<td>{html.escape(cell)}</td>" for cell in cells), "</tr>"]
    lines.append("</tbody></table>")
    left = len(report.kernels) - MOST_ROWS
    if left > 0:
        lines.append(f"<p>and {left:,} more kernels: report.kernels has all.</p>")
    for sentence in (report.incomplete, note):
        lines.append(f"<p>{html.escape(sentence)}</p>" if sentence else "")
    return "".join(lines)
