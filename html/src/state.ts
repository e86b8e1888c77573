// SPDX-License-Identifier: Apache-2.0
// What the views share: the report, the timeline once it is decoded, the selection.
import {computed, signal} from '@preact/signals';

import {fromBase64, inflate} from './data/decode';
import type {Report} from './data/report';
import {type StackNode, type StacksData, stacksOf} from './data/stacks';
import {type Header, Timeline} from './data/timeline';

export interface Loaded {
  report: Report;
  header: Header;
}

function json(id: string): unknown {
  return JSON.parse(document.getElementById(id)!.textContent!);
}

export function load(): Loaded {
  return {report: json('report') as Report, header: json('timeline') as Header};
}

export const timeline = signal<Timeline | null>(null);
export const decoded = signal(0); // share of the blocks, 0..1
export const decodeProblem = signal('');

export const stacks = signal<StackNode[] | null>(null); // null: not read yet, or there are none

async function bytesOf(id: string): Promise<Uint8Array> {
  const element = document.getElementById(id)!;
  const bytes = await inflate(fromBase64(element.textContent!));
  element.remove();
  return bytes;
}

const frame = () => new Promise((resolve) => setTimeout(resolve, 0));

// Decodes block by block, and lets the browser work in between.
export async function decodeTimeline(header: Header): Promise<void> {
  const result = new Timeline(header);
  try {
    if (header.has_stacks) stacks.value = stacksOf(JSON.parse(new TextDecoder().decode(await bytesOf('stacks'))) as StacksData);
    for (let i = 0; i < header.blocks.length; i++) {
      result.add(header.blocks[i], await bytesOf(`block${i}`));
      decoded.value = (i + 1) / header.blocks.length;
    }
    for (const track of result.events) {
      result.summarize(track);
      await frame();
    }
    result.finish();
    timeline.value = result;
  } catch (problem) {
    decodeProblem.value = `The timeline cannot be read: ${String(problem)}`;
  }
}

// A kernel and a range are places in the report's and the header's lists. An op and a line of source
// come with the kernels that they launched.
export type Selection =
  | {kind: 'kernel'; index: number}
  | {kind: 'range'; index: number}
  | {kind: 'op' | 'line'; key: string; label: string; kernels: ReadonlySet<number>}
  | null;
export const selection = signal<Selection>(null);
export function labelOf({report, header}: Loaded, chosen: NonNullable<Selection>): string {
  if (chosen.kind === 'kernel') return report.kernels[chosen.index].name;
  return chosen.kind === 'range' ? header.ranges[chosen.index].label : chosen.label;
}

export function isSelected(kind: 'op' | 'line', key: string): boolean {
  const chosen = selection.value;
  return chosen !== null && chosen.kind === kind && chosen.key === key;
}

// Selects an op or a line; once more takes it back.
export function selectKernels(kind: 'op' | 'line', key: string, label: string, kernels: ReadonlySet<number>): void {
  selection.value = isSelected(kind, key) ? null : {kind, key, label, kernels};
}

export const timeWindow = signal<{begin: number; end: number} | null>(null);

// The ranges below one, with itself.
export function subtree(header: Header, range: number): Set<number> {
  const inside = new Set([range]);
  header.ranges.forEach((entry, index) => {
    if (inside.has(entry.parent)) inside.add(index); // parents come first
  });
  return inside;
}

// By name: 1 where it is selected; null: all are.
export function acceptedNames(header: Header, chosen: Selection): Uint8Array | null {
  if (chosen === null) return null;
  if (chosen.kind === 'range') {
    const inside = subtree(header, chosen.index);
    return Uint8Array.from(header.names, (name) => Number(inside.has(name.range)));
  }
  const kernels = chosen.kind === 'kernel' ? new Set([chosen.index]) : chosen.kernels;
  return Uint8Array.from(header.names, (name) => Number(kernels.has(name.kernel)));
}

// Launches and time of each kernel within the time window; null without one.
export const inWindow = computed(() => {
  const lines = timeline.value;
  const span = timeWindow.value;
  if (lines === null || span === null) return null;
  const kernels = new Map<number, {launches: number; ns: number}>();
  for (const track of lines.events) {
    if (track.entry.kind !== 'stream') continue;
    for (let i = track.firstIn(span.begin); i < track.count && track.starts[i] < span.end; i++) {
      const kernel = lines.header.names[track.names[i]].kernel;
      if (kernel < 0) continue;
      const entry = kernels.get(kernel) ?? {launches: 0, ns: 0};
      entry.launches++;
      entry.ns += Math.min(track.end(i), span.end) - Math.max(track.starts[i], span.begin);
      kernels.set(kernel, entry);
    }
  }
  return kernels;
});

// The kernels that the selection and the window leave.
export function isShown(data: Loaded, kernel: number): boolean {
  const chosen = selection.value;
  if (inWindow.value !== null && !inWindow.value.has(kernel)) return false;
  if (chosen === null) return true;
  if (chosen.kind === 'kernel') return chosen.index === kernel;
  if (chosen.kind !== 'range') return chosen.kernels.has(kernel);
  const inside = subtree(data.header, chosen.index);
  return data.header.names.some((name) => name.kernel === kernel && inside.has(name.range));
}
