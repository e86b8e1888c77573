// SPDX-License-Identifier: Apache-2.0
// The timeline: a canvas with the keyboard, the wheel and the pointer, and what was chosen in it.
import {useSignal} from '@preact/signals';
import {useEffect, useMemo, useRef, useState} from 'preact/hooks';

import {Palette} from '../colors';
import {bytes, count, exactTime, time} from '../data/format';
import type {BusySums, EventTrack, Timeline} from '../data/timeline';
import {Legend} from '../parts/bar';
import {theme} from '../parts/theme';
import {go} from '../place';
import {acceptedNames, decoded, decodeProblem, type Loaded, selection, timeline, timeWindow} from '../state';
import {draw, type Scene, tickText} from '../timeline/draw';
import {AXIS_HEIGHT, clamped, heightOf, LABEL_WIDTH, lineAt, type Line, linesOf, NARROW_LABEL_WIDTH, type View, zoomed} from '../timeline/lines';

interface Chosen {
  track: EventTrack;
  event: number;
}

const NARROW = 640; // px

function gapText(lines: Timeline, chosen: Chosen): string {
  const cause = chosen.track.causes[chosen.event] ?? 0;
  if (cause === 0) return '';
  return `${time(chosen.track.idleBefore(chosen.event))} (${lines.header.causes[cause - 1]})`;
}

function Details({lines, chosen}: {lines: Timeline; chosen: Chosen | null}) {
  if (chosen === null) {
    return <p class="muted">Click an event for its numbers. Drag to pan; Shift and drag for a stretch of time.</p>;
  }
  const {track, event} = chosen;
  const name = lines.header.names[track.names[event]];
  const size = track.sizes.get(event);
  const gap = gapText(lines, chosen);
  const range = name.range >= 0 ? lines.header.ranges[name.range].label : '';
  return (
    <dl class="facts" data-testid="details">
      <div><dt>{name.kind}</dt><dd><strong>{name.label}</strong></dd></div>
      <div><dt>where</dt><dd>{track.entry.group}, {track.entry.label}</dd></div>
      {range !== '' && <div><dt>range</dt><dd>{range}</dd></div>}
      <div><dt>start</dt><dd>{exactTime(track.starts[event])}</dd></div>
      <div><dt>duration</dt><dd>{exactTime(track.durations[event])}</dd></div>
      {size !== undefined && <div><dt>bytes</dt><dd>{bytes(size)}, {bytes((size / Math.max(track.durations[event], 1)) * 1e9)}/s</dd></div>}
      {gap !== '' && <div><dt>idle before</dt><dd>{gap}</dd></div>}
      <div class="actions">
        {name.kernel >= 0 && <button onClick={() => go(`kernel/${name.kernel}`)}>Kernel page</button>}
        {name.kernel >= 0 && <button onClick={() => (selection.value = {kind: 'kernel', index: name.kernel})}>Select kernel</button>}
        {name.range >= 0 && <button onClick={() => (selection.value = {kind: 'range', index: name.range})}>Select range</button>}
      </div>
    </dl>
  );
}

// The names that contain a text, and the first event after `from` with one of them.
function search(lines: Timeline, text: string): Uint8Array | null {
  if (text === '') return null;
  const wanted = text.toLowerCase();
  return Uint8Array.from(lines.header.names, (name) => Number(name.label.toLowerCase().includes(wanted)));
}

function nextFound(lines: Timeline, found: Uint8Array, from: number): Chosen | null {
  let best: Chosen | null = null;
  for (const track of lines.events) {
    for (let i = track.lowerBound(from); i < track.count; i++) {
      if (found[track.names[i]] === 0) continue;
      if (best === null || track.starts[i] < best.track.starts[best.event]) best = {track, event: i};
      break;
    }
  }
  return best;
}

function countFound(lines: Timeline, found: Uint8Array): number {
  let sum = 0;
  for (const track of lines.events) for (let i = 0; i < track.count; i++) sum += found[track.names[i]];
  return sum;
}

// The canvas and all that moves it. It draws at most once a frame.
class Stage {
  view: View;
  chosen: Chosen | null = null;
  found: Uint8Array | null = null;
  lines: Line[];
  worstMs = 0; // of all frames, for the measurement
  frames = 0;
  private scheduled = false;
  private palette = new Palette();
  private selectedBusy = new Map<EventTrack, BusySums>();
  private accepted: Uint8Array | null = null;
  onView: () => void = () => {};

  constructor(
    readonly canvas: HTMLCanvasElement,
    readonly box: HTMLElement,
    readonly timeline: Timeline,
  ) {
    this.view = {begin: 0, end: timeline.span};
    this.lines = linesOf(timeline);
  }

  get width(): number {
    return this.box.clientWidth;
  }

  get label(): number {
    return this.width < NARROW ? NARROW_LABEL_WIDTH : LABEL_WIDTH;
  }

  timeAt(x: number): number {
    return this.view.begin + ((x - this.label) / (this.width - this.label)) * (this.view.end - this.view.begin);
  }

  move(view: View): void {
    this.view = clamped(view, this.timeline.span);
    this.redraw();
  }

  zoom(factor: number, at = (this.view.begin + this.view.end) / 2): void {
    this.move(zoomed(this.view, at, factor, this.timeline.span));
  }

  pan(share: number): void {
    const by = (this.view.end - this.view.begin) * share;
    this.move({begin: this.view.begin + by, end: this.view.end + by});
  }

  show(chosen: Chosen): void {
    this.chosen = chosen;
    const {track, event} = chosen;
    const margin = Math.max(track.durations[event] * 4, 2000);
    const line = this.lines.find((one) => one.kind === 'events' && one.track === track);
    if (line) this.box.scrollTop = Math.max(line.y - this.box.clientHeight / 2, 0);
    this.move({begin: track.starts[event] - margin, end: track.end(event) + margin});
  }

  accept(accepted: Uint8Array | null): void {
    this.accepted = accepted;
    this.summarize();
  }

  find(found: Uint8Array | null): void {
    this.found = found;
    this.summarize();
  }

  private summarize(): void {
    const names = this.found ?? this.accepted;
    this.selectedBusy.clear();
    if (names) for (const track of this.timeline.events) this.selectedBusy.set(track, track.sum(this.timeline.span, names));
    this.redraw();
  }

  retheme(): void {
    this.palette = new Palette();
    this.redraw();
  }

  redraw(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    requestAnimationFrame(() => {
      this.scheduled = false;
      const begin = performance.now();
      this.paint();
      this.worstMs = Math.max(this.worstMs, performance.now() - begin);
      this.frames++;
      this.onView();
    });
  }

  paint(): void {
    const ratio = devicePixelRatio || 1;
    const width = this.width;
    const height = this.box.clientHeight;
    if (this.canvas.width !== Math.round(width * ratio) || this.canvas.height !== Math.round(height * ratio)) {
      this.canvas.width = Math.round(width * ratio);
      this.canvas.height = Math.round(height * ratio);
      this.canvas.style.width = `${width}px`;
      this.canvas.style.height = `${height}px`;
    }
    const context = this.canvas.getContext('2d', {alpha: false})!;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const scene: Scene = {
      timeline: this.timeline, lines: this.lines, view: this.view, width, height,
      scroll: this.box.scrollTop, label: this.label, accepted: this.accepted, found: this.found,
      chosen: this.chosen, brush: timeWindow.value, selectedBusy: this.selectedBusy,
    };
    draw(context, scene, this.palette);
  }

  at(x: number, y: number): Chosen | null {
    if (x < this.label || y < AXIS_HEIGHT) return null;
    const line = lineAt(this.lines, y - AXIS_HEIGHT + this.box.scrollTop);
    if (line === null || line.kind !== 'events') return null;
    const slack = (this.timeAt(3) - this.timeAt(0));
    for (const ns of [this.timeAt(x), this.timeAt(x) - slack, this.timeAt(x) + slack]) {
      const event = line.track.at(ns);
      if (event >= 0) return {track: line.track, event};
    }
    return null;
  }
}

const KEYS: Record<string, (stage: Stage) => void> = {
  w: (stage) => stage.zoom(0.7), '+': (stage) => stage.zoom(0.7), '=': (stage) => stage.zoom(0.7),
  s: (stage) => stage.zoom(1 / 0.7), '-': (stage) => stage.zoom(1 / 0.7),
  a: (stage) => stage.pan(-0.15), ArrowLeft: (stage) => stage.pan(-0.15),
  d: (stage) => stage.pan(0.15), ArrowRight: (stage) => stage.pan(0.15),
  '0': (stage) => stage.move({begin: 0, end: stage.timeline.span}),
  Home: (stage) => stage.move({begin: 0, end: stage.timeline.span}),
  f: (stage) => stage.chosen && stage.show(stage.chosen),
};

// Pointer and wheel. A click is a press that did not move.
function connect(stage: Stage, choose: (chosen: Chosen | null) => void): () => void {
  const {canvas} = stage;
  let press: {x: number; view: View; shift: boolean; moved: boolean; at: number} | null = null;
  const where = (event: PointerEvent | WheelEvent) => {
    const box = canvas.getBoundingClientRect();
    return {x: event.clientX - box.left, y: event.clientY - box.top};
  };
  const down = (event: PointerEvent) => {
    const {x} = where(event);
    press = {x, view: stage.view, shift: event.shiftKey, moved: false, at: stage.timeAt(x)};
    canvas.setPointerCapture(event.pointerId);
  };
  const move = (event: PointerEvent) => {
    const {x, y} = where(event);
    if (press === null) {
      canvas.style.cursor = stage.at(x, y) ? 'pointer' : 'grab';
      return;
    }
    press.moved ||= Math.abs(x - press.x) > 3;
    if (!press.moved) return;
    if (press.shift) {
      const to = stage.timeAt(x);
      timeWindow.value = {begin: Math.max(Math.min(press.at, to), 0), end: Math.max(press.at, to)};
      stage.redraw();
      return;
    }
    const by = ((press.x - x) / (stage.width - stage.label)) * (press.view.end - press.view.begin);
    stage.move({begin: press.view.begin + by, end: press.view.end + by});
  };
  const up = (event: PointerEvent) => {
    if (press && !press.moved) {
      const {x, y} = where(event);
      stage.chosen = stage.at(x, y);
      choose(stage.chosen);
      stage.redraw();
    }
    press = null;
  };
  const wheel = (event: WheelEvent) => {
    const zooms = event.ctrlKey || event.metaKey;
    const pans = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY);
    if (!zooms && !pans && stage.box.scrollHeight > stage.box.clientHeight + 1) return;
    event.preventDefault();
    if (pans && !zooms) stage.pan((event.deltaX || event.deltaY) / 1000);
    else stage.zoom(Math.exp(event.deltaY / 400), stage.timeAt(where(event).x));
  };
  const twice = (event: MouseEvent) => {
    const box = canvas.getBoundingClientRect();
    const chosen = stage.at(event.clientX - box.left, event.clientY - box.top);
    if (chosen) stage.show(chosen);
  };
  const scroll = () => stage.redraw();
  canvas.addEventListener('pointerdown', down);
  canvas.addEventListener('pointermove', move);
  canvas.addEventListener('pointerup', up);
  canvas.addEventListener('dblclick', twice);
  stage.box.addEventListener('wheel', wheel, {passive: false});
  stage.box.addEventListener('scroll', scroll);
  const observer = new ResizeObserver(() => stage.redraw());
  observer.observe(stage.box);
  return () => {
    observer.disconnect();
    stage.box.removeEventListener('wheel', wheel);
    stage.box.removeEventListener('scroll', scroll);
  };
}

function viewText({begin, end}: View): string {
  const step = 10 ** Math.floor(Math.log10((end - begin) / 100));
  return `${tickText(begin, step)} to ${tickText(end, step)}: ${time(end - begin)}`;
}

function leftOut(lines: Timeline): string {
  let host = 0;
  let untimed = 0;
  for (const track of lines.events) {
    if (track.entry.kind === 'stream') untimed += track.entry.left_out;
    else host += track.entry.left_out;
  }
  return [
    host > 0 ? `${count(host)} of the shortest ranges and calls are left out, to keep the file small.` : '',
    untimed > 0 ? `${count(untimed)} operations are left out: they have no time, most often because prof sampled them.` : '',
  ].filter(Boolean).join(' ');
}

function Canvas({lines}: {lines: Timeline}) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const box = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const stage = useRef<Stage | null>(null);
  const [chosen, choose] = useState<Chosen | null>(null);
  const [found, setFound] = useState(-1);
  const view = useSignal('');
  const height = useMemo(() => heightOf(linesOf(lines)) + AXIS_HEIGHT, [lines]);

  useEffect(() => {
    const one = new Stage(canvas.current!, box.current!, lines);
    stage.current = one;
    (window as unknown as {profStage: Stage}).profStage = one; // for measurements
    one.onView = () => (view.value = viewText(one.view));
    one.redraw();
    return connect(one, choose);
  }, [lines]);
  useEffect(() => selection.subscribe((value) => stage.current?.accept(acceptedNames(lines.header, value))), [lines]);
  useEffect(() => timeWindow.subscribe(() => stage.current?.redraw()), [lines]);
  useEffect(() => theme.subscribe(() => setTimeout(() => stage.current?.retheme(), 0)), [lines]);
  useEffect(() => {
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    const changed = () => stage.current?.retheme();
    const slash = (event: KeyboardEvent) => {
      if (event.key !== '/' || event.target instanceof HTMLInputElement) return;
      event.preventDefault();
      field.current?.focus();
    };
    scheme.addEventListener('change', changed);
    addEventListener('keydown', slash);
    return () => {
      scheme.removeEventListener('change', changed);
      removeEventListener('keydown', slash);
    };
  }, []);

  const key = (event: KeyboardEvent) => {
    const act = KEYS[event.key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act(stage.current!);
  };
  const look = (text: string, from: number) => {
    const one = stage.current!;
    const names = search(lines, text);
    if (names !== one.found) one.find(names);
    setFound(names ? countFound(lines, names) : -1);
    const next = names ? (nextFound(lines, names, from) ?? nextFound(lines, names, 0)) : null;
    if (next) {
      choose(next);
      one.show(next);
    }
  };
  const enter = (event: KeyboardEvent) => {
    if (event.key === 'Escape') {
      field.current!.value = '';
      look('', 0);
      box.current!.focus();
    }
    if (event.key !== 'Enter') return;
    const last = stage.current!.chosen;
    look(field.current!.value, last ? last.track.starts[last.event] + 1 : 0);
  };
  const zoomWindow = () => timeWindow.value && stage.current!.move(timeWindow.value);

  return (
    <>
      <div class="toolbar">
        <input ref={field} type="search" placeholder="Search names ( / )" aria-label="Search names" onKeyDown={enter}
          onSearch={() => field.current!.value === '' && look('', 0)} />
        {found >= 0 && <span role="status">{count(found)} events; Enter: next</span>}
        <span class="spacer" />
        <button aria-label="Zoom in" onClick={() => stage.current!.zoom(0.5)}>+</button>
        <button aria-label="Zoom out" onClick={() => stage.current!.zoom(2)}>−</button>
        <button onClick={() => KEYS['0'](stage.current!)}>All</button>
        {timeWindow.value && <button onClick={zoomWindow}>Zoom to stretch</button>}
      </div>
      <div class="stage" ref={box} tabIndex={0} onKeyDown={key} style={{height: `min(62vh, ${height + 2}px)`}}
        role="application" aria-label="Timeline: W and S zoom, A and D pan, 0 shows all, slash searches">
        <div style={{height: `${height}px`}}>
          <canvas ref={canvas} data-testid="timeline" />
        </div>
      </div>
      <div class="under"><span data-testid="view">{view}</span><span class="muted">W S zoom · A D pan · 0 all · / search · F chosen · Ctrl and wheel zoom · Shift and drag a stretch</span></div>
      <Legend keys={lines.header.causes.filter((_, cause) => [...lines.idle.values()].some((sums) => sums[cause].total > 0))} title="Idle by cause" />
      <section class="card" aria-label="Chosen event"><Details lines={lines} chosen={chosen} /></section>
      {leftOut(lines) !== '' && <p class="muted">{leftOut(lines)}</p>}
    </>
  );
}

export function TimelineView(_: {data: Loaded}) {
  const lines = timeline.value;
  return (
    <div class="view full">
      <h1>Timeline</h1>
      {decodeProblem.value !== '' && <p class="problem" role="alert">{decodeProblem.value}</p>}
      {lines === null && decodeProblem.value === '' && <p role="status">Reading the timeline: {Math.round(decoded.value * 100)} %</p>}
      {lines !== null && (lines.events.length > 0 || lines.pm.length > 0 ? <Canvas lines={lines} /> : <p>Nothing was recorded that has a time.</p>)}
    </div>
  );
}
