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

export interface DeviceMemory {
  device: number;
  peak_bytes: number;
  peak_at_ns: number;
  bytes_at_end: number;
  holders: Holder[]; // at the peak
  lines: LineHolder[];
  ops: OpHolder[];
  sizes: {bytes_each: number; blocks: number}[];
  blocks_at_peak: number;
}

export interface Growth {
  memory: string;
  device: number | null;
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
  frees_missing: number;
  records_lost: boolean;
  unified: Unified[];
}
