# SPDX-License-Identifier: Apache-2.0
"""This module measures the CPU time of prof's own threads in the programs that we started.

    with ProfThreads() as threads: ...
    threads.cpu_s

Linux' /proc has it, in hundredths of a second. What a thread does after the last look, or in the
threads of the program, is not in it.
"""

import os
import pathlib
import threading

_PERIOD_S = 0.1
_PREFIX = "prof-"
_PARENT, _SESSION, _USER, _SYSTEM = 1, 3, 11, 12  # fields of /proc/*/stat behind the name


def _fields(path):
    """The fields behind the name, which may hold spaces."""
    return path.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()


def _processes(root):
    """{id: fields}"""
    found = {}
    for folder in root.glob("[0-9]*"):
        try:
            found[int(folder.name)] = _fields(folder / "stat")
        except (OSError, ValueError):
            continue  # it ended
    return found


def _sessions_of(processes, parent):
    """The sessions that the children of `parent` lead."""
    return {str(child) for child, fields in processes.items()
            if fields[_PARENT] == str(parent) and fields[_SESSION] == str(child)}


def look(parent, root=pathlib.Path("/proc")):
    """{(process, thread): seconds} of prof's threads in the sessions that `parent` started."""
    ticks = os.sysconf("SC_CLK_TCK")
    processes = _processes(root)
    sessions = _sessions_of(processes, parent)
    found = {}
    for process, fields in processes.items():
        if fields[_SESSION] not in sessions:
            continue
        for task in (root / str(process) / "task").glob("*"):
            try:
                if (task / "comm").read_text(encoding="utf-8").startswith(_PREFIX):
                    times = _fields(task / "stat")
                    found[process, task.name] = (int(times[_USER]) + int(times[_SYSTEM])) / ticks
            except (OSError, IndexError, ValueError):
                continue
    return found


class ProfThreads:
    def __init__(self):
        self._seen = {}
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def _watch(self):
        while not self._end.wait(_PERIOD_S):
            self._seen.update(look(os.getpid()))

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._end.set()
        self._thread.join()

    @property
    def cpu_s(self):
        return round(sum(self._seen.values()), 2)
