# SPDX-License-Identifier: Apache-2.0
import os

import torch  # noqa: F401: as in the real one


class Module:
    def __init__(self):
        object.__setattr__(self, "_modules", {})

    def __setattr__(self, name, value):
        if isinstance(value, Module):
            self._modules[name] = value
        else:
            object.__setattr__(self, name, value)

    def __getattr__(self, name):
        modules = self.__dict__.get("_modules", {})
        if name in modules:
            return modules[name]
        raise AttributeError(name)

    def _wrapped_call_impl(self, *args, **kwargs):
        return self._call_impl(*args, **kwargs)

    def _call_impl(self, *args, **kwargs):
        return self.forward(*args, **kwargs)

    __call__ = _wrapped_call_impl

    if "OTHER_CALL" in os.environ:  # a version that calls modules in another way
        def __call__(self, *args, **kwargs):
            return self._call_impl(*args, **kwargs)
