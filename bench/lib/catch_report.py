# SPDX-License-Identifier: Apache-2.0
"""This module reads what the XML reporter of Catch2 (2 or 3) printed about a program's test cases.

Our tests print a line "[skipped] reason" and succeed; those of Catch2 3 may also use its SKIP. The
line stands among the XML. A program that was killed leaves the XML without its end.
"""

import re
from xml.etree import ElementTree

PASSED, FAILED, SKIPPED = "passed", "failed", "skipped"
OUTCOMES = (PASSED, FAILED, SKIPPED)
_SKIPPED = re.compile(r"\[skipped\] *(.*)")
_TAG = re.compile(r"\s*(?:<\?xml|</?[A-Z]\w*[\s/>])")  # of the reporter, which escapes all else
_AMPERSAND = re.compile(r"&(?!(?:\w+|#\w+);)")
_LONGEST = 200


def _lines(text):
    """The lines of the report. What a test prints among them is text, not XML."""
    for line in text.splitlines(keepends=True):
        yield line if _TAG.match(line) else _AMPERSAND.sub("&amp;", line.replace("<", "&lt;"))


def _failure(case):
    """The first check that failed, with its place."""
    for found in case.iter():
        if found.tag == "Expression" and found.get("success") == "false":
            words = (found.findtext("Expanded") or found.findtext("Original") or "").split()
            return f"line {found.get('line')}: {' '.join(words)}"
        if found.tag in ("Failure", "Exception", "FatalErrorCondition"):
            return f"line {found.get('line')}: {' '.join((found.text or '').split())}"
    return "no check that failed is in the report"


def _row(case):
    result = case.find("OverallResult")
    row = {"case": " ".join(case.get("name", "").split()), "outcome": FAILED, "seconds": None}
    if result is None:
        return {**row, "why": "it did not end"}
    seconds = result.get("durationInSeconds")
    row["seconds"] = None if seconds is None else float(seconds)
    if result.get("success") != "true":
        return {**row, "why": _failure(case)[:_LONGEST]}
    skipped = _SKIPPED.search("".join(case.itertext()))
    if skipped:
        return {**row, "outcome": SKIPPED, "why": skipped[1][:_LONGEST]}
    if case.find(".//Skip") is not None or int(result.get("skips", "0")) > 0:
        return {**row, "outcome": SKIPPED, "why": " ".join(case.findtext(".//Skip", "").split())}
    return {**row, "outcome": PASSED}


def rows_of(program, text):
    """A row for each test case: program, case, outcome, seconds, and why it did not pass.

    Raises ValueError where the text holds no report.
    """
    parser = ElementTree.XMLPullParser(("start", "end"))
    cases, open_case = [], None
    try:
        for line in _lines(text):
            parser.feed(line)
            for event, element in parser.read_events():
                if element.tag == "TestCase":
                    open_case = element if event == "start" else None
                    if event == "end":
                        cases.append(element)
    except ElementTree.ParseError as error:
        if not cases and open_case is None:
            raise ValueError(f"{program}: no report of Catch2: {error}") from error
    if open_case is not None:
        cases.append(open_case)
    return [{"program": program, **_row(case)} for case in cases]


def counts_of(rows):
    """[{program, outcomes..., seconds}], in the order of the rows."""
    programs = list(dict.fromkeys(row["program"] for row in rows))
    found = []
    for program in programs:
        own = [row for row in rows if row["program"] == program]
        found.append({"program": program,
                      **{outcome: sum(row["outcome"] == outcome for row in own)
                         for outcome in OUTCOMES},
                      "seconds": sum(row["seconds"] or 0.0 for row in own)})
    return found
