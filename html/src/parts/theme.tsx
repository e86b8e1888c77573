// SPDX-License-Identifier: Apache-2.0
// The button that chooses the theme: that of the system, light, or dark.
import {signal} from '@preact/signals';

type Theme = 'auto' | 'light' | 'dark';
const TITLES: Record<Theme, string> = {auto: 'Auto', light: 'Light', dark: 'Dark'};
const NEXT: Record<Theme, Theme> = {auto: 'light', light: 'dark', dark: 'auto'};

export const theme = signal<Theme>('auto');

// Before the first view.
export function setTheme(next: Theme): void {
  theme.value = next;
  document.documentElement.dataset['theme'] = next;
}

export function ThemeButton() {
  const title = TITLES[theme.value];
  return <button class="theme" aria-label={`Theme: ${title}`} onClick={() => setTheme(NEXT[theme.value])}>◐ {title}</button>;
}
