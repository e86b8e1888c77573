// SPDX-License-Identifier: Apache-2.0
// Memory that the program allocated: over time, the ledger of who holds it, and tensors of PyTorch.
import {bytes, time} from '../data/format';
import type {DeviceMemory, Memory} from '../data/memory';
import {Failures, GrowthCard, Kinds, Left, Peak, Pools, Ranges, UnifiedCard} from '../parts/memory_ledger';
import {MemoryOverTime, type Moment} from '../parts/memory_over_time';
import {Parts, TensorFailures, Tensors} from '../parts/tensor_memory';
import {type Loaded, timeline} from '../state';

const MOST_MOMENTS = 12; // so many labels fit one below the other

function Device({data, memory, device}: {data: Loaded; memory: Memory; device: DeviceMemory}) {
  const lines = timeline.value;
  const track = lines?.memory.find(({entry}) => entry.device === device.device);
  const {begun_ns: begun} = data.header;
  const moments: Moment[] = [
    {ns: begun + device.peak_at_ns, label: 'peak'},
    ...(memory.tensor_failures ?? []).filter((failure) => failure.device === device.device).map((failure) => ({ns: begun + failure.first_at_ns, label: `no ${bytes(failure.bytes)} for a tensor`})),
    ...memory.failures.filter((failure) => failure.device === device.device).map((failure) => ({ns: begun + failure.first_at_ns, label: `${failure.call} failed`})),
  ].slice(0, MOST_MOMENTS);
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
      <TensorFailures failures={memory.tensor_failures ?? []} />
      <Failures failures={memory.failures} />
      {memory.devices.map((device) => <><Parts device={device} /><Device data={data} memory={memory} device={device} /></>)}
      {(memory.tensors ?? []).map((tensors) => <Tensors tensors={tensors} />)}
      <Pools pools={memory.pools} />
      <div class="columns">
        <GrowthCard memory={memory} />
        {memory.kinds.length > 0 && <><Left memory={memory} /><Kinds memory={memory} /><Ranges memory={memory} /></>}
        <UnifiedCard unified={memory.unified} />
      </div>
    </div>
  );
}
