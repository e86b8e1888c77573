// SPDX-License-Identifier: Apache-2.0
// What kernels took in the whole run, where the recording has a share of it.
import {count, counted, percent, time} from '../data/format';
import type {Estimate, WholeRun} from '../data/report';
import {type Column, Table} from './table';

const TOP = 12;

function error(estimate: Estimate | null): number | null {
  if (estimate === null || estimate.error_ns === null || !(estimate.time_ns > 0)) return null;
  return estimate.error_ns / estimate.time_ns;
}

function errorText(estimate: Estimate | null): string {
  const share = error(estimate);
  return share === null ? '–' : `± ${percent(share)}`;
}

export function WholeRunTable({run}: {run: WholeRun}) {
  const rows = run.kernels.map((kernel, index) => ({kernel, index}));
  const all = run.kernels_time.time_ns;
  const columns: Column<(typeof rows)[number]>[] = [
    {key: 'name', title: 'Kernel', narrow: true, value: ({kernel}) => kernel.name},
    {key: 'time', title: 'Time', number: true, narrow: true, value: ({kernel}) => kernel.estimate?.time_ns ?? null, cell: ({kernel}) => time(kernel.estimate?.time_ns)},
    {key: 'error', title: 'Error', number: true, narrow: true, value: ({kernel}) => error(kernel.estimate), cell: ({kernel}) => errorText(kernel.estimate)},
    {key: 'share', title: 'Share', number: true, value: ({kernel}) => kernel.estimate?.time_ns ?? null, cell: ({kernel}) => percent(kernel.estimate && all > 0 ? kernel.estimate.time_ns / all : null)},
    {key: 'launches', title: 'Launches', number: true, value: ({kernel}) => kernel.launches, cell: ({kernel}) => count(kernel.launches)},
    {key: 'traced', title: 'Traced', number: true, value: ({kernel}) => kernel.traced, cell: ({kernel}) => count(kernel.traced)},
  ];
  return (
    <>
      <p>
        Kernels were traced in {counted(run.windows, 'window')}, {time(run.traced_ns)} of the {time(run.span_ns)} in which launches were counted. All kernels together: {time(all)} {errorText(run.kernels_time)}. The error is that of 95 % of such recordings. All else on this page is about the windows.
        {run.launches_without > 0 && ` Of ${count(run.launches)} launches ${count(run.launches_without)} are of kernels or graphs without a time: the sum has none of them.`}
      </p>
      <Table label="Kernels in the whole run" rows={rows} columns={columns} sort="time" most={TOP} rowKey={({index}) => index} />
    </>
  );
}
