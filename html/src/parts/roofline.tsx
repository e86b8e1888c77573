// SPDX-License-Identifier: Apache-2.0
// The roofline: floating-point rate over arithmetic intensity, on logarithmic axes, with a roof for
// each level of memory whose ceiling is known.
import {percent, plain, rate} from '../data/format';
import type {Roofline} from '../data/report';

const W = 460;
const H = 250;
const LEFT = 62;
const BOTTOM = 34;

interface Roof {
  level: string;
  slope: number; // bytes a second
  x: number; // FLOP per byte
}

function roofsOf(roofline: Roofline): Roof[] {
  const levels = (roofline.levels ?? []).flatMap((level) =>
    level.ceiling_bytes_per_s && level.flops_per_byte ? [{level: level.level, slope: level.ceiling_bytes_per_s, x: level.flops_per_byte}] : [],
  );
  if (levels.length > 0) return levels;
  const {flops_per_byte: x, dram_peak_bytes_per_s: slope} = roofline;
  return x && slope ? [{level: 'dram', slope, x}] : [];
}

function decades(low: number, high: number): number[] {
  const list: number[] = [];
  for (let power = Math.ceil(Math.log10(low)); 10 ** power <= high; power++) list.push(10 ** power);
  return list;
}

export function RooflineChart({roofline}: {roofline: Roofline}) {
  const {flops_per_s: y, flop_peak_per_s: top} = roofline;
  const roofs = roofsOf(roofline);
  if (!y || !top || roofs.length === 0) return null;
  const xs = roofs.flatMap((roof) => [roof.x, top / roof.slope]);
  const minX = Math.min(...xs) / 8;
  const maxX = Math.max(...xs) * 8;
  const maxY = top * 2;
  const minY = Math.min(y, minX * Math.min(...roofs.map((roof) => roof.slope))) / 2;
  const at = (value: number, low: number, high: number) => Math.log(value / low) / Math.log(high / low);
  const px = (value: number) => LEFT + at(value, minX, maxX) * (W - LEFT - 8);
  const py = (value: number) => H - BOTTOM - at(value, minY, maxY) * (H - BOTTOM - 8);
  const words = roofs.map(({level, x, slope}) => `${plain(x)} FLOP per byte of ${level}, where the roof is ${rate(Math.min(x * slope, top), 'FLOP/s')}`);
  return (
    <svg class="chart roofline" viewBox={`0 0 ${W} ${H}`} role="img" aria-label={`Roofline: ${rate(y, 'FLOP/s')} at ${words.join('; ')}`}>
      {decades(minX, maxX).map((value) => <g><line class="grid" x1={px(value)} x2={px(value)} y1={8} y2={H - BOTTOM} /><text x={px(value)} y={H - BOTTOM + 14} text-anchor="middle">{plain(value)}</text></g>)}
      {decades(minY, maxY).map((value) => <g><line class="grid" x1={LEFT} x2={W - 8} y1={py(value)} y2={py(value)} /><text x={LEFT - 5} y={py(value) + 4} text-anchor="end">{rate(value, '')}</text></g>)}
      {roofs.map(({level, slope, x}) => (
        <g>
          <polyline class={/dram/i.test(level) ? 'roof' : 'roof other'} points={`${px(minX)},${py(minX * slope)} ${px(top / slope)},${py(top)} ${px(maxX)},${py(top)}`} />
          <line class="lead" x1={px(x)} x2={px(x)} y1={py(y)} y2={py(Math.min(x * slope, top))} />
          <circle cx={px(x)} cy={py(y)} r="5"><title>{level}</title></circle>
          <text x={px(x) + 8} y={py(y) + 4}>{level}</text>
        </g>
      ))}
      <text x={(LEFT + W) / 2} y={H - 4} text-anchor="middle">FLOP per byte</text>
      <text x={W - 10} y={py(top) - 5} text-anchor="end">{roofline.flop_kind} {rate(top, 'FLOP/s')}</text>
      <text x={12} y={H / 2} text-anchor="middle" transform={`rotate(-90 12 ${H / 2})`}>FLOP/s</text>
    </svg>
  );
}

// What the levels move, beside their ceilings.
export function Levels({roofline}: {roofline: Roofline}) {
  const levels = roofline.levels ?? [];
  if (levels.length === 0) return null;
  return (
    <>
      {roofline.bound_by && <p>Bound by {roofline.bound_by}{roofline.of_attainable != null && `, at ${percent(roofline.of_attainable)} of what it allows`}.</p>}
      <table>
        <caption class="hidden">Levels of memory</caption>
        <thead><tr><th>Level</th><th class="number">Rate</th><th class="number">Ceiling</th><th class="number">Of it</th></tr></thead>
        <tbody>
          {levels.map((level) => (
            <tr title={level.ceiling}>
              <td>{level.level}</td>
              {level.bytes_per_s === null
                ? <td colSpan={3} class="muted">{level.missing || 'not measured'}</td>
                : <><td class="number">{rate(level.bytes_per_s, 'B/s')}</td><td class="number">{level.ceiling_bytes_per_s === null ? 'not known' : rate(level.ceiling_bytes_per_s, 'B/s')}</td><td class="number">{percent(level.of_ceiling)}</td></>}
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
