// SPDX-License-Identifier: Apache-2.0
// Colours that mean something: causes of idle time, limiters, units. Both themes have their own
// values in style.css; a canvas reads them from there.

const MEANINGS = new Set([
  'busy', 'sync', 'launch', 'loading', 'host-work', 'transfer', 'dependency', 'profiler', 'unknown',
  'dram', 'l2', 'l1', 'shared', 'tensor', 'fma', 'alu', 'fp64', 'sfu', 'issue', 'lsu', 'texture', 'mixed', 'latency',
  'occupancy', 'small-grid', 'tail', 'launch-sized', 'communication', 'not-measured', 'copy', 'memset', 'range', 'call',
  'wait', 'prof',
]);

// What memory is used for has colours of limiters and causes: no view shows both.
const OF_MEMORY = new Map([
  ['weights', 'alu'], ['buffers', 'tail'], ['gradients', 'l2'], ['optimizer state', 'sfu'], ['activations', 'tensor'],
  ['backward pass', 'l1'], ['temporary', 'fma'], ['KV cache', 'latency'],
  ['kept between calls', 'mixed'], ['workspaces', 'occupancy'], ['other tensors', 'launch-sized'], ['unused by PyTorch', 'not-measured'],
  ["not PyTorch's", 'issue'],
]);

function meaningOf(key: string): string {
  return MEANINGS.has(key) ? key : OF_MEMORY.get(key) ?? 'unknown';
}

export function colorOf(key: string): string {
  return `var(--c-${meaningOf(key)})`;
}

// A stable hue for a kernel: equal names have equal colours in all views.
export function hueOf(label: string): number {
  let hash = 2166136261;
  for (let i = 0; i < label.length; i++) hash = Math.imul(hash ^ label.charCodeAt(i), 16777619);
  return ((hash >>> 0) * 137.508) % 360;
}

export function nameColor(label: string, dark: boolean): string {
  return `hsl(${hueOf(label).toFixed(0)} ${dark ? '45% 42%' : '55% 72%'})`;
}

const NAMED = new Set(['kernel', 'graph', 'range']); // their events have colours of their own

export function isNamed(kind: string): boolean {
  return NAMED.has(kind);
}

// Reads the theme's colours for a canvas.
export class Palette {
  private readonly known = new Map<string, string>();
  private readonly names: string[] = []; // a frame has thousands of events with few names
  private readonly style = getComputedStyle(document.documentElement);
  readonly dark = this.style.getPropertyValue('--dark').trim() === '1';

  get(name: string): string {
    let color = this.known.get(name);
    if (color === undefined) {
      color = this.style.getPropertyValue(`--${name}`).trim();
      this.known.set(name, color);
    }
    return color;
  }

  // The colour of the events with a name of the header.
  ofName(id: number, name: {label: string; kind: string}): string {
    return (this.names[id] ??= isNamed(name.kind) ? nameColor(name.label, this.dark) : this.meaning(name.kind));
  }

  meaning(key: string): string {
    return this.get(`c-${meaningOf(key)}`);
  }
}
