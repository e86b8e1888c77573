// SPDX-License-Identifier: Apache-2.0
// The NVTX ranges as a tree and as a flame graph. Times of a range have those of the ranges in it.
import {useState} from 'preact/hooks';

import {count, percent, time} from '../data/format';
import {type Node, treeOf} from '../data/ranges';
import {Flame, type FlameNode} from '../parts/flame';
import {go} from '../place';
import {type Loaded, selection} from '../state';

type Measure = 'gpu' | 'idle' | 'host';
const MEASURES: Record<Measure, string> = {gpu: 'GPU time', idle: 'GPU idle', host: 'host time'};

function valueOf(node: Node, measure: Measure): number {
  return measure === 'gpu' ? node.gpu : measure === 'idle' ? node.idle : node.entry.host_ns;
}

const byValue = (measure: Measure) => (a: Node, b: Node) => valueOf(b, measure) - valueOf(a, measure);

function select(index: number): void {
  const chosen = selection.value;
  selection.value = chosen?.kind === 'range' && chosen.index === index ? null : {kind: 'range', index};
}

function isChosen(index: number): boolean {
  return selection.value?.kind === 'range' && selection.value.index === index;
}

const MOST_LEVELS = 13;

function flameOf(node: Node, measure: Measure): FlameNode {
  const {entry, index} = node;
  return {
    key: index, name: entry.name, title: entry.label, hue: entry.name.replace(/ \(\d+ ranges\)$/, ''), value: valueOf(node, measure),
    children: () => node.children.map((child) => flameOf(child, measure)),
  };
}

function TreeRow({node, depth, measure, total, open, toggle}: {node: Node; depth: number; measure: Measure; total: number; open: Set<number>; toggle: (index: number) => void}) {
  const {entry, index} = node;
  const isOpen = open.has(index);
  return (
    <>
      <tr class={isChosen(index) ? 'chosen' : ''}>
        <td>
          <span class="tree" style={{paddingLeft: `${depth * 16}px`}}>
            {node.children.length > 0
              ? <button class="twist" aria-expanded={isOpen} aria-label={`${isOpen ? 'Close' : 'Open'} ${entry.name}`} onClick={() => toggle(index)}>{isOpen ? '▾' : '▸'}</button>
              : <span class="twist" />}
            <button class="link" aria-pressed={isChosen(index)} title={entry.label} onClick={() => select(index)}>{entry.name}</button>
          </span>
        </td>
        <td class="number">{time(node.gpu)}</td>
        <td class="number">{percent(total > 0 ? node.gpu / total : null)}</td>
        <td class="number wide">{time(entry.gpu_ns)}</td>
        <td class="number">{time(node.idle)}</td>
        <td class="number wide">{time(entry.host_ns)}</td>
        <td class="number wide">{count(entry.instances)}</td>
      </tr>
      {isOpen && [...node.children].sort(byValue(measure)).map((child) => <TreeRow node={child} depth={depth + 1} measure={measure} total={total} open={open} toggle={toggle} />)}
    </>
  );
}

export function Ranges({data}: {data: Loaded}) {
  const [measure, setMeasure] = useState<Measure>('gpu');
  const roots = treeOf(data.header.ranges);
  const [open, setOpen] = useState(() => new Set(data.header.ranges.map((_, index) => index)));
  const toggle = (index: number) => {
    const next = new Set(open);
    if (!next.delete(index)) next.add(index);
    setOpen(next);
  };
  if (roots.length === 0) {
    return <div class="view"><h1>Ranges</h1><p>The program has no NVTX ranges. With some, this page has the time of each part of the program.</p></div>;
  }
  const total = roots.reduce((sum, root) => sum + valueOf(root, measure), 0);
  const busy = data.report.rows.filter((row) => row.kind === 'range' || row.kind === 'outside').reduce((sum, row) => sum + row.time_ns, 0);
  return (
    <div class="view">
      <h1>Ranges</h1>
      <div class="toolbar" role="group" aria-label="What the flame graph shows">
        {(Object.keys(MEASURES) as Measure[]).map((key) => <button aria-pressed={key === measure} onClick={() => setMeasure(key)}>{MEASURES[key]}</button>)}
        <span class="spacer" />
        {selection.value?.kind === 'range' && <button onClick={() => go('kernels')}>Its kernels</button>}
        {selection.value?.kind === 'range' && <button onClick={() => go('timeline')}>On the timeline</button>}
      </div>
      <section class="card" aria-label="Flame graph" data-testid="flame">
        <Flame nodes={roots.map((root) => flameOf(root, measure))} total={Math.max(total, 1)} most={MOST_LEVELS}
          chosen={({key}) => isChosen(Number(key))} choose={({key}) => select(Number(key))} />
      </section>
      <section class="card">
        <div class="scroll" tabIndex={0} role="region" aria-label="Tree of ranges">
          <table>
            <caption class="hidden">Tree of ranges</caption>
            <thead><tr><th>Range</th><th class="number">GPU time</th><th class="number">Of busy</th><th class="number wide">Itself</th><th class="number">GPU idle</th><th class="number wide">Host time</th><th class="number wide">Times</th></tr></thead>
            <tbody>{[...roots].sort(byValue(measure)).map((root) => <TreeRow node={root} depth={0} measure={measure} total={busy} open={open} toggle={toggle} />)}</tbody>
          </table>
        </div>
        <p class="muted">A click on a name selects the range: the timeline and the table of kernels then show only what was launched in it. GPU idle: idle time while the launching thread was in the range.</p>
      </section>
    </div>
  );
}
