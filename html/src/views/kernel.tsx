// SPDX-License-Identifier: Apache-2.0
// One kernel: what limits it, the evidence, and all that was measured of it.
import {colorOf} from '../colors';
import {ABSENT, bytes, count, percent, plain, rate, shape, shortMetric, time} from '../data/format';
import type {Kernel} from '../data/report';
import {Meter} from '../parts/bar';
import {CourseChart} from '../parts/course';
import {Launches} from '../parts/launches';
import {MemoryChart} from '../parts/memory_chart';
import {Levels, RooflineChart} from '../parts/roofline';
import {type Column, Table} from '../parts/table';
import {go} from '../place';
import {type Loaded, selection, timeline} from '../state';

const SOURCES: Record<string, string> = {counters: 'counters', 'pm-samples': 'PM samples', both: 'counters and PM samples'};

function Facts({kernel}: {kernel: Kernel}) {
  const {duration_ns: duration} = kernel;
  const facts: [string, string][] = [
    ['time', time(kernel.total_ns)],
    ['share', percent(kernel.share)],
    ['launches', count(kernel.launches)],
    ['median', time(duration.median)],
    ['shortest', time(duration.min)],
    ['longest', time(duration.max)],
    ['grid', shape(kernel.grid)],
    ['block', shape(kernel.block)],
    ['registers', kernel.registers_per_thread === null ? ABSENT : String(kernel.registers_per_thread)],
    ['shared memory', bytes(kernel.static_shared_bytes === null ? kernel.dynamic_shared_bytes : kernel.static_shared_bytes + (kernel.dynamic_shared_bytes ?? 0))],
  ];
  return <dl class="tiles">{facts.map(([name, value]) => <div><dt>{name}</dt><dd>{value}</dd></div>)}</dl>;
}

function VerdictCard({kernel}: {kernel: Kernel}) {
  const {verdict} = kernel;
  return (
    <section class="card verdict" style={{borderLeftColor: colorOf(verdict.limiter)}}>
      <h2>{verdict.summary || `Not decided: ${verdict.missing}`}</h2>
      <p class="muted">Confidence: {verdict.confidence}{verdict.doubts.length > 0 && `: ${verdict.doubts.map((doubt) => doubt.text).join('; ')}`}. {SOURCES[verdict.source] ? `From ${SOURCES[verdict.source]}. ` : ''}{verdict.rule && <>Rule <code>{verdict.rule}</code>. </>}{verdict.runner_up && `Next: ${verdict.runner_up}.`}</p>
      <ul>{[...verdict.evidence, ...verdict.notes].map((line) => <li>{line}</li>)}</ul>
      {(verdict.actions ?? []).map((action) => (
        <div class="action">
          <p class="what">{action.what}</p>
          <p>{action.gain_at_most === null ? 'Nothing that was measured bounds the gain' : <>Saves at most <b>{percent(action.gain_at_most)}</b> of its time, <b>{time(action.gain_at_most * kernel.total_ns)}</b></>}{action.floor && `: ${action.floor}`}</p>
          {action.check && <p class="muted">What would decide more: {action.check}</p>}
        </div>
      ))}
      {verdict.missing && (verdict.actions ?? []).every((action) => action.check !== verdict.missing) && <p class="muted">What would decide more: {verdict.missing}</p>}
    </section>
  );
}

function Code({kernel}: {kernel: Kernel}) {
  const kinds = Object.entries(kernel.code ?? {}).flatMap(([name, value]) => typeof value === 'object' && value.all > 0 ? [{name, ...value}] : []);
  return (
    <>
      <table class="plain">
        <thead><tr><th>what stands in it</th><th class="number">instructions</th><th class="number">in loops</th></tr></thead>
        <tbody>{kinds.map((kind) => <tr><td>{kind.name.replaceAll('_', ' ')}</td><td class="number">{count(kind.all)}</td><td class="number">{count(kind.in_loops)}</td></tr>)}</tbody>
      </table>
      <p class="muted">How often each one is executed is not known.{kernel.code?.calls_others && ' Functions that it calls elsewhere are not counted.'}</p>
    </>
  );
}

function Units({kernel}: {kernel: Kernel}) {
  if (kernel.units.length === 0) return <p class="muted">No unit was measured. {kernel.verdict.missing}</p>;
  return (
    <ul class="bars">
      {kernel.units.map((unit) => {
        const value = `${unit.missing.length > 0 ? '≥ ' : ''}${percent(unit.of_peak)}${unit.error ? ` ± ${(unit.error * 100).toFixed(1)}` : ''}`;
        return (
          <li title={`${unit.metric} (n=${unit.n}, ${SOURCES[unit.source] ?? unit.source})`}>
            <span>{unit.unit}</span>
            <Meter share={unit.of_peak ?? 0} error={unit.error} color={colorOf(unit.unit)} label={`${unit.unit}: ${value} of peak`} />
            <span class="number">{value}</span>
          </li>
        );
      })}
    </ul>
  );
}

const STALL = /^smsp__average_warps_issue_stalled_(.+)_per_issue_active\.ratio$/;

function Stalls({kernel}: {kernel: Kernel}) {
  const stalls = Object.entries(kernel.metrics)
    .flatMap(([name, value]) => {
      const reason = STALL.exec(name)?.[1];
      return reason && value.median ? [{reason: reason.replaceAll('_', ' '), value: value.median, n: value.n}] : [];
    })
    .sort((a, b) => b.value - a.value);
  if (stalls.length === 0) return <p class="muted">Stall reasons were not counted. <code>--counters all</code> counts them.</p>;
  const total = stalls.reduce((sum, stall) => sum + stall.value, 0);
  return (
    <ul class="bars">
      {stalls.slice(0, 10).map((stall) => (
        <li title={`${plain(stall.value)} warps for each issue, n=${stall.n}`}>
          <span>{stall.reason}</span>
          <Meter share={stall.value / total} color={stall.reason === 'selected' ? colorOf('busy') : colorOf('latency')} label={`${stall.reason}: ${percent(stall.value / total)} of warps`} />
          <span class="number">{percent(stall.value / total)}</span>
        </li>
      ))}
    </ul>
  );
}

function OccupancyCard({kernel}: {kernel: Kernel}) {
  const {occupancy} = kernel;
  if (!occupancy.known) return <p class="muted">The limits of the device were not recorded.</p>;
  const limits: [string, number][] = [['blocks', occupancy.limit_blocks], ['warps', occupancy.limit_warps], ['registers', occupancy.limit_registers], ['shared', occupancy.limit_shared]];
  const most = Math.max(...limits.map(([, value]) => value), 1);
  return (
    <>
      <ul class="bars">
        <li><span>theoretical</span><Meter share={occupancy.theoretical ?? 0} color={colorOf('occupancy')} label="theoretical occupancy" /><span class="number">{percent(occupancy.theoretical)}</span></li>
        <li><span>achieved</span><Meter share={occupancy.achieved ?? 0} color={colorOf('busy')} label="achieved occupancy" /><span class="number">{percent(occupancy.achieved)}</span></li>
      </ul>
      <h3>Blocks that fit on an SM, by limit</h3>
      <ul class="bars">
        {limits.map(([name, value]) => {
          const binds = occupancy.limited_by.some((limit) => limit.startsWith(name));
          return <li><span>{binds ? <b>{name}</b> : name}</span><Meter share={value / most} color={colorOf(binds ? 'sync' : 'range')} label={`${name}: ${value} blocks`} /><span class="number">{value}</span></li>;
        })}
      </ul>
      <p class="muted">{plain(occupancy.waves)} {occupancy.waves === 1 ? 'wave' : 'waves'}; the last one leaves {percent(occupancy.tail_lost)} of the SM time unused.</p>
    </>
  );
}

function RooflineCard({kernel}: {kernel: Kernel}) {
  const {roofline} = kernel;
  const chart = RooflineChart({roofline});
  if (chart || (roofline.levels ?? []).some((level) => level.bytes_per_s !== null)) {
    return <>{chart}<Levels roofline={roofline} />{!chart && <p class="muted">No place under the roofline: {roofline.flops_missing || 'floating-point operations were not counted'}.</p>}</>;
  }
  if (roofline.dram_bytes_per_s !== null && roofline.dram_peak_bytes_per_s !== null) {
    const share = roofline.dram_bytes_per_s / roofline.dram_peak_bytes_per_s;
    return (
      <>
        <ul class="bars"><li><span>DRAM</span><Meter share={share} color={colorOf('dram')} label="DRAM bandwidth" /><span class="number">{percent(share)}</span></li></ul>
        <p>{rate(roofline.dram_bytes_per_s, 'B/s')} of {rate(roofline.dram_peak_bytes_per_s, 'B/s')}. Floating-point operations were not counted, so it has no place under the roofline.</p>
      </>
    );
  }
  return <p class="muted">Bytes and floating-point operations were not counted: no place under the roofline. <code>--counters all</code> counts them.</p>;
}

function Metrics({kernel}: {kernel: Kernel}) {
  const counted = Object.entries(kernel.metrics);
  const sampled = Object.entries(kernel.continuous).filter(([, value]) => value.value !== null);
  if (counted.length + sampled.length === 0) return null;
  return (
    <section class="card">
      <details>
        <summary>{counted.length + sampled.length} metrics, with their spread</summary>
        <div class="scroll" tabIndex={0} role="region" aria-label="Metrics">
          <table>
            <caption class="hidden">Metrics</caption>
            <thead><tr><th>Metric</th><th class="number">Median</th><th class="number wide">Least</th><th class="number wide">Most</th><th class="number">n</th></tr></thead>
            <tbody>
              {counted.map(([name, value]) => <tr><td><code>{name}</code></td><td class="number">{plain(value.median)}</td><td class="number wide">{plain(value.min)}</td><td class="number wide">{plain(value.max)}</td><td class="number">{value.n}</td></tr>)}
              {sampled.map(([name, value]) => <tr><td><code>{shortMetric(name)}</code> <span class="muted">PM samples, mean ± half of 95 %</span></td><td class="number">{plain(value.value)}</td><td class="number wide" colSpan={2}>± {plain(value.error)}</td><td class="number">{value.samples}</td></tr>)}
            </tbody>
          </table>
        </div>
      </details>
    </section>
  );
}

function TorchOps({kernel}: {kernel: Kernel}) {
  if (kernel.torch_ops.length === 0) return null;
  const columns: Column<Kernel['torch_ops'][number]>[] = [
    {key: 'op', title: 'Op', narrow: true, value: (op) => op.name, cell: (op) => <>{op.name}{op.forward !== '' && <span class="muted"> of {op.forward}</span>}</>},
    {key: 'pass', title: 'Pass', value: (op) => (op.backward ? 'backward' : 'forward')},
    {key: 'time', title: 'Time', number: true, narrow: true, value: (op) => op.time_ns, cell: (op) => time(op.time_ns)},
    {key: 'launches', title: 'Launches', number: true, narrow: true, value: (op) => op.launches, cell: (op) => count(op.launches)},
  ];
  return <section class="card"><h2>Ops of PyTorch that launched it</h2><Table label="Ops of PyTorch" rows={kernel.torch_ops} columns={columns} sort="time" most={10} rowKey={(op) => `${op.name} ${op.forward} ${op.backward}`} /></section>;
}

export function KernelPage({data, index}: {data: Loaded; index: number}) {
  const kernel = data.report.kernels[index];
  if (!kernel) return <div class="view"><h1>No such kernel</h1><p><a href="#kernels">All kernels</a></p></div>;
  const lines = timeline.value;
  const show = () => {
    selection.value = {kind: 'kernel', index};
    go('timeline');
  };
  return (
    <div class="view">
      <header class="title">
        <p><a href="#kernels">Kernels</a></p>
        <h1>{kernel.name}</h1>
        <p class="full"><code>{kernel.full_name}</code></p>
        <p class="muted">in {kernel.range || '(no range)'} on GPU {kernel.device}{kernel.counters_from && `; counters of ${kernel.counters_from}`}{kernel.continuous_from && `; PM samples of ${kernel.continuous_from}`}</p>
        <div class="toolbar"><button onClick={show}>Show on the timeline</button></div>
      </header>
      <Facts kernel={kernel} />
      <VerdictCard kernel={kernel} />
      <div class="columns">
        <section class="card"><h2>Units, of their peak</h2><Units kernel={kernel} /></section>
        <section class="card"><h2>Why warps wait</h2><Stalls kernel={kernel} /></section>
        <section class="card"><h2>Occupancy</h2><OccupancyCard kernel={kernel} /></section>
        <section class="card"><h2>Roofline</h2><RooflineCard kernel={kernel} /></section>
        {kernel.code && <section class="card"><h2>Its machine code</h2><Code kernel={kernel} /></section>}
      </div>
      {kernel.course && <section class="card"><h2>Over the time of one launch</h2><CourseChart course={kernel.course} /></section>}
      <section class="card"><h2>Memory, bytes for each launch</h2>{MemoryChart({kernel}) ?? <p class="muted">Bytes between the levels were not counted. <code>--counters all</code> counts them.</p>}</section>
      <section class="card"><h2>Durations over the run</h2>{lines ? <Launches lines={lines} kernel={index} /> : <p role="status">Reading the timeline</p>}<p class="muted">Line: mean. Area: shortest to longest.</p></section>
      <TorchOps kernel={kernel} />
      <Metrics kernel={kernel} />
    </div>
  );
}
