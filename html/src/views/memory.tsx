// SPDX-License-Identifier: Apache-2.0
// Memory that the program allocated, over time and by the range that allocated it.
import {hueOf} from '../colors';
import {bytes, count, time} from '../data/format';
import type {Report} from '../data/report';
import type {MemoryTrack, Timeline} from '../data/timeline';
import {type Column, Table} from '../parts/table';
import {useWidth} from '../parts/width';
import {type Loaded, timeline} from '../state';

const H = 240;
const LEFT = 64;
const COLUMNS = 400;
const SHOWN = 7;

export interface Layer {
  range: number; // -2: all others
  values: Float64Array; // bytes at the end of each column
}

// The ranges with most bytes at their highest moment, and the others as one.
export function layersOf(track: MemoryTrack, span: number, columns: number): Layer[] {
  const now = new Map<number, number>();
  const highest = new Map<number, number>();
  for (let i = 0; i < track.count; i++) {
    const value = (now.get(track.ranges[i]) ?? 0) + track.changes[i];
    now.set(track.ranges[i], value);
    highest.set(track.ranges[i], Math.max(highest.get(track.ranges[i]) ?? 0, value));
  }
  const chosen = [...highest].sort((a, b) => b[1] - a[1]).slice(0, SHOWN).map(([range]) => range);
  const layers = [...chosen, ...(highest.size > SHOWN ? [-2] : [])].map((range): Layer => ({range, values: new Float64Array(columns)}));
  const last = layers.map(() => 0);
  let i = 0;
  for (let column = 0; column < columns; column++) {
    const until = ((column + 1) / columns) * span;
    for (; i < track.count && (track.times[i] <= until || column === columns - 1); i++) {
      const layer = chosen.indexOf(track.ranges[i]);
      last[layer < 0 ? layers.length - 1 : layer] += track.changes[i];
    }
    layers.forEach((layer, l) => (layer.values[column] = last[l]));
  }
  return layers;
}

function Chart({track, lines}: {track: MemoryTrack; lines: Timeline}) {
  const {box, width: W} = useWidth(900);
  const layers = layersOf(track, lines.span, COLUMNS);
  const below = new Float64Array(COLUMNS);
  const totals = Array.from(below, (_, column) => layers.reduce((sum, layer) => sum + layer.values[column], 0));
  const top = Math.max(...totals, 1);
  const x = (column: number) => LEFT + (column / COLUMNS) * (W - LEFT);
  const y = (value: number) => H - 20 - (value / top) * (H - 30);
  const label = (range: number) => (range === -2 ? 'other ranges' : range < 0 ? '(no range)' : lines.header.ranges[range].label);
  const areas = layers.map((layer) => {
    const upper: string[] = [];
    const lower: string[] = [];
    for (let column = 0; column < COLUMNS; column++) {
      const base = below[column];
      below[column] = base + layer.values[column];
      upper.push(`${x(column)},${y(below[column])} ${x(column + 1)},${y(below[column])}`);
      lower.unshift(`${x(column + 1)},${y(base)} ${x(column)},${y(base)}`);
    }
    return {layer, points: [...upper, ...lower].join(' ')};
  });
  const hue = (range: number) => ({'--hue': String(Math.round(hueOf(label(range))))}) as Record<string, string>;
  return (
    <figure>
      <div ref={box}>
      <svg class="chart layers" width={W} height={H} viewBox={`0 0 ${W} ${H}`} role="img" aria-label={`Allocated memory over time, up to ${bytes(top)}`}>
        {[0, 0.25, 0.5, 0.75, 1].map((share) => <g><line class="grid" x1={LEFT} x2={W} y1={y(top * share)} y2={y(top * share)} /><text x={LEFT - 6} y={y(top * share) + 4} text-anchor="end">{bytes(top * share)}</text></g>)}
        {areas.map(({layer, points}) => <polygon points={points} style={hue(layer.range)}><title>{label(layer.range)}</title></polygon>)}
        <text x={LEFT} y={H - 4}>0</text><text x={W} y={H - 4} text-anchor="end">{time(lines.span)}</text>
      </svg>
      </div>
      <ul class="legend">{layers.map((layer) => <li><i class="hue" style={hue(layer.range)} />{label(layer.range)}</li>)}</ul>
    </figure>
  );
}

type Ranges = NonNullable<Report['memory']>['ranges'][number];
type Kinds = NonNullable<Report['memory']>['kinds'][number];

export function MemoryView({data: {report}}: {data: Loaded}) {
  const {memory} = report;
  const lines = timeline.value;
  if (memory === null) return <div class="view"><h1>Memory</h1><p>No allocation was recorded.</p></div>;
  const ranges: Column<Ranges>[] = [
    {key: 'range', title: 'Range', narrow: true, value: (row) => row.range},
    {key: 'count', title: 'Allocations', number: true, value: (row) => row.allocations, cell: (row) => count(row.allocations)},
    {key: 'bytes', title: 'Bytes', number: true, narrow: true, value: (row) => row.bytes, cell: (row) => bytes(row.bytes)},
    {key: 'end', title: 'Not freed', number: true, narrow: true, value: (row) => row.bytes_at_end, cell: (row) => bytes(row.bytes_at_end)},
  ];
  const kinds: Column<Kinds>[] = [
    {key: 'kind', title: 'Memory', narrow: true, value: (row) => row.memory + (row.pooled ? ', from a pool' : '')},
    {key: 'count', title: 'Allocations', number: true, value: (row) => row.allocations, cell: (row) => count(row.allocations)},
    {key: 'peak', title: 'Peak', number: true, narrow: true, value: (row) => row.peak_bytes, cell: (row) => bytes(row.peak_bytes)},
    {key: 'end', title: 'At the end', number: true, narrow: true, value: (row) => row.bytes_at_end, cell: (row) => bytes(row.bytes_at_end)},
  ];
  return (
    <div class="view">
      <h1>Memory</h1>
      <dl class="tiles">{memory.devices.map((device) => <><div><dt>peak on GPU {device.device}</dt><dd>{bytes(device.peak_bytes)}</dd></div><div><dt>at</dt><dd>{time(device.peak_at_ns)}</dd></div><div><dt>at the end</dt><dd>{bytes(device.bytes_at_end)}</dd></div></>)}</dl>
      {memory.records_lost && <p class="problem">Records were lost: every figure here may be too small or too large.</p>}
      {lines?.memory.map((track) => <section class="card"><h2>GPU {track.entry.device} over time, by the range that allocated</h2><Chart track={track} lines={lines} /></section>)}
      <div class="columns">
        <section class="card"><h2>By range</h2><Table label="Allocations by range" rows={memory.ranges} columns={ranges} sort="bytes" rowKey={(row) => row.range} /></section>
        <section class="card"><h2>By kind</h2><Table label="Allocations by kind" rows={memory.kinds} columns={kinds} sort="peak" rowKey={(row) => `${row.device} ${row.memory} ${row.pooled}`} /></section>
      </div>
    </div>
  );
}
