// SPDX-License-Identifier: Apache-2.0
// The page of a comparison: all kernels, or one of them.
import './style.css';

import {render} from 'preact';

import type {Comparison} from './data/comparison';
import {setTheme, ThemeButton} from './parts/theme';
import {go, place} from './place';
import {ChangedKernel} from './views/changed_kernel';
import {Changes, clearFilters, shownKernels, toggleVerdict} from './views/changes';

const comparison = JSON.parse(document.getElementById('comparison')!.textContent!) as Comparison;

// The kernel whose page is shown, and those beside it in the list; null: the list is shown.
function chosen(): {index: number; previous: number | null; next: number | null} | null {
  const [view, number] = place.value.split('/');
  const index = Number(number);
  if (view !== 'kernel' || !comparison.kernels[index]) return null;
  const shown = shownKernels(comparison);
  const at = shown.indexOf(index);
  return {index, previous: at > 0 ? shown[at - 1] : null, next: at + 1 < shown.length ? shown[at + 1] : null};
}

function Page() {
  const one = chosen();
  return (
    <>
      <nav class="top" aria-label="Views"><a class="brand" href="#">prof</a><ThemeButton /></nav>
      <main>{one ? <ChangedKernel kernel={comparison.kernels[one.index]} previous={one.previous} next={one.next} key={one.index} /> : <Changes comparison={comparison} />}</main>
    </>
  );
}

function keys(event: KeyboardEvent): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === 'Escape') {
    if (chosen()) go('');
    else clearFilters();
    return;
  }
  if (event.target instanceof HTMLInputElement) return;
  const one = chosen();
  if (one) {
    const to = event.key === 'n' ? one.next : event.key === 'p' ? one.previous : null;
    if (to !== null) go(`kernel/${to}`);
    return;
  }
  if (/^[1-9]$/.test(event.key)) toggleVerdict(Number(event.key) - 1);
  if (event.key === '/') {
    event.preventDefault();
    document.querySelector<HTMLInputElement>('input[type=search]')!.focus();
  }
}

setTheme('auto');
addEventListener('keydown', keys);
addEventListener('hashchange', () => scrollTo(0, 0));
render(<Page />, document.getElementById('app')!);
