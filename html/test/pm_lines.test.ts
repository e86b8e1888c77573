// SPDX-License-Identifier: Apache-2.0
// Lines of PM samples, of tracks that share units.
import {describe, expect, test} from 'vitest';

import type {PmTrack} from '../src/data/timeline';
import {pmLinesOf, PM_SHOWN, topOf} from '../src/timeline/pm_lines';

const PEAK = '.avg.pct_of_peak_sustained_elapsed';

function track(metrics: string[], maxima = metrics.map(() => 40)): PmTrack {
  return {entry: {metrics, maxima}} as unknown as PmTrack;
}

describe('lines of PM samples', () => {
  test('a unit has one line, wherever its samples are', () => {
    const first = track([`FBSP.TriageCompute.dramc__throughput${PEAK}`, `LTS.TriageCompute.lts__throughput${PEAK}`]);
    const second = track([`TPC.TriageCompute.sm__cycles_active${PEAK}`, `dram__throughput${PEAK}`]);
    const lines = pmLinesOf([first, second]);
    expect(lines.map((line) => line.label)).toEqual(['DRAM %', 'L2 %', 'SM activity %']);
    expect(lines[0].parts).toEqual([{track: first, metric: 0}, {track: second, metric: 1}]);
  });
  test('a part of a unit is none', () => {
    const lines = pmLinesOf([track([`FBSP.TriageCompute.dramc__read_throughput${PEAK}`, `sm__inst_executed_pipe_fma${PEAK}`])]);
    expect(lines.map((line) => line.label)).toEqual(['dramc read_throughput %', 'sm inst_executed_pipe_fma %']);
  });
  test('there are not too many, and those of units come first', () => {
    const lines = pmLinesOf([track([...Array.from({length: 9}, (_, i) => `made_up__${i}.sum`), `lts__t_sectors${PEAK}`])]);
    expect(lines).toHaveLength(PM_SHOWN);
    expect(lines[0].label).toBe('L2 %');
  });
  test('a percentage is drawn up to 100, all else up to the highest sample', () => {
    const one = track([`lts__throughput${PEAK}`, 'made_up__bytes.sum'], [40, 700]);
    expect(topOf([{track: one, metric: 0}])).toBe(100);
    expect(topOf([{track: one, metric: 1}])).toBe(700);
  });
});
