// SPDX-License-Identifier: Apache-2.0
// What a kernel does over the time of one launch: a row for each unit, from start to end.
import {count, plain, time} from '../data/format';
import type {Course} from '../data/report';

const W = 320, H = 24;
const LEAST = 5; // percent, at the most: units below it are left out

export function CourseChart({course}: {course: Course}) {
  const wide = W / course.samples_of_part.length;
  const rows = course.units.map((unit) => {
    const known = unit.percent.filter((part): part is number => part !== null);
    return {...unit, low: Math.min(...known), high: Math.max(...known)};
  }).filter((unit) => unit.high >= LEAST);
  return (
    <>
      <table class="plain">
        <thead><tr><th>unit</th><th class="number">lowest</th><th class="number">highest</th><th>from start to end, full height: its peak</th></tr></thead>
        <tbody>{rows.map((row) => (
          <tr>
            <td>{row.unit}</td><td class="number">{plain(row.low)} %</td><td class="number">{plain(row.high)} %</td>
            <td>
              <svg class="chart course" viewBox={`0 0 ${W} ${H}`} role="img" aria-label={`${row.unit} over a launch: ${row.percent.map((part) => (part === null ? 'not known' : `${plain(part)} %`)).join(', ')}`}>
                {row.percent.map((part, i) => part !== null && (
                  <rect x={i * wide} y={H - (H * Math.min(part, 100)) / 100} width={wide - 0.5} height={(H * Math.min(part, 100)) / 100} />
                ))}
              </svg>
            </td>
          </tr>
        ))}</tbody>
      </table>
      <p class="muted">{course.samples_of_part.length} parts of {time(course.part_ns)}, from {count(course.samples)} PM samples in {count(course.launches)} launches. A gap: fewer than three samples.</p>
    </>
  );
}
