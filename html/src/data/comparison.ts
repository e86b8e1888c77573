// SPDX-License-Identifier: Apache-2.0
// The JSON of prof compare --json, and what its page makes of it. Absent values are null.
import {percent} from './format';
import type {Statistic} from './report';

export interface Modes {
  low: number;
  high: number;
  share_of_high: number;
}

export interface Compared {
  name: string;
  before: Statistic;
  after: Statistic;
  modes_before: Modes | null;
  modes_after: Modes | null;
  ratio: number | null;
  low: number | null; // null: too few runs for an interval
  high: number | null;
  level: number;
  corrected: number;
  noise: number | null;
  noise_from: string;
  threshold: number;
  tested: boolean;
  change: 'same' | 'faster' | 'slower' | 'inconclusive';
  why: string;
  runs_needed: number;
  explanation: string[]; // of a time of the run
}

export interface CounterChange {
  metric: string;
  words: string;
  before: number;
  after: number;
  moved: boolean;
  exact: boolean;
  spread: number | null; // within a side; null: without bound
  values: number;
  certain: boolean; // it changed for certain
}

// The work of a launch, by exact counters.
export interface Work {
  change: 'not-measured' | 'same' | 'less' | 'more' | 'mixed';
  counter: string; // the one that changed most
  ratio: number | null;
  why: string;
}

// How the time after was made one of the device before.
export interface Normalization {
  factor: number;
  by: string; // empty: it was not
  why: string;
}

export interface KernelChange {
  name: string;
  range: string;
  device: number;
  matched: 'same' | 'relaunched' | 'renamed' | 'moved' | 'new' | 'gone';
  confidence: string;
  match_why: string;
  time: Compared;
  normalized: Normalization | null; // only between devices
  cycles: Compared | null;
  work: Work;
  total_before_ns: number | null;
  total_after_ns: number | null;
  launches_before: number | null;
  launches_after: number | null;
  counters: CounterChange[];
  explanation: string[];
}

export interface Comparison {
  schema: number;
  before: string;
  after: string;
  runs_before: number;
  runs_after: number;
  order: 'interleaved' | 'before-first' | 'after-first' | null; // null: not known
  overall: string;
  overall_work: Work['change'];
  runs_needed: number;
  notes: string[];
  kernels: KernelChange[];
  run: Compared[];
}

// In the order of the page, the worst first.
export const VERDICTS = ['slower', 'inconclusive', 'faster', 'same', 'not tested'] as const;
export type Verdict = (typeof VERDICTS)[number];

export function verdictOf(compared: Compared): Verdict {
  return compared.tested ? compared.change : 'not tested';
}

// What all launches of a kernel take more after the change; less is negative.
export function difference(kernel: KernelChange): number {
  return (kernel.total_after_ns ?? 0) - (kernel.total_before_ns ?? 0);
}

// A number by which a descending order has the worst verdict first, and more time within one.
// `most`: what no `time` is larger than.
export function urgency(compared: Compared, time: number, most: number): number {
  return VERDICTS.length - VERDICTS.indexOf(verdictOf(compared)) + (most > 0 ? (0.999 * Math.abs(time)) / most : 0);
}

export const MOST_RUNS = 100; // more are no way to decide

export function runsText(needed: number): string {
  if (needed === 0) return '';
  return needed > MOST_RUNS ? `more than ${MOST_RUNS}` : String(needed);
}

export function ratioText(compared: Compared): string {
  if (compared.ratio === null) return '–';
  const interval = compared.low !== null && compared.high !== null ? ` (${compared.low.toFixed(3)} to ${compared.high.toFixed(3)})` : '';
  return compared.ratio.toFixed(3) + interval;
}

export function noiseText(compared: Compared): string {
  return compared.noise === null ? 'No noise known.' : `Noise ${percent(compared.noise)} (${compared.noise_from}), threshold ${percent(compared.threshold)}.`;
}

export function normalizedText({factor, by, why}: Normalization): string {
  return by === '' ? `Not normalized: ${why}.` : `Normalized by ${by}: × ${factor.toFixed(3)} (${why}).`;
}

// Other work is shown whatever the time does.
export function isOtherWork(work: Work): boolean {
  return work.change !== 'same' && work.change !== 'not-measured';
}

// The reason of a row, in one sentence.
export function reasonOf(kernel: KernelChange): string {
  if (isOtherWork(kernel.work)) return kernel.work.why;
  if (!kernel.time.tested) return kernel.match_why || kernel.time.why;
  return kernel.time.change === 'same' ? '' : (kernel.explanation[0] ?? kernel.time.why);
}

// The factor that the plots of ratios reach to either side: the largest of the rows, within limits.
const LEAST_REACH = Math.log(1.1);
const MOST_REACH = Math.log(2);
export function reachOf(rows: Compared[]): number {
  let most = LEAST_REACH;
  for (const {tested, ratio, low, high} of rows) {
    if (!tested) continue;
    for (const value of [ratio, low, high]) {
      if (value !== null && value > 0) most = Math.max(most, Math.abs(Math.log(value)));
    }
  }
  return Math.exp(Math.min(most, MOST_REACH));
}
