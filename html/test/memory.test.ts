// SPDX-License-Identifier: Apache-2.0
// What the page makes of memory's data, with the made-up tensors of tensors.json.
import {expect, test} from 'vitest';

import {colorOf} from '../src/colors';
import type {Growth, MemoryPart, Segments, TensorFailure, TensorMemory} from '../src/data/memory';
import {failureText, growingName, inLines, inOps, outsideText, partsOf, partsOfRoles, segmentsText, whyUnused} from '../src/data/memory_text';
import MADE_UP from './tensors.json';

const parts: MemoryPart[] = MADE_UP.parts;
const [tensors, others]: TensorMemory[] = MADE_UP.tensors;
const [failure]: TensorFailure[] = MADE_UP.tensor_failures;
const [growth]: Growth[] = MADE_UP.growth;

function segmentsWith(fields: Partial<Segments>): Segments {
  return {...failure.segments, ...fields};
}

test('the parts of a bar have the bytes of the data', () => {
  expect(partsOf(parts)[0]).toEqual({label: 'activations', key: 'activations', value: 31e9});
  expect(partsOfRoles(tensors.roles).reduce((sum, part) => sum + part.value, 0)).toBe(tensors.peak_bytes);
});

test('data without parts has none', () => {
  expect(partsOf(undefined)).toEqual([]);
  expect(partsOf([])).toEqual([]);
});

test('each use of memory has a colour of its own, and a new one has that of the unknown', () => {
  const uses = [
    'weights', 'buffers', 'gradients', 'optimizer state', 'activations', 'backward pass', 'temporary', 'communication',
    'KV cache', 'kept between calls', 'other tensors', 'unused by PyTorch', "not PyTorch's",
  ];
  expect(new Set([...uses, 'unheard of'].map(colorOf)).size).toBe(uses.length + 1);
  expect(colorOf('unheard of')).toBe('var(--c-unknown)');
});

test('lines of equal names differ in their keys', () => {
  const lines = inLines(tensors.lines);
  expect(lines.map((line) => line.name)).toEqual(['model.py:57 MLP.forward', 'train.py:12 main', 'train.py:31 step', 'train.py:31 step', '(no stack)']);
  expect(new Set(lines.map((line) => line.key)).size).toBe(lines.length);
});

test('what is in no op is named so', () => {
  expect(inOps(tensors.ops).map((op) => op.name)).toEqual(['aten::linear', '(no op)', 'MulBackward0']);
});

test('growth has the name of its memory', () => {
  expect(growingName(growth)).toBe('tensors, GPU 0');
  expect(growingName({memory: 'device', device: 1})).toBe('GPU 1');
  expect(growingName({memory: 'pinned', device: null})).toBe('pinned');
});

test('a failure has its place, its op and its time, as far as they are known', () => {
  expect(failureText(failure)).toBe('in step/forward, at model.py:58 MLP.forward, in op aten::gelu, 3 times, first 3.45 ms after the start');
  expect(failureText({...failure, place: null, op: '', count: 1})).toBe('in step/forward, 1 time, first 3.45 ms after the start');
});

test('unused memory that has no gap for the tensor is fragmented', () => {
  expect(whyUnused(failure.bytes, failure.segments)).toContain('fragmented');
  expect(whyUnused(failure.bytes, segmentsWith({unused_bytes: failure.bytes - 1}))).toContain('less than the tensor');
  expect(whyUnused(failure.bytes, segmentsWith({unused_bytes: failure.bytes}))).toContain('fragmented');
  expect(whyUnused(failure.bytes, segmentsWith({largest_gap: failure.bytes}))).toContain('A gap is large enough');
  expect(whyUnused(failure.bytes, others.segments)).toContain('not known');
});

test('segments and what is outside of them are text', () => {
  expect(segmentsText(failure.segments)).toBe('PyTorch had 70.0 GB from CUDA in 1,406 segments, with 412 gaps.');
  expect(segmentsText(others.segments)).toBe('');
  expect(outsideText(failure.segments)).toBe('');
  expect(outsideText(others.segments)).toBe('Tensors of 2.00 GB are in memory without a record.');
});
