# SPDX-License-Identifier: Apache-2.0
"""A Session records a part of the program that it runs in."""

from __future__ import annotations

import atexit
import os
import threading
import warnings
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from . import _native, _options
from ._report import Report

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

    from ._options import SessionOptions

_lock = threading.Lock()
_active: Session | None = None


def _end_with_program() -> None:
    """Before Python frees the libraries that the program still uses."""
    if _active is not None:
        _active.stop()


def _forget_in_child() -> None:
    """A forked child has no session: prof is inert there. Another thread may have had the lock."""
    global _lock, _active
    _lock = threading.Lock()
    _active = None


atexit.register(_end_with_program)
os.register_at_fork(after_in_child=_forget_in_child)


def session(
    path: str | os.PathLike[str] | None = None, **options: Unpack[SessionOptions]
) -> Session:
    """A session that records the block of a `with`; `Session.report` has the answer after it.

    `path`: file for the recording, in which %p is the process id, %h the host name, %r the rank and
    %i rank and process id; None: the recording stays in memory. `options`: by the names of
    prof::SessionOptions. Raises TypeError and ValueError for options that do not exist or cannot
    have that value. Nothing is recorded before the block, or start(), begins.
    """
    return Session(path, **options)


class Session:
    """A recording of this process, of all its threads. One at a time can be active.

    Without a GPU, or without permission, the block runs all the same, and the report and `status`
    have what is missing. A forked child records nothing; the recording goes on in the parent. When
    the program ends within the block, the recording is finished in order. In a notebook start() and
    stop() can be in different cells; a restart of the kernel ends the recording, and its file has
    everything up to about a second before. Members may be called by any thread, one at a time.
    """

    def __init__(
        self, path: str | os.PathLike[str] | None = None, **options: Unpack[SessionOptions]
    ) -> None:
        texts = _options.texts_of(options)
        if path is not None:
            if "output" in texts:
                raise TypeError("path and output are the same option: give one of them")
            texts["output"] = os.fspath(path)
        if not _native.has_capture:
            raise _native.Error(
                "this build of prof can only read recordings: the CUDA toolkit 13.0 or newer was "
                "not found when it was built (docs/guide/python.md)"
            )
        self._texts = texts
        self._native: _native.Session | None = None
        self._snapshot: _native.Snapshot | None = None
        self._report: Report | None = None
        self._error: _native.Error | None = None

    def start(self) -> Self:
        """Starts to record, in some milliseconds; with counters the first time in 250 ms more.

        Raises prof.Error when another session of this process is active, or when this one was used
        before. Warns (UserWarning) when an injected recording (`prof run`) is active: then that one
        records, and this one does not. ValueError: an option cannot have its value.
        """
        global _active
        with _lock:
            if _active is not None:
                raise _native.Error(
                    "a session is active in this process, and only one at a time can record: "
                    "prof.active() is that session, and its stop() ends it"
                )
            if self._native is not None:
                raise _native.Error("this session was used before: make a new one")
            self._native = _native.start(self._texts)
            _active = self
        timeline = self._native.status.timeline
        if timeline.state == "unavailable" and timeline.what.startswith("another recording"):
            warnings.warn(f"this session records nothing: {timeline.what}", stacklevel=2)
        return self

    def stop(self) -> None:
        """Ends the recording. Waits for the GPU, 10 s at most. A second call does nothing.

        Other threads of Python run meanwhile.
        """
        global _active
        if self._native is None:
            raise _native.Error("this session was not started")
        with _lock:
            if _active is self:
                _active = None
            elif self._snapshot is not None or self._error is not None:
                return
        try:
            self._snapshot = self._native.stop()
        except _native.Error as error:
            self._error = error

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    @property
    def report(self) -> Report:
        """The report on what was recorded, made at the first use, after the block.

        Raises prof.Error before the session has ended, and where nothing was recorded.
        """
        if self._report is None:
            if self._error is not None:
                raise self._error
            if self._snapshot is None:
                raise _native.Error("the report is there when the session has ended")
            self._report = Report(_native.analyze(self._snapshot), self._snapshot.path)
        return self._report

    @property
    def path(self) -> str:
        """The file of the recording, after the block; empty: it is in memory."""
        return "" if self._snapshot is None else self._snapshot.path

    @property
    def status(self) -> _native.Status:
        """What works at this moment, part by part, with the reason where it does not."""
        return self._started().status

    @property
    def counters_complete(self) -> bool:
        """True once every signature seen so far has all its counter samples."""
        return self._started().counters_complete

    @property
    def counters_pending(self) -> bool:
        """True while more counter samples can come: the condition of a loop that waits for them."""
        return self._started().counters_pending

    def synchronize(self) -> bool:
        """Waits until the GPU has done all work submitted so far; False after 10 s."""
        return self._started().synchronize()

    def pause(self) -> bool:
        """Stops recording until resume(); waits for the GPU. False: it was paused already."""
        return self._started().pause()

    def resume(self) -> bool:
        """Records again. False: it was not paused."""
        return self._started().resume()

    def step(self) -> bool:
        """Ends a step, and begins the next one. False: no option is about steps."""
        return self._started().step()

    def dump(self, path: str | os.PathLike[str]) -> bool:
        """With keep_last_seconds: writes them to `path`, and goes on. False: it could not."""
        return self._started().dump(os.fspath(path))

    def _started(self) -> _native.Session:
        if self._native is None:
            raise _native.Error("this session was not started")
        return self._native

    def __repr__(self) -> str:
        state = "active" if _active is self else "ended" if self._native else "not started"
        return f"<prof.Session {state}>"


def active() -> Session | None:
    """The active session of this process; None: there is none."""
    return _active


def step() -> bool:
    """Session.step() of the active session. False without one, so that a program runs alike."""
    found = _active
    return found is not None and found.step()


def pause() -> bool:
    """Session.pause() of the active session; False without one."""
    found = _active
    return found is not None and found.pause()


def resume() -> bool:
    """Session.resume() of the active session; False without one."""
    found = _active
    return found is not None and found.resume()


def library() -> str:
    """The path of libprof.so in this package, for NVTX_INJECTION64_PATH. prof.Error: none."""
    found = Path(__file__).parent / "native" / "lib" / "libprof.so.0"
    if not found.exists():
        raise _native.Error("this build of prof has no libprof.so: it can only read recordings")
    return str(found)
