// SPDX-License-Identifier: Apache-2.0
// Memory in the report's JSON. Moments are nanoseconds after the recording began.

export interface Holder {
  range: string;
  blocks: number;
  bytes: number;
}

// null: the call has no stack.
export type Place = {file: string; function: string; module: string; line: number} | null;

export interface LineHolder {
  place: Place;
  blocks: number;
  bytes: number;
}

export interface OpHolder {
  op: string; // empty: in no op
  blocks: number;
  bytes: number;
}

// What a part of the memory is used for; "unused by PyTorch", "not PyTorch's".
export interface MemoryPart {
  part: string;
  bytes: number;
}

export interface RoleHolder {
  role: string;
  blocks: number;
  bytes: number;
}

// What PyTorch's allocator has from CUDA.
export interface Segments {
  segments: number;
  bytes: number;
  unused_bytes: number; // of these: in no tensor
  gaps: number; // in which the unused bytes are
  largest_gap: number;
  outside_bytes: number; // of tensors that are in no recorded segment
}

// Tensors of one device at their peak. Each list sums to it.
export interface TensorMemory {
  device: number;
  peak_bytes: number;
  peak_at_ns: number;
  bytes_at_end: number;
  allocations: number;
  blocks_at_peak: number;
  roles: RoleHolder[];
  roles_named: boolean; // by Python; else weights are not known
  holders: Holder[];
  lines: LineHolder[];
  ops: OpHolder[];
  segments: Segments;
}

// Tensors of one size that got no memory, at one place.
export interface TensorFailure {
  bytes: number; // that were wanted
  device: number;
  range: string;
  place: Place;
  op: string;
  count: number;
  first_at_ns: number;
  allocated: number; // in tensors then
  roles: RoleHolder[];
  lines: LineHolder[];
  segments: Segments;
}

export interface DeviceMemory {
  device: number;
  peak_bytes: number;
  peak_at_ns: number;
  bytes_at_end: number;
  holders: Holder[]; // at the peak
  lines: LineHolder[];
  ops: OpHolder[];
  parts?: MemoryPart[]; // empty: no tensors were recorded
  sizes: {bytes_each: number; blocks: number}[];
  blocks_at_peak: number;
}

export interface Growth {
  memory: string; // "tensors": what PyTorch's allocator gave to them
  device: number | null; // of device memory and tensors
  step: string;
  steps: number;
  first_bytes: number;
  last_bytes: number;
  bytes_per_step: number;
  at_least: number;
  at_most: number;
  grows: boolean;
  why_not: string;
  holders: {range: string; bytes: number}[];
  lines: {place: Place; bytes: number}[];
}

export interface Failure {
  call: string;
  range: string;
  place: Place;
  op: string;
  count: number;
  first_at_ns: number;
  device: number | null;
  bytes: number | null;
  holders: Holder[];
  lines: LineHolder[];
  unused_in_pools: number;
}

export interface Kind {
  device: number;
  memory: string;
  pooled: boolean;
  allocations: number;
  bytes: number;
  frees: number;
  bytes_freed: number;
  frees_of_earlier: number;
  peak_bytes: number;
  at_end: number;
  bytes_at_end: number;
}

export interface Pool {
  device: number;
  address: number;
  imported: boolean;
  managed: boolean;
  operations: number;
  reserved_peak: number | null;
  used_peak: number | null;
  reserved_at_end: number | null;
  used_at_end: number | null;
  unused_peak: number | null;
  unused_when_grown: number | null;
}

export interface RangeMemory {
  range: string;
  allocations: number;
  bytes: number;
  device_bytes: number;
  bytes_at_end: number;
  blocks_at_end: number;
  instances: number;
  instances_left: number;
  first_left_ns: number | null;
  last_left_ns: number | null;
}

export interface Unified {
  kind: string;
  cause: string;
  device: number | null;
  count: number;
  bytes: number;
  time_ns: number;
}

export interface Memory {
  devices: DeviceMemory[];
  kinds: Kind[];
  pools: Pool[];
  ranges: RangeMemory[];
  growth: Growth[];
  growth_missing: string;
  failures: Failure[];
  tensors?: TensorMemory[];
  tensor_failures?: TensorFailure[];
  frees_missing: number;
  records_lost: boolean;
  unified: Unified[];
}
