# SPDX-License-Identifier: Apache-2.0
"""Each module is an experiment.

It has QUESTION (a sentence), LIMIT_S (its time among others), RESULTS (the names that go to
bench/results/), FILES (what is worth reading by itself, beside results.tgz) and run(bench).
"""
