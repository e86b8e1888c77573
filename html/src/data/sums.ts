// SPDX-License-Identifier: Apache-2.0
// Time in equal parts of a stretch: bins of the whole span, and columns of pixels.

export const BINS = 1 << 16;
const MOST_BINS = 1 << 19;
const EVENTS_PER_BIN = 32; // a frame that is nearer than the bins looks at so many a pixel

// So many bins that no frame has to look at more than some ten thousand events.
export function binsFor(events: number): number {
  let bins = BINS;
  while (bins < MOST_BINS && events / bins > EVENTS_PER_BIN) bins *= 2;
  return bins;
}

// Time by moment, summed up from the left: the time within [a, b) is one subtraction.
export abstract class Sums {
  protected abstract before(ns: number): number;

  within(begin: number, end: number): number {
    return this.before(end) - this.before(begin);
  }

  // The time within each of `columns.length` equal parts of `span` from `from` on.
  addTo(columns: Float64Array, span: number, from: number): void {
    let left = this.before(from);
    for (let i = 0; i < columns.length; i++) {
      const right = this.before(from + ((i + 1) / columns.length) * span);
      columns[i] += right - left;
      left = right;
    }
  }
}

// Sums of bins: fast, for columns that are at least as wide as a bin.
export class BinSums extends Sums {
  readonly sums: Float64Array;
  constructor(
    readonly span: number,
    bins: Float64Array,
  ) {
    super();
    this.sums = new Float64Array(bins.length + 1);
    for (let i = 0; i < bins.length; i++) this.sums[i + 1] = this.sums[i] + bins[i];
  }

  protected before(ns: number): number {
    const last = this.sums.length - 1;
    const at = Math.min(Math.max((ns / this.span) * last, 0), last);
    const bin = Math.min(Math.floor(at), last - 1);
    return this.sums[bin] + (this.sums[bin + 1] - this.sums[bin]) * (at - bin);
  }

  get total(): number {
    return this.sums[this.sums.length - 1];
  }

  get binNs(): number {
    return this.span / (this.sums.length - 1);
  }
}

// Adds a stretch of time to the equal parts of [0, span) that it is in; it may reach beyond them. All
// stretches take the same path: one that only frames took would be slow in the first of them.
export function addToBins(bins: Float64Array, span: number, begin: number, duration: number): void {
  const scale = bins.length / span;
  const width = span / bins.length;
  let at = Math.max(begin, 0) * scale;
  const end = Math.min((begin + duration) * scale, bins.length);
  let bin = Math.floor(at);
  while (at < end) {
    const next = Math.min(bin + 1, end);
    bins[bin] += (next - at) * width;
    at = next;
    bin++;
  }
}
