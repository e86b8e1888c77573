# SPDX-License-Identifier: Apache-2.0
"""A Bench gives an experiment its programs, its time, its folder and its results."""

import contextlib
import os
import time
import traceback

from lib import printed
from lib import processes
from lib import results
from lib import settings

FAILED = "FAILED"  # a line of the summary with this word is a failure
BINARIES = os.path.join("device", "bin")  # relative, because commands end up in snapshots
_LIBRARIES = os.path.join("device", "lib")


def set_environment():
    """Sets what every program needs that an experiment starts."""
    found = os.environ.get("LD_LIBRARY_PATH")
    os.environ["LD_LIBRARY_PATH"] = os.path.abspath(_LIBRARIES) + (f":{found}" if found else "")
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"  # the order of nvidia-smi
    os.environ["PYTHONUNBUFFERED"] = os.environ["PYTHONDONTWRITEBYTECODE"] = "1"


class Summary:
    """The lines that a person reads first. They go to stdout as well."""

    def __init__(self, path):
        self.path = path

    def show(self, text):
        print(text, flush=True)
        with open(self.path, "a", encoding="utf-8") as file:
            file.write(f"{text}\n")

    def failures(self):
        with open(self.path, encoding="utf-8") as file:
            return sum(FAILED in line for line in file)


class Bench:
    """The runner collects files in `work` and removes those in `scratch`.

    Nothing begins after `end`, a time of time.monotonic().
    """

    prof = os.path.join(BINARIES, "prof")
    python = settings.PYTHON

    def __init__(self, name, head, summary, work, scratch, end):
        self.name, self.head, self.summary = name, head, summary
        self.work, self.scratch, self.end = work, scratch, end
        self.failures = []

    # Commands

    def program(self, name, *words):
        """A CUDA program of ours. It needs the toolkit's cuBLAS, which PyTorch must not find."""
        path = ":".join(filter(None, [os.environ.get("LD_LIBRARY_PATH"),
                                      os.path.join(settings.CUDA, "lib64")]))
        return ["env", f"LD_LIBRARY_PATH={path}", self.binary(name), *words]

    def binary(self, name):
        return os.path.join(BINARIES, name)

    def under_prof(self, snapshot, program, counters="none", *options):
        return [self.prof, "run", "--counters", counters, *options, "--output", snapshot, "--",
                *program]

    def injected(self, library, program, **environment):
        """A program with an injection library of build_injection()."""
        pairs = {"CUDA_INJECTION64_PATH": os.path.abspath(library), **environment}
        return ["env", *(f"{name}={value}" for name, value in pairs.items()), *program]

    # Time

    def left_s(self):
        return self.end - time.monotonic()

    def deadline(self, margin_s):
        """The time of time.monotonic() when `margin_s` are left."""
        return self.end - margin_s

    # Reports

    def show(self, text):
        self.summary.show(text)

    def fail(self, text):
        self.failures.append(text)
        self.show(f"{self.name:12} {FAILED}: {text}")

    @contextlib.contextmanager
    def failing(self, what):
        """An error inside fails `what`, and the experiment goes on."""
        try:
            yield
        except Exception as error:  # pylint: disable=broad-except  # one part never ends the others
            with open(self.path("errors.txt"), "a", encoding="utf-8") as file:
                file.write(f"{self.name}, {what}:\n{traceback.format_exc()}\n")
            self.fail(f"{what}: {type(error).__name__}: {error}")

    # Steps

    def path(self, file):
        return os.path.join(self.work, file)

    def text(self, log):
        """The log of a step; nothing where there is none."""
        try:
            with open(self.path(log), encoding="utf-8", errors="replace") as file:
                return file.read()
        except FileNotFoundError:
            return ""

    def step(self, limit_s, log, command, stdout=None):
        """Runs a command and writes its output to `log`. Returns whether it succeeded.

        `stdout` is a file for the program's stdout alone.
        """
        limit_s = min(limit_s, self.left_s())
        if limit_s <= 0:
            self._note(log, None, f"{FAILED}: not run, the time of the experiment is over")
            return False
        try:
            with contextlib.ExitStack() as files:
                out = files.enter_context(open(self.path(stdout), "w", encoding="utf-8")) \
                    if stdout else None
                seconds, code, output = processes.timed(command, limit_s, out)
        except OSError as error:
            self._note(log, 0, f"{FAILED}: {error}")
            return False
        results.write_text(self.path(log), output)
        self._note(log, seconds, self._outcome(seconds, limit_s, code, output))
        return code == 0 and seconds < limit_s

    @staticmethod
    def _outcome(seconds, limit_s, code, output):
        lines = output.strip().splitlines() or [""]
        if seconds >= limit_s:
            return f"{FAILED}: stopped after {limit_s:.0f} s"
        if code != 0:
            return f"{FAILED}, exit code {code}: {lines[-1][:100]}"
        return next((line for line in lines if line.startswith("[skipped]")), "ok")

    def _note(self, log, seconds, outcome):
        took = "      " if seconds is None else f"{seconds:4.0f} s"
        self.show(f"{self.name:12} {log:28} {took}  {outcome}")

    def part(self, limit_s, name, function):
        """Runs a function in a process of its own, with a limit. It leaves files, or nothing."""
        def guarded():
            with self.failing(name):
                function()

        limit_s = min(limit_s, self.left_s())
        if limit_s <= 0:
            self.fail(f"{name}: not run, the time of the experiment is over")
            return
        code = processes.isolated(guarded, limit_s)
        if code == processes.STOPPED:
            self.fail(f"{name}: stopped after {limit_s:.0f} s")
        elif code != 0:
            self.fail(f"{name}: ended with {code}")

    def show_lines_of(self, log):
        """Shows the lines of a log that belong into the summary."""
        for line in printed.for_summary(self.text(log)):
            self.show(line)

    def build_injection(self, name):
        """Builds injection/<name>.cc as a library. Returns its path, or None."""
        library = self.path(f"lib{name}.so")
        cupti = os.path.join(settings.CUDA, "extras", "CUPTI")
        built = self.step(30, f"{name}_build.txt", [
            "g++", "-std=c++17", "-O2", "-shared", "-fPIC", f"bench/injection/{name}.cc",
            "-o", library, f"-I{settings.CUDA}/include", f"-I{cupti}/include",
            f"-L{settings.CUDA}/lib64", f"-L{cupti}/lib64", f"-Wl,-rpath,{cupti}/lib64", "-lcupti"])
        return library if built else None

    def report_json(self, snapshot, file):
        """Writes prof's report of a snapshot to `file`. Returns it, or None."""
        if self.step(60, f"{file}.txt", [self.prof, "report", "--json", self.path(snapshot)], file):
            return results.read(self.path(file))
        with contextlib.suppress(FileNotFoundError):
            os.remove(self.path(file))
        return None

    # Results

    def where(self):
        return results.where(self.head)

    def write(self, name, body, table):
        """Writes NAME.md and NAME.json. Returns why it wrote no NAME.json, or None."""
        results.write_text(self.path(f"{name}.md"), table)
        return results.write(self.path(f"{name}.json"), self.head, body)

    def publish(self, name, body, table, shown=None):
        """Writes both, and shows `shown` or the table. Returns whether it wrote NAME.json."""
        problem = self.write(name, body, table)
        self.show((table if shown is None else shown).strip())
        if problem:
            self.show(f"{self.name:12} no {name}.json: {problem}")
        return problem is None
