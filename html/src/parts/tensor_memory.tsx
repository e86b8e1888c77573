// SPDX-License-Identifier: Apache-2.0
// Tensors of PyTorch: what their peak is used for, who allocated it, what PyTorch has from CUDA, and
// which of them got no memory.
import {colorOf} from '../colors';
import {bytes, count, counted, percent, time} from '../data/format';
import type {DeviceMemory, Segments, TensorFailure, TensorMemory} from '../data/memory';
import {failureText, inLines, inOps, inRanges, type Named, outsideText, partsOf, partsOfRoles, segmentsText, whyUnused} from '../data/memory_text';
import {Meter, PartsBar} from './bar';
import {Holders} from './holders';
import {type Column, Table} from './table';

const MOST_ROWS = 12;

// What the memory of a device is used for at its peak.
export function Parts({device}: {device: DeviceMemory}) {
  const parts = partsOf(device.parts);
  if (parts.length === 0) return null;
  return (
    <section class="card">
      <h2>What the peak of GPU {device.device} is used for</h2>
      <PartsBar label={`${bytes(device.peak_bytes)}, ${time(device.peak_at_ns)} after the start`} parts={parts} text={bytes} />
    </section>
  );
}

function SegmentsOf({segments}: {segments: Segments}) {
  const outside = outsideText(segments);
  return (
    <>
      {segments.segments === 0
        ? <p class="muted">No segment was recorded.</p>
        : (
          <dl class="facts">
            <div><dt>taken from CUDA</dt><dd>{bytes(segments.bytes)} in {counted(segments.segments, 'segment')}</dd></div>
            <div><dt>unused</dt><dd>{bytes(segments.unused_bytes)} <span class="muted">{percent(segments.unused_bytes / Math.max(segments.bytes, 1))}</span></dd></div>
            <div><dt>gaps</dt><dd>{count(segments.gaps)}</dd></div>
            <div><dt>largest gap</dt><dd>{bytes(segments.largest_gap)}</dd></div>
          </dl>
        )}
      {outside && <p class="muted">{outside}</p>}
    </>
  );
}

function HoldersTable({by, rows, device, peak}: {by: string; rows: Named[]; device: number; peak: number}) {
  if (rows.length === 0) return null;
  const columns: Column<Named>[] = [
    {key: 'name', title: by[0].toUpperCase() + by.slice(1), narrow: true, value: (row) => row.name, cell: (row) => <span title={row.key}>{row.name}</span>},
    {key: 'bytes', title: 'Bytes', number: true, narrow: true, value: (row) => row.bytes, cell: (row) => bytes(row.bytes)},
    {key: 'share', title: 'Of the peak', number: true, narrow: true, value: (row) => row.bytes, cell: (row) => percent(row.bytes / Math.max(peak, 1))},
    {key: 'blocks', title: 'Blocks', number: true, value: (row) => row.blocks, cell: (row) => count(row.blocks)},
  ];
  return (
    <section class="card">
      <h2>Tensors at the peak of GPU {device}, by {by}</h2>
      <Table label={`Tensors by ${by}, GPU ${device}`} rows={rows} columns={columns} sort="bytes" most={MOST_ROWS} rowKey={(row) => row.key} />
    </section>
  );
}

export function Tensors({tensors}: {tensors: TensorMemory}) {
  const {device, peak_bytes: peak} = tensors;
  return (
    <>
      <section class="card">
        <h2>Tensors on GPU {device}</h2>
        <PartsBar label={`Peak of ${bytes(peak)} in ${counted(tensors.blocks_at_peak, 'block')}, ${time(tensors.peak_at_ns)} after the start`} parts={partsOfRoles(tensors.roles)} text={bytes} />
        {!tensors.roles_named && <p class="muted">Weights, gradients and the optimizer's state are not known: record with <code>--torch modules</code>.</p>}
        <h3>PyTorch's segments at this peak</h3>
        <SegmentsOf segments={tensors.segments} />
        <p class="muted">{counted(tensors.allocations, 'allocation')} in the recording. {bytes(tensors.bytes_at_end)} were allocated at its end.</p>
      </section>
      <div class="columns">
        <HoldersTable by="line" rows={inLines(tensors.lines)} device={device} peak={peak} />
        <HoldersTable by="op" rows={inOps(tensors.ops)} device={device} peak={peak} />
        <HoldersTable by="range" rows={inRanges(tensors.holders)} device={device} peak={peak} />
      </div>
    </>
  );
}

// What was wanted beside what lay unused, on one scale.
function Unused({failure}: {failure: TensorFailure}) {
  const {bytes: wanted, segments} = failure;
  const rows = [
    {name: 'wanted', held: wanted, color: 'busy'},
    {name: 'unused', held: segments.unused_bytes, color: 'unused by PyTorch'},
    {name: 'largest gap', held: segments.largest_gap, color: 'unused by PyTorch'},
  ];
  const most = Math.max(...rows.map((row) => row.held), 1);
  return (
    <>
      <h3>Unused memory of PyTorch</h3>
      {segments.segments > 0 && (
        <ul class="bars">
          {rows.map(({name, held, color}) => <li><span>{name}</span><Meter share={held / most} color={colorOf(color)} label={`${name}: ${bytes(held)}`} /><span class="number">{bytes(held)}</span></li>)}
        </ul>
      )}
      <p>{whyUnused(wanted, segments)}</p>
      <p class="muted">{segmentsText(segments)} {outsideText(segments)}</p>
    </>
  );
}

export function TensorFailures({failures}: {failures: TensorFailure[]}) {
  if (failures.length === 0) return null;
  return (
    <section class="card failed">
      <h2>Tensors that got no memory</h2>
      {failures.map((failure) => (
        <div class="action">
          <p class="what">{bytes(failure.bytes)} on GPU {failure.device}, {failureText(failure)}</p>
          <PartsBar label={`${bytes(failure.allocated)} were allocated in tensors then`} parts={partsOfRoles(failure.roles)} text={bytes} />
          <Unused failure={failure} />
          {failure.lines.length > 0 && <><h3>Allocated from line</h3><Holders holders={inLines(failure.lines)} total={failure.allocated} kind="line" /></>}
        </div>
      ))}
    </section>
  );
}
