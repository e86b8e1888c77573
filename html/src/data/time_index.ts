// SPDX-License-Identifier: Apache-2.0
// The time index has sums over blocks of a track's events. Where very many events stand in a part of
// the span that is narrower than the bins, a frame looks at a block for each pixel, not at all of them.
import {Sums} from './sums';
import type {EventTrack} from './timeline';

const BLOCK = 64;
export const MANY_EVENTS = 1 << 16; // a frame can look at so many

// Whether a frame with so many events and columns is faster with an index.
export function indexPays(events: number, columns: number): boolean {
  return events > BLOCK * columns;
}

abstract class TimeIndex<Which> extends Sums {
  private readonly sums: Float64Array; // over the events before each block

  constructor(protected readonly track: EventTrack, protected readonly which: Which) {
    super();
    this.sums = new Float64Array(Math.floor(track.count / BLOCK) + 1);
    let sum = 0;
    for (let i = 0; i < track.count; i++) {
      if (i % BLOCK === 0) this.sums[i / BLOCK] = sum;
      sum += this.of(i);
    }
    if (track.count % BLOCK === 0) this.sums[track.count / BLOCK] = sum;
  }

  // The time that counts of an event.
  protected abstract of(event: number): number;
  // What the sum over the events before `next`, the first that starts at or after `ns`, lacks of the
  // time before `ns`.
  protected abstract rest(next: number, ns: number): number;

  protected before(ns: number): number {
    const next = this.track.lowerBound(ns);
    const block = Math.floor(next / BLOCK);
    let sum = this.sums[block];
    for (let i = block * BLOCK; i < next; i++) sum += this.of(i);
    return sum + this.rest(next, ns);
  }
}

// Of the events themselves; `which`: the names that count, null: all.
export class BusyIndex extends TimeIndex<Uint8Array | null> {
  protected of(event: number): number {
    return this.which === null || this.which[this.track.names[event]] === 1 ? this.track.durations[event] : 0;
  }

  protected rest(next: number, ns: number): number {
    return next > 0 && this.of(next - 1) > 0 ? Math.min(ns - this.track.end(next - 1), 0) : 0;
  }
}

// Of the idle time before the events; `which`: its cause.
export class IdleIndex extends TimeIndex<number> {
  protected of(event: number): number {
    return this.track.causes[event] - 1 === this.which ? this.track.idleBefore(event) : 0;
  }

  protected rest(next: number, ns: number): number {
    const idle = next < this.track.count ? this.of(next) : 0;
    return idle > 0 ? Math.max(ns - this.track.starts[next] + idle, 0) : 0;
  }
}
