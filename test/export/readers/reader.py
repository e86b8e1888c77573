# SPDX-License-Identifier: Apache-2.0
"""What the tests with real readers share: an export of a recording, and a skip with a line."""
import json
import os
import subprocess
import sys
import tempfile


def skip(why):
    print(f"[skipped] {why}")
    sys.exit(0)


def arguments():
    """The program prof and the recording."""
    return sys.argv[1], sys.argv[2]


def export(form, folder, name, *options):
    program, recording = arguments()
    path = os.path.join(folder, name)
    subprocess.run([program, "export", "--to", form, recording, "-o", path, *options], check=True,
                   stderr=subprocess.DEVNULL)
    return path


def report():
    program, recording = arguments()
    return json.loads(subprocess.run([program, "report", "--json", recording], check=True,
                                     capture_output=True).stdout)


def folder():
    return tempfile.TemporaryDirectory(prefix="prof-readers-")


def check(claim, what):
    if not claim:
        print(f"failed: {what}")
        sys.exit(1)
