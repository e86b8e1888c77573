// SPDX-License-Identifier: Apache-2.0
// Two reports side by side: kernels are matched by name, range and shape.
import type {Kernel, Report} from './report';

export interface Pair {
  name: string;
  range: string;
  before: number | null; // ns in all
  after: number | null;
  beforeMedian: number | null;
  afterMedian: number | null;
}

function keyOf(kernel: Kernel): string {
  return [kernel.full_name, kernel.range, kernel.grid, kernel.block, kernel.device].join('\n');
}

export function pairsOf(before: Report, after: Report): Pair[] {
  const pairs = new Map<string, Pair>();
  const entry = (kernel: Kernel): Pair => {
    const key = keyOf(kernel);
    let pair = pairs.get(key);
    if (!pair) {
      pair = {name: kernel.name, range: kernel.range, before: null, after: null, beforeMedian: null, afterMedian: null};
      pairs.set(key, pair);
    }
    return pair;
  };
  for (const kernel of before.kernels) {
    const pair = entry(kernel);
    pair.before = (pair.before ?? 0) + kernel.total_ns;
    pair.beforeMedian = kernel.duration_ns.median;
  }
  for (const kernel of after.kernels) {
    const pair = entry(kernel);
    pair.after = (pair.after ?? 0) + kernel.total_ns;
    pair.afterMedian = kernel.duration_ns.median;
  }
  return [...pairs.values()].sort((a, b) => Math.abs(change(b)) - Math.abs(change(a)));
}

export function change(pair: Pair): number {
  return (pair.after ?? 0) - (pair.before ?? 0);
}

// The report of a page or of prof report --json; an error with the way out.
export function reportIn(text: string): Report {
  const mark = '<script type="application/json" id="report">';
  const begin = text.indexOf(mark);
  const json = begin < 0 ? text : text.slice(begin + mark.length, text.indexOf('</script>', begin));
  const report = JSON.parse(json) as Report;
  if (!Array.isArray(report.kernels)) throw new Error('this is no report of prof: choose a file of prof report --html or --json');
  return report;
}
