# SPDX-License-Identifier: Apache-2.0
"""Compares the stacks of the bridge with those of Python's traceback module.

Usage: stacks.py LIBRARY CASE. It prints "ok CASE N", where N counts the stacks that it compared.
"""
import asyncio
import ctypes
import gc
import sys
import threading
import traceback

RELEASED = ctypes.CDLL(sys.argv[1])  # its functions run without the GIL
HELD = ctypes.PyDLL(sys.argv[1])  # and these with it
for library in (RELEASED, HELD):
    library.walk.restype = ctypes.c_uint32
    library.describe.argtypes = [ctypes.c_uint32, ctypes.c_char_p, ctypes.c_size_t]
    library.time_walks.argtypes = [ctypes.c_uint64]
    library.time_walks.restype = ctypes.c_uint64
    library.dropped.restype = ctypes.c_uint64

MOST_DEPTH = 128
compared = 0
lock = threading.Lock()


def frames_of(stack):
    text = ctypes.create_string_buffer(1 << 20)
    if RELEASED.describe(stack, text, len(text)) != 0:
        raise SystemExit("the stack cannot be described")
    lines = text.value.decode("utf-8").splitlines()
    return [(f, p, int(a), int(b)) for f, p, a, b in (line.split("\t") for line in lines)]


def expected(frame):
    """Function, file, first line and line of each frame, the innermost first."""
    found = []
    while frame is not None:
        code = frame.f_code
        name = getattr(code, "co_qualname", code.co_name)
        found.append((name[:256], code.co_filename, code.co_firstlineno, frame.f_lineno or 0))
        frame = frame.f_back
    return found


def check():
    """Called where a kernel would be launched. Its own frame is the innermost one."""
    global compared
    for walk in (RELEASED.walk, HELD.walk):
        frame = sys._getframe()
        line = frame.f_lineno + 1
        got, want = frames_of(walk()), expected(frame)
        want[0] = (*want[0][:3], line)
        if len(want) > MOST_DEPTH:
            want = want[:MOST_DEPTH] + [("(outer frames)", "", 0, 0)]
        if got != want:
            for pair in zip(got + [None] * len(want), want):
                if pair[0] != pair[1]:
                    print("differs:", *pair)
                    break
            raise SystemExit("got %d frames, want %d" % (len(got), len(want)))
        with lock:
            compared += 1
    # The same from Python's own module, where it has the same notion of a line.
    summary = traceback.extract_stack(sys._getframe(1))
    got = frames_of(RELEASED.walk())[1:]
    if len(summary) < MOST_DEPTH:
        want = [(s.filename, s.lineno) for s in reversed(summary)]
        if [(f[1], f[3]) for f in got] != want:
            raise SystemExit("differs from traceback.extract_stack()")


def case_plain():
    check()
    check(); check()
    [check() for _ in range(2)]
    (lambda: check())()
    long_call = dict(
        a=1,
        b=check(),
        c=3,
    )
    assert long_call["c"] == 3
    try:
        raise ValueError
    except ValueError:
        check()
    finally:
        check()
    with lock_free():
        check()


class lock_free:
    def __enter__(self):
        check()

    def __exit__(self, *_):
        check()

    def __getattr__(self, name):
        check()
        return name

    def __lt__(self, other):
        check()
        return False


def case_methods():
    class Inner:
        @property
        def value(self):
            check()
            return 1

        @classmethod
        def made(cls):
            check()
            return cls()

        @staticmethod
        def plain():
            check()

        def __call__(self, x):
            check()
            return x

        def __del__(self):
            check()

    inner = Inner.made()
    assert inner.value == 1
    Inner.plain()
    assert list(map(inner, [1, 2])) == [1, 2]
    sorted([lock_free(), lock_free()])
    assert lock_free().anything == "anything"
    del inner
    gc.collect()


def case_recursion():
    def down(depth):
        if depth == 0:
            check()
        else:
            down(depth - 1)

    for depth in (1, 2, 50, 100, 110, 120, 121, 122, 123, 124, 125, 126, 127, 128, 300):
        down(depth)


def case_generators():
    def inner(n):
        for i in range(n):
            check()
            yield i

    def outer(n):
        check()
        yield from inner(n)
        check()

    assert list(outer(3)) == [0, 1, 2]
    generator = outer(2)
    next(generator)
    for _ in generator:
        check()
    sum(i for i in outer(2))


def case_coroutines():
    async def leaf():
        check()
        await asyncio.sleep(0)
        check()

    async def agen():
        for i in range(2):
            check()
            await asyncio.sleep(0)
            yield i

    async def main():
        await asyncio.gather(leaf(), leaf())
        async for _ in agen():
            check()

    asyncio.run(main())


def case_executed():
    """Code objects that come and go, so that their addresses are used again."""
    for i in range(300):
        scope = {"check": check}
        body = "\n" * (i % 7) + "def run_%03d():\n" % i + "  x = 1\n" * (i % 5) + "  check()\n"
        exec(compile(body, "<made %03d>" % i, "exec"), scope)
        scope["run_%03d" % i]()
        del scope
    for i in range(300):  # the same name and the same first line, and other lines inside
        scope = {"check": check}
        body = "def run():\n" + "\n" * (i % 50) + "  check()\n"
        exec(compile(body, "<made>", "exec"), scope)
        scope["run"]()
        del scope
        eval("check()")


def case_unicode():
    scope = {"check": check}
    for name in ("größe", "Ωmega", "日本語", "𝔘nicode", "x" * 400):
        exec("def %s():\n  check()\n" % name, scope)
        found = [f for f in scope.values() if callable(f) and f is not check]
        found[-1]()
    for file in ("<größe>", "<日本>", "<🙂>", "\udcff"):
        if file == "\udcff":
            continue  # no UTF-8: the bridge writes '?'
        exec(compile("check()", file, "exec"), scope)


def case_threads():
    errors = []

    def work(seed):
        try:
            def down(depth):
                if depth == 0:
                    for _ in range(20):
                        check()
                else:
                    down(depth - 1)

            for depth in range(seed % 5 + 3):
                down(depth)
        except BaseException as error:
            errors.append(error)

    for _ in range(3):
        threads = [threading.Thread(target=work, args=(i,)) for i in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    if errors:
        raise errors[0]


def case_stress():
    """Threads that make and drop code objects while others walk. Nothing may crash."""
    stop = threading.Event()

    def make():
        i = 0
        while not stop.is_set():
            i += 1
            scope = {"walk": RELEASED.walk}
            exec("def f%d(n):\n  return walk() if n == 0 else f%d(n - 1)\n" % (i % 97, i % 97), scope)
            scope["f%d" % (i % 97)](i % 40)
            if i % 100 == 0:
                gc.collect()

    threads = [threading.Thread(target=make) for _ in range(8)]
    for thread in threads:
        thread.start()
    for _ in range(20):
        check()
    stop.set()
    for thread in threads:
        thread.join()


def case_time():
    def down(depth):
        return RELEASED.time_walks(2000000) if depth <= 1 else down(depth - 1)

    global compared
    base = len(expected(sys._getframe()))
    for depth in (8, 23, 53):
        best = min(down(depth - base) for _ in range(5)) / 2000000
        print("python %s: %d frames: %.1f ns" % (sys.version.split()[0], depth, best))
    compared = 1


def main():
    RELEASED.start()
    globals()["case_" + sys.argv[2]]()
    why = ctypes.create_string_buffer(1024)
    RELEASED.problem(why, len(why))
    if why.value:
        raise SystemExit(why.value.decode())
    if RELEASED.dropped() != 0:
        raise SystemExit("stacks were dropped")
    RELEASED.stop()
    if RELEASED.walk() != 0:
        raise SystemExit("it walks after its end")
    print("ok %s %d" % (sys.argv[2], compared))


main()
