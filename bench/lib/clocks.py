# SPDX-License-Identifier: Apache-2.0
"""This module reads the GPU's clocks and power with nvidia-smi while a program runs.

    with ClockWatch() as watch: ...
    watch.summary()
"""

import os
import subprocess
import tempfile

from lib import results

_PERIOD_MS = 200
_FIELDS = {"sm_mhz": "clocks.sm", "memory_mhz": "clocks.mem", "power_w": "power.draw"}


def _first_device():
    return os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",")[0] or "0"


class ClockWatch:
    def __init__(self):
        self._process = self._file = None
        self._lines = []

    def __enter__(self):
        self._file = tempfile.TemporaryFile(mode="w+", encoding="utf-8")
        try:
            self._process = subprocess.Popen(
                ["nvidia-smi", f"--id={_first_device()}",
                 f"--query-gpu={','.join(_FIELDS.values())}",
                 "--format=csv,noheader,nounits", f"--loop-ms={_PERIOD_MS}"],
                stdout=self._file, stderr=subprocess.DEVNULL)
        except OSError:
            self._process = None  # summary() is empty
        return self

    def __exit__(self, *_):
        if self._process:
            self._process.terminate()
            self._process.wait()
        self._file.seek(0)
        self._lines = self._file.read().splitlines()
        self._file.close()

    def summary(self):
        """{"sm_mhz": a summary, ...}, without the first and last tenth of the time."""
        rows = []
        for line in self._lines:
            try:
                row = [float(cell) for cell in line.split(",")]
            except ValueError:
                continue
            if len(row) == len(_FIELDS):
                rows.append(row)
        margin = len(rows) // 10
        rows = rows[margin:len(rows) - margin]
        return {name: results.summary(column) for name, column in zip(_FIELDS, zip(*rows))}
