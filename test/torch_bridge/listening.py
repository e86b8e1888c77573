# SPDX-License-Identifier: Apache-2.0
"""The library of probe.cc, by which prof listens to the PyTorch of this interpreter."""
import ctypes
import sys


def skip(why):
    print("[skipped] " + why)
    sys.exit(0)


def load():
    """The library, whose path is the first argument of the program."""
    probe = ctypes.CDLL(sys.argv[1])
    probe.probe_end.restype = ctypes.c_int64
    probe.probe_notices.restype = ctypes.c_char_p
    return probe


def torch_must_be_there():
    try:
        import torch
    except ImportError:
        skip("this interpreter has no PyTorch")
    return torch


def look(probe):
    """After probe_begin(): prof hears PyTorch, or the test is skipped for its version."""
    if probe.probe_look():
        return
    why = probe.probe_notices().decode()
    if "prof knows" in why:
        skip(why)
    sys.exit("prof does not hear PyTorch " + torch_must_be_there().__version__ + ": " + why)
