// SPDX-License-Identifier: Apache-2.0
// Memory that the program allocated: over time, and the ledger of who holds it.
import {bytes, time} from '../data/format';
import type {DeviceMemory, Memory} from '../data/memory';
import {Failures, GrowthCard, Kinds, Left, Peak, Pools, Ranges, UnifiedCard} from '../parts/memory_ledger';
import {MemoryOverTime, type Moment} from '../parts/memory_over_time';
import {type Loaded, timeline} from '../state';

function Device({data, memory, device}: {data: Loaded; memory: Memory; device: DeviceMemory}) {
  const lines = timeline.value;
  const track = lines?.memory.find(({entry}) => entry.device === device.device);
  const {begun_ns: begun} = data.header;
  const moments: Moment[] = [
    {ns: begun + device.peak_at_ns, label: 'peak'},
    ...memory.failures.filter((failure) => failure.device === device.device).map((failure) => ({ns: begun + failure.first_at_ns, label: `${failure.call} failed`})),
  ];
  return (
    <div class="beside">
      <section class="card">
        <h2>GPU {device.device} over time, by the range that allocated</h2>
        {lines === null ? <p role="status">Reading the timeline</p> : track ? <MemoryOverTime track={track} lines={lines} moments={moments} /> : <p class="muted">No allocation on it has a time.</p>}
      </section>
      <Peak device={device} />
    </div>
  );
}

export function MemoryView({data}: {data: Loaded}) {
  const {memory} = data.report;
  if (memory === null) return <div class="view"><h1>Memory</h1><p>No allocation was recorded.</p></div>;
  return (
    <div class="view">
      <h1>Memory</h1>
      <dl class="tiles">{memory.devices.map((device) => <><div><dt>peak on GPU {device.device}</dt><dd>{bytes(device.peak_bytes)}</dd></div><div><dt>at</dt><dd>{time(device.peak_at_ns)}</dd></div><div><dt>at the end</dt><dd>{bytes(device.bytes_at_end)}</dd></div></>)}</dl>
      {memory.records_lost && <p class="problem">Records were lost: every figure here may be too small or too large.</p>}
      <Failures failures={memory.failures} />
      {memory.devices.map((device) => <Device data={data} memory={memory} device={device} />)}
      <Pools pools={memory.pools} />
      <div class="columns">
        <GrowthCard memory={memory} />
        <Left memory={memory} />
        <Kinds memory={memory} />
        <Ranges memory={memory} />
        <UnifiedCard unified={memory.unified} />
      </div>
    </div>
  );
}
