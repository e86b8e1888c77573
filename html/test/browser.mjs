// SPDX-License-Identifier: Apache-2.0
// The page in a browser: node test/browser.mjs page.html report.json
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';

import {checks, checkViews, decoded} from './checks.mjs';

const [file, jsonFile] = process.argv.slice(2);
const report = JSON.parse(readFileSync(jsonFile, 'utf8'));

await checks(file, async (check) => {
  await check('the overview has the command, the longest kernel and at most five actions', {}, async (page) => {
    await page.waitForSelector('h1');
    assert.equal(await page.textContent('h1'), report.command);
    const text = await page.textContent('main');
    assert.ok(text.includes(report.kernels[0].name));
    const actions = await page.locator('.advice').count();
    assert.ok(actions >= 1 && actions <= 5, `${actions} actions`);
  });

  await check('kernels: every kernel has a row, a click on a heading sorts, the filter filters', {hash: '#kernels'}, async (page) => {
    const rows = page.locator('tbody tr');
    assert.equal(await rows.count(), Math.min(report.kernels.length, 50));
    const most = report.kernels.reduce((a, b) => (b.launches > a.launches ? b : a));
    await page.getByRole('button', {name: 'Launches'}).click();
    assert.ok((await rows.first().textContent()).includes(most.launches.toLocaleString('en-US')));
    const range = report.kernels[2].range;
    await page.getByLabel('Filter kernels').fill(range);
    const left = report.kernels.filter((kernel) => `${kernel.full_name} ${kernel.range}`.includes(range)).length;
    await page.waitForFunction((n) => document.querySelectorAll('tbody tr').length === n, left);
  });

  await check('a kernel page has the verdict, its evidence and the use of each unit', {hash: '#kernel/0'}, async (page) => {
    const kernel = report.kernels[0];
    const text = await page.textContent('main');
    assert.ok(text.includes(kernel.verdict.summary));
    for (const line of kernel.verdict.evidence) assert.ok(text.includes(line), line);
    for (const unit of kernel.units) assert.ok(text.includes(`${(unit.of_peak * 100).toFixed(1)} %`) || unit.of_peak < 0.0005, unit.unit);
    await page.waitForSelector('.mean');
  });

  await check('the timeline zooms by keys, to the nanosecond, and back', {hash: '#timeline'}, async (page) => {
    await decoded(page);
    const width = () => page.evaluate(() => window.profStage.view.end - window.profStage.view.begin);
    const span = await width();
    await page.locator('.stage').focus();
    for (let i = 0; i < 80; i++) await page.keyboard.press('w');
    assert.equal(await width(), 20);
    await page.keyboard.press('d');
    await page.keyboard.press('0');
    assert.equal(await width(), span);
  });

  await check('the timeline has the operations of the report, and the time of each kernel', {hash: '#timeline'}, async (page) => {
    await decoded(page);
    const counted = await page.evaluate(() => {
      const {timeline} = window.profStage;
      const kernels = {};
      let launches = 0;
      for (const track of timeline.events) {
        for (let i = 0; i < track.count; i++) {
          const kernel = timeline.header.names[track.names[i]].kernel;
          if (kernel >= 0) kernels[kernel] = (kernels[kernel] ?? 0) + track.durations[i];
        }
        if (track.entry.kind === 'stream') launches += track.count + track.entry.left_out;
      }
      return {kernels, launches};
    });
    const {kernels, copies, memsets, graphs} = report.totals;
    assert.equal(counted.launches, kernels + copies + memsets + graphs);
    report.kernels.forEach((kernel, i) => {
      if (!kernel.duration_from_counters) assert.equal(counted.kernels[i], kernel.total_ns, kernel.name);
    });
  });

  await check('idle time by cause on the timeline is that of the report', {hash: '#timeline'}, async (page) => {
    await decoded(page);
    const idle = await page.evaluate(() => {
      const {timeline} = window.profStage;
      const sums = {};
      for (const track of timeline.events) {
        for (let i = 0; i < track.causes.length; i++) {
          const cause = track.causes[i];
          if (cause > 0) sums[timeline.header.causes[cause - 1]] = (sums[timeline.header.causes[cause - 1]] ?? 0) + track.idleBefore(i);
        }
      }
      return sums;
    });
    const reported = {};
    for (const gap of report.gaps) reported[gap.cause] = (reported[gap.cause] ?? 0) + gap.total_ns;
    const all = Object.values(idle).reduce((a, b) => a + b, 0);
    const expected = Object.values(reported).reduce((a, b) => a + b, 0);
    assert.ok(all >= expected && all <= expected + report.profiler_ns, `${all} of ${expected}`);
  });

  await check('search finds a kernel, a click chooses it, its page opens', {hash: '#timeline'}, async (page) => {
    await decoded(page);
    const {name} = report.kernels[1];
    await page.keyboard.press('/');
    await page.keyboard.type(name);
    await page.keyboard.press('Enter');
    const details = page.getByTestId('details');
    await details.waitFor();
    assert.ok((await details.textContent()).includes(name));
    await page.getByRole('button', {name: 'Kernel page'}).click();
    await page.waitForFunction((text) => document.querySelector('h1')?.textContent === text, name);
  });

  await check('a range that is selected filters the kernels, and its chip takes that back', {hash: '#ranges'}, async (page) => {
    const {range} = report.kernels[0];
    await page.locator('.tree .link', {hasText: range.split('/').pop()}).first().click();
    await page.getByRole('button', {name: 'Its kernels'}).click();
    const rows = page.locator('tbody tr');
    const expected = report.kernels.filter((kernel) => kernel.range === range).length;
    await page.waitForFunction((n) => document.querySelectorAll('tbody tr').length === n, expected);
    await page.locator('.chips button').click();
    assert.equal(await rows.count(), Math.min(report.kernels.length, 50));
  });

  await check('a stretch of time shows what ran in it', {hash: '#timeline'}, async (page) => {
    await decoded(page);
    const box = await page.locator('.stage').boundingBox();
    await page.keyboard.down('Shift');
    await page.mouse.move(box.x + 500, box.y + 70);
    await page.mouse.down();
    await page.mouse.move(box.x + 700, box.y + 70, {steps: 4});
    await page.mouse.up();
    await page.keyboard.up('Shift');
    await page.locator('.chips').waitFor();
    await page.keyboard.press('4');
    await page.getByRole('button', {name: 'In the stretch'}).waitFor();
  });

  await check('a report compared with itself has no change', {hash: '#compare'}, async (page) => {
    await page.getByLabel('The other report').setInputFiles(jsonFile);
    await page.waitForSelector('tbody tr');
    const changes = await page.locator('tbody td:nth-child(5)').allTextContents();
    assert.ok(changes.every((text) => text === '0 ns'), changes[0]);
  });

  await check('what the recording lacks has no view', {}, async (page) => {
    const views = await page.locator('nav.top a:not(.brand)').allTextContents();
    assert.deepEqual(views, ['Overview', 'Timeline', 'Ranges', 'Kernels', 'Memory', 'Compare']);
    await page.evaluate(() => (location.hash = 'ops'));
    await page.waitForFunction((text) => document.querySelector('h1')?.textContent === text, report.command);
  });

  await checkViews(check, ['overview', 'timeline', 'ranges', 'kernels', 'kernel/0', 'memory', 'compare']);
});
