#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""This program runs matrix products and a convolution in a function that jax.jit made.

XLA measures candidates for them and takes the fastest (autotuning). The program prints what it
took, as [choice].

    jax_jit.py --seed N [--steps N | --seconds S]
"""

import os
import random
import re

import step_clock

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
import jax
import jax.numpy as jnp

# In XLA's text of the compiled program.
_CHOSEN = re.compile(r'custom_call_target="[^"]+"|"selected_algorithm":"?-?\d+|"algo_id":"?\d+|'
                     r'"block_[mnk]":"?\d+|"num_stages":"?\d+|"num_warps":"?\d+')


def make_function(has_convolution):
    def function(a, b, c, image, filters):
        x = jnp.tanh(a @ b)
        y = jax.nn.softmax((x @ c).astype(jnp.float32), axis=-1)
        total = y.max() + jnp.sum(x.astype(jnp.float32) ** 2)
        if has_convolution:
            out = jax.lax.conv_general_dilated(image, filters, (1, 1), "SAME")
            total = total + jax.nn.relu(out).astype(jnp.float32).mean()
        return total
    return function


def compile_it(values):
    """(the compiled function, whether it has the convolution, which needs cuDNN)."""
    try:
        return jax.jit(make_function(True)).lower(*values).compile(), True
    except Exception:  # pylint: disable=broad-except  # whatever XLA has where cuDNN is missing
        return jax.jit(make_function(False)).lower(*values).compile(), False


def main():
    arguments = step_clock.parse(__doc__)
    draw = random.Random(arguments.seed)
    rows, depth, columns = (256 * draw.randint(4, 12) for _ in range(3))
    channels = 32 * draw.randint(1, 4)
    keys = jax.random.split(jax.random.PRNGKey(arguments.seed % (1 << 31)), 5)
    shapes = [(rows, depth), (depth, columns), (columns, depth), (8, channels, 64, 64),
              (channels, channels, 3, 3)]
    values = [jax.random.normal(key, shape, dtype=jnp.bfloat16) * 0.1
              for key, shape in zip(keys, shapes)]
    compiled, has_convolution = compile_it(values)
    for choice in sorted(set(_CHOSEN.findall(compiled.as_text()))):
        print(f"[choice] {choice}")
    result = compiled(*values)
    result.block_until_ready()
    clock = step_clock.StepClock(arguments)

    def step():
        nonlocal result
        result = compiled(*values)

    clock.run(step, 20, lambda: result.block_until_ready())  # pylint: disable=unnecessary-lambda
    # Two digits: another algorithm adds up in another order.
    print(f"[checksum] {float(result):.1e}")
    clock.print(rows=rows, depth=depth, columns=columns, channels=channels,
                convolution=has_convolution)


if __name__ == "__main__":
    main()
