# SPDX-License-Identifier: Apache-2.0
"""Tells prof which tensors are weights, buffers, gradients and the optimizer's state.

A model's parameters and buffers are named when it is called first, and an optimizer's when it has
made a step: the first, the second, the fourth, the eighth, ... Between them nothing is done, and no
tensor is kept alive or changed.
"""
import ctypes
import re
import struct
import sys
import time

import prof_torch_functions

_VERSION = 1  # of the interface between this file and libprof.so
# What is told at once fits the ring of a thread; prof empties it in this time.
_MOST_AT_ONCE = 2000
_REST_S = 0.005

# TensorChange in snapshot.proto.
_WEIGHT, _BUFFER, _GRADIENT, _OPTIMIZER_STATE, _CACHE = 4, 5, 6, 7, 8
_TENSOR = struct.Struct("=QQII")

_CACHE_NAME = re.compile(r"(^|[._])(k|v|kv|key|value)?_?cache", re.IGNORECASE)


def _function_of_prof():
    """prof's function that takes the tensors; None: prof is not in this process."""
    begin = getattr(ctypes.CDLL(None), "prof_torch_tensors", None)
    if begin is None:
        return None
    begin.restype = ctypes.c_int
    address = ctypes.c_void_p()
    api = ctypes.pythonapi
    known = begin(ctypes.c_int(_VERSION), ctypes.cast(api.PyBytes_AsString, ctypes.c_void_p),
                  ctypes.cast(api.PyBytes_Size, ctypes.c_void_p),
                  ctypes.cast(api.Py_IncRef, ctypes.c_void_p), ctypes.byref(address))
    if not known:
        raise RuntimeError("libprof.so is of another version than its Python files")
    return prof_torch_functions.builtin(b"mark", address)


def _packed(tensor, use):
    """As libprof.so takes it; b"": it has no memory of a GPU, or none that it tells of: sparse
    tensors and some classes have no storage.
    """
    try:
        tensor = getattr(tensor, "_local_tensor", tensor)  # of torch.distributed's DTensor
        if not getattr(tensor, "is_cuda", False):
            return b""
        storage = tensor.untyped_storage()
        address = storage.data_ptr()
        if address == 0:
            return b""
        return _TENSOR.pack(address, storage.nbytes(), tensor.get_device(), use)
    except Exception:
        return b""


def _tensors_in(value, depth=0):
    if hasattr(value, "untyped_storage"):
        yield value
    elif depth < 3 and isinstance(value, dict):
        for inner in list(value.values()):
            yield from _tensors_in(inner, depth + 1)
    elif depth < 3 and isinstance(value, (list, tuple)):
        for inner in value:
            yield from _tensors_in(inner, depth + 1)


class Marks:
    """No method raises anything."""

    def __init__(self, mark):
        self._mark = mark
        self._steps = {}  # by id() of an optimizer: the steps that it made

    def model_called(self, modules):
        """`modules`: pairs of a module and its path, of a model that is called first."""
        try:
            packed = []
            for module, path in modules:
                for tensor in getattr(module, "_parameters", {}).values():
                    packed.append(_packed(tensor, _WEIGHT))
                for name, tensor in getattr(module, "_buffers", {}).items():
                    whole = ".".join([*path, name])
                    packed.append(_packed(tensor, _CACHE if _CACHE_NAME.search(whole) else _BUFFER))
            self._tell(packed)
        except Exception:
            pass  # a model that does something else with its tensors has none

    def optimizer_stepped(self, optimizer, _arguments, _keywords):
        try:
            steps = self._steps.get(id(optimizer), 0) + 1
            self._steps[id(optimizer)] = steps
            if steps & (steps - 1) == 0:
                self._tell([_packed(tensor, use) for tensor, use in _tensors_of(optimizer)])
        except Exception:
            pass

    def _tell(self, packed):
        tensors = [one for one in packed if one]
        for begin in range(0, len(tensors), _MOST_AT_ONCE):
            if begin > 0:
                time.sleep(_REST_S)
            self._mark(b"".join(tensors[begin:begin + _MOST_AT_ONCE]))


def _tensors_of(optimizer):
    for group in optimizer.param_groups:
        for weight in group["params"]:
            yield weight, _WEIGHT
            if weight.grad is not None:
                yield weight.grad, _GRADIENT
    for state in list(optimizer.state.values()):
        for tensor in _tensors_in(state):
            yield tensor, _OPTIMIZER_STATE


_marks = None


def marks():
    """Those of this process; None: prof is not in it."""
    global _marks
    if _marks is None:
        mark = _function_of_prof()
        _marks = Marks(mark) if mark is not None else None
    return _marks


def install():
    """Once torch.optim.optimizer is loaded. Raises an exception that says why it cannot."""
    told = marks()
    if told is None:
        return
    register = getattr(sys.modules["torch.optim.optimizer"], "register_optimizer_step_post_hook",
                       None)
    if register is None:
        raise RuntimeError("this version of PyTorch has no hooks for the steps of all optimizers")
    register(told.optimizer_stepped)
