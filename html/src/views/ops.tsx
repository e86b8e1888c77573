// SPDX-License-Identifier: Apache-2.0
// The ops of PyTorch: what each cost on the host and on the GPU, and the backward pass of each range.
import {useState} from 'preact/hooks';

import {colorOf} from '../colors';
import {count, percent, time} from '../data/format';
import type {Op, Torch} from '../data/report';
import {SelectionButtons} from '../parts/selection';
import {type Column, Table} from '../parts/table';
import {isSelected, type Loaded, selection, selectKernels} from '../state';

interface Entry {
  op: Op;
  index: number;
}

const keyOf = ({index}: Entry) => String(index);

function passOf(op: Op): string {
  if (op.backward) return 'backward';
  return op.kind === 'user' ? 'scope' : 'forward';
}

function labelOf(op: Op): string {
  return op.forward === '' ? op.name : `${op.name} (of ${op.forward})`;
}

function LimiterOf({op}: {op: Op}) {
  const all = op.limiters.reduce((sum, one) => sum + one.time_ns, 0);
  if (all <= 0) return null;
  const {limiter, time_ns} = op.limiters[0];
  const title = op.limiters.map((one) => `${one.limiter} ${percent(one.time_ns / all)}`).join(', ');
  return <span class="tag" title={title}><i style={{background: colorOf(limiter)}} />{limiter} {percent(time_ns / all)}</span>;
}

const blank = (ns: number) => (ns > 0 ? time(ns) : '');

function OpsTable({data, torch, shown}: {data: Loaded; torch: Torch; shown: Entry[]}) {
  const choose = (entry: Entry) => selectKernels('op', keyOf(entry), labelOf(entry.op), new Set(data.header.op_kernels[entry.index]));
  const columns: Column<Entry>[] = [
    {key: 'op', title: 'Op', narrow: true, value: ({op}) => labelOf(op), cell: (entry) => (
      <button class="link" aria-pressed={isSelected('op', keyOf(entry))} onClick={() => choose(entry)}>
        {entry.op.name}{entry.op.forward !== '' && <span class="muted"> of {entry.op.forward}</span>}
      </button>)},
    {key: 'pass', title: 'Pass', value: ({op}) => passOf(op), cell: ({op}) => <span class="tag">{passOf(op)}</span>},
    {key: 'self', title: 'GPU self', number: true, narrow: true, value: ({op}) => op.gpu_self_ns, cell: ({op}) => blank(op.gpu_self_ns)},
    {key: 'share', title: 'Of the GPU', number: true, value: ({op}) => op.gpu_self_ns, cell: ({op}) => (op.gpu_self_ns > 0 ? percent(op.gpu_self_ns / torch.gpu_ns) : '')},
    {key: 'total', title: 'GPU total', number: true, narrow: true, value: ({op}) => op.gpu_ns, cell: ({op}) => blank(op.gpu_ns)},
    {key: 'backward', title: 'Its backward', number: true, value: ({op}) => op.backward_gpu_ns, cell: ({op}) => blank(op.backward_gpu_ns)},
    {key: 'launches', title: 'Launches', number: true, value: ({op}) => op.launches, cell: ({op}) => (op.launches > 0 ? count(op.launches) : '')},
    {key: 'cpuSelf', title: 'CPU self', number: true, value: ({op}) => op.cpu_self_ns, cell: ({op}) => time(op.cpu_self_ns)},
    {key: 'cpu', title: 'CPU total', number: true, value: ({op}) => op.cpu_ns, cell: ({op}) => time(op.cpu_ns)},
    {key: 'calls', title: 'Calls', number: true, value: ({op}) => op.calls, cell: ({op}) => count(op.calls)},
    {key: 'limiter', title: 'Limiter', value: ({op}) => op.limiters[0]?.limiter ?? '', cell: ({op}) => <LimiterOf op={op} />},
  ];
  return <Table label="Ops of PyTorch" rows={shown} columns={columns} sort="self" rowKey={keyOf} chosen={(entry) => isSelected('op', keyOf(entry))} />;
}

type Range = Torch['ranges'][number];

function RangesTable({data, torch}: {data: Loaded; torch: Torch}) {
  const most = Math.max(...torch.ranges.map((range) => range.forward_ns + range.backward_ns), 1);
  const name = ({label}: Range) => {
    const index = data.header.ranges.findIndex((range) => range.label === label);
    if (index < 0) return label;
    const chosen = selection.value?.kind === 'range' && selection.value.index === index;
    return <button class="link" aria-pressed={chosen} onClick={() => (selection.value = chosen ? null : {kind: 'range', index})}>{label}</button>;
  };
  const columns: Column<Range>[] = [
    {key: 'range', title: 'Range', narrow: true, value: ({label}) => label, cell: name},
    {key: 'forward', title: 'Forward', number: true, narrow: true, value: ({forward_ns}) => forward_ns, cell: ({forward_ns}) => blank(forward_ns)},
    {key: 'backward', title: 'Backward', number: true, narrow: true, value: ({backward_ns}) => backward_ns, cell: ({backward_ns}) => blank(backward_ns)},
    {key: 'both', title: 'Both', value: (range) => range.forward_ns + range.backward_ns, cell: ({label, forward_ns, backward_ns}) => (
      <div class="pair" role="img" aria-label={`${label}: forward ${time(forward_ns)}, backward ${time(backward_ns)}`}>
        <span style={{width: `${(forward_ns / most) * 100}%`, background: colorOf('busy')}} /><span style={{width: `${(backward_ns / most) * 100}%`, background: colorOf('range')}} />
      </div>)},
  ];
  return <Table label="Ranges, with the backward pass of what ran in them" rows={torch.ranges} columns={columns} sort="both" rowKey={({label}) => label} />;
}

export function Ops({data, torch}: {data: Loaded; torch: Torch}) {
  const [text, setText] = useState('');
  const wanted = text.toLowerCase();
  const shown = torch.ops
    .map((op, index): Entry => ({op, index}))
    .filter(({op}) => `${labelOf(op)} ${passOf(op)} ${op.limiters[0]?.limiter ?? ''}`.toLowerCase().includes(wanted));
  const tiles: [string, string][] = [
    ['GPU time in ops', percent(torch.gpu_ns > 0 ? torch.gpu_in_ops_ns / torch.gpu_ns : null)],
    ['in the backward pass', percent(torch.gpu_ns > 0 ? torch.backward_ns / torch.gpu_ns : null)],
    ['of it with a known op', percent(torch.backward_ns > 0 ? torch.forward_known_ns / torch.backward_ns : null)],
    ['kinds of op', count(torch.ops.length)],
  ];
  return (
    <div class="view">
      <h1>Ops of PyTorch</h1>
      <dl class="tiles">{tiles.map(([name, value]) => <div><dt>{name}</dt><dd>{value}</dd></div>)}</dl>
      <div class="toolbar">
        <input type="search" placeholder="Filter by op, pass or limiter" aria-label="Filter ops" value={text} onInput={(event) => setText(event.currentTarget.value)} />
        <span role="status" class="muted">{shown.length} of {torch.ops.length}</span>
        <SelectionButtons kinds={['op', 'range']} />
      </div>
      <section class="card">
        <OpsTable data={data} torch={torch} shown={shown} />
        <p class="muted">A click on an op selects the kernels that were launched in it, and in the ops that it called. Self: without these ops. Its backward: GPU time of the backward pass that belongs to it.</p>
      </section>
      {torch.ranges.length > 0 && <section class="card"><h2>Forward and backward pass of each range</h2><RangesTable data={data} torch={torch} /></section>}
    </div>
  );
}
