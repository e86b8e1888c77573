// SPDX-License-Identifier: Apache-2.0
// The ledger of memory: who holds the peak, what grows from step to step, what is left, which calls
// failed for lack of memory, and what the pools took.
import {bytes, count, time} from '../data/format';
import type {DeviceMemory, Failure, Growth, Kind, Memory, Pool, RangeMemory, Unified} from '../data/memory';
import {failureText, fullPlace, growingName, inLines, inOps, inRanges, placeName} from '../data/memory_text';
import {Holders} from './holders';
import {type Column, Table} from './table';

// What the ranges hold, and where it is known the lines.
function RangesAndLines({held, total}: {held: DeviceMemory | Failure; total: number}) {
  return (
    <>
      <Holders holders={inRanges(held.holders)} total={total} kind="range" />
      {held.lines.length > 0 && <><h3>Allocated from line</h3><Holders holders={inLines(held.lines)} total={total} kind="line" /></>}
    </>
  );
}

export function Peak({device}: {device: DeviceMemory}) {
  const others = device.blocks_at_peak - device.sizes.reduce((sum, size) => sum + size.blocks, 0);
  const sizes = device.sizes.map((size) => `${count(size.blocks)} of ${bytes(size.bytes_each)}`);
  if (others > 0) sizes.push(`${count(others)} of other sizes`);
  return (
    <section class="card">
      <h2>Who holds the peak of {bytes(device.peak_bytes)}</h2>
      <RangesAndLines held={device} total={device.peak_bytes} />
      {device.ops.length > 0 && <><h3>In op</h3><Holders holders={inOps(device.ops)} total={device.peak_bytes} kind="op" /></>}
      {sizes.length > 0 && <p class="muted">In blocks: {sizes.join(', ')}.</p>}
    </section>
  );
}

export function Failures({failures}: {failures: Failure[]}) {
  if (failures.length === 0) return null;
  return (
    <section class="card failed">
      <h2>Calls that failed for lack of memory</h2>
      {failures.map((failure) => (
        <div class="action">
          <p class="what">{failure.call} {failureText(failure)}</p>
          {failure.device === null
            ? <p class="muted">No allocation was recorded before it.</p>
            : <><p>{bytes(failure.bytes)} were allocated on GPU {failure.device} then{failure.unused_in_pools > 0 && `; pools held ${bytes(failure.unused_in_pools)} that nobody used`}. The size of the call is not recorded.</p><RangesAndLines held={failure} total={failure.bytes ?? 0} /></>}
        </div>
      ))}
    </section>
  );
}

const signed = (value: number) => (value < 0 ? `−${bytes(-value)}` : `+${bytes(value)}`);

function GrowthOf({growth}: {growth: Growth}) {
  const levels = `${bytes(growth.first_bytes)} to ${bytes(growth.last_bytes)} over ${count(growth.steps)} steps of ${growth.step}`;
  return (
    <div class="action">
      <p class="what">
        {growingName(growth)}: {growth.grows ? <span class="worse">{signed(growth.bytes_per_step)} a step</span> : <span class="better">no growth that goes on</span>}
      </p>
      <p>{levels}.{growth.grows ? ` At 95 %: ${signed(growth.at_least)} to ${signed(growth.at_most)} a step.` : growth.why_not && ` ${growth.why_not[0].toUpperCase()}${growth.why_not.slice(1)}.`}</p>
      {growth.holders.length > 0 && (
        <Table label={`What grew, ${growingName(growth)}`} rows={growth.holders} sort="bytes" most={8} rowKey={(row) => row.range} columns={[
          {key: 'range', title: 'Range', narrow: true, value: (row) => row.range},
          {key: 'bytes', title: 'Holds more by', number: true, narrow: true, value: (row) => row.bytes, cell: (row) => signed(row.bytes)},
        ]} />
      )}
      {growth.lines.length > 0 && (
        <Table label={`Lines that grew, ${growingName(growth)}`} rows={growth.lines} sort="bytes" most={8} rowKey={(row) => fullPlace(row.place)} columns={[
          {key: 'line', title: 'Allocated from line', narrow: true, value: (row) => placeName(row.place)},
          {key: 'bytes', title: 'Holds more by', number: true, narrow: true, value: (row) => row.bytes, cell: (row) => signed(row.bytes)},
        ]} />
      )}
    </div>
  );
}

export function GrowthCard({memory}: {memory: Memory}) {
  if (memory.kinds.length === 0 && memory.growth.length === 0) return null;
  return (
    <section class="card">
      <h2>Growth from step to step</h2>
      {memory.growth.length === 0 && <p class="muted">Not known: {memory.growth_missing}.</p>}
      {memory.growth.map((growth) => <GrowthOf growth={growth} />)}
    </section>
  );
}

export function Left({memory}: {memory: Memory}) {
  const rows = memory.ranges.filter((range) => range.blocks_at_end > 0);
  const columns: Column<RangeMemory>[] = [
    {key: 'range', title: 'Range', narrow: true, value: (row) => row.range},
    {key: 'bytes', title: 'Bytes', number: true, narrow: true, value: (row) => row.bytes_at_end, cell: (row) => bytes(row.bytes_at_end)},
    {key: 'blocks', title: 'Blocks', number: true, narrow: true, value: (row) => row.blocks_at_end, cell: (row) => count(row.blocks_at_end)},
    {key: 'times', title: 'Times', number: true, value: (row) => row.instances_left, cell: (row) => (row.instances > 0 ? `${count(row.instances_left)} of ${count(row.instances)}` : '')},
    {key: 'last', title: 'Last at', number: true, value: (row) => row.last_left_ns, cell: (row) => time(row.last_left_ns)},
  ];
  return (
    <section class="card">
      <h2>Left at the end</h2>
      {rows.length === 0
        ? <p class="fine">All that was allocated was freed.</p>
        : <><Table label="Memory that was not freed" rows={rows} columns={columns} sort="bytes" rowKey={(row) => row.range} /><p class="muted">Times: how often the range left some of it, of how often it allocated.</p></>}
    </section>
  );
}

export function Ranges({memory}: {memory: Memory}) {
  const columns: Column<RangeMemory>[] = [
    {key: 'range', title: 'Range', narrow: true, value: (row) => row.range},
    {key: 'count', title: 'Allocations', number: true, value: (row) => row.allocations, cell: (row) => count(row.allocations)},
    {key: 'bytes', title: 'Bytes', number: true, narrow: true, value: (row) => row.bytes, cell: (row) => bytes(row.bytes)},
    {key: 'device', title: 'On the device', number: true, value: (row) => row.device_bytes, cell: (row) => bytes(row.device_bytes)},
  ];
  return <section class="card"><h2>Allocated, by range</h2><Table label="Allocations by range" rows={memory.ranges} columns={columns} sort="bytes" rowKey={(row) => row.range} /></section>;
}

export function Kinds({memory}: {memory: Memory}) {
  const columns: Column<Kind>[] = [
    {key: 'kind', title: 'Memory', narrow: true, value: (row) => row.memory + (row.pooled ? ', from a pool' : '')},
    {key: 'count', title: 'Allocations', number: true, value: (row) => row.allocations, cell: (row) => count(row.allocations)},
    {key: 'frees', title: 'Freed', number: true, value: (row) => row.frees, cell: (row) => count(row.frees)},
    {key: 'peak', title: 'Peak', number: true, narrow: true, value: (row) => row.peak_bytes, cell: (row) => bytes(row.peak_bytes)},
    {key: 'end', title: 'At the end', number: true, narrow: true, value: (row) => row.bytes_at_end, cell: (row) => bytes(row.bytes_at_end)},
  ];
  const earlier = memory.kinds.reduce((sum, kind) => sum + kind.frees_of_earlier, 0);
  return (
    <section class="card">
      <h2>By kind</h2>
      <Table label="Allocations by kind" rows={memory.kinds} columns={columns} sort="peak" rowKey={(row) => `${row.device} ${row.memory} ${row.pooled}`} />
      <p class="muted">
        What was allocated before the recording began is in no figure{earlier > 0 && ` (${count(earlier)} frees of it)`}.
        {memory.frees_missing > 0 && ` ${count(memory.frees_missing)} frees have no record.`}
      </p>
    </section>
  );
}

export function Pools({pools}: {pools: Pool[]}) {
  if (pools.length === 0) return null;
  const columns: Column<Pool>[] = [
    {key: 'pool', title: 'Pool', narrow: true, value: (row) => row.device, cell: (row) => `GPU ${row.device}${row.managed ? ', managed' : ''}${row.imported ? ', of another process' : ''}`},
    {key: 'took', title: 'Took at most', number: true, narrow: true, value: (row) => row.reserved_peak, cell: (row) => bytes(row.reserved_peak)},
    {key: 'used', title: 'In use at most', number: true, narrow: true, value: (row) => row.used_peak, cell: (row) => bytes(row.used_peak)},
    {key: 'unused', title: 'Unused at most', number: true, value: (row) => row.unused_peak, cell: (row) => bytes(row.unused_peak)},
    {key: 'grown', title: 'Unused when it took more', number: true, value: (row) => row.unused_when_grown, cell: (row) => (row.unused_when_grown ? bytes(row.unused_when_grown) : '')},
    {key: 'end', title: 'Holds at the end', number: true, value: (row) => row.reserved_at_end, cell: (row) => bytes(row.reserved_at_end)},
    {key: 'usedEnd', title: 'In use at the end', number: true, value: (row) => row.used_at_end, cell: (row) => bytes(row.used_at_end)},
    {key: 'operations', title: 'Operations', number: true, value: (row) => row.operations, cell: (row) => count(row.operations)},
  ];
  return <section class="card"><h2>Pools</h2><Table label="Memory pools" rows={pools} columns={columns} sort="took" rowKey={(row) => `${row.device} ${row.address}`} /></section>;
}

export function UnifiedCard({unified}: {unified: Unified[]}) {
  if (unified.length === 0) return null;
  const columns: Column<Unified>[] = [
    {key: 'what', title: 'What the driver did', narrow: true, value: (row) => row.kind + (row.cause && ` (${row.cause})`)},
    {key: 'count', title: 'Times', number: true, narrow: true, value: (row) => row.count, cell: (row) => count(row.count)},
    {key: 'bytes', title: 'Bytes', number: true, value: (row) => row.bytes, cell: (row) => (row.bytes > 0 ? bytes(row.bytes) : '')},
    {key: 'time', title: 'Time', number: true, narrow: true, value: (row) => row.time_ns, cell: (row) => (row.time_ns > 0 ? time(row.time_ns) : '')},
  ];
  return <section class="card"><h2>Unified memory</h2><Table label="Unified memory" rows={unified} columns={columns} sort="time" rowKey={(row) => `${row.kind} ${row.cause} ${row.device}`} /></section>;
}
