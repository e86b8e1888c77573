// SPDX-License-Identifier: Apache-2.0
// A table that sorts by a click or a key on its headings, and shows so many rows at first.
import type {ComponentChildren} from 'preact';
import {useState} from 'preact/hooks';

export interface Column<T> {
  key: string;
  title: string;
  number?: boolean;
  value: (row: T) => number | string | null;
  cell?: (row: T) => ComponentChildren;
  narrow?: boolean; // also on a narrow screen
}

interface Props<T> {
  label: string;
  rows: T[];
  columns: Column<T>[];
  sort: string;
  most?: number;
  rowKey: (row: T) => string | number;
  chosen?: (row: T) => boolean;
}

function compared<T>(column: Column<T>, a: T, b: T): number {
  const [left, right] = [column.value(a), column.value(b)];
  if (typeof left === 'string' && typeof right === 'string') return left.localeCompare(right);
  return Number(left ?? -Infinity) - Number(right ?? -Infinity);
}

export function Table<T>({label, rows, columns, sort, most = 50, rowKey, chosen}: Props<T>) {
  const [by, setBy] = useState(sort);
  const [ascending, setAscending] = useState(false);
  const [shown, setShown] = useState(most);
  const column = columns.find((one) => one.key === by) ?? columns[0];
  const sorted = [...rows].sort((a, b) => (ascending ? 1 : -1) * compared(column, a, b));
  const choose = (key: string) => {
    const text = typeof columns.find((one) => one.key === key)!.value(rows[0]) === 'string';
    setAscending(key === by ? !ascending : text);
    setBy(key);
  };
  if (rows.length === 0) return <p class="muted">Nothing to show here.</p>;
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={label}>
      <table>
        <caption class="hidden">{label}</caption>
        <thead>
          <tr>
            {columns.map((one) => (
              <th class={(one.number ? 'number ' : '') + (one.narrow ? '' : 'wide')} aria-sort={one.key === by ? (ascending ? 'ascending' : 'descending') : 'none'}>
                <button onClick={() => choose(one.key)}>{one.title}<span aria-hidden="true">{one.key === by ? (ascending ? ' ▲' : ' ▼') : ''}</span></button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {sorted.slice(0, shown).map((row) => (
            <tr key={rowKey(row)} class={chosen?.(row) ? 'chosen' : ''}>
              {columns.map((one) => (
                <td class={(one.number ? 'number ' : '') + (one.narrow ? '' : 'wide')}>{one.cell ? one.cell(row) : one.value(row)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {sorted.length > shown && <button class="more" onClick={() => setShown(shown + 200)}>{sorted.length - shown} more rows</button>}
    </div>
  );
}
