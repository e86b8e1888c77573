// SPDX-License-Identifier: Apache-2.0
// All kernels: a table with the durations of each over the run.
import {useState} from 'preact/hooks';

import {colorOf} from '../colors';
import {count, percent, time} from '../data/format';
import type {Kernel} from '../data/report';
import {Spark} from '../parts/bar';
import {type Column, Table} from '../parts/table';
import {inWindow, isShown, type Loaded, selection} from '../state';

interface Entry {
  kernel: Kernel;
  index: number;
}

export function Kernels({data}: {data: Loaded}) {
  const [text, setText] = useState('');
  const wanted = text.toLowerCase();
  const inside = inWindow.value;
  const sparks = new Map(data.header.sparks.map((spark) => [spark.kernel, spark.mean_ns]));
  const rows = data.report.kernels
    .map((kernel, index) => ({kernel, index}))
    .filter(({kernel, index}) => `${kernel.full_name} ${kernel.range} ${kernel.verdict.limiter}`.toLowerCase().includes(wanted) && isShown(data, index));
  const columns: Column<Entry>[] = [
    {key: 'name', title: 'Kernel', narrow: true, value: ({kernel}) => kernel.name, cell: ({kernel, index}) => <a href={`#kernel/${index}`} title={kernel.full_name}>{kernel.name}</a>},
    {key: 'range', title: 'Range', value: ({kernel}) => kernel.range, cell: ({kernel}) => <span class="range">{kernel.range || '(no range)'}</span>},
    {key: 'total', title: 'Time', number: true, narrow: true, value: ({kernel}) => kernel.total_ns, cell: ({kernel}) => time(kernel.total_ns)},
    {key: 'share', title: 'Share', number: true, narrow: true, value: ({kernel}) => kernel.share, cell: ({kernel}) => percent(kernel.share)},
    {key: 'launches', title: 'Launches', number: true, value: ({kernel}) => kernel.launches, cell: ({kernel}) => count(kernel.launches)},
    {key: 'median', title: 'Median', number: true, value: ({kernel}) => kernel.duration_ns.median, cell: ({kernel}) => time(kernel.duration_ns.median)},
    {key: 'worst', title: 'Longest', number: true, value: ({kernel}) => kernel.duration_ns.max, cell: ({kernel}) => time(kernel.duration_ns.max)},
    {key: 'spark', title: 'Over the run', value: ({kernel}) => (kernel.duration_ns.max ?? 0) / Math.max(kernel.duration_ns.min ?? 1, 1), cell: ({kernel, index}) => <Spark values={sparks.get(index)} label={`mean durations of ${kernel.name} over the run`} />},
    {key: 'limiter', title: 'Limiter', value: ({kernel}) => kernel.verdict.limiter, cell: ({kernel}) => <span class="tag" title={kernel.verdict.summary}><i style={{background: colorOf(kernel.verdict.limiter)}} />{kernel.verdict.limiter}</span>},
    {key: 'gain', title: 'Gain ≤', number: true, value: ({kernel}) => (kernel.verdict.gain_at_most ?? 0) * kernel.total_ns, cell: ({kernel}) => (kernel.verdict.gain_at_most ? time(kernel.verdict.gain_at_most * kernel.total_ns) : '')},
  ];
  if (inside) {
    columns.splice(2, 0,
      {key: 'inside', title: 'In the stretch', number: true, narrow: true, value: ({index}) => inside.get(index)?.ns ?? 0, cell: ({index}) => time(inside.get(index)?.ns ?? 0)},
      {key: 'insideLaunches', title: 'Launches there', number: true, value: ({index}) => inside.get(index)?.launches ?? 0, cell: ({index}) => count(inside.get(index)?.launches ?? 0)});
  }
  return (
    <div class="view">
      <h1>Kernels</h1>
      <div class="toolbar">
        <input type="search" placeholder="Filter by name, range or limiter" aria-label="Filter kernels" value={text} onInput={(event) => setText(event.currentTarget.value)} />
        <span role="status" class="muted">{rows.length} of {data.report.kernels.length}</span>
      </div>
      <section class="card"><Table label="Kernels" rows={rows} columns={columns} sort={inside ? 'inside' : 'total'} rowKey={({index}) => index}
        chosen={({index}) => selection.value?.kind === 'kernel' && selection.value.index === index} /></section>
    </div>
  );
}
