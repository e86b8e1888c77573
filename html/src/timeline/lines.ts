// SPDX-License-Identifier: Apache-2.0
// The lines of the timeline from top to bottom, and what is under a point.
import type {EventTrack, PmTrack, Timeline} from '../data/timeline';

export const LABEL_WIDTH = 148;
export const NARROW_LABEL_WIDTH = 84;
export const AXIS_HEIGHT = 26;

export type Line = {y: number; height: number} & (
  | {kind: 'heading'; label: string}
  | {kind: 'idle'; device: number; label: string}
  | {kind: 'events'; track: EventTrack; label: string}
  | {kind: 'pm'; track: PmTrack; metric: number; label: string}
);

export interface View {
  begin: number; // ns after the first event
  end: number;
}

export const PM_SHOWN = 6;
const ORDER = ['stream', 'pm', 'range', 'call', 'prof'];

// The metrics of a series that say most: those with the largest share of their maximum in use.
export function metricsToShow(track: PmTrack): number[] {
  const wanted = [/dramc?__throughput/, /lts__throughput/, /pipe_tensor/, /inst_executed_realtime|issue/, /warps_active/, /cycles_active\./];
  const chosen: number[] = [];
  const names = track.entry.metrics ?? [];
  for (const pattern of wanted) {
    const found = names.findIndex((name, index) => pattern.test(name) && !chosen.includes(index));
    if (found >= 0) chosen.push(found);
  }
  names.forEach((_, index) => {
    if (chosen.length < PM_SHOWN && !chosen.includes(index)) chosen.push(index);
  });
  return chosen.slice(0, PM_SHOWN);
}

function metricLabel(name: string): string {
  return name
    .replace(/^[A-Z_]+\.[A-Za-z]+\./, '')
    .replace(/\.(avg|sum|max)\.pct_of_peak_sustained_(elapsed|active)/, ' %')
    .replace(/_realtime|FBSP|__/g, (part) => (part === '__' ? ' ' : ''));
}

export function linesOf(timeline: Timeline): Line[] {
  const lines: Line[] = [];
  let y = 4;
  const add = (line: Line) => {
    lines.push(line);
    y += line.height;
  };
  const groups = new Map<string, EventTrack[]>();
  for (const track of timeline.events) {
    const group = groups.get(track.entry.group) ?? [];
    group.push(track);
    groups.set(track.entry.group, group);
  }
  for (const track of timeline.pm) if (!groups.has(track.entry.group)) groups.set(track.entry.group, []);
  const names = [...groups.keys()].sort((a, b) => Number(b.startsWith('GPU')) - Number(a.startsWith('GPU')));
  for (const name of names) {
    const tracks = groups.get(name)!;
    add({kind: 'heading', label: name, y, height: 22});
    const device = tracks.find((track) => track.entry.kind === 'stream')?.entry.device;
    if (device !== undefined && timeline.idle.has(device)) {
      add({kind: 'idle', device, label: 'idle by cause', y, height: 20});
    }
    tracks.sort(
      (a, b) =>
        ORDER.indexOf(a.entry.kind) - ORDER.indexOf(b.entry.kind) ||
        a.entry.label.localeCompare(b.entry.label, 'en', {numeric: true}) ||
        a.entry.lane - b.entry.lane,
    );
    for (const track of tracks) {
      const label = track.entry.lane === 0 ? track.entry.label : '';
      add({kind: 'events', track, label, y, height: track.entry.kind === 'stream' ? 26 : 19});
    }
    for (const track of timeline.pm) {
      if (track.entry.group !== name) continue;
      for (const metric of metricsToShow(track)) {
        add({kind: 'pm', track, metric, label: metricLabel(track.entry.metrics![metric]), y, height: 30});
      }
    }
    y += 6;
  }
  return lines;
}

export function heightOf(lines: Line[]): number {
  const last = lines[lines.length - 1];
  return last ? last.y + last.height + 8 : 60;
}

export function lineAt(lines: Line[], y: number): Line | null {
  return lines.find((line) => y >= line.y && y < line.y + line.height) ?? null;
}

// A view inside the span, at least 20 ns wide.
export function clamped(view: View, span: number): View {
  const width = Math.min(Math.max(view.end - view.begin, 20), span);
  const begin = Math.min(Math.max(view.begin, 0), span - width);
  return {begin, end: begin + width};
}

export function zoomed(view: View, at: number, factor: number, span: number): View {
  const width = (view.end - view.begin) * factor;
  const share = (at - view.begin) / (view.end - view.begin);
  const kept = Math.min(Math.max(width, 20), span);
  return clamped({begin: at - share * kept, end: at - share * kept + kept}, span);
}
