// SPDX-License-Identifier: Apache-2.0
// The lines of PM samples. prof measures a few metrics at a time and changes them, so one unit of a
// GPU has samples in several tracks: they share one line.
import type {PmTrack} from '../data/timeline';

export const PM_SHOWN = 6;

// Where a line's samples are: a metric of a track.
export interface PmPart {
  track: PmTrack;
  metric: number;
}

export interface PmLine {
  label: string;
  parts: PmPart[];
}

// Units by what says most about a kernel, as the report calls them. The tables of
// lib/format/triage_metrics.h have the metrics.
const UNITS: [RegExp, string][] = [
  [/\b(dramc?__throughput|gpu__dram_throughput)\b/, 'DRAM'],
  [/\blts__(t_sector_)?throughput\b|\blts__t_sectors\b/, 'L2'],
  [/\bsm__inst_executed(_realtime)?\b|\bsm__issue_active\b|\bsm__inst_issued\b/, 'SM issue'],
  [/\bsm__pipe_tensor_cycles_active(_realtime)?\b/, 'tensor'],
  [/\bsm__cycles_active\b/, 'SM activity'],
  [/\bl1tex__data_pipe_lsu_wavefronts\b/, 'L1'],
  [/\bsm__warps_active\b/, 'warps'],
  [/\bl1tex__data_pipe_lsu_wavefronts_mem_shared\b/, 'shared memory'],
];

function isPercent(name: string): boolean {
  return /pct/.test(name);
}

function labelOf(name: string): string {
  const unit = UNITS.find(([pattern]) => isPercent(name) && pattern.test(name));
  if (unit) return `${unit[1]} %`;
  return name
    .replace(/^[A-Z_]+\.[A-Za-z]+\./, '')
    .replace(/\.(avg|sum|max)\.pct_of_peak_sustained_(elapsed|active)/, ' %')
    .replace(/_realtime|__/g, (part) => (part === '__' ? ' ' : ''));
}

// Of the tracks of one GPU: the units above first, then others, in their order.
export function pmLinesOf(tracks: PmTrack[]): PmLine[] {
  const found = new Map<string, PmLine>();
  for (const [, unit] of UNITS) found.set(`${unit} %`, {label: `${unit} %`, parts: []});
  for (const track of tracks) {
    (track.entry.metrics ?? []).forEach((name, metric) => {
      const label = labelOf(name);
      const line = found.get(label) ?? {label, parts: []};
      line.parts.push({track, metric});
      found.set(label, line);
    });
  }
  return [...found.values()].filter((line) => line.parts.length > 0).slice(0, PM_SHOWN);
}

// What the full height of a line stands for.
export function topOf(parts: PmPart[]): number {
  return Math.max(...parts.map(({track, metric}) => (isPercent(track.entry.metrics![metric]) ? 100 : track.entry.maxima![metric]))) || 1;
}
