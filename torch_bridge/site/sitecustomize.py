# SPDX-License-Identifier: Apache-2.0
"""`prof run --torch modules` puts the folder of this file first on PYTHONPATH, so that each Python
interpreter of the program imports it when it starts. It waits for PyTorch without importing
anything, and then makes room for the user's own sitecustomize.
"""
import _frozen_importlib_external as _external
import os as _os
import sys as _sys

_FOLDER = _os.path.dirname(_os.path.abspath(__file__))
_MODULE = "torch.nn.modules.module"  # has torch.nn.Module


def _install():
    """Gives torch.nn.Module prof's hooks. No error of them reaches the program."""
    try:
        path = _os.path.join(_FOLDER, "prof_torch_modules.py")
        hooks = type(_sys)("prof_torch_modules")
        _external.SourceFileLoader("prof_torch_modules", path).exec_module(hooks)
        hooks.install()
    except Exception as error:
        try:
            print("prof: the modules of PyTorch are not recorded: %s" % error, file=_sys.stderr)
        except Exception:
            pass  # there may be no stderr


class _Loader:
    """The loader of `_MODULE`, for the one time that it is loaded."""

    def __init__(self, loader):
        self._loader = loader

    def __getattr__(self, name):
        return getattr(self._loader, name)

    def create_module(self, spec):
        return self._loader.create_module(spec)

    def exec_module(self, module):
        module.__spec__.loader = module.__loader__ = self._loader
        self._loader.exec_module(module)
        _install()


class _Finder:
    """First of sys.meta_path, until PyTorch comes. Any other name costs a comparison."""

    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if name != _MODULE:
            return None
        try:
            _sys.meta_path.remove(cls)
        except ValueError:
            return None
        for finder in _sys.meta_path:
            find = getattr(finder, "find_spec", None)
            spec = find(name, path, target) if find is not None else None
            if spec is not None:
                if hasattr(spec.loader, "exec_module"):
                    spec.loader = _Loader(spec.loader)
                return spec
        return None


def _wait_for_torch():
    if _os.environ.get("PROF_TORCH") != "modules":
        return
    if _MODULE in _sys.modules:  # a .pth file has imported it
        _install()
    else:
        _sys.meta_path.insert(0, _Finder)


def _is_ours(folder):
    return isinstance(folder, str) and _os.path.abspath(folder) == _FOLDER


def _give_way():
    """Runs the sitecustomize that the program would have had, if there is one. What it raises is
    the program's, and site.py treats it as always.
    """
    _sys.path[:] = [folder for folder in _sys.path if not _is_ours(folder)]
    spec = _external.PathFinder.find_spec("sitecustomize", _sys.path)
    if spec is None or spec.loader is None:
        return
    module = type(_sys)("sitecustomize")
    module.__spec__, module.__file__, module.__loader__ = spec, spec.origin, spec.loader
    if spec.submodule_search_locations is not None:
        module.__path__ = spec.submodule_search_locations
    _sys.modules["sitecustomize"] = module
    spec.loader.exec_module(module)


_wait_for_torch()
_give_way()
