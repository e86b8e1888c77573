// SPDX-License-Identifier: Apache-2.0
// The report's JSON, as far as the page reads it. Absent values are null.
import {time} from './format';
import type {Memory} from './memory';

export interface Statistic {
  n: number;
  median: number | null;
  min: number | null;
  max: number | null;
  sum: number | null;
}

export interface Action {
  id: string;
  kind: string;
  what: string;
  gain_at_most: number | null;
  floor: string;
  check: string;
}

// An entry of the report's own list of the most useful actions.
export interface RankedAction {
  id: string;
  kind: string;
  what: string;
  target: string;
  saves_at_most_ns: number | null;
  floor?: string;
  evidence: string;
  check: string;
}

export interface UnitUse {
  unit: string;
  of_peak: number | null;
  metric: string;
  n: number;
  source: string;
  error: number | null;
  launches: number | null;
  missing: string[];
}

export interface Verdict {
  limiter: string;
  confidence: string;
  doubts: { id: string; text: string }[];
  source: string;
  decided: boolean;
  rule: string;
  summary: string;
  evidence: string[];
  actions?: Action[];
  action: string;
  gain_at_most: number | null;
  gain_formula: string;
  runner_up: string;
  missing: string;
  stall: string;
  notes: string[];
}

export interface Continuous {
  value: number | null;
  error: number | null;
  seconds: number | null;
  samples: number;
  launches: number;
  beside: string;
  missing: string;
}

export interface Occupancy {
  known: boolean;
  theoretical: number | null;
  achieved: number | null;
  blocks_per_sm: number;
  limit_blocks: number;
  limit_warps: number;
  limit_registers: number;
  limit_shared: number;
  limited_by: string[];
  waves: number | null;
  tail_lost: number | null;
}

// A level of memory under the roofline; the ceiling is measured where the device's was.
export interface RooflineLevel {
  level: string;
  bytes: number | null; // for each launch
  bytes_per_s: number | null;
  ceiling_bytes_per_s: number | null;
  ceiling: string; // where it comes from
  of_ceiling: number | null;
  flops_per_byte: number | null;
  missing: string;
}

export interface Roofline {
  levels?: RooflineLevel[];
  bound_by?: string;
  of_attainable?: number | null;
  flop_ceiling?: string;
  flops_missing?: string;
  dram_bytes_per_s: number | null;
  dram_peak_bytes_per_s: number | null;
  flops_per_s: number | null;
  flop_peak_per_s: number | null;
  flop_kind: string;
  flops_per_byte: number | null;
}

// Over the time of one launch.
export interface Course {
  part_ns: number;
  samples: number;
  launches: number;
  samples_of_part: number[];
  units: {unit: string; metric: string; percent: (number | null)[]}[]; // of each part
}

export interface Kernel {
  name: string;
  full_name: string;
  range: string;
  captured_in: string;
  device: number;
  grid: number[] | null;
  block: number[] | null;
  cluster: number[] | null;
  registers_per_thread: number | null;
  static_shared_bytes: number | null;
  dynamic_shared_bytes: number | null;
  local_bytes_per_thread: number | null;
  launches: number;
  loading_launches: number;
  duration_ns: Statistic;
  duration_from_counters: boolean;
  total_ns: number;
  share: number;
  in_graph: boolean;
  whole_graph: boolean;
  metrics: Record<string, Statistic>;
  units: UnitUse[];
  continuous: Record<string, Continuous>;
  samples_used: number;
  samples_rejected: number;
  // By kind; calls_others is a flag. null: its code was not seen.
  code: Record<string, {all: number; in_loops: number} | boolean> | null;
  counters_from: string;
  continuous_from: string;
  course: Course | null; // null: its launches are too short, or too few were sampled
  occupancy: Occupancy;
  roofline: Roofline;
  verdict: Verdict;
  torch_ops: {name: string; forward: string; backward: boolean; time_ns: number; launches: number}[];
}

export interface Row {
  kind: 'range' | 'outside' | 'gap' | 'profiler';
  label: string;
  time_ns: number;
  share: number;
  instances: number;
  operations: number;
  limiter: string;
  dominant: string;
  evidence: string;
  verdict: string;
  gain_at_most_ns: number;
}

export interface Finding {
  id: string;
  title: string;
  evidence: string[];
  action: string;
  place: string;
  place_share: number;
  gain_at_most_ns: number;
  confidence: string;
  withheld: boolean;
  withheld_why: string;
}

export interface GapCause {
  device: number;
  cause: string;
  count: number;
  total_ns: number;
  longest_ns: number;
  where: string;
  example: string;
}

export interface Copy {
  device: number;
  direction: string;
  memory: string;
  count: number;
  bytes: number;
  time_ns: number;
  overlapped_ns: number;
  ceiling_bytes_per_s: number;
}

export interface Device {
  id: number;
  name: string;
  chip: string;
  sm_count: number;
  busy_ns: number;
  idle_ns: number;
  dram_peak_bytes_per_s: number | null;
}

export interface Op {
  name: string;
  kind: 'function' | 'node' | 'user';
  backward: boolean;
  forward: string; // of a node: the op that made it
  calls: number;
  cpu_ns: number;
  cpu_self_ns: number;
  gpu_ns: number;
  gpu_self_ns: number;
  launches: number;
  backward_gpu_ns: number;
  limiters: {limiter: string; time_ns: number}[];
}

export interface Torch {
  gpu_ns: number;
  gpu_in_ops_ns: number;
  backward_ns: number;
  forward_known_ns: number;
  forward_inferred_ns: number;
  ops: Op[];
  ranges: {label: string; forward_ns: number; backward_ns: number}[];
}

// A line of source, of Python or native.
export interface SourceLine {
  file: string;
  line: number | null;
  function: string;
  module?: string | null; // native code
  operations: number;
  kernels: number;
  time_ns: number;
  backward_ns: number;
  idle_ns: number;
  steps_ns: number; // busy and idle, in the steps
  dominant: string | null;
  limiter: string | null;
}

export interface SourceLines {
  own: SourceLine[];
  all: SourceLine[];
  without_stack_ns: number;
  steps: {range: string; count: number; time_ns: number} | null;
}

export interface Estimate {
  time_ns: number;
  error_ns: number | null; // null: too few windows to know
}

// Of a recording of a share of the time.
export interface WholeRun {
  windows: number;
  span_ns: number;
  traced_ns: number;
  kernels_time: Estimate;
  launches: number;
  launches_without: number;
  kernels: {name: string; device: number; grid: number[]; block: number[]; launches: number; traced: number; estimate: Estimate | null}[];
}

export interface Report {
  schema: number;
  error: string;
  command: string;
  host: string;
  pid: number;
  rank: number;
  prof_version: string;
  nvidia_driver: string;
  span_ns: number;
  profiler_ns: number;
  undisturbed_ns: number;
  totals: Record<string, number>;
  devices: Device[];
  rows: Row[];
  kernels: Kernel[];
  gaps: GapCause[];
  copies: Copy[];
  findings: Finding[];
  findings_missing: string;
  actions?: RankedAction[];
  memory: Memory | null;
  torch: Torch | null;
  lines?: SourceLines;
  whole_run?: WholeRun;
  notices: {severity: string; subsystem: string; what: string; fix: string}[];
  integrity: string[];
}

// One suggestion of the first view.
export interface Advice {
  what: string;
  target: string;
  saves_ns: number | null;
  evidence: string;
  check: string;
  kernel: number; // of Report.kernels; -1: of the run
}

export const MOST_ADVICE = 5;

function ofKernels(report: Report): Advice[] {
  const found: Advice[] = [];
  report.kernels.forEach((kernel, index) => {
    const action = kernel.verdict.actions?.[0];
    if (!action || action.gain_at_most === null || action.gain_at_most === undefined) return;
    found.push({
      what: action.what,
      target: kernel.range ? `${kernel.name} in ${kernel.range}` : kernel.name,
      saves_ns: action.gain_at_most * kernel.total_ns,
      evidence: kernel.verdict.summary,
      check: action.check,
      kernel: index,
    });
  });
  return found;
}

// The report's own list where it has one; else its findings and the kernels' actions by what they
// can save at most.
export function adviceOf(report: Report): Advice[] {
  if (report.actions) {
    return report.actions.slice(0, MOST_ADVICE).map((action) => ({
      what: action.what,
      target: action.target,
      saves_ns: action.saves_at_most_ns,
      evidence: action.evidence,
      check: action.check,
      kernel: report.kernels.findIndex((kernel) => kernel.name !== '' && action.target.includes(kernel.name)),
    }));
  }
  const findings = report.findings
    .filter((finding) => !finding.withheld)
    .map((finding) => ({
      what: finding.action,
      target: 'the run',
      saves_ns: finding.gain_at_most_ns,
      evidence: [finding.title.replace(/\.$/, ''), ...finding.evidence.slice(0, 1)].join(': '),
      check: '',
      kernel: -1,
    }));
  return [...findings, ...ofKernels(report)]
    .filter((advice) => (advice.saves_ns ?? 0) > 0)
    .sort((a, b) => (b.saves_ns ?? 0) - (a.saves_ns ?? 0))
    .slice(0, MOST_ADVICE);
}

// A part of the span, of the kernels' time or of memory.
export interface Part {
  label: string;
  key: string; // of its colour
  value: number; // ns or bytes
}

// The time that spanParts() divides.
export function spanText(report: Report): string {
  if (report.profiler_ns <= 0) return time(report.span_ns);
  return `${time(report.undisturbed_ns)} of ${time(report.span_ns)}, without what prof disturbed`;
}

// What the devices did in the time that prof did not disturb, and idle time by cause.
export function spanParts(report: Report): Part[] {
  const parts: Part[] = [];
  const busy = report.rows
    .filter((row) => row.kind === 'range' || row.kind === 'outside')
    .reduce((sum, row) => sum + row.time_ns, 0);
  parts.push({label: 'GPU busy', key: 'busy', value: busy});
  const causes = new Map<string, number>();
  for (const gap of report.gaps) causes.set(gap.cause, (causes.get(gap.cause) ?? 0) + gap.total_ns);
  for (const [cause, ns] of causes) parts.push({label: `idle: ${cause}`, key: cause, value: ns});
  return parts.filter((part) => part.value > 0);
}

// The kernels' time by limiter, descending.
export function limiterParts(report: Report): Part[] {
  const sums = new Map<string, number>();
  for (const kernel of report.kernels) {
    sums.set(kernel.verdict.limiter, (sums.get(kernel.verdict.limiter) ?? 0) + kernel.total_ns);
  }
  return [...sums]
    .map(([limiter, ns]) => ({label: limiter, key: limiter, value: ns}))
    .sort((a, b) => b.value - a.value);
}
