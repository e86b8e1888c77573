// SPDX-License-Identifier: Apache-2.0
// All launches of a kernel over the run: for each column its shortest, mean and longest duration.
import {useMemo} from 'preact/hooks';

import {time} from '../data/format';
import type {Timeline} from '../data/timeline';
import {useWidth} from './width';

const H = 130;
const LEFT = 58;

interface Columns {
  least: Float64Array;
  most: Float64Array;
  sum: Float64Array;
  count: Uint32Array;
}

export function columnsOf(lines: Timeline, kernel: number, columns: number): Columns {
  const found: Columns = {
    least: new Float64Array(columns).fill(Infinity), most: new Float64Array(columns),
    sum: new Float64Array(columns), count: new Uint32Array(columns),
  };
  const accepts = Uint8Array.from(lines.header.names, (name) => Number(name.kernel === kernel));
  for (const track of lines.events) {
    if (track.entry.kind !== 'stream') continue;
    for (let i = 0; i < track.count; i++) {
      if (accepts[track.names[i]] === 0) continue;
      const column = Math.min(Math.floor((track.starts[i] / lines.span) * columns), columns - 1);
      const duration = track.durations[i];
      found.least[column] = Math.min(found.least[column], duration);
      found.most[column] = Math.max(found.most[column], duration);
      found.sum[column] += duration;
      found.count[column]++;
    }
  }
  return found;
}

export function Launches({lines, kernel}: {lines: Timeline; kernel: number}) {
  const {box, width: W} = useWidth(640);
  const count = Math.max(Math.floor((W - LEFT) / 3), 20);
  const {least, most, sum, count: launches} = useMemo(() => columnsOf(lines, kernel, count), [lines, kernel, count]);
  const top = Math.max(...most);
  if (top <= 0) return <div ref={box} class="muted">No launch of it has a time on the timeline.</div>;
  const wide = (W - LEFT) / count;
  const y = (ns: number) => H - 16 - (ns / top) * (H - 24);
  return (
    <div ref={box}>
    <svg class="chart" width={W} height={H} viewBox={`0 0 ${W} ${H}`} role="img" aria-label={`Durations over the run, up to ${time(top)}`}>
      {[0, 0.5, 1].map((share) => <g><line class="grid" x1={LEFT} x2={W} y1={y(top * share)} y2={y(top * share)} /><text x={LEFT - 5} y={y(top * share) + 4} text-anchor="end">{time(top * share)}</text></g>)}
      {Array.from(launches, (n, i) => n > 0 && (
        <g>
          <rect class="spread" x={LEFT + i * wide} width={Math.max(wide - 0.3, 0.8)} y={y(most[i])} height={Math.max(y(least[i]) - y(most[i]), 1)} />
          <rect class="mean" x={LEFT + i * wide} width={Math.max(wide - 0.3, 0.8)} y={y(sum[i] / n) - 1} height={2} />
        </g>
      ))}
      <text x={LEFT} y={H - 3}>0</text>
      <text x={W} y={H - 3} text-anchor="end">{time(lines.span)}</text>
    </svg>
    </div>
  );
}
