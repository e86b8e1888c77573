// SPDX-License-Identifier: Apache-2.0
// The timeline in memory: a track is a few typed arrays, sorted by time, with sums to draw from.
import {readersOf} from './decode';
import {addToBins, binsFor, BinSums} from './sums';
import {BusyIndex, IdleIndex, indexPays, MANY_EVENTS} from './time_index';

export interface NameEntry {
  label: string;
  kind: string;
  kernel: number;
  range: number;
}

export interface RangeEntry {
  label: string;
  name: string;
  parent: number;
  instances: number;
  host_ns: number;
  gpu_ns: number;
  idle_ns: number;
}

export interface TrackEntry {
  kind: string;
  group: string;
  label: string;
  lane: number;
  device: number;
  events: number;
  left_out: number;
  metrics?: string[];
  maxima?: number[];
}

export interface BlockEntry {
  track: number;
  rows: number;
  columns: number[];
}

export interface Header {
  version: number;
  start_ns: string;
  span_ns: number;
  begun_ns: number; // after start_ns: the recording began. The report's moments are after it
  causes: string[];
  names: NameEntry[];
  ranges: RangeEntry[];
  tracks: TrackEntry[];
  blocks: BlockEntry[];
  sparks: {kernel: number; mean_ns: number[]}[];
  owners: string[]; // of memory: the ranges that allocated it
  op_kernels: number[][]; // by place in the report's ops of PyTorch
  has_stacks: boolean;
}

const OWN_LENGTH = 16;

// The time of a track's events, or of some of them.
export interface BusySums {
  bins: BinSums;
  index: BusyIndex | null; // null: it has few events
}

// Events of one line. Times are nanoseconds after the header's start_ns.
export class EventTrack {
  readonly starts: Float64Array;
  durations: Uint32Array | Float64Array;
  readonly names: Uint16Array | Uint32Array;
  readonly causes: Uint8Array; // 0: no idle time before it; else 1 + cause
  idles: Float64Array | null = null; // idle time before it, where it is not that of this track
  readonly sizes = new Map<number, number>(); // bytes, by event
  count = 0;
  busy: BusySums | null = null;
  private idle: (IdleIndex | null)[] = []; // by cause
  private lastEnd = 0;

  constructor(
    readonly entry: TrackEntry,
    names: number,
  ) {
    this.starts = new Float64Array(entry.events);
    this.durations = new Uint32Array(entry.events);
    this.names = names < 65536 ? new Uint16Array(entry.events) : new Uint32Array(entry.events);
    this.causes = new Uint8Array(entry.kind === 'stream' ? entry.events : 0);
  }

  add(block: BlockEntry, bytes: Uint8Array, kinds: NameEntry[]): void {
    const [gap, duration, name, code, idle, size] = readersOf(bytes, block.columns);
    const hasIdle = this.causes.length > 0;
    const sized = kinds.map((entry) => entry.kind === 'copy' || entry.kind === 'memset');
    for (let row = 0; row < block.rows; row++) {
      const at = this.count++;
      const start = this.lastEnd + gap.next();
      const length = duration.next();
      this.starts[at] = start;
      if (length > 0xffffffff && this.durations instanceof Uint32Array) {
        this.durations = Float64Array.from(this.durations);
      }
      this.durations[at] = length;
      const id = name.next();
      this.names[at] = id;
      const cause = code.next();
      if (hasIdle) this.causes[at] = cause % OWN_LENGTH;
      if (cause >= OWN_LENGTH) {
        this.idles ??= new Float64Array(this.entry.events).fill(-1);
        this.idles[at] = idle.next();
      }
      if (sized[id]) this.sizes.set(at, size.next());
      this.lastEnd = start + length;
    }
  }

  idleBefore(event: number): number {
    if (this.causes.length === 0 || this.causes[event] === 0) return 0;
    if (this.idles && this.idles[event] >= 0) return this.idles[event];
    return event === 0 ? this.starts[0] : this.starts[event] - this.end(event - 1);
  }

  end(event: number): number {
    return this.starts[event] + this.durations[event];
  }

  // The first event that starts at or after `ns`.
  lowerBound(ns: number): number {
    let low = 0;
    let high = this.count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.starts[middle] < ns) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  // The first event that ends after `ns`.
  firstIn(ns: number): number {
    const at = this.lowerBound(ns);
    return at > 0 && this.end(at - 1) > ns ? at - 1 : at;
  }

  // The event at a moment; -1: none.
  at(ns: number): number {
    const event = this.firstIn(ns);
    return event < this.count && this.starts[event] <= ns ? event : -1;
  }

  // Adds the time of the events in [first, last), of those that `accepts` has (null: all), to equal
  // parts of `span` from `from` on. The bins are made with it, so it is fast when a frame needs it.
  addTimes(columns: Float64Array, span: number, from: number, first: number, last: number, accepts: Uint8Array | null): void {
    const {starts, durations, names} = this;
    for (let i = first; i < last; i++) {
      if (accepts !== null && accepts[names[i]] === 0) continue;
      addToBins(columns, span, starts[i] - from, durations[i]);
    }
  }

  // The same with the idle time before these events, by cause.
  addIdle(byCause: Float64Array[], span: number, from: number, first: number, last: number): void {
    if (this.idle.length > 0 && indexPays(last - first, byCause[0].length)) {
      this.idle.forEach((index, cause) => index?.addTo(byCause[cause], span, from));
      return;
    }
    for (let i = first; i < last; i++) {
      if (this.causes[i] === 0) continue;
      const idle = this.idleBefore(i);
      addToBins(byCause[this.causes[i] - 1], span, this.starts[i] - idle - from, idle);
    }
  }

  sum(span: number, accepts: Uint8Array | null = null): BusySums {
    const bins = new Float64Array(binsFor(this.entry.events));
    this.addTimes(bins, span, 0, 0, this.count, accepts);
    return {bins: new BinSums(span, bins), index: this.count > MANY_EVENTS ? new BusyIndex(this, accepts) : null};
  }

  // For addIdle(), once all events are there.
  indexIdle(causes: number): void {
    if (this.count <= MANY_EVENTS) return;
    const there = new Uint8Array(causes);
    for (let i = 0; i < this.count; i++) if (this.causes[i] > 0) there[this.causes[i] - 1] = 1;
    this.idle = Array.from(there, (one, cause) => (one === 1 ? new IdleIndex(this, cause) : null));
  }
}

// Values over time: one array for each metric, NaN where there is none.
export class PmTrack {
  readonly starts: Float64Array;
  readonly ends: Float64Array;
  readonly values: Float32Array[];
  count = 0;
  private lastEnd = 0;
  private readonly last: number[];

  constructor(readonly entry: TrackEntry) {
    this.starts = new Float64Array(entry.events);
    this.ends = new Float64Array(entry.events);
    this.values = (entry.metrics ?? []).map(() => new Float32Array(entry.events));
    this.last = this.values.map(() => 0);
  }

  add(block: BlockEntry, bytes: Uint8Array): void {
    const [gap, duration, ...metrics] = readersOf(bytes, block.columns);
    for (let row = 0; row < block.rows; row++) {
      const at = this.count++;
      this.starts[at] = this.lastEnd + gap.next();
      this.ends[at] = this.starts[at] + duration.next();
      this.lastEnd = this.ends[at];
      metrics.forEach((reader, m) => {
        this.last[m] += reader.nextSigned();
        this.values[m][at] = this.last[m] === 0 ? NaN : ((this.last[m] - 1) / 1000) * this.entry.maxima![m];
      });
    }
  }

  firstIn(ns: number): number {
    let low = 0;
    let high = this.count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.ends[middle] <= ns) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

// Memory: what changed when, and for which owner.
export class MemoryTrack {
  readonly times: Float64Array;
  readonly changes: Float64Array;
  readonly owners: Uint32Array; // of Header.owners
  count = 0;
  private last = 0;

  constructor(readonly entry: TrackEntry) {
    this.times = new Float64Array(entry.events);
    this.changes = new Float64Array(entry.events);
    this.owners = new Uint32Array(entry.events);
  }

  add(block: BlockEntry, bytes: Uint8Array): void {
    const [gap, change, owner] = readersOf(bytes, block.columns);
    for (let row = 0; row < block.rows; row++) {
      const at = this.count++;
      this.last += gap.next();
      this.times[at] = this.last;
      this.changes[at] = change.nextSigned();
      this.owners[at] = owner.next();
    }
  }
}

export class Timeline {
  readonly events: EventTrack[] = [];
  readonly pm: PmTrack[] = [];
  readonly memory: MemoryTrack[] = [];
  // By device and cause: idle time in bins.
  readonly idle = new Map<number, BinSums[]>();
  private readonly byTrack: (EventTrack | PmTrack | MemoryTrack)[];

  constructor(readonly header: Header) {
    this.byTrack = header.tracks.map((entry) => {
      if (entry.kind === 'pm') return new PmTrack(entry);
      if (entry.kind === 'memory') return new MemoryTrack(entry);
      return new EventTrack(entry, header.names.length);
    });
    for (const track of this.byTrack) {
      if (track instanceof EventTrack) this.events.push(track);
      else if (track instanceof PmTrack) this.pm.push(track);
      else this.memory.push(track);
    }
  }

  get span(): number {
    return Math.max(this.header.span_ns, 1);
  }

  add(block: BlockEntry, bytes: Uint8Array): void {
    this.byTrack[block.track].add(block, bytes, this.header.names);
  }

  // Takes what is needed to draw one track from afar.
  summarize(track: EventTrack): void {
    track.busy = track.sum(this.span);
    if (track.causes.length === 0) return;
    let bins = this.idleBins.get(track.entry.device);
    if (!bins) {
      bins = this.header.causes.map(() => new Float64Array(binsFor(track.entry.events)));
      this.idleBins.set(track.entry.device, bins);
    }
    track.addIdle(bins, this.span, 0, 0, track.count);
    track.indexIdle(bins.length);
  }

  private readonly idleBins = new Map<number, Float64Array[]>();

  finish(): void {
    for (const [device, bins] of this.idleBins) {
      this.idle.set(device, bins.map((one) => new BinSums(this.span, one)));
    }
    this.idleBins.clear();
  }
}
