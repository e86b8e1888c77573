// SPDX-License-Identifier: Apache-2.0
// The stacks of the host as a tree. lib/html/page_json.h has the form of the data.

export interface StacksData {
  strings: string[];
  frames: number[];
  nodes: number[];
  kernels: number[][];
}

export interface Frame {
  name: string; // of the function
  file: string;
  line: number; // 0: not known
  own: boolean;
}

export type Measure = 'gpu' | 'idle' | 'host';

export interface StackNode {
  index: number;
  parent: StackNode | null;
  frame: Frame;
  self: Record<Measure, number>; // ns
  all: Record<Measure, number>; // with the stacks inside of it
  operations: number;
  kernels: number[]; // launched from this stack itself
  children: StackNode[];
}

export function placeOf(frame: {file: string; module?: string | null; line: number | null}): string {
  return frame.line ? `${frame.file}:${frame.line}` : frame.file || frame.module || '';
}

// The file's name without its folders.
export function shortPlace(frame: {file: string; module?: string | null; line: number | null}): string {
  const file = frame.file || frame.module || ''; // native code without debug information has its program
  return placeOf({file: file.slice(file.lastIndexOf('/') + 1), line: frame.line});
}

const FRAME = 4; // numbers of each
const NODE = 6;

// All nodes; a caller comes before what it called.
export function stacksOf(data: StacksData): StackNode[] {
  const frames: Frame[] = [];
  for (let at = 0; at < data.frames.length; at += FRAME) {
    const [name, file, line, own] = data.frames.slice(at, at + FRAME);
    frames.push({name: data.strings[name], file: data.strings[file], line, own: own === 1});
  }
  const nodes: StackNode[] = [];
  for (let at = 0; at < data.nodes.length; at += NODE) {
    const [parent, frame, gpu, idle, host, operations] = data.nodes.slice(at, at + NODE);
    const index = nodes.length;
    const node: StackNode = {
      index, parent: parent < 0 ? null : nodes[parent], frame: frames[frame], self: {gpu, idle, host},
      all: {gpu, idle, host}, operations, kernels: data.kernels[index], children: [],
    };
    node.parent?.children.push(node);
    nodes.push(node);
  }
  for (let i = nodes.length - 1; i >= 0; i--) {
    const {parent, all} = nodes[i];
    if (parent === null) continue;
    parent.all.gpu += all.gpu;
    parent.all.idle += all.idle;
    parent.all.host += all.host;
  }
  return nodes;
}

// The innermost frame that is the program's own; where there is none, the innermost one.
export function ownFrame(node: StackNode): Frame {
  for (let at: StackNode | null = node; at !== null; at = at.parent) if (at.frame.own) return at.frame;
  return node.frame;
}

export function kernelsBelow(node: StackNode): Set<number> {
  const kernels = new Set<number>();
  const open = [node];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    at.kernels.forEach((kernel) => kernels.add(kernel));
    open.push(...at.children);
  }
  return kernels;
}

// What each line did: `own` as in the report's table of lines.
export interface LineSums {
  host: number;
  kernels: Set<number>;
}

export function lineKey(line: {file: string; module?: string | null; line: number | null; function: string}): string {
  return `${line.file || line.module || ''}\n${line.line ?? 0}\n${line.function}`;
}

export function sumLines(nodes: StackNode[], own: boolean): Map<string, LineSums> {
  const sums = new Map<string, LineSums>();
  for (const node of nodes) {
    if (node.operations === 0 && node.self.host === 0) continue;
    const {file, line, name} = own ? ownFrame(node) : node.frame;
    const key = lineKey({file, line, function: name});
    const sum = sums.get(key) ?? {host: 0, kernels: new Set<number>()};
    sum.host += node.self.host;
    node.kernels.forEach((kernel) => sum.kernels.add(kernel));
    sums.set(key, sum);
  }
  return sums;
}
