// SPDX-License-Identifier: Apache-2.0
// The page: a bar with the views, what is selected, and the view.
import './style.css';

import {render} from 'preact';

import {time} from './data/format';
import {setTheme, ThemeButton} from './parts/theme';
import {go, place} from './place';
import {decodeTimeline, labelOf, load, type Loaded, selection, timeWindow} from './state';
import {Compare} from './views/compare';
import {KernelPage} from './views/kernel';
import {Kernels} from './views/kernels';
import {Lines} from './views/lines';
import {MemoryView} from './views/memory';
import {Ops} from './views/ops';
import {Overview} from './views/overview';
import {Ranges} from './views/ranges';
import {TimelineView} from './views/timeline';

// The views of this recording, in the order of the bar.
function viewsOf({report}: Loaded): string[] {
  const views = ['overview', 'timeline', 'ranges', 'kernels'];
  if (report.torch) views.push('ops');
  if (report.lines) views.push('lines');
  return [...views, 'memory', 'compare'];
}

function Bar({views}: {views: string[]}) {
  const here = place.value.split('/')[0] || 'overview';
  return (
    <nav class="top" aria-label="Views">
      <a class="brand" href="#overview">prof</a>
      {views.map((view) => (
        <a href={`#${view}`} aria-current={view === here || (view === 'kernels' && here === 'kernel') ? 'page' : undefined}>
          {view[0].toUpperCase() + view.slice(1)}
        </a>
      ))}
      <ThemeButton />
    </nav>
  );
}

function Chips({data}: {data: Loaded}) {
  const chosen = selection.value;
  const stretch = timeWindow.value;
  if (chosen === null && stretch === null) return null;
  const label = chosen === null ? '' : labelOf(data, chosen);
  return (
    <div class="chips" role="status">
      <span>Shown only:</span>
      {chosen !== null && <button onClick={() => (selection.value = null)} aria-label={`Remove the selection ${label}`}>{chosen.kind} {label} ✕</button>}
      {stretch !== null && <button onClick={() => (timeWindow.value = null)} aria-label="Remove the stretch of time">{time(stretch.begin)} to {time(stretch.end)} ✕</button>}
    </div>
  );
}

function View({data}: {data: Loaded}) {
  const [view, index] = place.value.split('/');
  switch (view) {
    case 'timeline': return <TimelineView data={data} />;
    case 'ranges': return <Ranges data={data} />;
    case 'kernels': return <Kernels data={data} />;
    case 'kernel': return <KernelPage data={data} index={Number(index)} key={index} />;
    case 'ops': return data.report.torch ? <Ops data={data} torch={data.report.torch} /> : <Overview data={data} />;
    case 'lines': return data.report.lines ? <Lines data={data} lines={data.report.lines} /> : <Overview data={data} />;
    case 'memory': return <MemoryView data={data} />;
    case 'compare': return <Compare data={data} />;
    default: return <Overview data={data} />;
  }
}

function Page({data}: {data: Loaded}) {
  return <><Bar views={viewsOf(data)} /><Chips data={data} /><main><View data={data} /></main></>;
}

// The digits choose a view, in the order of the bar.
function keys(event: KeyboardEvent): void {
  if (event.target instanceof HTMLInputElement || event.ctrlKey || event.metaKey || event.altKey) return;
  const view = viewsOf(data)[Number(event.key) - 1];
  if (view) go(view);
  if (event.key === 'Escape') {
    selection.value = null;
    timeWindow.value = null;
  }
}

const data = load();
setTheme('auto');
addEventListener('keydown', keys);
addEventListener('hashchange', () => scrollTo(0, 0));
render(<Page data={data} />, document.getElementById('app')!);
// The blocks stand behind this script.
const start = () => void decodeTimeline(data.header);
if (document.readyState === 'loading') addEventListener('DOMContentLoaded', start);
else start();
