// SPDX-License-Identifier: Apache-2.0
// The tree of Python stacks, from the form that lib/html/page_json.h writes.
import {expect, test} from 'vitest';

import {kernelsBelow, lineKey, ownFrame, placeOf, shortPlace, stacksOf, sumLines} from '../src/data/stacks';
import {type FlameNode, leastShown} from '../src/parts/flame';

// main calls step, which calls a library's linear twice: from there, and through a second library.
const DATA = {
  strings: ['main', '/app/train.py', 'step', 'linear', '/venv/site-packages/t.py', 'wrap'],
  frames: [0, 1, 3, 1, 2, 1, 20, 1, 3, 4, 77, 0, 5, 4, 0, 0],
  nodes: [
    [-1, 0, 5, 0, 1, 1],
    [0, 1, 0, 0, 2, 0],
    [1, 2, 10, 4, 3, 1],
    [1, 3, 0, 0, 0, 0],
    [3, 2, 20, 0, 4, 2],
  ].flat(),
  kernels: [[0], [], [1], [], [1, 2]],
};

test('a stack has the time of the stacks inside of it', () => {
  const nodes = stacksOf(DATA);
  expect(nodes.map((node) => node.all.gpu)).toEqual([35, 30, 10, 20, 20]);
  expect(nodes[0].all).toEqual({gpu: 35, idle: 4, host: 10});
  expect(nodes[0].self).toEqual({gpu: 5, idle: 0, host: 1});
  expect(nodes[1].children.map((node) => node.index)).toEqual([2, 3]);
});

test('kernels of a stack are those of the stacks inside of it, too', () => {
  const nodes = stacksOf(DATA);
  expect([...kernelsBelow(nodes[1])].sort()).toEqual([1, 2]);
  expect([...kernelsBelow(nodes[2])]).toEqual([1]);
});

test('work of a library belongs to the innermost line of the program, or to its own line', () => {
  const nodes = stacksOf(DATA);
  expect(ownFrame(nodes[4]).line).toBe(20);
  const own = sumLines(nodes, true);
  const step = own.get(lineKey({file: '/app/train.py', line: 20, function: 'step'}))!;
  expect([step.host, [...step.kernels].sort()]).toEqual([9, [1, 2]]);
  const all = sumLines(nodes, false);
  expect(all.get(lineKey({file: '/venv/site-packages/t.py', line: 77, function: 'linear'}))!.host).toBe(7);
  expect(own.size).toBe(2);
});

test('a line that is not known has no number', () => {
  expect(placeOf({file: '/a/b.py', line: 0})).toBe('/a/b.py');
  expect(shortPlace({file: '/a/b.py', line: 7})).toBe('b.py:7');
});

test('a flame graph leaves out what is too narrow, and the narrowest of very many', () => {
  const node = (value: number, inside: FlameNode[] = []): FlameNode => ({key: value, name: '', title: '', hue: '', value, children: () => inside});
  const nodes = [node(600, [node(500), node(90), node(0.5)]), node(400)];
  expect(leastShown(nodes, 1000)).toBe(1);
  expect(leastShown(nodes, 1000, 3)).toBe(400);
});
