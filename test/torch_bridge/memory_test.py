# SPDX-License-Identifier: Apache-2.0
"""`prof run --torch-memory` with a program whose allocator stands in for PyTorch's, on the fake GPU
of test/processes.

memory_test.py PROF INJECT TORCH C10 ALLOCATOR

PROF is the program `prof`, INJECT the library that plays libprof_inject.so and the GPU. The others
are the libraries of fake_torch.cc, fake_c10.cc and fake_allocator.cc.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

PROF, INJECT, TORCH, C10, ALLOCATOR = sys.argv[1:6]
HERE = os.path.dirname(os.path.abspath(__file__))


class Memory(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        shutil.copy(os.path.join(HERE, "memory_program.py"), self.folder)
        package = os.path.join(self.folder, "torch")
        shutil.copytree(os.path.join(HERE, "stand_in", "torch"), package)
        os.mkdir(os.path.join(package, "lib"))
        for library in (TORCH, C10, ALLOCATOR):
            shutil.copy(library, os.path.join(package, "lib"))
        with open(os.path.join(package, "version.py"), "w", encoding="utf-8") as file:
            file.write("__version__ = '2.13.0'\n")

    def run_prof(self, *options, steps=25, seed=None):
        """What the program knows, the report, and stderr."""
        seed = seed if seed is not None else time.time_ns() % 1_000_000
        ended = subprocess.run(
            [PROF, "run", *options, "--inject", INJECT, "-o", "run.prof", "--", sys.executable,
             "-B", "memory_program.py", str(seed), str(steps)],
            cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        text = subprocess.run([PROF, "report", "--json", "run.prof"], cwd=self.folder, check=True,
                              stdout=subprocess.PIPE).stdout
        return json.loads(ended.stdout), json.loads(text), f"seed {seed}: {ended.stderr}"

    def test_the_peak_is_divided_as_the_program_uses_it(self):
        knows, report, err = self.run_prof("--torch", "modules", "--torch-memory")
        self.assertNotIn("not recorded", err)
        memory = report["memory"]
        tensors, = memory["tensors"]
        self.assertEqual(tensors["peak_bytes"], knows["peak"], err)
        self.assertEqual(tensors["bytes_at_end"], knows["live"], err)
        roles = {role["role"]: role["bytes"] for role in tensors["roles"]}
        self.assertEqual(roles, {role: b for role, b in knows["at_peak"].items() if b}, err)
        self.assertTrue(tensors["roles_named"])
        self.assertEqual([loss["count"] for loss in report["integrity"]], [])
        refused, = memory["tensor_failures"]
        self.assertEqual((refused["bytes"], refused["count"]), (123 << 20, 1))
        self.assertEqual(refused["allocated"], knows["live"])
        growth, = [one for one in memory["growth"] if one["memory"] == "tensors"]
        self.assertEqual((growth["step"], growth["grows"]), ("Net", False))

    def test_without_modules_only_the_sizes_are_known(self):
        knows, report, err = self.run_prof("--torch", "ops", "--torch-memory")
        tensors, = report["memory"]["tensors"]
        self.assertEqual(tensors["peak_bytes"], knows["peak"], err)
        self.assertFalse(tensors["roles_named"])
        self.assertEqual([role["role"] for role in tensors["roles"]], ["other tensors"])

    def test_pytorch_hears_of_all_of_it_with_and_without_the_option(self):
        for options in (("--torch", "modules", "--torch-memory"), ("--torch", "modules"), ()):
            knows, report, err = self.run_prof(*options, steps=2)
            self.assertEqual(knows["reported"], knows["live"] + 4096, err)
            self.assertEqual(knows["refused"], 1)
            if "--torch-memory" not in options:
                self.assertFalse((report["memory"] or {}).get("tensors"))

    def test_where_we_are_not_preloaded_there_is_a_notice(self):
        program = ("import os, sys; os.environ['CUDA_INJECTION64_PATH'] = sys.argv[1]; "
                   "sys.argv = ['memory_program.py', '1', '2']; exec(open(sys.argv[0]).read())")
        ended = subprocess.run(
            [sys.executable, "-B", "-c", program, INJECT], cwd=self.folder, capture_output=True,
            text=True, env={**os.environ, "PROF_OUTPUT": "run.prof", "PROF_TORCH": "ops",
                            "PROF_TORCH_MEMORY": "1"})
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertIn("prof: the memory of PyTorch's tensors is not recorded", ended.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[6:]])
