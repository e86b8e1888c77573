// SPDX-License-Identifier: Apache-2.0
// What the page of a comparison makes of its data.
import {expect, test} from 'vitest';

import {type Compared, isOtherWork, type KernelChange, noiseText, normalizedText, ratioText, reachOf, reasonOf, runsText, urgency, verdictOf} from '../src/data/comparison';

const NONE = {n: 7, median: 1000, min: 990, max: 1010, sum: 7000};

function compared(fields: Partial<Compared>): Compared {
  return {
    name: 'time of a launch', before: NONE, after: NONE, modes_before: null, modes_after: null, ratio: 1, low: 0.99, high: 1.01, level: 1,
    corrected: 1, noise: 0.001, noise_from: '7 equal runs', threshold: 0.05, tested: true, change: 'same', why: 'It is the same.', runs_needed: 0, explanation: [],
    ...fields,
  };
}

function kernel(time: Partial<Compared>, fields: Partial<KernelChange> = {}): KernelChange {
  return {
    name: 'saxpy', range: 'step', device: 0, matched: 'same', confidence: 'high', match_why: '', time: compared(time), normalized: null, cycles: null, work: {change: 'not-measured', counter: '', ratio: null, why: 'no counter'},
    total_before_ns: 1e6, total_after_ns: 1e6, launches_before: 10, launches_after: 10, counters: [], explanation: [], ...fields,
  };
}

test('what was not tested has no verdict, whatever stands in its change', () => {
  expect(verdictOf(compared({tested: false, change: 'slower'}))).toBe('not tested');
  expect(verdictOf(compared({change: 'faster'}))).toBe('faster');
});

test('a worse verdict comes before more time, and more time before less', () => {
  const slower = compared({change: 'slower'});
  const open = compared({change: 'inconclusive'});
  expect(urgency(slower, 0, 100)).toBeGreaterThan(urgency(open, 100, 100));
  expect(urgency(open, -90, 100)).toBeGreaterThan(urgency(open, 10, 100));
  expect(urgency(compared({}), 0, 0)).toBeGreaterThan(urgency(compared({tested: false}), 0, 0));
});

test('a ratio has its interval where there is one, and a side without a value has none', () => {
  expect(ratioText(compared({ratio: 1.08149, low: 1.075, high: 1.09}))).toBe('1.081 (1.075 to 1.090)');
  expect(ratioText(compared({ratio: 1.2, low: null, high: null}))).toBe('1.200');
  expect(ratioText(compared({ratio: null, low: null, high: null}))).toBe('–');
});

test('the scale reaches as far as the rows, but not beyond twice, and never less than a tenth', () => {
  expect(reachOf([compared({ratio: 1.3, low: 1.2, high: 1.4})])).toBeCloseTo(1.4);
  expect(reachOf([compared({ratio: 0.8, low: 0.5, high: 0.9})])).toBeCloseTo(2);
  expect(reachOf([compared({ratio: 40, low: null, high: null})])).toBeCloseTo(2);
  expect(reachOf([compared({}), compared({tested: false, ratio: 9})])).toBeCloseTo(1.1);
});

test('the reason of a row is its cause, else the verdict, else how it was matched', () => {
  expect(reasonOf(kernel({change: 'slower'}, {explanation: ['it executes 1.15 times the instructions']}))).toBe('it executes 1.15 times the instructions');
  expect(reasonOf(kernel({change: 'inconclusive', why: 'Too few runs.'}))).toBe('Too few runs.');
  expect(reasonOf(kernel({change: 'same'}))).toBe('');
  expect(reasonOf(kernel({tested: false, why: 'Only the runs after have it.'}, {matched: 'new'}))).toBe('Only the runs after have it.');
});

test('other work is the reason of a row, whatever its time does', () => {
  const more = {change: 'more' as const, counter: 'instructions', ratio: 1.2, why: 'it does more work: 1.20 times the instructions'};
  expect(reasonOf(kernel({change: 'same'}, {work: more}))).toBe(more.why);
  expect(reasonOf(kernel({change: 'slower'}, {work: more, explanation: ['its clock differs']}))).toBe(more.why);
  expect(isOtherWork({...more, change: 'same'})).toBe(false);
});

test('a kernel of another device has by what it was normalized, or why it was not', () => {
  expect(normalizedText({factor: 1.4327, by: 'DRAM bandwidth', why: '4.80 TB/s over 3.35 TB/s, peaks'})).toBe('Normalized by DRAM bandwidth: × 1.433 (4.80 TB/s over 3.35 TB/s, peaks).');
  expect(normalizedText({factor: 1, by: '', why: 'it is launch-sized'})).toBe('Not normalized: it is launch-sized.');
});

test('runs that would decide, and noise, are text', () => {
  expect(runsText(0)).toBe('');
  expect(runsText(9)).toBe('9');
  expect(runsText(101)).toBe('more than 100');
  expect(noiseText(compared({noise: null}))).toBe('No noise known.');
  expect(noiseText(compared({}))).toBe('Noise 0.1 % (7 equal runs), threshold 5.0 %.');
});
