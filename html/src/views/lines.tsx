// SPDX-License-Identifier: Apache-2.0
// Lines of source: a flame graph of the stacks, and a table of the lines that launched work.
import {useMemo, useState} from 'preact/hooks';

import {colorOf} from '../colors';
import {count, percent, time} from '../data/format';
import type {SourceLine, SourceLines} from '../data/report';
import {kernelsBelow, lineKey, type LineSums, type Measure, placeOf, shortPlace, type StackNode, sumLines} from '../data/stacks';
import {Flame, type FlameNode} from '../parts/flame';
import {SelectionButtons} from '../parts/selection';
import {type Column, Table} from '../parts/table';
import {decodeProblem, isSelected, type Loaded, selectKernels, stacks} from '../state';

const MEASURES: Record<Measure, string> = {gpu: 'GPU time', idle: 'GPU idle', host: 'CUDA calls'};
const MOST_LEVELS = 130; // more than a stack has

function flameOf(node: StackNode, measure: Measure): FlameNode {
  const {frame} = node;
  return {
    key: node.index, name: frame.name, title: `${frame.name}, ${placeOf(frame)}`, hue: frame.name + frame.file, dull: !frame.own, value: node.all[measure],
    children: () => node.children.map((child) => flameOf(child, measure)),
  };
}

// The callers of a frame, the outermost first.
function Callers({node, all, choose}: {node: StackNode; all: () => void; choose: (node: StackNode) => void}) {
  const callers: StackNode[] = [];
  for (let at = node.parent; at !== null; at = at.parent) callers.unshift(at);
  return (
    <nav class="callers" aria-label="Callers of the frame">
      <button class="link" onClick={all}>All</button>
      {callers.map((caller) => <><span aria-hidden="true">›</span><button class="link" title={placeOf(caller.frame)} onClick={() => choose(caller)}>{caller.frame.name}</button></>)}
    </nav>
  );
}

function StackGraph({nodes}: {nodes: StackNode[]}) {
  const [measure, setMeasure] = useState<Measure>('gpu');
  const [near, setNear] = useState<StackNode | null>(null);
  const roots = near ? [near] : nodes.filter((node) => node.parent === null);
  const total = roots.reduce((sum, node) => sum + node.all[measure], 0);
  const key = (node: StackNode) => `stack ${node.index}`;
  const choose = (node: StackNode) => {
    const again = node === near; // takes it back
    setNear(again ? null : node);
    if (isSelected('line', key(node)) === again) selectKernels('line', key(node), `${node.frame.name}, ${shortPlace(node.frame)}`, kernelsBelow(node));
  };
  return (
    <>
      <div class="toolbar" role="group" aria-label="What the flame graph shows">
        {(Object.keys(MEASURES) as Measure[]).map((one) => <button aria-pressed={one === measure} onClick={() => setMeasure(one)}>{MEASURES[one]}</button>)}
        <SelectionButtons kinds={['line']} />
      </div>
      <section class="card stacks" aria-label="Flame graph of stacks" data-testid="stacks">
        {near && <Callers node={near} all={() => choose(near)} choose={choose} />}
        {total > 0
          ? <Flame nodes={roots.map((root) => flameOf(root, measure))} total={total} most={MOST_LEVELS}
              chosen={(one) => isSelected('line', key(nodes[Number(one.key)]))} choose={(one) => choose(nodes[Number(one.key)])} />
          : <p class="muted">Nothing of this has a stack.</p>}
        <p class="muted">A click on a frame enlarges it, and selects the kernels that were launched from it. Pale: frames of installed packages, of Python's library, of the system and of CUDA. Frames that are too narrow to see are left out.</p>
      </section>
    </>
  );
}

const busyTime = (line: SourceLine) => line.time_ns + line.backward_ns;

function LinesTable({rows, busy, steps, sums, own}: {rows: SourceLine[]; busy: number; steps: SourceLines['steps']; sums: Map<string, LineSums>; own: boolean}) {
  const key = (line: SourceLine) => `${own ? 'own' : 'all'} ${lineKey(line)}`;
  const of = (line: SourceLine) => sums.get(lineKey(line));
  const choose = (line: SourceLine) => selectKernels('line', key(line), shortPlace(line), of(line)?.kernels ?? new Set());
  const columns: Column<SourceLine>[] = [
    {key: 'line', title: 'Line', narrow: true, value: (line) => placeOf(line), cell: (line) => (
      <button class="link" title={placeOf(line)} aria-pressed={isSelected('line', key(line))} onClick={() => choose(line)}>{shortPlace(line)} <span class="muted">{line.function}</span></button>)},
    ...(steps ? [{key: 'steps', title: 'In steps', number: true, narrow: true, value: (line: SourceLine) => line.steps_ns, cell: (line: SourceLine) => percent(line.steps_ns / steps.time_ns)}] : []),
    {key: 'gpu', title: 'GPU time', number: true, narrow: true, value: (line) => line.time_ns, cell: (line) => time(line.time_ns)},
    ...(rows.some((line) => line.backward_ns > 0) ? [{key: 'backward', title: 'Its backward', number: true, value: (line: SourceLine) => line.backward_ns, cell: (line: SourceLine) => time(line.backward_ns)}] : []),
    {key: 'share', title: 'Of busy', number: true, narrow: true, value: busyTime, cell: (line) => percent(busy > 0 ? busyTime(line) / busy : null)},
    {key: 'launches', title: 'Launches', number: true, value: (line) => line.operations, cell: (line) => count(line.operations)},
    {key: 'idle', title: 'Idle', number: true, value: (line) => line.idle_ns, cell: (line) => time(line.idle_ns)},
    {key: 'host', title: 'CUDA calls', number: true, value: (line) => of(line)?.host ?? 0, cell: (line) => time(of(line)?.host)},
    {key: 'limiter', title: 'Limiter', value: (line) => line.limiter ?? '', cell: (line) => line.limiter && <span class="tag"><i style={{background: colorOf(line.limiter)}} />{line.limiter}</span>},
    {key: 'mostly', title: 'Mostly', value: (line) => line.dominant ?? ''},
  ];
  return <Table label="Lines of source" rows={rows} columns={columns} sort={steps ? 'steps' : 'gpu'} rowKey={key} chosen={(line) => isSelected('line', key(line))} />;
}

export function Lines({lines}: {data: Loaded; lines: SourceLines}) {
  const [own, setOwn] = useState(true);
  const [text, setText] = useState('');
  const nodes = stacks.value;
  const sums = useMemo(() => (nodes ? sumLines(nodes, own) : new Map<string, LineSums>()), [nodes, own]);
  const busy = lines.all.reduce((sum, line) => sum + busyTime(line), lines.without_stack_ns);
  const list = own ? lines.own : lines.all;
  const rows = list.filter((line) => `${placeOf(line)} ${line.function} ${line.dominant ?? ''} ${line.limiter ?? ''}`.toLowerCase().includes(text.toLowerCase()));
  return (
    <div class="view">
      <h1>Lines of source</h1>
      {decodeProblem.value !== '' && <p class="problem" role="alert">{decodeProblem.value}</p>}
      {nodes ? <StackGraph nodes={nodes} /> : decodeProblem.value === '' && <p role="status">Reading the stacks</p>}
      <div class="toolbar" role="group" aria-label="Which line of a stack counts">
        <button aria-pressed={own} onClick={() => setOwn(true)}>Lines of the program</button>
        <button aria-pressed={!own} onClick={() => setOwn(false)}>Innermost lines</button>
        <input type="search" placeholder="Filter by file, function or kernel" aria-label="Filter lines" value={text} onInput={(event) => setText(event.currentTarget.value)} />
        <span role="status" class="muted">{rows.length} of {list.length}</span>
      </div>
      <section class="card">
        <LinesTable rows={rows} busy={busy} steps={lines.steps} sums={sums} own={own} key={String(own)} />
        <p class="muted">A click on a line selects the kernels that it launched. {lines.steps && `In steps: the line's busy and idle time of the last ${count(lines.steps.count)} steps (${lines.steps.range}). `}Idle: the GPU idled because the line waited for it, or the host was in the line, or the line launched what came late. Its backward: of the backward pass of PyTorch's ops that launched work in this line. CUDA calls: time of the line's calls on their threads.
          {lines.without_stack_ns > 0 && ` ${percent(lines.without_stack_ns / busy)} of the GPU's busy time has no stack: without native stacks other threads, such as that of PyTorch's backward pass (with ops recorded it has the line of the forward pass), or code without Python.`}</p>
      </section>
    </div>
  );
}
