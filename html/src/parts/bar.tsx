// SPDX-License-Identifier: Apache-2.0
// Bars: one that is divided into parts, and one with a value and its error.
import {colorOf} from '../colors';
import {percent, time} from '../data/format';
import type {Part} from '../data/report';

export function PartsBar({parts, label}: {parts: Part[]; label: string}) {
  const total = parts.reduce((sum, part) => sum + part.ns, 0);
  if (total <= 0) return null;
  const text = parts.map((part) => `${part.label} ${percent(part.ns / total)}`).join(', ');
  return (
    <figure class="parts">
      <figcaption>{label}</figcaption>
      <div class="bar" role="img" aria-label={`${label}: ${text}`}>
        {parts.map((part) => (
          <span class={part.ns / total < 0.2 ? 'small' : ''} style={{flexGrow: part.ns / total, background: colorOf(part.key)}} title={`${part.label}: ${time(part.ns)}, ${percent(part.ns / total)}`}>
            {part.ns / total > 0.07 ? percent(part.ns / total) : ''}
          </span>
        ))}
      </div>
      <ul class="legend">
        {parts.map((part) => (
          <li><i style={{background: colorOf(part.key)}} />{part.label} <b>{time(part.ns)}</b> <span class="muted">{percent(part.ns / total)}</span></li>
        ))}
      </ul>
    </figure>
  );
}

export function Legend({keys, title}: {keys: string[]; title: string}) {
  if (keys.length === 0) return null;
  return (
    <ul class="legend" aria-label={title}>
      <li class="muted">{title}:</li>
      {keys.map((key) => <li><i style={{background: colorOf(key)}} />{key}</li>)}
    </ul>
  );
}

// A share of a peak, 0..1, with its error.
export function Meter({share, error, color, label}: {share: number; error?: number | null; color: string; label: string}) {
  const wide = `${Math.min(Math.max(share, 0), 1) * 100}%`;
  const low = Math.max(share - (error ?? 0), 0) * 100;
  const high = Math.min(share + (error ?? 0), 1) * 100;
  return (
    <div class="meter" role="img" aria-label={label}>
      <span style={{width: wide, background: color}} />
      {error ? <i style={{left: `${low}%`, width: `${high - low}%`}} /> : null}
    </div>
  );
}

export function Spark({values, label}: {values: number[] | undefined; label: string}) {
  if (!values || !values.some((value) => value > 0)) return null;
  const top = Math.max(...values);
  const wide = 96 / values.length;
  return (
    <svg class="spark" viewBox="0 0 96 20" width="96" height="20" role="img" aria-label={label}>
      {values.map((value, i) => value > 0 && (
        <rect x={i * wide} y={20 - Math.max((value / top) * 19, 1)} width={Math.max(wide - 0.4, 0.5)} height={Math.max((value / top) * 19, 1)} />
      ))}
    </svg>
  );
}
