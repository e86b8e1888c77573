#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the CUPTI versions on PyPI with what prof expects of them.

For each version: its headers have the fields of layouts.txt where the table says, and its library
has the functions that cupti_api.h lists, from the version on that cupti_versions.cc names. With
--loader, prof's loader also opens each library. Wheels are kept in FOLDER (1.5 GB unpacked). Needs a CUDA toolkit.

  test/cupti_backend/api/check_versions.py [--folder FOLDER] [--loader PROGRAM] [VERSION...]

Exit status: 0: all as expected; 1: something differs; 2: a version could not be had.
"""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
VERSIONS = ["12.0.90", "12.1.105", "12.2.142", "12.3.101", "12.4.127", "12.5.82", "12.6.37",
            "12.6.80", "12.8.90", "12.9.79", "13.0.85", "13.1.115", "13.2.86", "13.3.75",
            "13.4.92", "13.5.25"]
FAMILIES = ["Kernel", "Memcpy", "MemcpyPtoP", "Memset", "API", "GraphTrace", "Stream", "Overhead",
            "Memory", "MemoryPool", "UnifiedMemoryCounter"]
# The first version of each feature, as in cupti_versions.cc. 12.6.80 is 12.6 Update 2.
SINCE = {"TIMELINE": "12.0", "GRAPH_EXEC_IDS": "12.3", "CALL_SELECTION": "12.5",
         "METRICS": "12.6.37", "PM_SAMPLING": "12.6.37", "RANGES": "12.6.80",
         "SUBSCRIBER_NAMES": "13.0"}


def number(version):
    return [int(part) for part in version.split(".")]


def unpacked(folder, package, version):
    """The folder of a wheel, downloaded when it is not there; None: it could not be had."""
    suffix = "-cu12" if version.startswith("12.") else ""
    exact = version if package == "nvidia-cuda-cupti" else ".".join(version.split(".")[:2]) + ".*"
    target = folder / f"{package}-{exact.replace('.*', '')}"
    if target.is_dir():
        return target
    with tempfile.TemporaryDirectory() as temp:
        got = subprocess.run([sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", temp,
                              f"{package}{suffix}=={exact}"], capture_output=True, text=True)
        wheels = list(pathlib.Path(temp).glob("*.whl"))
        if got.returncode != 0 or not wheels:
            return None
        target.mkdir(parents=True)
        zipfile.ZipFile(wheels[0]).extractall(target)
    return target


def include_of(folder, header):
    return next(folder.rglob(header)).parent


def newest_records(header):
    """`using Kernel = CUpti_ActivityKernel9;` ... for the newest record of each family."""
    text = header.read_text()
    lines = []
    for family in FAMILIES:
        found = re.findall(r"\} CUpti_Activity%s(\d*);" % family, text)
        newest = max(found, key=lambda n: int(n or 1))
        lines.append(f"using {family} = CUpti_Activity{family}{newest};")
    return "\n".join(lines) + "\n"


def table():
    rows = {}
    for line in (HERE / "layouts.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            name, at, size, since = line.split()
            rows[name] = (at, size, int(since))
    return rows


def api_version(include):
    text = (include / "cupti_version.h").read_text()
    return int(re.search(r"#define CUPTI_API_VERSION\s+(\d+)", text).group(1))


def check_layouts(include, cuda_include, temp):
    """The differences from the table."""
    (temp / "records.inc").write_text(newest_records(include / "cupti_activity.h"))
    program = temp / "print_layouts"
    built = subprocess.run(["c++", "-std=c++17", "-w", f"-I{include}", f"-I{cuda_include}",
                            "-I/usr/local/cuda/include",  # its folder crt is in no wheel of CUPTI
                            f"-DPROF_TEST_RECORDS=\"{temp}/records.inc\"",
                            str(HERE / "print_layouts.cc"), "-o", str(program)],
                           capture_output=True, text=True)
    if built.returncode != 0:
        return ["the headers do not compile: " + built.stderr[:2000]]
    expected, wrong = table(), []
    version = api_version(include)
    for line in subprocess.run([str(program)], capture_output=True, text=True).stdout.splitlines():
        name, at, size = line.split()
        want = expected.pop(name, None)
        if want is None or want[:2] != (at, size):
            wrong.append(f"{name} is at {at}, {size} bytes; expected {want}")
    wrong += [f"{name} is missing" for name, want in expected.items() if want[2] <= version]
    return wrong


def functions():
    """{feature: [symbol...]} of cupti_api.h."""
    text = (ROOT / "cupti_backend/api/cupti_api.h").read_text().replace("\\\n", "")
    lists = re.findall(r"#define PROF_CUPTI_(\w+)\(X\)(.*)", text)
    return {name: re.findall(r"X\(\w+, (\w+)\)", body) for name, body in lists if name in SINCE}


def check_functions(library, version):
    listed = subprocess.run(["nm", "-D", "--defined-only", str(library)], capture_output=True,
                            text=True).stdout
    has = {line.split()[-1].split("@")[0] for line in listed.splitlines()}
    wrong = []
    for feature, symbols in functions().items():
        expected = number(version) >= number(SINCE[feature])
        missing = [symbol for symbol in symbols if symbol not in has]
        if expected and missing:
            wrong.append(f"{feature}: missing {' '.join(missing)}")
        if not expected and not missing:
            wrong.append(f"{feature} is there already: SINCE and cupti_versions.cc are wrong")
    return wrong


def check_loader(loader, library, version):
    shown = subprocess.run([loader, str(library)], capture_output=True, text=True)
    text = shown.stdout.strip() or shown.stderr.strip() or f"exit status {shown.returncode}"
    print(f"    loader: {text}")
    return [] if shown.returncode == 0 else [f"the loader failed: {text}"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path("/tmp/prof-cupti"))
    parser.add_argument("--loader", help="build/release/test/cupti_backend/prof_load_cupti")
    parser.add_argument("versions", nargs="*", default=VERSIONS)
    args = parser.parse_args()
    failed, absent = False, []
    for version in args.versions:
        wheel = unpacked(args.folder, "nvidia-cuda-cupti", version)
        runtime = unpacked(args.folder, "nvidia-cuda-runtime", version)
        if wheel is None or runtime is None:
            absent.append(version)
            print(f"{version}: not checked, pip does not get its wheels")
            continue
        library = next(wheel.rglob("libcupti.so.*"))
        include = include_of(wheel, "cupti_activity.h")
        with tempfile.TemporaryDirectory() as temp:
            wrong = check_layouts(include, include_of(runtime, "cuda.h"), pathlib.Path(temp))
        wrong += check_functions(library, version)
        print(f"{version}: API version {api_version(include)}, "
              f"{'as expected' if not wrong else 'DIFFERS'}")
        if args.loader:
            wrong += check_loader(args.loader, library, version)
        for line in wrong:
            print("    " + line)
        failed |= bool(wrong)
    if absent:
        print("not checked: " + ", ".join(absent))
    return 1 if failed else 2 if absent else 0


if __name__ == "__main__":
    sys.exit(main())
