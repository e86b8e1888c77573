// SPDX-License-Identifier: Apache-2.0
// One kernel before and after: the verdict, what it rests on, and what moved.
import {type Compared, type CounterChange, difference, isOtherWork, type KernelChange, type Modes, noiseText, normalizedText, ratioText, reachOf, runsText, verdictOf} from '../data/comparison';
import {ABSENT, count, percent, plain, time} from '../data/format';
import {RatioPlot, RatioScale} from '../parts/ratio_plot';
import {type Column, Table} from '../parts/table';
import {VerdictTag} from '../parts/verdict_tag';
import {signed} from './changes';

function Facts({kernel}: {kernel: KernelChange}) {
  const {time: compared, cycles} = kernel;
  const launches = (value: number | null): string => (value === null ? ABSENT : count(Math.round(value)));
  const facts: [string, string][] = [
    ['before', time(compared.before.median)],
    ['after', time(compared.after.median)],
    ['after / before', ratioText(compared)],
    ['level, corrected', compared.tested ? compared.corrected.toPrecision(2) : ABSENT],
    ['cycles', cycles === null ? ABSENT : ratioText(cycles)],
    ['work', isOtherWork(kernel.work) && kernel.work.ratio !== null ? `${kernel.work.change} (${kernel.work.ratio.toFixed(2)})` : kernel.work.change === 'not-measured' ? ABSENT : kernel.work.change],
    ['launches', `${launches(kernel.launches_before)} → ${launches(kernel.launches_after)}`],
    ['all launches', `${time(kernel.total_before_ns)} → ${time(kernel.total_after_ns)}`],
    ['in all', signed(difference(kernel))],
    ['runs', `${compared.before.n} and ${compared.after.n}`],
  ];
  return <dl class="tiles">{facts.map(([name, value]) => <div><dt>{name}</dt><dd>{value}</dd></div>)}</dl>;
}

function ModesLine({side, modes}: {side: string; modes: Modes | null}) {
  if (modes === null) return null;
  return <p>{side} has two modes: {time(modes.low)} and {time(modes.high)} ({percent(modes.share_of_high)} of the values).</p>;
}

function VerdictCard({kernel}: {kernel: KernelChange}) {
  const compared: Compared = kernel.time;
  const reach = reachOf([compared]);
  return (
    <section class={`card verdict ${verdictOf(compared).replace(' ', '-')}`}>
      <h2><VerdictTag verdict={verdictOf(compared)} /> {compared.why}</h2>
      <RatioPlot compared={compared} reach={reach} />
      {compared.tested && <p>{noiseText(compared)}{compared.runs_needed > 0 && ` Runs of each side that would decide: ${runsText(compared.runs_needed)}.`}</p>}
      <ModesLine side="Before" modes={compared.modes_before} />
      <ModesLine side="After" modes={compared.modes_after} />
      {kernel.normalized !== null && <p>{normalizedText(kernel.normalized)}</p>}
      <p>{isOtherWork(kernel.work) ? <b>Work: {kernel.work.why}.</b> : `Work: ${kernel.work.why}.`}</p>
      {kernel.matched !== 'same' && <p>Match: {kernel.matched}, confidence {kernel.confidence}. {kernel.match_why}</p>}
      <RatioScale reach={reach} />
    </section>
  );
}

function Counters({counters}: {counters: CounterChange[]}) {
  const ratio = (counter: CounterChange): number | null => (counter.before !== 0 ? counter.after / counter.before : null);
  const columns: Column<CounterChange>[] = [
    {key: 'words', title: 'Counter', narrow: true, value: (counter) => counter.words, cell: (counter) => <span title={counter.metric}>{counter.words || counter.metric}</span>},
    {key: 'before', title: 'Before', number: true, narrow: true, value: (counter) => counter.before, cell: (counter) => plain(counter.before)},
    {key: 'after', title: 'After', number: true, narrow: true, value: (counter) => counter.after, cell: (counter) => plain(counter.after)},
    {key: 'ratio', title: 'After / before', number: true, value: ratio, cell: (counter) => ratio(counter)?.toFixed(3) ?? ABSENT},
    {key: 'moved', title: 'Moved', value: (counter) => Number(counter.certain) * 4 + Number(counter.moved) * 2 + Number(counter.exact), cell: (counter) => (counter.moved ? <b>{counter.certain ? 'other work' : counter.exact ? 'moved, exact' : 'moved'}</b> : <span class="muted">{counter.exact ? 'equal, exact' : 'equal'}</span>)},
  ];
  return <Table label="Counters" rows={counters} columns={columns} sort="moved" rowKey={(counter) => counter.metric} />;
}

export function ChangedKernel({kernel, previous, next}: {kernel: KernelChange; previous: number | null; next: number | null}) {
  return (
    <div class="view">
      <header class="title">
        <h1>{kernel.name}</h1>
        <p class="muted">{[kernel.range || '(no range)', `device ${kernel.device}`].join(' · ')}</p>
      </header>
      <div class="toolbar">
        <a href="#">All kernels</a>
        {previous !== null && <a href={`#kernel/${previous}`}>Previous</a>}
        {next !== null && <a href={`#kernel/${next}`}>Next</a>}
      </div>
      <VerdictCard kernel={kernel} />
      <Facts kernel={kernel} />
      <section class="card">
        <h2>What moved</h2>
        {kernel.explanation.length > 0 && <ul>{kernel.explanation.map((line) => <li>{line}</li>)}</ul>}
        {kernel.counters.length > 0
          ? <><Counters counters={kernel.counters} /><p class="muted">Exact: the program alone decides it, so that it moves at 0.1 %; the others move at 3 %, in both cases only beyond what the runs of a side differ by. Other work: exact, and changed by more than the threshold.</p></>
          : <p class="muted">No counter of this kernel was read on both sides: record one run of each side with <code>--counters all</code>.</p>}
      </section>
    </div>
  );
}
