// SPDX-License-Identifier: Apache-2.0
// Bars: one that is divided into parts, and one with a value and its error.
import {colorOf} from '../colors';
import {percent, time} from '../data/format';
import type {Part} from '../data/report';

// `text`: a value with its unit.
export function PartsBar({parts, label, text = time}: {parts: Part[]; label: string; text?: (value: number) => string}) {
  const total = parts.reduce((sum, part) => sum + part.value, 0);
  if (total <= 0) return null;
  const shown = parts.map((part) => ({...part, share: part.value / total, color: colorOf(part.key)}));
  return (
    <figure class="parts">
      <figcaption>{label}</figcaption>
      <div class="bar" role="img" aria-label={`${label}: ${shown.map((part) => `${part.label} ${percent(part.share)}`).join(', ')}`}>
        {shown.map((part) => (
          <span class={part.share < 0.2 ? 'small' : ''} style={{flexGrow: part.share, background: part.color}} title={`${part.label}: ${text(part.value)}, ${percent(part.share)}`}>
            {part.share > 0.07 ? percent(part.share) : ''}
          </span>
        ))}
      </div>
      <ul class="legend">
        {shown.map((part) => (
          <li><i style={{background: part.color}} />{part.label} <b>{text(part.value)}</b> <span class="muted">{percent(part.share)}</span></li>
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
