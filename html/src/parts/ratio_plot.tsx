// SPDX-License-Identifier: Apache-2.0
// After over before on a line: the value, its interval, and the threshold around 1. Plots of one
// table have one scale, which is logarithmic: twice as long and half as long are equally far from 1.
import {percent} from '../data/format';
import {type Compared, ratioText, verdictOf} from '../data/comparison';

const WIDTH = 150;
const HEIGHT = 22;
const EDGE = 7;

export function RatioPlot({compared, reach}: {compared: Compared; reach: number}) {
  const {ratio, low, high, threshold} = compared;
  if (ratio === null || !(ratio > 0)) return null;
  const place = (value: number): number => {
    const part = Math.log(Math.max(value, 1e-9)) / Math.log(reach); // -1..1 within the scale
    return EDGE + (Math.min(Math.max(part, -1), 1) * 0.5 + 0.5) * (WIDTH - 2 * EDGE);
  };
  const middle = HEIGHT / 2;
  const beyond = ratio > reach ? 1 : ratio < 1 / reach ? -1 : 0;
  const at = place(ratio);
  return (
    <svg class={`ratio ${verdictOf(compared).replace(' ', '-')}`} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} width={WIDTH} height={HEIGHT} role="img"
      aria-label={`after over before ${ratioText(compared)}, threshold ${percent(threshold)}`}>
      <rect class="threshold" x={place(1 / (1 + threshold))} width={place(1 + threshold) - place(1 / (1 + threshold))} y={2} height={HEIGHT - 4} />
      <line class="one" x1={place(1)} x2={place(1)} y1={0} y2={HEIGHT} />
      {low !== null && high !== null && <line class="interval" x1={place(low)} x2={Math.max(place(high), place(low) + 1)} y1={middle} y2={middle} />}
      {beyond === 0
        ? <circle cx={at} cy={middle} r={4} />
        : <path d={`M ${at + 6 * beyond} ${middle} l ${-9 * beyond} -5 v 10 z`} />}
    </svg>
  );
}

export function RatioScale({reach}: {reach: number}) {
  return <p class="muted">Plots: after over before from {(1 / reach).toFixed(2)} to {reach.toFixed(2)}; the line in the middle is 1, the band the threshold, the bar the interval. An arrow is beyond the scale.</p>;
}
