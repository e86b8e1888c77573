// SPDX-License-Identifier: Apache-2.0
// Numbers as text: three digits, one unit.

function digits(value: number): string {
  const magnitude = Math.abs(value);
  return value.toFixed(magnitude >= 99.95 || magnitude === 0 ? 0 : magnitude >= 9.995 ? 1 : 2);
}

function scaled(value: number, step: number, units: string[]): string {
  let unit = 0;
  let rest = value;
  while (Math.abs(rest) >= step * 0.9995 && unit + 1 < units.length) {
    rest /= step;
    unit++;
  }
  return `${digits(rest)} ${units[unit]}`;
}

export const ABSENT = '–';

export function time(ns: number | null | undefined): string {
  if (ns === null || ns === undefined || !Number.isFinite(ns)) return ABSENT;
  if (Math.abs(ns) < 1000) return `${Math.round(ns)} ns`;
  return scaled(ns / 1000, 1000, ['µs', 'ms', 's']);
}

// To the nanosecond: 12.345 678 ms.
export function exactTime(ns: number): string {
  return `${Math.round(ns).toLocaleString('en-US').replaceAll(',', ' ')} ns`;
}

export function bytes(value: number | null | undefined): string {
  if (value === null || value === undefined) return ABSENT;
  return scaled(value, 1000, ['B', 'kB', 'MB', 'GB', 'TB']);
}

export function rate(value: number, unit: string): string {
  return scaled(value, 1000, ['', 'k', 'M', 'G', 'T', 'P'].map((prefix) => prefix + unit));
}

export function percent(share: number | null | undefined): string {
  if (share === null || share === undefined) return ABSENT;
  const value = share * 100;
  return `${value !== 0 && Math.abs(value) < 0.05 ? '<0.1' : value.toFixed(1)} %`;
}

export function count(value: number): string {
  return value.toLocaleString('en-US');
}

// "1 block", "2,048 blocks".
export function counted(value: number, one: string): string {
  return `${count(value)} ${one}${value === 1 ? '' : 's'}`;
}

// A plain number with at most four digits, or with an exponent.
export function plain(value: number | null): string {
  if (value === null) return ABSENT;
  const magnitude = Math.abs(value);
  if (magnitude >= 1e5) return scaled(value, 1000, ['', 'k', 'M', 'G', 'T', 'P']).trim();
  if (magnitude !== 0 && magnitude < 0.01) return value.toExponential(1);
  return Number.isInteger(value) ? String(value) : digits(value);
}

// "dramc__throughput.avg.pct..." of "FBSP.TriageCompute.dramc__throughput.avg.pct...".
export function shortMetric(name: string): string {
  return name.replace(/^[A-Z_]+\.[A-Za-z]+\./, '');
}

// "2 × 66" of a grid of 2 x 66 x 1, as CUDA lets it be written.
export function shape(size: number[] | null): string {
  if (size === null) return ABSENT;
  const [x, y, z] = size;
  return (z > 1 ? [x, y, z] : y > 1 ? [x, y] : [x]).join(' × ');
}
