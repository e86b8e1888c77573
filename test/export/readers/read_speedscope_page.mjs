// SPDX-License-Identifier: Apache-2.0
// Opens a profile in speedscope's own page and reads its table. PROF_SPEEDSCOPE_PAGE names a folder
// with the page: the npm package speedscope has it in dist/release.
import {check, open, table} from './page.mjs';

// As the page writes a time: "343.71ms".
const shown = (ns) => (ns >= 1e9 ? `${(ns / 1e9).toFixed(2)}s` : `${(ns / 1e6).toFixed(2)}ms`);

await open('PROF_SPEEDSCOPE_PAGE', "speedscope's page", 'speedscope', async (page, url) => {
  await page.goto(`${url}/#profileURL=${encodeURIComponent(`${url}/export`)}`);
  await page.getByText('GPU time by NVTX range and kernel').waitFor();
  await page.getByText('Sandwich').click();
  await page.locator('tr').nth(1).waitFor({state: 'attached'});
  const rows = await page.locator('tr').allInnerTexts();
  const times = new Map();
  for (const row of table('launches')) {
    times.set(row.name, (times.get(row.name) ?? 0) + Number(row.duration_ns));
  }
  check(times.size > 0, 'there are kernels');
  for (const [name, ns] of times) {
    if (ns < 1e6) continue;  // the page writes it in another unit
    const row = rows.find((text) => text.includes(name));
    check(row?.includes(shown(ns)), `${name} takes ${shown(ns)}, in the page: ${row}`);
  }
});
