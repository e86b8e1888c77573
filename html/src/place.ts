// SPDX-License-Identifier: Apache-2.0
// The place in a page, which its address has: "#kernels", "#kernel/3".
import {signal} from '@preact/signals';

// Empty: the first view.
export const place = signal(location.hash.slice(1));
addEventListener('hashchange', () => {
  place.value = location.hash.slice(1);
});
export function go(to: string): void {
  location.hash = to;
}
