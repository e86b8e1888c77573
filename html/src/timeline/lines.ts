// SPDX-License-Identifier: Apache-2.0
// The lines of the timeline from top to bottom, and what is under a point.
import type {EventTrack, Timeline} from '../data/timeline';
import {type PmPart, pmLinesOf} from './pm_lines';

export const LABEL_WIDTH = 148;
export const NARROW_LABEL_WIDTH = 100;
export const AXIS_HEIGHT = 26;

export type Line = {y: number; height: number} & (
  | {kind: 'heading'; label: string}
  | {kind: 'idle'; device: number; label: string}
  | {kind: 'events'; track: EventTrack; label: string}
  | {kind: 'pm'; parts: PmPart[]; label: string}
);

export interface View {
  begin: number; // ns after the first event
  end: number;
}

const ORDER = ['stream', 'pm', 'range', 'call', 'prof'];

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
    for (const {label, parts} of pmLinesOf(timeline.pm.filter((track) => track.entry.group === name))) {
      add({kind: 'pm', parts, label, y, height: 30});
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
