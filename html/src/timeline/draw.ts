// SPDX-License-Identifier: Apache-2.0
// Draws the timeline. From afar a pixel's column has the height of the busy share of its time; near
// by, each event is a rectangle. No frame looks at more events than it has to.
import {nameColor, type Palette} from '../colors';
import {time} from '../data/format';
import type {EventTrack, PmTrack, Timeline} from '../data/timeline';
import {AXIS_HEIGHT, type Line, type View} from './lines';

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
  selectedBusy: Map<EventTrack, {within(begin: number, end: number): number}>;
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

function isNamed(kind: string): boolean {
  return kind === 'kernel' || kind === 'graph' || kind === 'range';
}

function fillOf(scene: Scene, palette: Palette, id: number): string {
  const name = scene.timeline.header.names[id];
  return isNamed(name.kind)
    ? nameColor(name.label, palette.dark)
    : palette.meaning(name.kind);
}

function isDim(scene: Scene, id: number): boolean {
  if (scene.found) return scene.found[id] === 0;
  return scene.accepted !== null && scene.accepted[id] === 0;
}

function drawFar(c: CanvasRenderingContext2D, scene: Scene, palette: Palette, line: Line, track: EventTrack): void {
  const {view, width, label} = scene;
  const perPixel = (view.end - view.begin) / (width - label);
  const bottom = line.y + line.height - 2;
  const full = line.height - 4;
  const dim = scene.accepted !== null || scene.found !== null;
  c.fillStyle = palette.get(dim ? 'dim' : `track-${track.entry.kind}`) || palette.get('accent');
  for (let x = 0; x < width - label; x++) {
    const begin = view.begin + x * perPixel;
    const busy = track.busy!.within(begin, begin + perPixel) / perPixel;
    if (busy > 0) c.fillRect(label + x, bottom - Math.max(busy * full, 1), 1, Math.max(busy * full, 1));
  }
  const selected = scene.selectedBusy.get(track);
  if (!selected) return;
  c.fillStyle = palette.get('accent');
  for (let x = 0; x < width - label; x++) {
    const begin = view.begin + x * perPixel;
    const busy = selected.within(begin, begin + perPixel) / perPixel;
    if (busy > 0) c.fillRect(label + x, bottom - Math.max(busy * full, 1), 1, Math.max(busy * full, 1));
  }
}

// Between: the bins are wider than a pixel, and the events are narrower.
function drawMiddle(c: CanvasRenderingContext2D, scene: Scene, palette: Palette, line: Line, track: EventTrack, first: number, last: number): void {
  const {view, width, label} = scene;
  const scale = (width - label) / (view.end - view.begin);
  const columns = new Float32Array(width - label + 1);
  const selected = scene.accepted || scene.found ? new Float32Array(width - label + 1) : null;
  for (let i = first; i < last; i++) {
    let at = Math.max((track.starts[i] - view.begin) * scale, 0);
    const end = Math.min((track.starts[i] + track.durations[i] - view.begin) * scale, columns.length - 1);
    const into = selected && !isDim(scene, track.names[i]) ? selected : null;
    while (at < end) {
      const next = Math.min(Math.floor(at) + 1, end);
      columns[Math.floor(at)] += next - at;
      if (into) into[Math.floor(at)] += next - at;
      at = next;
    }
  }
  const bottom = line.y + line.height - 2;
  const full = line.height - 4;
  const paint = (values: Float32Array, color: string) => {
    c.fillStyle = color;
    for (let x = 0; x < values.length; x++) {
      const high = Math.min(values[x], 1) * full;
      if (values[x] > 0) c.fillRect(label + x, bottom - Math.max(high, 1), 1, Math.max(high, 1));
    }
  };
  paint(columns, palette.get(selected ? 'dim' : `track-${track.entry.kind}`) || palette.get('accent'));
  if (selected) paint(selected, palette.get('accent'));
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
    c.fillStyle = isDim(scene, id) ? palette.get('dim') : fillOf(scene, palette, id);
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
  const perPixel = (view.end - view.begin) / (width - label);
  if (last - first <= EVENTS_PER_PIXEL * (width - label)) drawNear(c, scene, palette, line, track, first, last);
  else if (track.busy && perPixel >= track.busy.binNs) drawFar(c, scene, palette, line, track);
  else drawMiddle(c, scene, palette, line, track, first, last);
}

function drawIdle(c: CanvasRenderingContext2D, scene: Scene, palette: Palette, line: Line, device: number): void {
  const {view, width, label, timeline} = scene;
  const causes = timeline.idle.get(device)!;
  const perPixel = (view.end - view.begin) / (width - label);
  const near = perPixel < causes[0].binNs;
  if (near && drawGaps(c, scene, palette, line, device)) return;
  const full = line.height - 4;
  const below = new Float32Array(width - label);
  const shares = near ? gapColumns(scene, device) : null;
  causes.forEach((sums, cause) => {
    if (sums.sums[sums.sums.length - 1] === 0) return;
    c.fillStyle = palette.meaning(timeline.header.causes[cause]);
    for (let x = 0; x < width - label; x++) {
      const begin = view.begin + x * perPixel;
      const share = shares ? shares[cause][x] : sums.within(begin, begin + perPixel) / perPixel;
      if (share <= 0) continue;
      const bottom = line.y + line.height - 2 - below[x] * full;
      c.fillRect(label + x, bottom - share * full, 1, share * full);
      below[x] += share;
    }
  });
}

// The events of a stream that may end a gap in the view: the one behind the view may, too.
function gapEvents(track: EventTrack, view: View): [number, number] {
  return [track.firstIn(view.begin), Math.min(track.lowerBound(view.end) + 1, track.count)];
}

// By cause: the share of each pixel that is idle, from the gaps themselves.
function gapColumns(scene: Scene, device: number): Float32Array[] {
  const {view, width, label, timeline} = scene;
  const scale = (width - label) / (view.end - view.begin);
  const columns = timeline.header.causes.map(() => new Float32Array(width - label + 1));
  for (const track of timeline.events) {
    if (track.causes.length === 0 || track.entry.device !== device) continue;
    const [first, last] = gapEvents(track, view);
    for (let i = first; i < last; i++) {
      if (track.causes[i] === 0) continue;
      const into = columns[track.causes[i] - 1];
      let at = Math.max((track.starts[i] - track.idleBefore(i) - view.begin) * scale, 0);
      const end = Math.min((track.starts[i] - view.begin) * scale, width - label);
      while (at < end) {
        const next = Math.min(Math.floor(at) + 1, end);
        into[Math.floor(at)] += next - at;
        at = next;
      }
    }
  }
  return columns;
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

function drawPm(c: CanvasRenderingContext2D, scene: Scene, palette: Palette, line: Line, track: PmTrack, metric: number): void {
  const {view, width, label} = scene;
  const scale = (width - label) / (view.end - view.begin);
  const values = track.values[metric];
  const isPercent = /pct/.test(track.entry.metrics![metric]);
  const maximum = isPercent ? 100 : track.entry.maxima![metric] || 1;
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
    else if (line.kind === 'pm') drawPm(c, scene, palette, line, line.track, line.metric);
  }
  drawLabels(c, scene, palette, visible);
  c.restore();
  drawBrush(c, scene, palette);
}
