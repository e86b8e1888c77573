# SPDX-License-Identifier: Apache-2.0
"""This experiment records the example transformer_layer, as examples/recordings/ has it."""

QUESTION = "What does prof report about the decoder layer, in prefill and in decode?"
LIMIT_S = 120
RESULTS = ()
FILES = ("transformer_2048.txt", "transformer_1.txt")


def run(bench):
    for tokens in (2048, 1):
        name = f"transformer_{tokens}"
        bench.step(60, f"{name}.txt",
                   bench.program("transformer_layer", "--tokens", str(tokens), "--output",
                                 bench.path(f"{name}.prof")))
        bench.show_lines_of(f"{name}.txt")
        bench.report_json(f"{name}.prof", f"{name}.json")
