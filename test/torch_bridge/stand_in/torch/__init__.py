# SPDX-License-Identifier: Apache-2.0
"""As much of PyTorch as calls of modules need, for tests without it. modules_test.py puts
fake_torch.cc's library and a version beside it.
"""
import ctypes
import os

_library = ctypes.CDLL(os.path.join(os.path.dirname(__file__), "lib", "libtorch_cpu.so"))

from . import nn  # noqa: E402
from . import compiler  # noqa: E402,F401
