// SPDX-License-Identifier: Apache-2.0
// Memory of a device over time, by the ranges that allocated it.
import {hueOf} from '../colors';
import {bytes, time} from '../data/format';
import type {MemoryTrack, Timeline} from '../data/timeline';
import {useWidth} from './width';

const H = 240;
const LEFT = 64;
const COLUMNS = 400;
const SHOWN = 7;

const OTHERS = -1;

export interface Layer {
  owner: number; // OTHERS: all others
  values: Float64Array; // bytes at the end of each column
}

// The ranges with most bytes at their highest moment, and the others as one.
export function layersOf(track: MemoryTrack, span: number, columns: number): Layer[] {
  const now = new Map<number, number>();
  const highest = new Map<number, number>();
  for (let i = 0; i < track.count; i++) {
    const value = (now.get(track.owners[i]) ?? 0) + track.changes[i];
    now.set(track.owners[i], value);
    highest.set(track.owners[i], Math.max(highest.get(track.owners[i]) ?? 0, value));
  }
  const chosen = [...highest].sort((a, b) => b[1] - a[1]).slice(0, SHOWN).map(([owner]) => owner);
  const layers = [...chosen, ...(highest.size > SHOWN ? [OTHERS] : [])].map((owner): Layer => ({owner, values: new Float64Array(columns)}));
  const last = layers.map(() => 0);
  let i = 0;
  for (let column = 0; column < columns; column++) {
    const until = ((column + 1) / columns) * span;
    for (; i < track.count && (track.times[i] <= until || column === columns - 1); i++) {
      const layer = chosen.indexOf(track.owners[i]);
      last[layer < 0 ? layers.length - 1 : layer] += track.changes[i];
    }
    layers.forEach((layer, l) => (layer.values[column] = last[l]));
  }
  return layers;
}

// A moment that the chart points at.
export interface Moment {
  ns: number; // of the timeline
  label: string;
}

export function MemoryOverTime({track, lines, moments}: {track: MemoryTrack; lines: Timeline; moments: Moment[]}) {
  const {box, width: W} = useWidth(900);
  const layers = layersOf(track, lines.span, COLUMNS);
  const below = new Float64Array(COLUMNS);
  const totals = Array.from(below, (_, column) => layers.reduce((sum, layer) => sum + layer.values[column], 0));
  const top = Math.max(...totals, 1);
  const x = (column: number) => LEFT + (column / COLUMNS) * (W - LEFT);
  const y = (value: number) => H - 20 - (value / top) * (H - 30);
  const label = (owner: number) => (owner === OTHERS ? 'other ranges' : lines.header.owners[owner]);
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
  const hue = (owner: number) => ({'--hue': String(Math.round(hueOf(label(owner))))}) as Record<string, string>;
  const kind = (owner: number) => (owner === OTHERS ? 'hue others' : 'hue');
  return (
    <figure>
      <div ref={box}>
      <svg class="chart layers" width={W} height={H} viewBox={`0 0 ${W} ${H}`} role="img" aria-label={`Allocated memory over time, up to ${bytes(top)}`}>
        {[0, 0.25, 0.5, 0.75, 1].map((share) => <g><line class="grid" x1={LEFT} x2={W} y1={y(top * share)} y2={y(top * share)} /><text x={LEFT - 6} y={y(top * share) + 4} text-anchor="end">{bytes(top * share)}</text></g>)}
        {areas.map(({layer, points}) => <polygon class={kind(layer.owner)} points={points} style={hue(layer.owner)}><title>{label(layer.owner)}</title></polygon>)}
        {moments.map(({ns, label: text}, i) => {
          const at = LEFT + Math.min(Math.max(ns / lines.span, 0), 1) * (W - LEFT);
          return <g class="moment"><line x1={at} x2={at} y1={0} y2={H - 20} /><text x={at + (at > W / 2 ? -4 : 4)} y={10 + 13 * i} text-anchor={at > W / 2 ? 'end' : 'start'}>{text}</text></g>;
        })}
        <text x={LEFT} y={H - 4}>0</text><text x={W} y={H - 4} text-anchor="end">{time(lines.span)}</text>
      </svg>
      </div>
      <ul class="legend">{layers.map((layer) => <li><i class={kind(layer.owner)} style={hue(layer.owner)} />{label(layer.owner)}</li>)}</ul>
    </figure>
  );
}
