# SPDX-License-Identifier: Apache-2.0
"""Reports to prof which torch.nn.Module each thread is in.

torch.nn.Module.__call__ gets a function around it that enters a scope with the module's name and
leaves it again. PyTorch's own global hooks would do as well, but they cost a call 1.5 us,
torch.compile warns of them and traces them, and they miss a KeyboardInterrupt.

The function has the file, the name and the lines of the one that it calls. TorchDynamo decides by
these what it compiles: to it, and in tracebacks, the call looks as it always does. PyTorch imports
its compiler later and takes the function for its own; where it traces the function all the same,
torch.compiler.is_compiling() leads around the scope.
"""
import ast
import ctypes
import sys
import weakref

import prof_torch_functions

_VERSION = 1  # of the interface between this file and libprof.so
# Modules that are looked at for the names of those that came after the first call of their model:
# a tenth of a second in the life of a program.
_MOST_SEARCHED = 200_000

_SOURCE = """
def around(call, names, name_of, enter, leave):
    def _wrapped_call_impl(self, *args, **kwargs):
        if torch.compiler.is_compiling():
            return call(self, *args, **kwargs)
        name = names.get(id(self))
        if name is None:
            name = name_of(self)
        enter(name)
        try:
            return call(self, *args, **kwargs)
        finally:
            leave(name)
    return _wrapped_call_impl
"""


def _functions_of_prof():
    """prof's functions that enter and leave a scope; None: prof is not in this process."""
    begin = getattr(ctypes.CDLL(None), "prof_torch_modules", None)
    if begin is None:
        return None
    begin.restype = ctypes.c_int
    addresses = (ctypes.c_void_p * 2)()
    known = begin(ctypes.c_int(_VERSION),
                  ctypes.cast(ctypes.pythonapi.PyBytes_AsString, ctypes.c_void_p),
                  ctypes.cast(ctypes.pythonapi.Py_IncRef, ctypes.c_void_p), addresses)
    if not known:
        raise RuntimeError("libprof.so is of another version than its Python files")
    return (prof_torch_functions.builtin(b"enter", addresses[0]),
            prof_torch_functions.builtin(b"leave", addresses[1]))


class Names:
    """The name of each module that was called, as bytes by id().

    The class of the outermost module, then the name that it has in there: "Net.layers.3.mlp". A
    module that a known model does not have is the outermost of its own. A module with several
    names has the first, as in named_modules().
    """

    def __init__(self, learned=None):
        self._learned = learned  # called with the modules of a model that is called first
        self.by_id = {}
        self._tops = {}  # by id: that of the outermost module
        self._references = {}  # by id: weak; each entry goes with its module
        self._searched = 0

    def name_of(self, module):
        """Called once for a module. Raises nothing; b"": it gets no scope.

        Without a lock, which a fork could leave held, and which the program could ask for again
        in a destructor that runs meanwhile. Threads that learn a model at the same time learn the
        same names.
        """
        try:
            if not self._find_in_known(module):
                self._learn(module)
            return self.by_id[id(module)]
        except Exception:
            return b""

    def _find_in_known(self, module):
        for top in set(self._tops.values()):
            model = self._references[top]() if top in self._references else None
            if model is None:
                continue
            for inner, _ in _walk(model):
                if self._searched >= _MOST_SEARCHED:
                    return False
                self._searched += 1
                if inner is module:
                    self._learn(model)
                    return True
        return False

    def _learn(self, top):
        found = list(_walk(top))
        inside = {id(module) for module, _ in found}
        first = _class_of(top)
        for module, path in found:
            key = id(module)
            if key in self.by_id and self._tops[key] not in inside:
                continue  # another model has it too, and was called before
            name = ".".join([first, *path])
            is_shell = "_orig_mod" in getattr(module, "_modules", ())  # of torch.compile()
            if key not in self._references:
                self._references[key] = weakref.ref(module, lambda _, key=key: self._forget(key))
            self._tops[key] = id(top)
            self.by_id[key] = b"" if is_shell else name.encode("utf-8", "replace")
        if self._learned is not None:
            self._learned(found)

    def _forget(self, key):
        self.by_id.pop(key, None)
        self._tops.pop(key, None)
        self._references.pop(key, None)


def _class_of(module):
    inner = getattr(module, "_modules", {}).get("_orig_mod")
    return type(module if inner is None else inner).__name__


def _walk(top):
    """Each module in `top` with its path, in the order of named_modules(), but without a function
    of the program: a class may have its own.
    """
    seen, left = set(), [(top, ())]
    while left:
        module, path = left.pop()
        if id(module) in seen:
            continue
        seen.add(id(module))
        yield module, path
        children = list(getattr(module, "_modules", {}).items())
        for name, child in reversed(children):
            if child is not None:
                left.append((child, path if name == "_orig_mod" else (*path, str(name))))


def _around(call, *others):
    """`_SOURCE` at the place of `call`: as if it stood there. `others` are its other variables."""
    code = call.__code__
    tree = ast.parse(_SOURCE)
    for node in ast.walk(tree):
        if hasattr(node, "lineno"):
            node.lineno = node.end_lineno = _last_line(code)
            node.col_offset = node.end_col_offset = 0
    function = tree.body[0].body[0]
    function.lineno = code.co_firstlineno
    made = {}
    exec(compile(tree, code.co_filename, "exec"), made)
    function = made["around"](call, *others)
    # TorchDynamo looks for the variables of a function in the module that it names.
    around = type(call)(function.__code__, call.__globals__, call.__name__, None,
                        function.__closure__)
    around.__module__, around.__qualname__ = call.__module__, call.__qualname__
    return around


def _last_line(code):
    return max([line for _, _, line in code.co_lines() if line is not None])


def install(learned=None):
    """Once torch.nn.modules.module is loaded, before anything has used torch.nn.Module. Raises an
    exception that says why it cannot; then nothing has changed. `learned`: see Names.
    """
    functions = _functions_of_prof()
    if functions is None:
        return
    Module = sys.modules["torch.nn.modules.module"].Module
    call = Module.__call__
    known = call is Module.__dict__.get("_wrapped_call_impl")
    if not known or call.__globals__.get("torch") is not sys.modules["torch"]:
        raise RuntimeError("this version of PyTorch calls them in a way that prof does not know")
    names = Names(learned)
    Module.__call__ = _around(call, names.by_id, names.name_of, *functions)
