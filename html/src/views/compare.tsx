// SPDX-License-Identifier: Apache-2.0
// This report beside another one, which the reader chooses: nothing is sent anywhere.
import {signal} from '@preact/signals';

import {change, type Pair, pairsOf, reportIn} from '../data/compare';
import {percent, time} from '../data/format';
import {type Report, spanParts, spanText} from '../data/report';
import {PartsBar} from '../parts/bar';
import {type Column, Table} from '../parts/table';
import type {Loaded} from '../state';

const other = signal<{name: string; report: Report} | null>(null);
const problem = signal('');

async function read(file: File | undefined): Promise<void> {
  if (!file) return;
  problem.value = '';
  try {
    other.value = {name: file.name, report: reportIn(await file.text())};
  } catch (why) {
    problem.value = why instanceof SyntaxError ? `${file.name} is no report of prof: choose a file of prof report --html or --json` : String(why);
  }
}

function relative(pair: Pair): number | null {
  return pair.before && pair.after !== null ? pair.after / pair.before - 1 : null;
}

function signed(ns: number): string {
  return `${ns > 0 ? '+' : ns < 0 ? '−' : ''}${time(Math.abs(ns))}`;
}

function Result({before, after}: {before: Report; after: Report}) {
  const columns: Column<Pair>[] = [
    {key: 'name', title: 'Kernel', narrow: true, value: (pair) => pair.name},
    {key: 'range', title: 'Range', value: (pair) => pair.range},
    {key: 'before', title: 'Other', number: true, narrow: true, value: (pair) => pair.before, cell: (pair) => time(pair.before)},
    {key: 'after', title: 'This', number: true, narrow: true, value: (pair) => pair.after, cell: (pair) => time(pair.after)},
    {key: 'change', title: 'Change', number: true, narrow: true, value: (pair) => change(pair), cell: (pair) => <span class={change(pair) > 0 ? 'worse' : 'better'}>{signed(change(pair))}</span>},
    {key: 'relative', title: '%', number: true, value: (pair) => relative(pair), cell: (pair) => percent(relative(pair))},
    {key: 'medians', title: 'Medians', number: true, value: (pair) => pair.afterMedian, cell: (pair) => `${time(pair.beforeMedian)} → ${time(pair.afterMedian)}`},
  ];
  return (
    <>
      <section class="card">
        <PartsBar label={`The other: ${spanText(before)}`} parts={spanParts(before)} />
        <PartsBar label={`This: ${spanText(after)}`} parts={spanParts(after)} />
      </section>
      <section class="card"><Table label="Kernels of both" rows={pairsOf(before, after)} columns={columns} sort="before" rowKey={(pair) => `${pair.name} ${pair.range} ${pair.before} ${pair.after}`} /></section>
      <p class="muted">Single runs differ by noise: prof compare has a test for it.</p>
    </>
  );
}

export function Compare({data}: {data: Loaded}) {
  return (
    <div class="view">
      <h1>Compare</h1>
      <p>Choose another report (of <code>prof report --html</code> or <code>--json</code>). It stays on this machine.</p>
      <input type="file" accept=".html,.json" aria-label="The other report" onChange={(event) => void read(event.currentTarget.files?.[0])} />
      {problem.value !== '' && <p class="problem" role="alert">{problem.value}</p>}
      {other.value && <Result before={other.value.report} after={data.report} />}
    </div>
  );
}
