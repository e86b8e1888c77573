// SPDX-License-Identifier: Apache-2.0
// The first view: what ran, where the time went, what to change, what is missing.
import {colorOf} from '../colors';
import {bytes, count, percent, time} from '../data/format';
import {adviceOf, type Advice, limiterParts, type Report, spanParts, spanText} from '../data/report';
import {PartsBar} from '../parts/bar';
import {type Column, Table} from '../parts/table';
import {WholeRunTable} from '../parts/whole_run';
import {go} from '../place';
import type {Loaded} from '../state';

const TOP = 8;

// Of the time that prof did not disturb, as all shares of the report.
function busyShare({devices}: Report): number | null {
  const busy = devices.reduce((sum, device) => sum + device.busy_ns, 0);
  const idle = devices.reduce((sum, device) => sum + device.idle_ns, 0);
  return busy + idle > 0 ? busy / (busy + idle) : null;
}

function Facts({report}: {report: Report}) {
  const facts: [string, string][] = [
    ['span', time(report.span_ns)],
    [report.devices.length > 1 ? 'GPUs busy' : 'GPU busy', percent(busyShare(report))],
    ['kernels', count(report.totals.kernels)],
    ['copies', count(report.totals.copies)],
    ['ranges', count(report.totals.ranges)],
  ];
  if (report.profiler_ns > 0) facts.push(['disturbed by prof', time(report.profiler_ns)]);
  return <dl class="tiles">{facts.map(([name, value]) => <div><dt>{name}</dt><dd>{value}</dd></div>)}</dl>;
}

function AdviceCard({advice, span, place}: {advice: Advice; span: number; place: number}) {
  return (
    <li class="advice">
      <span class="rank" aria-hidden="true">{place}</span>
      <div>
        <p class="what">{advice.what}</p>
        <p>
          {advice.kernel >= 0 ? <a href={`#kernel/${advice.kernel}`}>{advice.target}</a> : <b>{advice.target}</b>}
          {': '}{advice.evidence}
        </p>
        {advice.check !== '' && <p class="muted">What would decide more: {advice.check}</p>}
      </div>
      <p class="gain">
        {advice.saves_ns === null ? <span class="muted">no bound measured</span> : <><small>saves at most</small><b>{time(advice.saves_ns)}</b><small>{percent(advice.saves_ns / span)} of the time</small></>}
      </p>
    </li>
  );
}

function TopKernels({report}: {report: Report}) {
  const rows = report.kernels.slice(0, TOP).map((kernel, index) => ({kernel, index}));
  type Entry = (typeof rows)[number];
  const columns: Column<Entry>[] = [
    {key: 'name', title: 'Kernel', narrow: true, value: ({kernel}) => kernel.name, cell: ({kernel, index}) => <a href={`#kernel/${index}`} title={kernel.full_name}>{kernel.name}</a>},
    {key: 'total', title: 'Time', number: true, narrow: true, value: ({kernel}) => kernel.total_ns, cell: ({kernel}) => time(kernel.total_ns)},
    {key: 'share', title: 'Share', number: true, narrow: true, value: ({kernel}) => kernel.share, cell: ({kernel}) => percent(kernel.share)},
    {key: 'launches', title: 'Launches', number: true, value: ({kernel}) => kernel.launches, cell: ({kernel}) => count(kernel.launches)},
    {key: 'limiter', title: 'Limiter', value: ({kernel}) => kernel.verdict.limiter, cell: ({kernel}) => <span class="tag"><i style={{background: colorOf(kernel.verdict.limiter)}} />{kernel.verdict.limiter}</span>},
  ];
  return <Table label="Kernels with most time" rows={rows} columns={columns} sort="total" rowKey={({index}) => index} />;
}

function Gaps({report}: {report: Report}) {
  const columns: Column<Report['gaps'][number]>[] = [
    {key: 'cause', title: 'Cause', narrow: true, value: (gap) => gap.cause, cell: (gap) => <span class="tag" title={gap.example}><i style={{background: colorOf(gap.cause)}} />{gap.cause}</span>},
    {key: 'total', title: 'Idle', number: true, narrow: true, value: (gap) => gap.total_ns, cell: (gap) => time(gap.total_ns)},
    {key: 'count', title: 'Gaps', number: true, narrow: true, value: (gap) => gap.count, cell: (gap) => count(gap.count)},
    {key: 'longest', title: 'Longest', number: true, value: (gap) => gap.longest_ns, cell: (gap) => time(gap.longest_ns)},
    {key: 'where', title: 'Most of it in', value: (gap) => gap.where},
  ];
  return <Table label="Idle time by cause" rows={report.gaps} columns={columns} sort="total" rowKey={(gap) => `${gap.device} ${gap.cause}`} />;
}

function Copies({report}: {report: Report}) {
  const columns: Column<Report['copies'][number]>[] = [
    {key: 'what', title: 'Copy', narrow: true, value: (copy) => `${copy.direction}, ${copy.memory}`},
    {key: 'bytes', title: 'Bytes', number: true, narrow: true, value: (copy) => copy.bytes, cell: (copy) => bytes(copy.bytes)},
    {key: 'time', title: 'Time', number: true, narrow: true, value: (copy) => copy.time_ns, cell: (copy) => time(copy.time_ns)},
    {key: 'overlap', title: 'Beside kernels', number: true, value: (copy) => copy.overlapped_ns, cell: (copy) => percent(copy.time_ns > 0 ? copy.overlapped_ns / copy.time_ns : null)},
  ];
  return <Table label="Copies" rows={report.copies} columns={columns} sort="time" rowKey={(copy) => `${copy.device} ${copy.direction} ${copy.memory}`} />;
}

function Integrity({report}: {report: Report}) {
  const lines = [...report.integrity, ...report.notices.map((notice) => [notice.what, notice.fix].filter(Boolean).join(' '))];
  if (lines.length === 0) return <p class="fine">Nothing that was recorded was lost.</p>;
  return <ul class="problems">{lines.map((line) => <li>{line}</li>)}</ul>;
}

export function Overview({data: {report}}: {data: Loaded}) {
  const advice = adviceOf(report);
  return (
    <div class="view">
      <header class="title">
        <h1>{report.command || 'a recording'}</h1>
        <p class="muted">
          {[report.host, `pid ${report.pid}`, report.rank >= 0 ? `rank ${report.rank}` : '', ...report.devices.map((device) => device.name), report.nvidia_driver && `driver ${report.nvidia_driver}`, `prof ${report.prof_version}`].filter(Boolean).join(' · ')}
        </p>
      </header>
      {report.error !== '' && <p class="problem" role="alert">{report.error}</p>}
      <Facts report={report} />
      <section class="card">
        <h2>Where the time went</h2>
        <PartsBar label={`The span: ${spanText(report)}`} parts={spanParts(report)} />
        <PartsBar label="Kernels by what limits them" parts={limiterParts(report)} />
      </section>
      {report.whole_run && <section class="card"><h2>The whole run, estimated</h2><WholeRunTable run={report.whole_run} /></section>}
      <section>
        <h2>What to change</h2>
        {advice.length === 0 && <p class="muted">{report.findings_missing || 'No change was found that is worth a try.'}</p>}
        <ol class="advices">{advice.map((one, i) => <AdviceCard advice={one} span={report.undisturbed_ns || report.span_ns} place={i + 1} />)}</ol>
        {advice.length > 1 && <p class="muted">Gains overlap: they do not add up.</p>}
      </section>
      <div class="columns">
        <section class="card"><h2>Kernels</h2><TopKernels report={report} /><p><button onClick={() => go('kernels')}>All {report.kernels.length} kernels</button></p></section>
        <section class="card"><h2>Idle time</h2><Gaps report={report} /></section>
        {report.copies.length > 0 && <section class="card"><h2>Copies</h2><Copies report={report} /></section>}
        <section class="card"><h2>Is anything missing?</h2><Integrity report={report} /></section>
      </div>
    </div>
  );
}
