// SPDX-License-Identifier: Apache-2.0
// The roofline: floating-point rate over arithmetic intensity, on logarithmic axes.
import {plain, rate} from '../data/format';
import type {Roofline} from '../data/report';

const W = 420;
const H = 240;
const LEFT = 62;
const BOTTOM = 34;

export function RooflineChart({roofline}: {roofline: Roofline}) {
  const {flops_per_byte: x, flops_per_s: y, flop_peak_per_s: top, dram_peak_bytes_per_s: slope} = roofline;
  if (x === null || y === null || top === null || slope === null || x <= 0 || y <= 0) return null;
  const ridge = top / slope;
  const minX = Math.min(x, ridge) / 8;
  const maxX = Math.max(x, ridge) * 8;
  const maxY = top * 2;
  const minY = Math.min(y, minX * slope) / 2;
  const at = (value: number, low: number, high: number) => Math.log(value / low) / Math.log(high / low);
  const px = (value: number) => LEFT + at(value, minX, maxX) * (W - LEFT - 8);
  const py = (value: number) => H - BOTTOM - at(value, minY, maxY) * (H - BOTTOM - 8);
  const roof = Math.min(x * slope, top);
  const decades = (low: number, high: number) => {
    const list: number[] = [];
    for (let power = Math.ceil(Math.log10(low)); 10 ** power <= high; power++) list.push(10 ** power);
    return list;
  };
  return (
    <svg class="chart" viewBox={`0 0 ${W} ${H}`} role="img"
      aria-label={`Roofline: ${rate(y, 'FLOP/s')} at ${plain(x)} FLOP per byte; the roof there is ${rate(roof, 'FLOP/s')}`}>
      {decades(minX, maxX).map((value) => <g><line class="grid" x1={px(value)} x2={px(value)} y1={8} y2={H - BOTTOM} /><text x={px(value)} y={H - BOTTOM + 14} text-anchor="middle">{plain(value)}</text></g>)}
      {decades(minY, maxY).map((value) => <g><line class="grid" x1={LEFT} x2={W - 8} y1={py(value)} y2={py(value)} /><text x={LEFT - 5} y={py(value) + 4} text-anchor="end">{rate(value, '')}</text></g>)}
      <polyline class="roof" points={`${px(minX)},${py(minX * slope)} ${px(ridge)},${py(top)} ${px(maxX)},${py(top)}`} />
      <line class="lead" x1={px(x)} x2={px(x)} y1={py(y)} y2={py(roof)} />
      <circle cx={px(x)} cy={py(y)} r="5" />
      <text x={(LEFT + W) / 2} y={H - 4} text-anchor="middle">FLOP per byte of DRAM</text>
      <text x={px(ridge) + 6} y={py(top) - 5}>{roofline.flop_kind} {rate(top, 'FLOP/s')}</text>
      <text x={12} y={H / 2} text-anchor="middle" transform={`rotate(-90 12 ${H / 2})`}>FLOP/s</text>
    </svg>
  );
}
