// SPDX-License-Identifier: Apache-2.0
// A page with the made-up tensors of tensors.json in the report of another page.
import {mkdtempSync, readFileSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';

const MARK = '<script type="application/json" id="report">';

export const tensorData = JSON.parse(readFileSync(new URL('tensors.json', import.meta.url), 'utf8'));

// The first device gets parts, and their sum as its peak; growth is added to what is there.
function withTensors(report) {
  const {parts, tensors, tensor_failures, growth} = tensorData;
  const {devices, growth: grown} = report.memory;
  const [first, ...others] = devices;
  const peak_bytes = parts.reduce((sum, part) => sum + part.bytes, 0);
  return {...report, memory: {...report.memory, tensors, tensor_failures, growth: [...grown, ...growth], devices: [{...first, parts, peak_bytes}, ...others]}};
}

// The report of a recording in which no tensors were.
function withoutTensors(report) {
  const {tensors, tensor_failures, ...memory} = report.memory;
  return {...report, memory: {...memory, devices: memory.devices.map(({parts, ...device}) => device)}};
}

// Only tensors were recorded, and no allocation of CUDA's.
function tensorsOnly(report) {
  const {tensors, tensor_failures} = tensorData;
  return {...report, memory: {...report.memory, tensors, tensor_failures, growth: [], failures: [], devices: [], kinds: [], pools: [], ranges: [], unified: []}};
}

// Three pages in `folder`, which the caller removes.
export function tensorPages(file) {
  const folder = mkdtempSync(join(tmpdir(), 'prof-tensors-'));
  const page = readFileSync(file, 'utf8');
  const begin = page.indexOf(MARK) + MARK.length;
  const end = page.indexOf('</script>', begin);
  const report = JSON.parse(page.slice(begin, end));
  const write = (name, made) => {
    const path = join(folder, `${name}.html`);
    writeFileSync(path, page.slice(0, begin) + JSON.stringify(made(report)).replaceAll('<', '\\u003c') + page.slice(end));
    return path;
  };
  return {folder, all: write('all', withTensors), none: write('none', withoutTensors), only: write('only', tensorsOnly)};
}
