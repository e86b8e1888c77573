// SPDX-License-Identifier: Apache-2.0
// Kernels with PM samples in a browser: node test/browser_kernels.mjs page.html report.json
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';

import {checks, checkViews} from './checks.mjs';

const [file, jsonFile] = process.argv.slice(2);
const {kernels} = JSON.parse(readFileSync(jsonFile, 'utf8'));
const long = kernels.findIndex((kernel) => kernel.course);
const short = kernels.findIndex((kernel) => !kernel.course);
assert.ok(long >= 0 && short >= 0, 'the recording has kernels with a course and without one');

await checks(file, async (check) => {
  await check('a kernel page draws each busy unit over the time of a launch', {hash: `#kernel/${long}`}, async (page) => {
    const {course} = kernels[long];
    await page.getByText('Over the time of one launch').waitFor();
    const busy = course.units.filter((unit) => Math.max(...unit.percent.map((part) => part ?? 0)) >= 5);
    const charts = page.locator('svg.course');
    assert.equal(await charts.count(), busy.length);
    for (const [i, unit] of busy.entries()) {
      assert.ok((await charts.nth(i).getAttribute('aria-label')).startsWith(`${unit.unit} over a launch: `));
      assert.equal(await charts.nth(i).locator('rect').count(), unit.percent.filter((part) => part !== null).length);
    }
    assert.ok((await page.textContent('main')).includes(`in ${course.launches.toLocaleString('en-US')} launches`));
  });

  await check('a kernel that is too short has no course', {hash: `#kernel/${short}`}, async (page) => {
    await page.waitForSelector('h1');
    assert.equal(await page.locator('svg.course').count(), 0);
  });

  await checkViews(check, [`kernel/${long}`]);
});
