// SPDX-License-Identifier: Apache-2.0
// Memory in words, and as parts of a bar.
import {bytes, counted, time} from './format';
import type {Growth, Holder, LineHolder, MemoryPart, OpHolder, Place, RoleHolder, Segments, TensorFailure} from './memory';
import type {Part} from './report';
import {placeOf, shortPlace} from './stacks';

// "train.py:42 step"
export function placeName(place: Place): string {
  return place === null ? '(no stack)' : `${shortPlace(place) || '(unknown file)'} ${place.function}`;
}

// With all folders.
export function fullPlace(place: Place): string {
  return place === null ? '' : `${placeOf(place)} ${place.function}`;
}

// A range, a line or an op, and what it holds.
export interface Named {
  name: string;
  key: string; // a name may be of two lines
  blocks: number;
  bytes: number;
}

export function inRanges(holders: Holder[]): Named[] {
  return holders.map(({range, ...held}) => ({...held, name: range, key: range}));
}

export function inLines(holders: LineHolder[]): Named[] {
  return holders.map(({place, ...held}) => ({...held, name: placeName(place), key: fullPlace(place)}));
}

export function inOps(holders: OpHolder[]): Named[] {
  return holders.map(({op, ...held}) => ({...held, name: op || '(no op)', key: op}));
}

export function partsOf(parts: MemoryPart[] | undefined): Part[] {
  return (parts ?? []).map(({part, bytes: value}) => ({label: part, key: part, value}));
}

export function partsOfRoles(roles: RoleHolder[]): Part[] {
  return roles.map(({role, bytes: value}) => ({label: role, key: role, value}));
}

// "tensors, GPU 0", "GPU 0", "pinned"
export function growingName({memory, device}: Pick<Growth, 'memory' | 'device'>): string {
  if (device === null) return memory;
  return memory === 'tensors' ? `tensors, GPU ${device}` : `GPU ${device}`;
}

// Where and when something got no memory.
export function failureText({range, place, op, count: times, first_at_ns}: Pick<TensorFailure, 'range' | 'place' | 'op' | 'count' | 'first_at_ns'>): string {
  return [
    `in ${range}`,
    ...(place ? [`at ${placeName(place)}`] : []),
    ...(op ? [`in op ${op}`] : []),
    counted(times, 'time'),
    `first ${time(first_at_ns)} after the start`,
  ].join(', ');
}

// Why the unused memory did not hold a tensor.
export function whyUnused(wanted: number, {segments, unused_bytes, largest_gap}: Segments): string {
  if (segments === 0) return 'No segment was recorded: how much lay unused is not known.';
  if (unused_bytes < wanted) return 'All that lay unused is less than the tensor.';
  if (largest_gap < wanted) return 'Enough lay unused for the tensor, but no gap is large enough: the memory is fragmented.';
  return 'A gap is large enough for the tensor. PyTorch uses a gap only for the stream and the pool of its segment.';
}

// "PyTorch had 8.00 GB from CUDA in 12 segments, with 40 gaps." Empty: none was recorded.
export function segmentsText({segments, bytes: taken, gaps}: Segments): string {
  return segments === 0 ? '' : `PyTorch had ${bytes(taken)} from CUDA in ${counted(segments, 'segment')}, with ${counted(gaps, 'gap')}.`;
}

// Empty: all tensors are in recorded segments.
export function outsideText({outside_bytes}: Segments): string {
  return outside_bytes > 0 ? `Tensors of ${bytes(outside_bytes)} are in memory without a record.` : '';
}
