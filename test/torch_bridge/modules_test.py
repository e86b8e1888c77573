# SPDX-License-Identifier: Apache-2.0
"""`prof run --torch modules` with Python programs, on the fake GPU of test/processes.

modules_test.py PROF INJECT LIBRARY

PROF is the program `prof`, INJECT the library that plays libprof_inject.so and the GPU. LIBRARY is
that of fake_torch.cc, with which a few lines of Python stand in for PyTorch; "real" takes the real
one, and the test is skipped where this interpreter has none.
"""
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

PROF, INJECT, LIBRARY = sys.argv[1:4]
REAL = LIBRARY == "real"
HERE = os.path.dirname(os.path.abspath(__file__))
SITE = os.path.join(HERE, "..", "..", "torch_bridge", "site")
NOT_RECORDED = "the modules of PyTorch are not recorded"

USERS = """
import sys
print("the user's own ran:", __file__ == sys.modules["sitecustomize"].__file__)
"""


class Modules(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        for name in ("modules_program.py", "compiled_program.py"):
            shutil.copy(os.path.join(HERE, name), self.folder)
        if not REAL:
            package = os.path.join(self.folder, "torch")
            shutil.copytree(os.path.join(HERE, "stand_in", "torch"), package)
            os.mkdir(os.path.join(package, "lib"))
            shutil.copy(LIBRARY, os.path.join(package, "lib", "libtorch_cpu.so"))
            self.write("torch/version.py", "__version__ = '2.13.0'\n")

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def run_prof(self, *program, python=(), options=("--torch", "modules"), **variables):
        """The program's stdout and stderr. It has to end well."""
        ended = subprocess.run(
            [PROF, "run", *options, "--inject", INJECT, "-o", "run.prof", "--", sys.executable,
             "-B", *python, *program],
            cwd=self.folder, env={**os.environ, **variables}, capture_output=True, text=True)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        return ended.stdout, ended.stderr

    def report(self):
        text = subprocess.run([PROF, "report", "--json", "run.prof"], cwd=self.folder, check=True,
                              stdout=subprocess.PIPE).stdout
        return json.loads(text)

    def kernels_of(self, case):
        """Of each kernel the launches in each module, "(backward)" behind those of that pass."""
        out, err = self.run_prof("modules_program.py", case)
        self.assertEqual(out, case + " ran\n")
        self.assertNotIn(NOT_RECORDED, err)
        self.read = self.report()
        self.assertEqual([loss["count"] for loss in self.read["integrity"]], [])
        return {kernel["name"]: {
                    module["name"] + (" (backward)" if module["backward"] else ""):
                        module["launches"] for module in kernel["torch_modules"]}
                for kernel in self.read["kernels"]}

    def test_a_kernel_has_the_module_that_launched_it(self):
        self.assertEqual(self.kernels_of("nested"), {
            "alone": {"Leaf": 1}, "net": {"Net": 1}, "block": {"Net.first": 1, "Net.second": 2},
            "fc": {"Net.first.fc": 2, "Net.second.fc": 2}, "outside": {}})
        modules = {module["name"]: module for module in self.read["torch"]["modules"]}
        self.assertEqual(list(modules), ["Leaf", "Net", "Net.first", "Net.first.fc", "Net.second",
                                         "Net.second.fc"])
        self.assertEqual([module["calls"] for module in modules.values()], [1, 1, 1, 2, 2, 2])
        self.assertEqual(modules["Net"]["forward_ns"], 8000)
        self.assertEqual(modules["Net"]["gpu_self_ns"], 1000)
        self.assertGreater(modules["Net"]["cpu_ns"], modules["Net.first"]["cpu_ns"])

    def test_a_module_that_came_later_has_its_name_and_one_of_no_model_its_class(self):
        self.assertEqual(self.kernels_of("later"), {
            "net": {"Net": 3}, "block": {"Net.first": 3, "Net.second": 3, "Net.second.fc": 1},
            "fc": {"Net.first.fc": 6, "Net.second.fc": 1, "Net.second.fc.fc": 1},
            "unknown": {"Leaf": 1}})

    def test_an_exception_of_any_kind_leaves_its_modules(self):
        self.assertEqual(self.kernels_of("errors"),
                         {"inner": {"Fails.inner": 4}, "outside": {}})

    def test_threads_are_in_modules_of_their_own(self):
        self.assertEqual(self.kernels_of("threads"), {
            "net": {"Net": 150}, "block": {"Net.first": 150, "Net.second": 150},
            "fc": {"Net.first.fc": 300, "Net.second.fc": 150}})

    def test_no_code_of_a_module_runs_for_its_name(self):
        self.assertEqual(self.kernels_of("strange"), {
            "strange": {"Strange.inner": 1}, "gone": {"Leaf": 150}, "block": {"Block": 150},
            "fc": {"Block.fc": 150}})

    def test_a_forked_child_goes_on(self):
        self.assertEqual(self.kernels_of("fork")["net"], {"Net": 1})

    def test_without_the_option_there_are_no_modules(self):
        self.run_prof("modules_program.py", "nested", options=("--torch", "ops"))
        report = self.report()
        self.assertEqual(report["torch"]["modules"] if report["torch"] else [], [])

    @unittest.skipUnless(REAL, "needs autograd")
    def test_a_kernel_of_the_backward_pass_has_the_module_of_its_forward_pass(self):
        self.assertEqual(self.kernels_of("backward"), {
            "plain": {"Model.layers.0": 2, "Layer": 1},
            "plain_backward": {"Model.layers.0 (backward)": 2},
            "reentrant": {"Model.layers.1": 2, "Model.layers.1 (backward)": 2},
            "reentrant_backward": {"Model.layers.1 (backward)": 2},
            "saved": {"Model.layers.2": 2, "Model.layers.2 (backward)": 2},
            "saved_backward": {"Model.layers.2 (backward)": 2}})

    @unittest.skipUnless(REAL, "needs the compiler")
    def test_compilers_make_the_same_of_a_program_as_without_prof(self):
        command = ["compiled_program.py", os.environ.get("PROF_TORCH_BACKEND", "aot_eager")]
        with_prof = json.loads(self.run_prof(*command)[0])
        plain = json.loads(subprocess.run([sys.executable, "-B", *command], cwd=self.folder,
                                          check=True, stdout=subprocess.PIPE).stdout)
        self.assertGreater(plain["graph break"]["graphs"], 1)
        self.assertEqual(with_prof, plain)

    @unittest.skipIf(REAL, "once is enough")
    def test_the_sitecustomize_of_the_user_runs_as_it_would(self):
        self.write("users/sitecustomize.py", USERS)
        users = os.path.join(self.folder, "users")
        out, err = self.run_prof("-c", "import sys; print(sys.path)", PYTHONPATH=users)
        first, path = out.splitlines()
        self.assertEqual(first, "the user's own ran: True")
        plain = subprocess.run([sys.executable, "-c", "import sys; print(sys.path)"],
                               cwd=self.folder, env={**os.environ, "PYTHONPATH": users},
                               stdout=subprocess.PIPE, text=True).stdout
        self.assertEqual(path, plain.splitlines()[1])
        self.write("users/sitecustomize.py", "raise RuntimeError('of the user')")
        out, err = self.run_prof("-c", "print('goes on')", PYTHONPATH=users)
        self.assertEqual(out, "goes on\n")
        self.assertIn("RuntimeError: of the user", err)

    @unittest.skipIf(REAL, "once is enough")
    def test_a_program_without_pytorch_gets_nothing_imported(self):
        text = "import sys; print(sorted(sys.modules))"
        out, err = self.run_prof("-c", text)
        plain = subprocess.run([sys.executable, "-c", text], stdout=subprocess.PIPE,
                               text=True).stdout
        more = set(eval(out)) - set(eval(plain))
        self.assertLessEqual(more, {"sitecustomize"})
        self.assertNotIn(NOT_RECORDED, err)

    @unittest.skipIf(REAL, "once is enough")
    def test_where_python_leaves_the_hooks_out_there_is_a_notice(self):
        for flag in ("-S", "-E"):
            out, err = self.run_prof("modules_program.py", "nested", python=(flag,))
            self.assertEqual(out, "nested ran\n")
            self.assertIn("prof: " + NOT_RECORDED + ": no Python interpreter has reported", err)
            self.assertTrue(any(NOT_RECORDED in notice["what"]
                                for notice in self.report()["notices"]))

    @unittest.skipIf(REAL, "needs a version that prof does not know")
    def test_a_pytorch_that_calls_modules_in_another_way_is_left_alone(self):
        out, err = self.run_prof("modules_program.py", "nested", OTHER_CALL="1")
        self.assertEqual(out, "nested ran\n")
        self.assertIn("prof: " + NOT_RECORDED + ": this version of PyTorch calls them in", err)

    @unittest.skipIf(REAL, "once is enough")
    def test_a_process_without_prof_is_left_alone(self):
        ended = subprocess.run(
            [sys.executable, "-B", "-c", "import torch; print(torch.nn.Module.__call__)"],
            cwd=self.folder, capture_output=True, text=True,
            env={**os.environ, "PYTHONPATH": SITE, "PROF_TORCH": "modules"})
        self.assertIn("_wrapped_call_impl", ended.stdout)
        self.assertEqual(ended.stderr, "")


if __name__ == "__main__":
    if REAL and importlib.util.find_spec("torch") is None:
        print("[skipped] this interpreter has no PyTorch")
        sys.exit(0)
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
