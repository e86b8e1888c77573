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
      <ul class="courses">{rows.map((row) => (
        <li>
          <span>{row.unit} <small class="muted">{plain(row.low)} to {plain(row.high)} %</small></span>
          <svg class="course" viewBox={`0 0 ${W} ${H}`} preserveAspectRatio="none" role="img" aria-label={`${row.unit} over a launch: ${row.percent.map((part) => (part === null ? 'not known' : `${plain(part)} %`)).join(', ')}`}>
            {row.percent.map((part, i) => part !== null && (
              <rect x={i * wide} y={H - (H * Math.min(part, 100)) / 100} width={wide - 0.5} height={(H * Math.min(part, 100)) / 100} />
            ))}
          </svg>
        </li>
      ))}</ul>
      <p class="muted">{course.samples_of_part.length} parts of {time(course.part_ns)}, from {count(course.samples)} PM samples in {count(course.launches)} launches. The full height is the peak of the unit. A gap: fewer than three samples.</p>
    </>
  );
}
