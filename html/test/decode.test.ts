// SPDX-License-Identifier: Apache-2.0
// The decoder, with bytes of the C++ writer: PROF_HTML_PAGE is a page of prof report --html, and
// PROF_HTML_JSON the report of the same recording.
import {readFileSync} from 'node:fs';
import {describe, expect, test} from 'vitest';

import {fromBase64, inflate, Reader, readersOf} from '../src/data/decode';
import {treeOf} from '../src/data/ranges';
import {addToBins, BINS, BinSums} from '../src/data/sums';
import {BusyIndex, IdleIndex} from '../src/data/time_index';
import {EventTrack, type Header, Timeline} from '../src/data/timeline';
import {clamped, zoomed} from '../src/timeline/lines';
import {tickText} from '../src/timeline/draw';

function scriptOf(page: string, id: string): string {
  const mark = ` id="${id}">`;
  const begin = page.indexOf(mark) + mark.length;
  return page.slice(begin, page.indexOf('</script>', begin));
}

describe('varints', () => {
  test('values of one to eight bytes', () => {
    const bytes = Uint8Array.from([0, 0x7f, 0x80, 0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f]);
    const reader = new Reader(bytes, 0, bytes.length);
    expect([reader.next(), reader.next(), reader.next(), reader.next()]).toEqual([0, 127, 128, 2 ** 53 - 1]);
    expect(reader.done).toBe(true);
    expect(reader.next()).toBe(0);
  });
  test('both signs', () => {
    const reader = new Reader(Uint8Array.from([0, 1, 2, 3]), 0, 4);
    expect([0, 1, 2, 3].map(() => reader.nextSigned())).toEqual([0, -1, 1, -2]);
  });
  test('columns follow each other', () => {
    const [first, second] = readersOf(Uint8Array.from([1, 2, 9]), [2, 1]);
    expect([first.next(), first.next(), second.next()]).toEqual([1, 2, 9]);
  });
});

describe('a page of the C++ writer', () => {
  const page = readFileSync(process.env['PROF_HTML_PAGE']!, 'utf8');
  const report = JSON.parse(readFileSync(process.env['PROF_HTML_JSON']!, 'utf8'));
  const header = JSON.parse(scriptOf(page, 'timeline')) as Header;

  async function decode(): Promise<Timeline> {
    const timeline = new Timeline(header);
    for (let i = 0; i < header.blocks.length; i++) {
      timeline.add(header.blocks[i], await inflate(fromBase64(scriptOf(page, `block${i}`))));
    }
    for (const track of timeline.events) timeline.summarize(track);
    timeline.finish();
    return timeline;
  }

  test('has the report as prof report --json writes it', () => {
    expect(JSON.parse(scriptOf(page, 'report'))).toEqual(report);
  });
  test('has the time of each kernel, to the nanosecond', async () => {
    const timeline = await decode();
    const sums = report.kernels.map(() => 0);
    for (const track of timeline.events) {
      expect(track.count).toBe(track.entry.events);
      for (let i = 0; i < track.count; i++) {
        const {kernel} = header.names[track.names[i]];
        if (kernel >= 0) sums[kernel] += track.durations[i];
        if (i > 0) expect(track.starts[i]).toBeGreaterThanOrEqual(track.end(i - 1));
      }
    }
    expect(sums).toEqual(report.kernels.map((kernel: {total_ns: number}) => kernel.total_ns));
  });
  test('is busy in bins as long as its events', async () => {
    const timeline = await decode();
    for (const track of timeline.events) {
      const sum = Array.from(track.durations).reduce((a, b) => a + b, 0);
      expect(track.busy!.bins.within(0, timeline.span)).toBeCloseTo(sum, -2);
    }
  });
  test('has PM samples within what was measured', async () => {
    const timeline = await decode();
    for (const track of timeline.pm) {
      track.values.forEach((values, m) => {
        const seen = values.filter((value) => !Number.isNaN(value));
        expect(Math.max(...seen)).toBeLessThanOrEqual(track.entry.maxima![m] * 1.001);
        expect(Math.min(...seen)).toBeGreaterThanOrEqual(0);
      });
    }
  });
  test('has a tree of ranges whose GPU time is that of the rows', () => {
    const ranges = report.rows.filter((row: {kind: string}) => row.kind === 'range');
    const sum = ranges.reduce((total: number, row: {time_ns: number}) => total + row.time_ns, 0);
    expect(treeOf(header.ranges).reduce((total, node) => total + node.gpu, 0)).toBe(sum);
  });
});

describe('bins', () => {
  test('an event over several bins is divided among them', () => {
    const bins = new Float64Array(4);
    addToBins(bins, 40, 5, 20);
    expect([...bins]).toEqual([5, 10, 5, 0]);
    expect(new BinSums(40, bins).within(0, 15)).toBe(10);
  });
  test('time that reaches beyond them is cut', () => {
    const bins = new Float64Array(2);
    addToBins(bins, 20, -5, 8);
    addToBins(bins, 20, 15, 100);
    addToBins(bins, 20, 20, 5);
    addToBins(bins, 20, -9, 9);
    expect(bins[0]).toBeCloseTo(3, 9);
    expect(bins[1]).toBeCloseTo(5, 9);
  });
  test('equal parts of a stretch sum to it', () => {
    const sums = new BinSums(40, Float64Array.from([5, 10, 5, 0]));
    const columns = new Float64Array(3);
    sums.addTo(columns, 30, 5);
    expect(columns.reduce((a, b) => a + b)).toBeCloseTo(sums.within(5, 35), 9);
    expect(columns[0]).toBeCloseTo(sums.within(5, 15), 9);
  });
  test('there are enough for a wide screen', () => expect(BINS).toBeGreaterThanOrEqual(8 * 2560));
});

describe('the index of a track', () => {
  // Drawn events with gaps of two causes between them, and two names.
  const track = new EventTrack({kind: 'stream', group: '', label: '', lane: 0, device: 0, events: 1000, left_out: 0}, 2);
  let seed = 1;
  const draw = (most: number) => (seed = (seed * 48271) % 0x7fffffff) % most;
  let end = 0;
  for (let i = 0; i < 1000; i++) {
    track.starts[i] = end + draw(90);
    track.durations[i] = draw(50);
    track.names[i] = draw(2);
    track.causes[i] = draw(3);
    end = track.end(i);
    track.count++;
  }
  const expectSame = (index: BusyIndex | IdleIndex, add: (columns: Float64Array, span: number, from: number) => void) => {
    for (const [from, span] of [[0, end], [end / 3, end / 7], [end / 2, 40], [-100, 300], [end - 50, 900]]) {
      const [found, expected] = [new Float64Array(37), new Float64Array(37)];
      index.addTo(found, span, from);
      add(expected, span, from);
      expected.forEach((ns, column) => expect(found[column]).toBeCloseTo(ns, 6));
    }
  };

  test('has the time of the events in each column', () => {
    expectSame(new BusyIndex(track, null), (columns, span, from) => track.addTimes(columns, span, from, 0, 1000, null));
  });
  test('has the time of those that are selected', () => {
    const accepts = Uint8Array.from([0, 1]);
    expectSame(new BusyIndex(track, accepts), (columns, span, from) => track.addTimes(columns, span, from, 0, 1000, accepts));
  });
  test('has the idle time of a cause', () => {
    expectSame(new IdleIndex(track, 1), (columns, span, from) => track.addIdle([new Float64Array(37), columns], span, from, 0, 1000));
  });
});

describe('the view', () => {
  test('stays in the span and is never narrower than 20 ns', () => {
    expect(clamped({begin: -5, end: 10}, 100)).toEqual({begin: 0, end: 20});
    expect(clamped({begin: 90, end: 130}, 100)).toEqual({begin: 60, end: 100});
  });
  test('a zoom keeps the moment under the pointer', () => {
    const view = zoomed({begin: 0, end: 1000}, 250, 0.5, 10000);
    expect(view).toEqual({begin: 125, end: 625});
  });
  test('ticks have the digits of their step', () => expect(tickText(1_234_500, 100)).toBe('1.2345 ms'));
  test('an event is found where it runs, and only there', () => {
    const track = new EventTrack({kind: 'range', group: '', label: '', lane: 0, device: 0, events: 2, left_out: 0}, 1);
    track.add({track: 0, rows: 2, columns: [2, 2, 2, 0, 0, 0]}, Uint8Array.from([10, 5, 20, 20, 0, 0]), [{label: '', kind: 'range', kernel: -1, range: -1}]);
    expect([track.at(9), track.at(10), track.at(31), track.at(35)]).toEqual([-1, 0, -1, 1]);
  });
});
