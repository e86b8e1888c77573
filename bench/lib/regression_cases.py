# SPDX-License-Identifier: Apache-2.0
"""These are the real regressions, and what must have moved in each, as written before any run.

A program is the same source with one thing changed: a flag, a tile, a layout, a type. A decoy is a
pair in which nothing changed that costs time.
"""

import dataclasses

MORE, LESS = "more", "less"
BEFORE = "before"

_INSTRUCTIONS = "smsp__inst_executed.sum"
_SECTORS = "l1tex__t_sectors_pipe_lsu_mem_{}_op_{}.sum"
_L2_SECTORS = "lts__t_sectors.sum"


@dataclasses.dataclass(frozen=True)
class Program:
    name: str
    variants: dict  # {variant: the words of its command}; all take the same sizes from a seed
    is_python: bool = False
    counted_s: float = 1.6  # of the run with all counters


PROGRAMS = {program.name: program for program in (
    Program("matrix", {BEFORE: ("matrix",), "few registers": ("matrix_few_registers",)},
            counted_s=6),  # a launch takes 9 ms after
    Program("options", {BEFORE: ("options_fast_math",), "no fast math": ("options_without",)},
            counted_s=3),
    Program("particles", {BEFORE: ("particles",), "structs": ("particles_as_structs",)}),
    Program("filters", {BEFORE: ("filters",), "renamed": ("filters_renamed",)}),
    Program("tiles", {BEFORE: ("tiles.py", "large"), "small": ("tiles.py", "small")},
            is_python=True),
    Program("images", {BEFORE: ("images.py", "channels-last"),
                       "channels first": ("images.py", "channels-first"),
                       "float32": ("images.py", "float32"),
                       "again": ("images.py", "channels-last")}, is_python=True, counted_s=3),
)}


@dataclasses.dataclass(frozen=True)
class Case:
    """A regression names the kernels that it makes slower, or the range. A decoy names neither."""
    name: str
    program: str
    after: str   # the variant
    change: str  # in words
    part: str = ""     # what the program times by itself; nothing: all of its parts
    kernel: str = ""   # an expression for names
    in_range: str = ""
    # Expectations: counters with their direction, an expression for a sentence of the explanation,
    # and one for the name of a kernel that is new.
    moved: dict = dataclasses.field(default_factory=dict)
    named: str = ""
    listed: str = ""

    @property
    def is_decoy(self):
        return not self.kernel and not self.in_range


CASES = {case.name: case for case in (
    # 128 x 128 tiles need 105 registers a thread.
    Case("spills", "matrix", "few registers", "`-maxrregcount=64`", part="multiply",
         kernel=r"\bmultiply\b", named="registers are spilled",
         moved={"local bytes per thread": MORE, "registers per thread": LESS,
                _SECTORS.format("local", "ld"): MORE, _SECTORS.format("local", "st"): MORE,
                _INSTRUCTIONS: MORE}),
    # Divisions, roots, exponentials and logarithms become sequences of multiply-adds.
    Case("fast_math", "options", "no fast math", "without `--use_fast_math`", part="price",
         kernel=r"\bprice\b", named=r"it executes [0-9.]+ times the instructions",
         moved={_INSTRUCTIONS: MORE,
                "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum": MORE}),
    # 32 threads touch 32 sectors instead of 4.
    Case("structs", "particles", "structs", "arrays of fields became an array of structs",
         part="drift", kernel=r"\bdrift\b", named=r"global loads touch .* less coalesced",
         moved={_SECTORS.format("global", "ld"): MORE, _SECTORS.format("global", "st"): MORE,
                "dram__bytes_read.sum": MORE}),
    # Half the side of a tile: the operands are loaded twice as often.
    Case("tile", "tiles", "small", "Triton: 64 x 64 x 32 and 4 warps for 128 x 128 x 64 and 8",
         part="multiply", kernel=r"^multiply\b", named="L2 sectors",
         moved={"blocks": MORE, _L2_SECTORS: MORE, _INSTRUCTIONS: MORE}),
    # cuDNN turns the layout around each convolution.
    Case("layout", "images", "channels first", "PyTorch: `channels_last` is lost", part="stage",
         in_range="stage", listed="(?i)nchwToNhwc|nhwcToNchw|transpose"),
    # Activations have twice the bytes.
    Case("float32", "images", "float32", "PyTorch: autocast is lost", part="stage",
         in_range="stage", moved={_L2_SECTORS: MORE},
         named="sectors of global|L2 sectors|bytes (read from|written to|come from) DRAM"),
    Case("same", "images", "again", "nothing: the same program again"),
    Case("renamed", "filters", "renamed", "names of kernels, order of launches"),
)}
