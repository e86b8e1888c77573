// SPDX-License-Identifier: Apache-2.0
// The first view of a comparison: its result, all kernels, and the times of the run.
import {signal} from '@preact/signals';

import {type Comparison, type Compared, difference, isOtherWork, type KernelChange, MOST_RUNS, ratioText, reachOf, reasonOf, runsText, urgency, type Verdict, verdictOf, VERDICTS} from '../data/comparison';
import {ABSENT, time} from '../data/format';
import {RatioPlot, RatioScale} from '../parts/ratio_plot';
import {type Column, Table} from '../parts/table';
import {VerdictTag} from '../parts/verdict_tag';

// They stay while a kernel's page is shown. Nothing chosen: all are shown.
const text = signal('');
const verdicts = signal<ReadonlySet<Verdict>>(new Set());
const matches = signal<ReadonlySet<KernelChange['matched']>>(new Set());
const MATCHES: KernelChange['matched'][] = ['new', 'gone', 'renamed', 'relaunched', 'moved'];

function toggled<T>(set: ReadonlySet<T>, value: T): ReadonlySet<T> {
  const next = new Set(set);
  if (!next.delete(value)) next.add(value);
  return next;
}

export function toggleVerdict(place: number): void {
  if (place < VERDICTS.length) verdicts.value = toggled(verdicts.value, VERDICTS[place]);
}

export function clearFilters(): void {
  text.value = '';
  verdicts.value = new Set();
  matches.value = new Set();
}

function isShown(kernel: KernelChange): boolean {
  if (verdicts.value.size > 0 && !verdicts.value.has(verdictOf(kernel.time))) return false;
  if (matches.value.size > 0 && !matches.value.has(kernel.matched)) return false;
  return `${kernel.name} ${kernel.range}`.toLowerCase().includes(text.value.toLowerCase());
}

function mostDifference(comparison: Comparison): number {
  return Math.max(0, ...comparison.kernels.map((kernel) => Math.abs(difference(kernel))));
}

// The places in the list of kernels that the filters leave, the worst first.
export function shownKernels(comparison: Comparison): number[] {
  const most = mostDifference(comparison);
  const rank = (index: number): number => urgency(comparison.kernels[index].time, difference(comparison.kernels[index]), most);
  return comparison.kernels.map((_, index) => index).filter((index) => isShown(comparison.kernels[index])).sort((a, b) => rank(b) - rank(a));
}

export function signed(ns: number): string {
  return `${ns > 0 ? '+' : ns < 0 ? '−' : ''}${time(Math.abs(ns))}`;
}

function Counts({comparison}: {comparison: Comparison}) {
  const of = (verdict: Verdict): number => comparison.kernels.filter((kernel) => verdictOf(kernel.time) === verdict).length;
  const found = MATCHES.filter((match) => comparison.kernels.some((kernel) => kernel.matched === match));
  return (
    <div class="toolbar">
      {VERDICTS.map((verdict) => (
        <button class={`filter ${verdict.replace(' ', '-')}`} aria-pressed={verdicts.value.has(verdict)} disabled={of(verdict) === 0} onClick={() => (verdicts.value = toggled(verdicts.value, verdict))}>
          <b>{of(verdict)}</b> {verdict}
        </button>
      ))}
      {found.map((match) => (
        <button aria-pressed={matches.value.has(match)} onClick={() => (matches.value = toggled(matches.value, match))}>
          <b>{comparison.kernels.filter((kernel) => kernel.matched === match).length}</b> {match}
        </button>
      ))}
      <input type="search" placeholder="Filter by name or range" aria-label="Filter kernels" value={text.value} onInput={(event) => (text.value = event.currentTarget.value)} />
      <span role="status" class="muted">{shownKernels(comparison).length} of {comparison.kernels.length}</span>
    </div>
  );
}

function KernelTable({comparison}: {comparison: Comparison}) {
  const {kernels} = comparison;
  const most = mostDifference(comparison);
  const reach = reachOf(kernels.map((kernel) => kernel.time));
  const columns: Column<number>[] = [
    {key: 'name', title: 'Kernel', narrow: true, value: (i) => kernels[i].name, cell: (i) => <><a href={`#kernel/${i}`}>{kernels[i].name}</a><br /><span class="range">{kernels[i].range || '(no range)'}</span></>},
    {key: 'verdict', title: 'Verdict', narrow: true, value: (i) => urgency(kernels[i].time, difference(kernels[i]), most), cell: (i) => <VerdictTag verdict={verdictOf(kernels[i].time)} />},
    {key: 'ratio', title: 'After / before', narrow: true, value: (i) => kernels[i].time.ratio, cell: (i) => <><RatioPlot compared={kernels[i].time} reach={reach} /><span class="nowrap">{ratioText(kernels[i].time)}</span></>},
    {key: 'before', title: 'Before', number: true, value: (i) => kernels[i].time.before.median, cell: (i) => time(kernels[i].time.before.median)},
    {key: 'after', title: 'After', number: true, value: (i) => kernels[i].time.after.median, cell: (i) => time(kernels[i].time.after.median)},
    {key: 'difference', title: 'In all', number: true, value: (i) => difference(kernels[i]), cell: (i) => signed(difference(kernels[i]))},
    {key: 'cycles', title: 'Cycles', number: true, value: (i) => kernels[i].cycles?.ratio ?? null, cell: (i) => kernels[i].cycles?.ratio?.toFixed(3) ?? ABSENT},
    ...(kernels.every((kernel) => kernel.work.change === 'not-measured') ? [] : [
      {key: 'work', title: 'Work', value: (i: number) => kernels[i].work.change, cell: (i: number) => (isOtherWork(kernels[i].work) ? <b>{kernels[i].work.change}</b> : kernels[i].work.change === 'same' ? 'same' : ABSENT)},
    ]),
    {key: 'match', title: 'Match', value: (i) => kernels[i].matched, cell: (i) => <span class="nowrap">{kernels[i].matched === 'same' ? '' : kernels[i].matched}</span>},
    {key: 'runs', title: 'Runs needed', number: true, value: (i) => kernels[i].time.runs_needed, cell: (i) => runsText(kernels[i].time.runs_needed)},
    {key: 'why', title: 'Why', value: (i) => reasonOf(kernels[i]), cell: (i) => <span class="why">{reasonOf(kernels[i])}</span>},
  ];
  return (
    <>
      <Table label="Kernels" rows={shownKernels(comparison)} columns={columns} sort="verdict" rowKey={(i) => i} />
      <RatioScale reach={reach} />
      <p class="muted">Before and after: the median duration of a launch, median over the runs. In all: what all launches take more or less. Work: of a launch, by exact counters, whatever its time.</p>
    </>
  );
}

function RunTable({comparison}: {comparison: Comparison}) {
  const rows = comparison.run;
  const change = (row: Compared): number => (row.after.median ?? 0) - (row.before.median ?? 0);
  const most = Math.max(0, ...rows.map((row) => Math.abs(change(row))));
  const reach = reachOf(rows);
  const columns: Column<Compared>[] = [
    {key: 'name', title: 'What', narrow: true, value: (row) => row.name},
    {key: 'verdict', title: 'Verdict', narrow: true, value: (row) => urgency(row, change(row), most), cell: (row) => <VerdictTag verdict={verdictOf(row)} />},
    {key: 'ratio', title: 'After / before', narrow: true, value: (row) => row.ratio, cell: (row) => <><RatioPlot compared={row} reach={reach} /><span class="nowrap">{ratioText(row)}</span></>},
    {key: 'before', title: 'Before', number: true, value: (row) => row.before.median, cell: (row) => time(row.before.median)},
    {key: 'after', title: 'After', number: true, value: (row) => row.after.median, cell: (row) => time(row.after.median)},
    {key: 'change', title: 'Change', number: true, value: change, cell: (row) => signed(change(row))},
    {key: 'runs', title: 'Runs needed', number: true, value: (row) => row.runs_needed, cell: (row) => runsText(row.runs_needed)},
    {key: 'why', title: 'Why', value: (row) => row.why, cell: (row) => <span class="why">{row.tested && row.change === 'same' ? '' : [row.why, ...row.explanation].join(' · ')}</span>},
  ];
  return <><Table label="The run" rows={rows} columns={columns} sort="verdict" most={20} rowKey={(row) => row.name} /><RatioScale reach={reach} /></>;
}

function resultOf({overall, runs_needed: needed}: Comparison): string {
  const worst = overall === 'same' ? 'Nothing that was tested has changed.' : `The worst verdict: ${overall}.`;
  if (needed === 0) return worst;
  return needed > MOST_RUNS ? `${worst} For some, more than ${MOST_RUNS} runs would be needed.` : `${worst} ${needed} runs of each side would decide all.`;
}

export function Changes({comparison}: {comparison: Comparison}) {
  return (
    <div class="view">
      <header class="title">
        <h1>Before and after</h1>
        <p><b>Before:</b> {comparison.before}</p>
        <p><b>After:</b> {comparison.after}</p>
        <p class="result">{resultOf(comparison)}</p>
      </header>
      {comparison.notes.length > 0 && <section class="card"><h2>Notes</h2><ul class="problems">{comparison.notes.map((note) => <li>{note}</li>)}</ul></section>}
      <section class="card"><h2>Kernels</h2><Counts comparison={comparison} /><KernelTable comparison={comparison} /></section>
      <section class="card"><h2>The run: span, busy and idle time, ranges, the host</h2><RunTable comparison={comparison} /></section>
      <p class="muted keys">Keys: / filters, 1 to 5 choose verdicts, Esc shows all; on a kernel's page N and P go to the next and the one before, Esc goes back.</p>
    </div>
  );
}
