# SPDX-License-Identifier: Apache-2.0
"""Plants slow lines, and checks that the samples of the host name them.

Usage: samples.py LIBRARY CASE. It prints "ok CASE N", where N counts the samples.
"""
import collections
import ctypes
import json
import os
import queue
import sys
import threading
import time

LIB = ctypes.CDLL(sys.argv[1])
LIB.describe.argtypes = [ctypes.c_uint32, ctypes.c_char_p, ctypes.c_size_t]
LIB.take_samples.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
LIB.time_looks.argtypes = [ctypes.c_uint32, ctypes.c_uint64, ctypes.c_uint64]
LIB.time_looks.restype = ctypes.c_uint64

SECONDS = 0.6
HERE = os.path.abspath(__file__)
total = 0

Sample = collections.namedtuple("Sample", "tid kind state frames")


def frames_of(stack):
    text = ctypes.create_string_buffer(1 << 20)
    if LIB.describe(stack, text, len(text)) != 0:
        raise SystemExit("the stack cannot be described")
    lines = text.value.decode("utf-8").splitlines()
    return [(f, p, int(b)) for f, p, _, b in (line.split("\t") for line in lines)]


def take(only=None):
    """The samples so far, of one thread: of this one, unless `only` names another."""
    global total
    text = ctypes.create_string_buffer(1 << 22)
    if LIB.take_samples(text, len(text)) != 0:
        raise SystemExit("too many samples")
    found = []
    for line in text.value.decode().splitlines():
        tid, kind, state, stack = line.split("\t")
        found.append(Sample(int(tid), kind, state, frames_of(int(stack)) if int(stack) else []))
    total += len(found)
    only = only or threading.get_native_id()
    return [s for s in found if s.tid == only]


def own_line(sample):
    """The line of this file in which the sample's innermost frame of this file is."""
    for _, file, line in sample.frames:
        if os.path.abspath(file) == HERE:
            return line
    return None


def share(samples, lines, state=None):
    hits = [s for s in samples if own_line(s) in lines and (state is None or s.state == state)]
    return len(hits) / max(1, len(samples))


def expect(samples, lines, state=None, least=0.8, count=30):
    """Most samples are in these lines, and in this state."""
    if len(samples) < count:
        raise SystemExit("only %d samples" % len(samples))
    if share(samples, lines, state) < least:
        seen = collections.Counter((own_line(s), s.kind, s.state) for s in samples)
        raise SystemExit("wanted lines %s in state %s, got %s" % (list(lines), state, seen))


def line_here():
    return sys._getframe(1).f_lineno


def begin():
    LIB.call()
    take()


def gather(work, count=30):
    """The samples of this thread while it runs `work`, again and again until they are enough: on a
    machine that is busy with other things the sampler comes late."""
    samples = []
    for _ in range(30):
        begin()
        result = work()
        samples += take()
        if len(samples) >= count:
            break
    return samples, result


def still_sampled():
    def work():
        time.sleep(SECONDS); return line_here()

    samples, line = gather(work)
    expect(samples, {line})


def case_busy():
    def work():
        end = time.perf_counter() + SECONDS
        while time.perf_counter() < end:
            x = 0
            for i in range(1000):
                x += i
        return range(work.__code__.co_firstlineno + 1, line_here())

    samples, lines = gather(work)
    expect(samples, lines, "running")


def case_calls():
    """Small functions that are called all the time: frames come and go under the sampler."""
    def leaf(n):
        return n + 1

    def middle(n):
        return leaf(n) + leaf(n)

    def work():
        end = time.perf_counter() + SECONDS
        while time.perf_counter() < end:
            for i in range(1000):
                middle(i)

    samples, _ = gather(work)
    lines = range(leaf.__code__.co_firstlineno, line_here())
    torn = sum(s.kind == "torn" for s in samples)
    whole = [s for s in samples if s.kind != "torn"]
    for s in whole:
        names = [f[0].split(".")[-1] for f in s.frames]
        callers = names[names.index("leaf"):] if "leaf" in names else ["leaf", "middle"]
        outer = names[names.index("case_calls"):]
        if callers[1] != "middle" or outer != ["case_calls", "main", "<module>"]:
            raise SystemExit("an impossible stack: %s" % names)
    expect(whole, lines, "running", 0.8, 10)
    print("torn: %d of %d" % (torn, len(samples)))


def case_sleep():
    def work():
        time.sleep(SECONDS); return line_here()

    samples, line = gather(work)
    # CPython 3.10 sleeps in select().
    expect(samples, {line}, "input" if sys.version_info < (3, 11) else "sleep")


def case_lock():
    lock = threading.Lock()

    def hold(held):
        with lock:
            held.set()
            time.sleep(SECONDS)

    def work():
        held = threading.Event()
        threading.Thread(target=hold, args=(held,)).start()
        held.wait()
        begin()
        with lock: return line_here()

    samples, line = gather(work)
    expect(samples, {line}, "lock")


def case_queue():
    jobs = queue.Queue()

    def work():
        threading.Timer(SECONDS, jobs.put, (1,)).start()
        begin()
        jobs.get(); return line_here()

    samples, line = gather(work)
    expect(samples, {line}, "lock")
    inner = [s for s in samples if s.frames and s.frames[0][1].endswith("threading.py")]
    if len(inner) < len(samples) * 0.8:
        raise SystemExit("the innermost frame is not that of the wait")


def case_json():
    text = json.dumps([{"key %d" % i: [i, str(i), None, 1.5]} for i in range(2000)])

    def work():
        end = time.perf_counter() + SECONDS
        while time.perf_counter() < end:
            json.loads(text); line = line_here()
        return line

    samples, line = gather(work)
    expect(samples, {line}, "running")
    there = [s for s in samples if own_line(s) == line]
    inner = [s for s in there if s.frames[0][1].endswith("decoder.py")]
    if len(inner) < len(there) * 0.5:  # the list is freed in this line, too
        raise SystemExit("%s" % collections.Counter(s.frames[0] for s in there))


def case_recursion():
    def down(depth):
        if depth > 0:
            return down(depth - 1)
        time.sleep(SECONDS); return line_here()

    for depth in (20, 100, 600):
        samples, line = gather(lambda: down(depth))
        expect(samples, {line})
        # Others are from before the deepest call and from behind it.
        for s in [s for s in samples if own_line(s) == line]:
            if s.kind == "stack" and depth > 200 and (len(s.frames) != 129 or
                                                      s.frames[-1][0] != "(outer frames)"):
                raise SystemExit("%d frames" % len(s.frames))


def case_threads():
    """Threads that end while they are sampled, many of them, and the one that stays."""
    def work():
        LIB.call()
        end = time.perf_counter() + 0.004
        while time.perf_counter() < end:
            sum(range(50))

    seen = set()
    end = time.perf_counter() + 3 * SECONDS
    while time.perf_counter() < end:
        threads = [threading.Thread(target=work) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for thread in threads:
            for s in take(thread.native_id):
                names = [f[0] for f in s.frames]
                seen.add(s.kind)
                if s.kind == "stack" and names[-1].split(".")[-1] not in ("_bootstrap", "work"):
                    raise SystemExit("not a stack of that thread: %s" % names)
    if "stack" not in seen:
        raise SystemExit("no stack of a thread that ends")
    still_sampled()


def case_native():
    """A thread that Python does not know: a sample without frames, with what it waits in."""
    LIB.start_native()
    samples = []
    while len(samples) < 20:
        time.sleep(SECONDS)
        samples += take(LIB.native_tid())
    LIB.end_native()
    for s in samples:
        if s.kind != "native" or s.frames:
            raise SystemExit("a native thread has a stack: %s" % (s,))
    if sum(s.state == "lock" for s in samples) < len(samples) * 0.8:
        raise SystemExit("%s" % collections.Counter(s.state for s in samples))


def case_fork():
    """The child ends, and the parent is sampled on."""
    begin()
    for _ in range(20):
        child = os.fork()
        if child == 0:
            [n for n in range(1000)]
            os._exit(7)
        if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) != 7:
            raise SystemExit("the child did not end as it should")
    still_sampled()


def case_stress():
    """Threads that make and drop code and frames while they are sampled. Nothing may crash."""
    stop = threading.Event()

    def make():
        i = 0
        while not stop.is_set():
            i += 1
            scope = {"call": LIB.call}
            exec("def f%d(n):\n  return f%d(n - 1) if n else 1\n" % (i % 97, i % 97), scope)
            if i % 50 == 0:
                LIB.call()
            scope["f%d" % (i % 97)](i % 40)
            list(n for n in range(10))

    threads = [threading.Thread(target=make) for _ in range(4)]
    for thread in threads:
        thread.start()
    time.sleep(3 * SECONDS)
    stop.set()
    for thread in threads:
        thread.join()
    take()


def case_files():
    """The sampler takes no number of a file that the program would get."""
    before = os.open("/dev/null", os.O_RDONLY)
    os.close(before)
    begin()
    end = time.perf_counter() + SECONDS
    while time.perf_counter() < end:
        file = os.open("/dev/null", os.O_RDONLY)
        os.close(file)
        if file != before:
            raise SystemExit("file %d instead of %d" % (file, before))
    r, w = os.pipe()
    os.close(w)
    if os.read(r, 1) != b"":  # it would wait for as long as a copy of `w` is open
        raise SystemExit("the pipe is still open")
    take()


def case_time():
    stop = threading.Event()
    ready = threading.Semaphore(0)

    def down(depth):
        if depth <= 1:
            ready.release()
            stop.wait()
        else:
            down(depth - 1)

    for frames in (8, 23, 53):
        stop.clear()
        # _bootstrap, _bootstrap_inner, run, down..., Event.wait, Condition.wait
        thread = threading.Thread(target=down, args=(frames - 5,))
        thread.start()
        ready.acquire()
        time.sleep(0.05)
        rounds = []
        for _ in range(5):
            ns = LIB.time_looks(thread.native_id, thread.ident, 5000)
            if ns == 0:
                raise SystemExit("a look failed")
            rounds.append(ns / 5000)
        print("python %s: %d frames: %.1f us" % (sys.version.split()[0], frames, min(rounds) / 1000))
        stop.set()
        thread.join()


def cpu_of_sampler():
    for task in os.listdir("/proc/self/task"):
        with open("/proc/self/task/%s/comm" % task) as comm:
            if comm.read().strip() != "prof-host":
                continue
        with open("/proc/self/task/%s/schedstat" % task) as stat:
            return int(stat.read().split()[0])
    raise SystemExit("there is no sampler")


def case_share():
    """Prints the share of a core that the sampler takes, with 23 frames."""
    def down(depth):
        if depth > 0:
            return down(depth - 1)
        begin()
        before, start = cpu_of_sampler(), time.perf_counter()
        time.sleep(5)
        used = cpu_of_sampler() - before
        print("python %s: %.3f %% of a core" % (
            sys.version.split()[0], used / (time.perf_counter() - start) / 1e7))

    down(20)
    take()


def main():
    LIB.start()
    LIB.start_sampling(200 if sys.argv[2] == "share" else 1000)
    globals()["case_" + sys.argv[2]]()
    LIB.stop_sampling()
    why = ctypes.create_string_buffer(1024)
    LIB.problem(why, len(why))
    if why.value:
        raise SystemExit(why.value.decode())
    LIB.stop()
    print("ok %s %d" % (sys.argv[2], total))


main()
