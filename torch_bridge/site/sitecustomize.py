# SPDX-License-Identifier: Apache-2.0
"""`prof run --torch modules` puts the folder of this file first on PYTHONPATH, so that each Python
interpreter of the program imports it when it starts. It waits for PyTorch without importing
anything, and then makes room for the user's own sitecustomize.
"""
import _frozen_importlib_external as _external
import os as _os
import sys as _sys

_FOLDER = _os.path.dirname(_os.path.abspath(__file__))

def _ours(name):
    """The module of this folder with this name, which is no longer on sys.path."""
    if name not in _sys.modules:
        path = _os.path.join(_FOLDER, name + ".py")
        module = type(_sys)(name)
        module.__file__ = path
        _sys.modules[name] = module
        _external.SourceFileLoader(name, path).exec_module(module)
    return _sys.modules[name]


def _install_modules():
    _ours("prof_torch_functions")
    memory = _memory()
    _ours("prof_torch_modules").install(memory.model_called if memory is not None else None)


def _install_memory():
    _ours("prof_torch_functions")
    _ours("prof_torch_memory").install()


def _memory():
    """What takes the weights of models; None: nobody wants them."""
    if _os.environ.get("PROF_TORCH_MEMORY") in (None, "", "0"):
        return None
    return _ours("prof_torch_memory").marks()


# By the module of PyTorch that has what gets prof's hooks: what gives it them, and what is missing
# without them.
_HOOKS = {
    "torch.nn.modules.module": (_install_modules, "the modules of PyTorch are not recorded"),
    "torch.optim.optimizer": (_install_memory, "weights of PyTorch are not told from other tensors"),
}


def _install(name):
    """No error reaches the program."""
    install, missing = _HOOKS[name]
    try:
        install()
    except Exception as error:
        try:
            print("prof: %s: %s" % (missing, error), file=_sys.stderr)
        except Exception:
            pass  # there may be no stderr


class _Loader:
    """The loader of a module in `_HOOKS`, for the one time that it is loaded."""

    def __init__(self, loader):
        self._loader = loader

    def __getattr__(self, name):
        return getattr(self._loader, name)

    def create_module(self, spec):
        return self._loader.create_module(spec)

    def exec_module(self, module):
        module.__spec__.loader = module.__loader__ = self._loader
        self._loader.exec_module(module)
        _install(module.__spec__.name)


class _Finder:
    """First of sys.meta_path, until PyTorch comes. Any other name costs a search in a set."""

    waits_for = set()

    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if name not in cls.waits_for:
            return None
        cls.waits_for.discard(name)
        if not cls.waits_for:
            try:
                _sys.meta_path.remove(cls)
            except ValueError:
                pass
        for finder in list(_sys.meta_path):
            if finder is cls:
                continue
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
    wanted = list(_HOOKS)
    if _os.environ.get("PROF_TORCH_MEMORY") in (None, "", "0"):
        wanted.remove("torch.optim.optimizer")
    for name in wanted:
        if name in _sys.modules:  # a .pth file has imported it
            _install(name)
        else:
            _Finder.waits_for.add(name)
    if _Finder.waits_for:
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
