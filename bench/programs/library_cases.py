# SPDX-License-Identifier: Apache-2.0
"""These are the cases of library_kernels.py: one call of a library each, with sizes that are drawn.

A case is a function that gets its sizes, makes its inputs, and returns the call to measure. It
imports what it needs, so that the list of cases needs neither PyTorch nor a GPU.
"""

import dataclasses
import random
import typing

import library_triton

try:
    import torch
    import torch.nn.functional as F
except ImportError:
    torch = None

CASES = []


@dataclasses.dataclass(frozen=True)
class Case:
    number: int
    library: str
    what: str
    ranges: dict  # {name of a size: (least, most, step)}
    make: typing.Callable

    @property
    def label(self):
        """Of its NVTX range. It is the same for each seed."""
        return f"k{self.number:02} {self.what}"

    def sizes(self, seed):
        """Drawn for each case by itself, so that a case more leaves the others as they are."""
        draw = random.Random(f"{seed} {self.what}")
        return {name: least + step * draw.randint(0, (most - least) // step)
                for name, (least, most, step) in self.ranges.items()}


def case(library, what, **ranges):
    def add(make):
        CASES.append(Case(len(CASES) + 1, library, what, ranges, make))
        return make
    return add


# cuBLAS


def _product(a, b):
    return lambda: torch.mm(a, b)


@case("cuBLAS", "gemm fp32", n=(1024, 2560, 64))
def gemm_fp32(inputs, n):
    torch.set_float32_matmul_precision("highest")
    return _product(inputs.floats(n, n), inputs.floats(n, n))


@case("cuBLAS", "gemm tf32", n=(2048, 4096, 128))
def gemm_tf32(inputs, n):
    torch.set_float32_matmul_precision("high")
    return _product(inputs.floats(n, n), inputs.floats(n, n))


@case("cuBLAS", "gemm bf16", n=(2048, 6144, 128))
def gemm_bf16(inputs, n):
    return _product(inputs.halves(n, n), inputs.halves(n, n))


@case("cuBLAS", "gemm fp16 uneven", m=(1000, 3000, 8), n=(1000, 3000, 8), k=(1000, 3000, 8))
def gemm_fp16_uneven(inputs, m, n, k):
    return _product(inputs.floats(m, k, dtype=torch.float16),
                    inputs.floats(k, n, dtype=torch.float16))


@case("cuBLAS", "gemm fp8", n=(2048, 6144, 256))
def gemm_fp8(inputs, n):
    a = inputs.floats(n, n, dtype=torch.float8_e4m3fn)
    b = inputs.floats(n, n, dtype=torch.float8_e4m3fn).t()
    one = torch.ones((), device="cuda")
    return lambda: torch._scaled_mm(  # pylint: disable=protected-access  # the only call for it
        a, b, scale_a=one, scale_b=one, out_dtype=torch.bfloat16)


@case("cuBLAS", "gemm fp64", n=(1024, 2048, 64))
def gemm_fp64(inputs, n):
    return _product(inputs.floats(n, n, dtype=torch.float64),
                    inputs.floats(n, n, dtype=torch.float64))


@case("cuBLAS", "gemm batched small", batch=(512, 4096, 64), n=(32, 96, 16))
def gemm_batched(inputs, batch, n):
    a, b = inputs.halves(batch, n, n), inputs.halves(batch, n, n)
    return lambda: torch.bmm(a, b)


@case("cuBLAS", "gemm skinny", m=(8, 64, 8), n=(4096, 8192, 512), k=(4096, 8192, 512))
def gemm_skinny(inputs, m, n, k):
    return _product(inputs.halves(m, k), inputs.halves(n, k).t())


@case("cuBLAS", "gemv", rows=(4096, 8192, 256), columns=(4096, 8192, 256))
def gemv(inputs, rows, columns):
    matrix, vector = inputs.floats(rows, columns), inputs.floats(columns)
    return lambda: torch.mv(matrix, vector)


@case("cuBLAS", "gemm split k", n=(128, 384, 64), k=(32768, 131072, 4096))
def gemm_split_k(inputs, n, k):
    return _product(inputs.halves(n, k), inputs.halves(k, n))


@case("cuBLAS", "gemm bias gelu", tokens=(1024, 4096, 128), hidden=(1024, 3072, 256))
def gemm_bias_gelu(inputs, tokens, hidden):
    x, weight, bias = (inputs.halves(tokens, hidden), inputs.halves(hidden, 4 * hidden),
                       inputs.halves(4 * hidden))
    return lambda: torch._addmm_activation(  # pylint: disable=protected-access  # likewise
        bias, x, weight, use_gelu=True)


# CUB


@case("CUB", "sort", count=(4 << 20, 16 << 20, 1 << 18))
def sort(inputs, count):
    values = inputs.integers(count)
    return lambda: torch.sort(values)


@case("CUB", "sort rows", rows=(512, 2048, 64), columns=(2048, 8192, 256))
def sort_rows(inputs, rows, columns):
    values = inputs.floats(rows, columns)
    return lambda: torch.sort(values, dim=-1)


@case("CUB", "cumsum", count=(8 << 20, 48 << 20, 1 << 20))
def cumsum(inputs, count):
    values = inputs.floats(count)
    return lambda: torch.cumsum(values, 0)


@case("CUB", "unique runs", count=(4 << 20, 24 << 20, 1 << 20))
def unique_runs(inputs, count):
    values = inputs.integers(count, below=count // 4).sort().values
    return lambda: torch.unique_consecutive(values)


@case("CUB", "nonzero", count=(8 << 20, 32 << 20, 1 << 20))
def nonzero(inputs, count):
    mask = inputs.floats(count) > 1
    return lambda: torch.nonzero(mask)


@case("CUB", "masked select", count=(8 << 20, 32 << 20, 1 << 20))
def masked_select(inputs, count):
    values = inputs.floats(count)
    mask = values > 0
    return lambda: torch.masked_select(values, mask)


@case("CUB", "segmented sum", segments=(20_000, 80_000, 1000), length=(64, 512, 16))
def segmented_sum(inputs, segments, length):
    values = inputs.floats(segments * length)
    lengths = torch.full((segments,), length, device="cuda")
    return lambda: torch.segment_reduce(values, "sum", lengths=lengths, unsafe=True)


# ATen


@case("ATen", "bincount", count=(8 << 20, 32 << 20, 1 << 20), bins=(16, 256, 16))
def bincount(inputs, count, bins):
    values = inputs.integers(count, below=bins)
    return lambda: torch.bincount(values, minlength=bins)


@case("ATen", "topk", rows=(64, 512, 16), columns=(16_384, 65_536, 1024), k=(8, 64, 8))
def topk(inputs, rows, columns, k):
    values = inputs.floats(rows, columns)
    return lambda: torch.topk(values, k)


@case("ATen", "add", count=(8 << 20, 48 << 20, 1 << 20))
def add(inputs, count):
    x, y = inputs.floats(count), inputs.floats(count)
    return lambda: torch.add(x, y)


@case("ATen", "add short", count=(16_384, 262_144, 1024))
def add_short(inputs, count):
    x, y = inputs.floats(count), inputs.floats(count)
    return lambda: torch.add(x, y)


@case("ATen", "gelu bf16", count=(8 << 20, 64 << 20, 1 << 20))
def gelu(inputs, count):
    x = inputs.halves(count)
    return lambda: F.gelu(x)


@case("ATen", "exp fp64", count=(4 << 20, 24 << 20, 1 << 20))
def exp_fp64(inputs, count):
    x = inputs.floats(count, dtype=torch.float64)
    return lambda: torch.exp(x)


@case("ATen", "sum of rows", rows=(2048, 8192, 256), columns=(2048, 8192, 256))
def sum_of_rows(inputs, rows, columns):
    x = inputs.floats(rows, columns)
    return lambda: x.sum(1)


@case("ATen", "sum of columns", rows=(2048, 8192, 256), columns=(2048, 8192, 256))
def sum_of_columns(inputs, rows, columns):
    x = inputs.floats(rows, columns)
    return lambda: x.sum(0)


@case("ATen", "softmax bf16", rows=(2048, 16_384, 512), columns=(1024, 4096, 128))
def softmax(inputs, rows, columns):
    x = inputs.halves(rows, columns)
    return lambda: torch.softmax(x, -1)


@case("ATen", "layer norm bf16", rows=(4096, 16_384, 512), columns=(1024, 4096, 256))
def layer_norm(inputs, rows, columns):
    x, weight, bias = inputs.halves(rows, columns), inputs.halves(columns), inputs.halves(columns)
    return lambda: F.layer_norm(x, (columns,), weight, bias)


@case("ATen", "embedding", words=(32_768, 131_072, 4096), width=(128, 512, 64),
      tokens=(16_384, 131_072, 4096))
def embedding(inputs, words, width, tokens):
    table, indices = inputs.floats(words, width), inputs.integers(tokens, below=words)
    return lambda: F.embedding(indices, table)


def _index_add(inputs, count, targets):
    values, indices = inputs.floats(count), inputs.integers(count, below=targets)
    sums = torch.zeros(targets, device="cuda")
    return lambda: sums.index_add_(0, indices, values)


@case("ATen", "index add many", count=(4 << 20, 16 << 20, 1 << 20),
      targets=(1 << 18, 1 << 22, 1 << 16))
def index_add_many(inputs, count, targets):
    return _index_add(inputs, count, targets)


@case("ATen", "index add few", count=(1 << 18, 1 << 20, 1 << 16), targets=(1, 16, 1))
def index_add_few(inputs, count, targets):
    return _index_add(inputs, count, targets)


@case("ATen", "transpose", rows=(2048, 8192, 256), columns=(2048, 8192, 256))
def transpose(inputs, rows, columns):
    x = inputs.floats(rows, columns).t()
    return x.contiguous


@case("ATen", "copy strided", rows=(1024, 4096, 128), columns=(8192, 16_384, 512),
      stride=(4, 16, 1))
def copy_strided(inputs, rows, columns, stride):
    x = inputs.floats(rows, columns)[:, ::stride]
    return x.contiguous


@case("ATen", "dropout", count=(8 << 20, 48 << 20, 1 << 20))
def dropout(inputs, count):
    x = inputs.floats(count)
    return lambda: F.dropout(x, 0.1)


@case("ATen", "cross entropy", tokens=(1024, 2048, 128), words=(16_384, 32_768, 1024))
def cross_entropy(inputs, tokens, words):
    logits, targets = inputs.floats(tokens, words), inputs.integers(tokens, below=words)
    return lambda: F.cross_entropy(logits, targets)


# cuDNN, cuFFT and attention


def _image(inputs, batch, channels, size):
    return inputs.halves(batch, size, size, channels).permute(0, 3, 1, 2)  # channels last


@case("cuDNN", "conv bf16", batch=(16, 64, 8), channels=(64, 256, 64), size=(28, 56, 14))
def conv(inputs, batch, channels, size):
    x, weight = _image(inputs, batch, channels, size), _image(inputs, channels, channels, 3)
    return lambda: F.conv2d(x, weight, padding=1)


def _conv_backward(inputs, batch, channels, size, wanted):
    x, weight = _image(inputs, batch, channels, size), _image(inputs, channels, channels, 3)
    gradient = _image(inputs, batch, channels, size)
    return lambda: torch.ops.aten.convolution_backward(
        gradient, x, weight, None, [1, 1], [1, 1], [1, 1], False, [0, 0], 1, wanted)


@case("cuDNN", "conv dgrad bf16", batch=(16, 64, 8), channels=(64, 256, 64), size=(28, 56, 14))
def conv_dgrad(inputs, batch, channels, size):
    return _conv_backward(inputs, batch, channels, size, [True, False, False])


@case("cuDNN", "conv wgrad bf16", batch=(16, 64, 8), channels=(64, 256, 64), size=(28, 56, 14))
def conv_wgrad(inputs, batch, channels, size):
    return _conv_backward(inputs, batch, channels, size, [False, True, False])


@case("cuFFT", "fft", batch=(256, 2048, 64), power=(11, 14, 1))
def fft(inputs, batch, power):
    x = torch.view_as_complex(inputs.floats(batch, 1 << power, 2))
    return lambda: torch.fft.fft(x)


def _attention(inputs, batch, heads, queries, keys, backend):
    from torch.nn.attention import sdpa_kernel
    query = inputs.halves(batch, heads, queries, 128)
    key, value = (inputs.halves(batch, heads, keys, 128) for _ in range(2))

    def call():
        with sdpa_kernel(backend):
            return F.scaled_dot_product_attention(query, key, value, is_causal=queries == keys)
    return call


@case("flash-attention", "attention", batch=(1, 4, 1), heads=(8, 32, 8), tokens=(1024, 4096, 256))
def attention(inputs, batch, heads, tokens):
    from torch.nn.attention import SDPBackend
    return _attention(inputs, batch, heads, tokens, tokens, SDPBackend.FLASH_ATTENTION)


@case("flash-attention", "attention of one token", batch=(1, 4, 1), heads=(8, 32, 8),
      tokens=(1024, 8192, 256))
def attention_of_one_token(inputs, batch, heads, tokens):
    from torch.nn.attention import SDPBackend
    return _attention(inputs, batch, heads, 1, tokens, SDPBackend.FLASH_ATTENTION)


@case("cuDNN", "attention cudnn", batch=(1, 4, 1), heads=(8, 32, 8), tokens=(1024, 4096, 256))
def attention_cudnn(inputs, batch, heads, tokens):
    from torch.nn.attention import SDPBackend
    return _attention(inputs, batch, heads, tokens, tokens, SDPBackend.CUDNN_ATTENTION)


# Triton

BLOCK = 1024


def _triton():
    if library_triton.triton is None:
        raise RuntimeError("Triton is not installed")
    return library_triton


@case("Triton", "triton softmax", rows=(4096, 16_384, 512), columns=(1024, 4096, 128))
def triton_softmax(inputs, rows, columns):
    kernels, x = _triton(), inputs.floats(rows, columns)
    out, block = torch.empty_like(x), kernels.block_of(columns)
    return lambda: kernels.softmax_rows[(rows,)](x, out, columns, BLOCK=block)


@case("Triton", "triton layer norm", rows=(4096, 16_384, 512), columns=(1024, 4096, 128))
def triton_layer_norm(inputs, rows, columns):
    kernels, x, weight = _triton(), inputs.halves(rows, columns), inputs.halves(columns)
    out, block = torch.empty_like(x), kernels.block_of(columns)
    return lambda: kernels.normalize_rows[(rows,)](x, weight, out, columns, BLOCK=block)


@case("Triton", "triton matmul", n=(2048, 4096, 128))
def triton_matmul(inputs, n):
    kernels, a, b = _triton(), inputs.halves(n, n), inputs.halves(n, n)
    out = torch.empty(n, n, device="cuda")
    return lambda: kernels.multiply[(n // 128, n // 128)](a, b, out, n, M=128, N=128, K=64,
                                                          num_warps=8)


@case("Triton", "triton strided loads", count=(1 << 20, 4 << 20, 1 << 18), stride=(4, 24, 1))
def triton_strided(inputs, count, stride):
    kernels, x = _triton(), inputs.floats(count * stride)
    out = torch.empty(count, device="cuda")
    return lambda: kernels.copy_strided[kernels.blocks(count, BLOCK)](x, out, count, stride,
                                                                      BLOCK=BLOCK)


@case("Triton", "triton histogram", count=(4 << 20, 16 << 20, 1 << 20), bins=(64, 4096, 64))
def triton_histogram(inputs, count, bins):
    kernels, x = _triton(), inputs.integers(count, below=bins)
    counts = torch.zeros(bins, device="cuda", dtype=torch.int32)
    return lambda: kernels.count_values[kernels.blocks(count, BLOCK)](x, counts, count,
                                                                      BLOCK=BLOCK)
