# SPDX-License-Identifier: Apache-2.0
"""This module runs prof compare over two folders of recordings."""

import json
import subprocess


def _run(words, limit_s):
    try:
        return subprocess.run(words, capture_output=True, text=True, timeout=limit_s,
                              check=True).stdout
    except subprocess.CalledProcessError as error:
        raise RuntimeError(f"prof compare: exit code {error.returncode}: "
                           f"{(error.stderr or '')[-300:]}") from error
    except (OSError, subprocess.TimeoutExpired) as error:
        raise RuntimeError(f"prof compare: {error}") from error


def load(prof, before, after, limit_s=60):
    """The comparison of two folders. It raises RuntimeError where there is none."""
    output = _run([prof, "compare", "--json", before, after], limit_s)
    try:
        return json.loads(output)
    except ValueError as error:
        raise RuntimeError(f"prof compare: {error}") from error


def for_people(prof, before, after, limit_s=60):
    """The same for a person."""
    return _run([prof, "compare", before, after], limit_s)
