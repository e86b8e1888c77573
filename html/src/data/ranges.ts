// SPDX-License-Identifier: Apache-2.0
// The families of NVTX ranges as a tree. Times of a range have those of the ranges in it.
import type {RangeEntry} from './timeline';

export interface Node {
  index: number;
  entry: RangeEntry;
  gpu: number; // with the ranges in it
  idle: number;
  children: Node[];
}

export function treeOf(entries: RangeEntry[]): Node[] {
  const nodes = entries.map((entry, index): Node => ({index, entry, gpu: entry.gpu_ns, idle: entry.idle_ns, children: []}));
  const roots: Node[] = [];
  for (const node of nodes) (node.entry.parent < 0 ? roots : nodes[node.entry.parent].children).push(node);
  for (let i = nodes.length - 1; i >= 0; i--) { // parents come first
    const parent = nodes[nodes[i].entry.parent];
    if (!parent) continue;
    parent.gpu += nodes[i].gpu;
    parent.idle += nodes[i].idle;
  }
  return roots;
}
