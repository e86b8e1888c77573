// SPDX-License-Identifier: Apache-2.0
// Draws the timeline. From afar a pixel's column has the height of the busy share of its time; near
// by, each event is a rectangle. No frame looks at more events than it has to.
import {isNamed, type Palette} from '../colors';
import {time} from '../data/format';
import {indexPays} from '../data/time_index';
import type {BusySums, EventTrack, Timeline} from '../data/timeline';
import {AXIS_HEIGHT, type Line, type View} from './lines';
import {type PmPart, topOf} from './pm_lines';

export interface Scene {
  timeline: Timeline;
  lines: Line[];
  view: View;
  width: number;
  height: number;
  scroll: number;
  label: number; // width of the labels
  accepted: Uint8Array | null;
  found: Uint8Array | null; // names that the search found
  chosen: {track: EventTrack; event: number} | null;
  brush: View | null;
  selectedBusy: Map<EventTrack, BusySums>;
}

const EVENTS_PER_PIXEL = 4;
const LABEL_FROM = 34; // px

export function tickStep(width: number, ns: number): number {
  const rough = (ns / width) * 110;
  const power = 10 ** Math.floor(Math.log10(rough));
  for (const step of [1, 2, 5, 10]) if (step * power >= rough) return Math.max(step * power, 1);
  return 10 * power;
}

function drawAxis(c: CanvasRenderingContext2D, scene: Scene, palette: Palette): void {
  const {view, width, label} = scene;
  const scale = (width - label) / (view.end - view.begin);
  const step = tickStep(width - label, view.end - view.begin);
  c.fillStyle = palette.get('panel');
  c.fillRect(0, 0, width, AXIS_HEIGHT);
  c.fillStyle = palette.get('muted');
  c.strokeStyle = palette.get('grid');
  c.font = '11px system-ui, sans-serif';
  c.beginPath();
  for (let at = Math.ceil(view.begin / step) * step; at <= view.end; at += step) {
    const x = Math.round(label + (at - view.begin) * scale) + 0.5;
    c.moveTo(x, AXIS_HEIGHT - 6);
    c.lineTo(x, scene.height);
    if (x < width - 50) c.fillText(tickText(at, step), x + 4, 15);
  }
  c.stroke();
}

// Enough digits for the step.
export function tickText(ns: number, step: number): string {
  if (ns === 0) return '0';
  const [unit, name] = ns >= 1e9 ? [1e9, 's'] : ns >= 1e6 ? [1e6, 'ms'] : ns >= 1e3 ? [1e3, 'µs'] : [1, 'ns'];
  const digits = Math.min(Math.max(Math.ceil(-Math.log10(step / unit) - 1e-9), 0), 9);
  return `${(ns / unit).toFixed(digits)} ${name}`;
}

const ON_MEANING = '#10141a'; // on colours that are equal in both themes

function isDim(scene: Scene, id: number): boolean {
  if (scene.found) return scene.found[id] === 0;
  return scene.accepted !== null && scene.accepted[id] === 0;
}

// Time in the columns of the view, a column for each pixel: from the bins where a pixel is as wide as
// one of them, and else from the events.
function columnsOf(scene: Scene, track: EventTrack, sums: BusySums | null | undefined, accepts: Uint8Array | null, first: number, last: number): Float64Array {
  const {view, width, label} = scene;
  const columns = new Float64Array(width - label);
  const span = view.end - view.begin;
  if (sums && span / columns.length >= sums.bins.binNs) sums.bins.addTo(columns, span, view.begin);
  else if (sums?.index && indexPays(last - first, columns.length)) sums.index.addTo(columns, span, view.begin);
  else track.addTimes(columns, span, view.begin, first, last, accepts);
  return columns;
}

function drawColumns(c: CanvasRenderingContext2D, scene: Scene, palette: Palette, line: Line, track: EventTrack, first: number, last: number): void {
  const {view, width, label} = scene;
  const perPixel = (view.end - view.begin) / (width - label);
  const bottom = line.y + line.height - 2;
  const full = line.height - 4;
  const paint = (columns: Float64Array, color: string) => {
    c.fillStyle = color;
    for (let x = 0; x < columns.length; x++) {
      const high = Math.max(Math.min(columns[x] / perPixel, 1) * full, 1);
      if (columns[x] > 0) c.fillRect(label + x, bottom - high, 1, high);
    }
  };
  const accepts = scene.found ?? scene.accepted;
  paint(columnsOf(scene, track, track.busy, null, first, last), palette.get(accepts ? 'dim' : `track-${track.entry.kind}`) || palette.get('accent'));
  if (accepts) paint(columnsOf(scene, track, scene.selectedBusy.get(track), accepts, first, last), palette.get('accent'));
}

function drawNear(c: CanvasRenderingContext2D, scene: Scene, palette: Palette, line: Line, track: EventTrack, first: number, last: number): void {
  const {view, width, label} = scene;
  const scale = (width - label) / (view.end - view.begin);
  const names = scene.timeline.header.names;
  const top = line.y + 2;
  const high = line.height - 4;
  let drawnTo = -1;
  c.font = '11px system-ui, sans-serif';
  for (let i = first; i < last; i++) {
    const begin = label + (track.starts[i] - view.begin) * scale;
    const end = begin + track.durations[i] * scale;
    if (end < drawnTo) continue;
    const left = Math.max(begin, label);
    const wide = Math.max(Math.min(end, width) - left - (end - begin > 3 ? 0.5 : 0), 1);
    drawnTo = left + wide;
    const id = track.names[i];
    c.fillStyle = isDim(scene, id) ? palette.get('dim') : palette.ofName(id, names[id]);
    c.fillRect(left, top, wide, high);
    const chosen = scene.chosen;
    if (chosen && chosen.track === track && chosen.event === i) {
      c.strokeStyle = palette.get('text');
      c.lineWidth = 2;
      c.strokeRect(left + 1, top + 1, Math.max(wide - 2, 1), high - 2);
      c.lineWidth = 1;
    }
    if (wide > LABEL_FROM && !isDim(scene, id)) {
      c.fillStyle = isNamed(names[id].kind) ? palette.get('on-track') : ON_MEANING;
      c.fillText(fitted(names[id].label, wide - 8), left + 4, top + high / 2 + 4);
    }
  }
}

// The text in so many pixels; 6.2 is the mean width of a letter.
function fitted(text: string, width: number): string {
  const letters = Math.floor(width / 6.2);
  return text.length <= letters ? text : `${text.slice(0, Math.max(letters - 1, 0))}…`;
}

function drawEvents(c: CanvasRenderingContext2D, scene: Scene, palette: Palette, line: Line, track: EventTrack): void {
  const {view, width, label} = scene;
  const first = track.firstIn(view.begin);
  const last = track.lowerBound(view.end);
  if (last - first <= EVENTS_PER_PIXEL * (width - label)) drawNear(c, scene, palette, line, track, first, last);
  else drawColumns(c, scene, palette, line, track, first, last);
}

function drawIdle(c: CanvasRenderingContext2D, scene: Scene, palette: Palette, line: Line, device: number): void {
  const {view, width, label, timeline} = scene;
  const causes = timeline.idle.get(device)!;
  const perPixel = (view.end - view.begin) / (width - label);
  const near = perPixel < causes[0].binNs;
  if (near && drawGaps(c, scene, palette, line, device)) return;
  const full = line.height - 4;
  const columns = causes.map(() => new Float64Array(width - label));
  if (near) addGaps(scene, device, columns);
  else causes.forEach((sums, cause) => sums.total > 0 && sums.addTo(columns[cause], view.end - view.begin, view.begin));
  const bottoms = new Float64Array(width - label).fill(line.y + line.height - 2);
  causes.forEach((sums, cause) => {
    if (sums.total === 0) return;
    c.fillStyle = palette.meaning(timeline.header.causes[cause]);
    for (let x = 0; x < bottoms.length; x++) {
      const high = (columns[cause][x] / perPixel) * full;
      if (high <= 0) continue;
      bottoms[x] -= high;
      c.fillRect(label + x, bottoms[x], 1, high);
    }
  });
}

// The events of a stream that may end a gap in the view: the one behind the view may, too.
function gapEvents(track: EventTrack, view: View): [number, number] {
  return [track.firstIn(view.begin), Math.min(track.lowerBound(view.end) + 1, track.count)];
}

// By cause: idle time in each pixel, from the gaps themselves.
function addGaps(scene: Scene, device: number, columns: Float64Array[]): void {
  const {view, timeline} = scene;
  for (const track of timeline.events) {
    if (track.causes.length === 0 || track.entry.device !== device) continue;
    const [first, last] = gapEvents(track, view);
    track.addIdle(columns, view.end - view.begin, view.begin, first, last);
  }
}

// Each gap as it is; false where they are too many.
function drawGaps(c: CanvasRenderingContext2D, scene: Scene, palette: Palette, line: Line, device: number): boolean {
  const {view, width, label, timeline} = scene;
  const scale = (width - label) / (view.end - view.begin);
  for (const track of timeline.events) {
    if (track.causes.length === 0 || track.entry.device !== device) continue;
    const [first, last] = gapEvents(track, view);
    if (last - first > EVENTS_PER_PIXEL * (width - label)) return false;
    for (let i = first; i < last; i++) {
      if (track.causes[i] === 0) continue;
      const end = track.starts[i];
      const left = Math.max(label + (end - track.idleBefore(i) - view.begin) * scale, label);
      const right = Math.min(label + (end - view.begin) * scale, width);
      if (right - left < 0.3) continue;
      c.fillStyle = palette.meaning(timeline.header.causes[track.causes[i] - 1]);
      c.fillRect(left, line.y + 2, Math.max(right - left, 0.5), line.height - 4);
    }
  }
  return true;
}

function drawPm(c: CanvasRenderingContext2D, scene: Scene, palette: Palette, line: Line, parts: PmPart[]): void {
  const maximum = topOf(parts);
  for (const part of parts) drawPmPart(c, scene, palette, line, part, maximum);
}

function drawPmPart(c: CanvasRenderingContext2D, scene: Scene, palette: Palette, line: Line, {track, metric}: PmPart, maximum: number): void {
  const {view, width, label} = scene;
  const scale = (width - label) / (view.end - view.begin);
  const values = track.values[metric];
  const bottom = line.y + line.height - 2;
  const full = line.height - 4;
  c.fillStyle = palette.get('track-pm');
  let column = -1;
  let sum = 0;
  let weight = 0;
  const flush = () => {
    if (weight > 0) c.fillRect(label + column, bottom - (sum / weight / maximum) * full, 1, (sum / weight / maximum) * full);
    sum = weight = 0;
  };
  for (let i = track.firstIn(view.begin); i < track.count && track.starts[i] < view.end; i++) {
    if (Number.isNaN(values[i])) continue;
    const left = Math.max((track.starts[i] - view.begin) * scale, 0);
    const right = Math.min((track.ends[i] - view.begin) * scale, width - label);
    if (right - left > 1.5) {
      flush();
      c.fillRect(label + left, bottom - (values[i] / maximum) * full, right - left, (values[i] / maximum) * full);
      continue;
    }
    if (Math.floor(left) !== column) flush();
    column = Math.floor(left);
    sum += values[i] * Math.max(right - left, 1e-9);
    weight += Math.max(right - left, 1e-9);
  }
  flush();
}

function drawLabels(c: CanvasRenderingContext2D, scene: Scene, palette: Palette, lines: Line[]): void {
  c.fillStyle = palette.get('panel');
  c.fillRect(0, 0, scene.label, scene.height + scene.scroll);
  for (const line of lines) {
    c.font = line.kind === 'heading' ? '600 12px system-ui, sans-serif' : '11px system-ui, sans-serif';
    c.fillStyle = palette.get(line.kind === 'heading' ? 'text' : 'muted');
    const wide = line.kind === 'heading' ? 400 : scene.label - 14;
    c.fillText(fitted(line.label, wide), line.kind === 'heading' ? 8 : 12, line.y + line.height / 2 + 4);
  }
}

function drawBrush(c: CanvasRenderingContext2D, scene: Scene, palette: Palette): void {
  const {brush, view, width, label} = scene;
  if (!brush) return;
  const scale = (width - label) / (view.end - view.begin);
  const left = Math.max(label + (brush.begin - view.begin) * scale, label);
  const right = Math.min(label + (brush.end - view.begin) * scale, width);
  if (right <= left) return;
  c.fillStyle = palette.get('brush');
  c.fillRect(left, 0, right - left, scene.height);
  c.fillStyle = palette.get('text');
  c.font = '600 11px system-ui, sans-serif';
  c.fillText(time(brush.end - brush.begin), left + 4, AXIS_HEIGHT + 12);
}

export function draw(c: CanvasRenderingContext2D, scene: Scene, palette: Palette): void {
  c.fillStyle = palette.get('panel');
  c.fillRect(0, 0, scene.width, scene.height);
  c.strokeStyle = palette.get('grid');
  drawAxis(c, scene, palette);
  const visible = scene.lines.filter(
    (line) => line.y + line.height > scene.scroll && line.y < scene.scroll + scene.height - AXIS_HEIGHT,
  );
  c.save();
  c.beginPath();
  c.rect(0, AXIS_HEIGHT, scene.width, scene.height - AXIS_HEIGHT);
  c.clip();
  c.translate(0, AXIS_HEIGHT - scene.scroll);
  for (const line of visible) {
    if (line.kind === 'events') drawEvents(c, scene, palette, line, line.track);
    else if (line.kind === 'idle') drawIdle(c, scene, palette, line, line.device);
    else if (line.kind === 'pm') drawPm(c, scene, palette, line, line.parts);
  }
  drawLabels(c, scene, palette, visible);
  c.restore();
  drawBrush(c, scene, palette);
}
