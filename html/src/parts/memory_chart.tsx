// SPDX-License-Identifier: Apache-2.0
// The way of the data through the memory levels: what was counted of each step, and nothing else.
import {bytes, plain} from '../data/format';
import type {Kernel} from '../data/report';

const SECTOR_BYTES = 32;

interface Step {
  from: string;
  to: string;
  read: number | null;
  write: number | null;
  note: string;
}

function median(kernel: Kernel, ...names: string[]): number | null {
  for (const name of names) {
    const value = kernel.metrics[name]?.median;
    if (value !== undefined && value !== null) return value;
  }
  return null;
}

function sectors(kernel: Kernel, name: string): number | null {
  const value = median(kernel, name);
  return value === null ? null : value * SECTOR_BYTES;
}

export function stepsOf(kernel: Kernel): Step[] {
  const rate = (...names: string[]) => {
    const value = median(kernel, ...names);
    return value === null ? '' : `hit rate ${plain(value)} %`;
  };
  const total = sectors(kernel, 'lts__t_sectors.sum');
  const inAll = total === null ? '' : `${bytes(total)} in all`;
  const steps: Step[] = [
    {from: 'SM', to: 'L1', read: sectors(kernel, 'l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum'), write: sectors(kernel, 'l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum'), note: rate('l1tex__t_sector_hit_rate.pct')},
    {from: 'L1', to: 'L2', read: sectors(kernel, 'lts__t_sectors_op_read.sum'), write: sectors(kernel, 'lts__t_sectors_op_write.sum'), note: [inAll, rate('lts__t_sector_hit_rate.pct')].filter(Boolean).join(', ')},
    {from: 'L2', to: 'DRAM', read: median(kernel, 'dram__bytes_read.sum', 'dramc__read_bytes.sum'), write: median(kernel, 'dram__bytes_write.sum', 'dramc__write_bytes.sum'), note: ''},
  ];
  return steps.some((step) => step.read !== null || step.write !== null || step.note !== '') ? steps : [];
}

export function MemoryChart({kernel}: {kernel: Kernel}) {
  const steps = stepsOf(kernel);
  if (steps.length === 0) return null;
  const most = Math.max(...steps.flatMap((step) => [step.read ?? 0, step.write ?? 0]), 1);
  const thick = (value: number | null) => (value === null ? 1 : 1 + 12 * Math.sqrt(value / most));
  const label = steps.map((step) => `${step.from} to ${step.to}: read ${bytes(step.read)}, written ${bytes(step.write)} ${step.note}`).join('; ');
  return (
    <svg class="chart memory" viewBox="0 0 640 128" role="img" aria-label={`Memory chart, per launch: ${label}`}>
      {['SM', 'L1', 'L2', 'DRAM'].map((level, i) => <g><rect class="level" x={i * 190} y={30} width={64} height={70} rx={6} /><text class="name" x={i * 190 + 32} y={70} text-anchor="middle">{level}</text></g>)}
      {steps.map((step, i) => (
        <g>
          <line class={step.read === null ? 'none' : 'read'} x1={i * 190 + 66} x2={i * 190 + 188} y1={52} y2={52} stroke-width={thick(step.read)} />
          <text x={i * 190 + 127} y={40} text-anchor="middle">{step.read === null ? 'not counted' : `← ${bytes(step.read)}`}</text>
          <line class={step.write === null ? 'none' : 'write'} x1={i * 190 + 66} x2={i * 190 + 188} y1={82} y2={82} stroke-width={thick(step.write)} />
          <text x={i * 190 + 127} y={104} text-anchor="middle">{step.write === null ? 'not counted' : `→ ${bytes(step.write)}`}</text>
          <text x={i * 190 + 127} y={122} text-anchor="middle" class="note">{step.note}</text>
        </g>
      ))}
    </svg>
  );
}
