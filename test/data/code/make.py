#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles kernels.cu for several architectures, and writes what is in the code to expected.json.

  make.py [--nvcc NVCC] --cuobjdump CUOBJDUMP

cuobjdump is NVIDIA's: of a toolkit, or of Triton's wheel (triton/backends/nvidia/bin). The names of
instructions and the targets of branches are its own; what counts as a loop is decided here once
more, from these names.
"""
import argparse
import collections
import json
import os
import re
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
ARCHITECTURES = {'75': [], '80': [], '89': [], '90a': ['-DPROF_WGMMA'],
                 '100a': ['-DPROF_TCGEN05'], '120': []}
CLASSES = {
    'global_loads': 'LDG LDGMC', 'global_stores': 'STG', 'local_loads': 'LDL',
    'local_stores': 'STL', 'shared_loads': 'LDS LDSM', 'shared_stores': 'STS STSM STAS',
    'generic_accesses': 'LD ST', 'global_atomics': 'ATOM ATOMG RED REDG',
    'shared_atomics': 'ATOMS REDAS', 'async_copies': 'LDGSTS',
    'bulk_copies': 'UTMALDG UTMASTG UTMAREDG UBLKCP UBLKRED',
    'warp_mma': 'HMMA IMMA BMMA QMMA OMMA', 'double_mma': 'DMMA', 'group_mma': 'HGMMA IGMMA QGMMA BGMMA',
    'tensor_memory_mma': 'UTCHMMA UTCIMMA UTCQMMA UTCOMMA', 'fp64': 'DADD DMUL DFMA DSETP',
    'special': 'MUFU'}
CLASS_OF = {name: key for key, names in CLASSES.items() for name in names.split()}


def disassemble(cuobjdump, cubin):
    """Yields (function, address, guarded by a predicate, mnemonic, operands)."""
    text = subprocess.run([cuobjdump, '-sass', cubin], check=True, capture_output=True,
                          text=True).stdout
    function = None
    for line in text.splitlines():
        found = re.search(r'Function : (\S+)', line)
        if found:
            function = found.group(1)
        found = re.match(r'\s*/\*([0-9a-f]{4,})\*/\s+(@!?U?P\w+\s+)?([\w.]+)\s*(.*?)\s*;', line)
        if found:
            operands = re.split(r'\s+[&?]', found.group(4))[0]  # sm_120: what it waits for follows
            yield (function, int(found.group(1), 16), found.group(2) is not None, found.group(3),
                   operands)


def reachable(start, follow):
    """Every address to which a path leads from those in `start`, these included."""
    found = set()
    work = list(start)
    while work:
        address = work.pop()
        if address not in found:
            found.add(address)
            work.extend(follow.get(address, ()))
    return found


def looped_of(instructions):
    """The addresses of the instructions that are in a loop."""
    follow, calls = {}, {}
    for address, guarded, mnemonic, operands in instructions:
        target = re.search(r'0x([0-9a-f]+)$', operands)
        target = int(target.group(1), 16) if target else None
        name = mnemonic.split('.')[0]
        follow[address] = set()
        ends = name in ('EXIT', 'RET') or (mnemonic == 'BRA' and operands == hex(target))
        if guarded or not ends:
            follow[address].add(address + 16)
        if name == 'BRA' and target != address:  # to itself: where the code ends
            follow[address].add(target)
        if mnemonic.startswith('CALL.REL') and not re.match(r'R\d+', operands):
            calls[address] = target
    known = {address for address, *_ in instructions}
    follow = {address: targets & known for address, targets in follow.items()}
    looped = {address for address in known if address in reachable(follow[address], follow)}
    while True:
        called = {calls[address] for address in looped if address in calls}
        more = looped | reachable(called, follow)
        if more == looped:
            return looped
        looped = more


def census(instructions):
    """Of one function: {name: [all, in loops]}, and whether it calls functions elsewhere."""
    looped = looped_of(instructions)
    calls_others = any(mnemonic.startswith('CALL') and
                       (not mnemonic.startswith('CALL.REL') or re.match(r'R\d+', operands))
                       for _, _, mnemonic, operands in instructions)
    counts = collections.defaultdict(lambda: [0, 0])
    for address, _, mnemonic, _ in instructions:
        name = mnemonic.split('.')[0]
        if name == 'NOP':
            continue
        for key in ('instructions', CLASS_OF.get(name)):
            if key:
                counts[key][0] += 1
                counts[key][1] += address in looped
    return {'calls_others': bool(calls_others), **counts}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--nvcc', default='/usr/local/cuda/bin/nvcc')
    parser.add_argument('--cuobjdump', required=True)
    arguments = parser.parse_args()
    expected = {}
    for architecture, defines in ARCHITECTURES.items():
        cubin = f'sm_{architecture}.cubin'
        subprocess.run([arguments.nvcc, '-cubin', '-O3', '-std=c++17', f'-arch=sm_{architecture}',
                        *defines, '-o', cubin, 'kernels.cu'], check=True, cwd=HERE)
        functions = collections.defaultdict(list)
        for function, *instruction in disassemble(arguments.cuobjdump, os.path.join(HERE, cubin)):
            functions[function].append(instruction)
        expected[cubin] = {name: census(code) for name, code in sorted(functions.items())}
    with open(os.path.join(HERE, 'expected.json'), 'w', encoding='utf-8') as out:
        json.dump(expected, out, indent=1)
        out.write('\n')


if __name__ == '__main__':
    main()
