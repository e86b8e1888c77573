// SPDX-License-Identifier: Apache-2.0
// The page of a comparison in a browser: node test/browser_comparison.mjs page.html comparison.json
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';

import {checks, checkViews} from './checks.mjs';

const [file, jsonFile] = process.argv.slice(2);
const comparison = JSON.parse(readFileSync(jsonFile, 'utf8'));
const verdictOf = ({time}) => (time.tested ? time.change : 'not tested');
const of = (verdict) => comparison.kernels.filter((kernel) => verdictOf(kernel) === verdict);
const indexOf = (kernel) => comparison.kernels.indexOf(kernel);
const rowsOf = (page) => page.getByRole('region', {name: 'Kernels'}).locator('tbody tr');
const untilRows = (page, n) => page.waitForFunction((count) => document.querySelectorAll('table')[0].querySelectorAll('tbody tr').length === count, n);

await checks(file, async (check) => {
  await check('the made-up runs have every verdict and every kind of match', {}, async () => {
    for (const verdict of ['slower', 'inconclusive', 'faster', 'same']) assert.ok(of(verdict).length > 0, verdict);
    for (const match of ['new', 'gone', 'renamed', 'relaunched']) assert.ok(comparison.kernels.some(({matched}) => matched === match), match);
  });

  await check('the first view has both sides, the result, and each kernel, the worst first', {}, async (page) => {
    const text = await page.textContent('main');
    for (const part of [comparison.before, comparison.after, ...comparison.notes, `worst verdict: ${comparison.overall}`]) assert.ok(text.includes(part), part);
    const rows = rowsOf(page);
    assert.equal(await rows.count(), comparison.kernels.length);
    const verdicts = await rows.locator('.change').allTextContents();
    const order = ['slower', 'inconclusive', 'faster', 'same', 'not tested'];
    assert.deepEqual(verdicts, [...verdicts].sort((a, b) => order.indexOf(a) - order.indexOf(b)));
    assert.deepEqual([...new Set(verdicts)], order.filter((verdict) => of(verdict).length > 0));
  });

  await check('a row has the ratio with its interval, as text and as a plot', {}, async (page) => {
    const [kernel] = of('slower');
    const row = rowsOf(page).filter({hasText: kernel.name});
    const {ratio, low, high} = kernel.time;
    const interval = `${ratio.toFixed(3)} (${low.toFixed(3)} to ${high.toFixed(3)})`;
    assert.ok((await row.textContent()).includes(interval), interval);
    assert.ok((await row.locator('svg').getAttribute('aria-label')).includes(interval));
    const [one, dot] = await row.locator('svg').evaluate((plot) => [plot.querySelector('.one').x1.baseVal.value, plot.querySelector('circle').cx.baseVal.value]);
    assert.ok(dot > one, 'what is slower lies to the right of 1');
  });

  await check('what is inconclusive has the runs that would decide', {}, async (page) => {
    const [kernel] = of('inconclusive');
    const needed = kernel.time.runs_needed;
    const row = rowsOf(page).filter({hasText: kernel.name});
    assert.ok((await row.locator('td').nth(9).textContent()).includes(needed > 100 ? 'more than 100' : String(needed)));
  });

  await check('a kernel that does more work has it in its row and on its page, whatever its time does', {}, async (page) => {
    const kernel = of('same').find(({work}) => work.change === 'more');
    const row = rowsOf(page).filter({hasText: kernel.name});
    assert.equal(await row.locator('td').nth(7).textContent(), 'more');
    assert.ok((await row.textContent()).includes(kernel.work.why));
    await row.getByRole('link', {name: kernel.name}).click();
    await page.waitForFunction((name) => document.querySelector('h1').textContent === name, kernel.name);
    const text = await page.textContent('main');
    assert.ok(text.includes(`Work: ${kernel.work.why}.`));
    assert.ok(text.includes('more (1.20)') && text.includes('other work'));
  });

  await check('verdicts, matches and a text filter the kernels, and Escape shows all', {}, async (page) => {
    await page.getByRole('button', {name: 'faster'}).click();
    await untilRows(page, of('faster').length);
    await page.keyboard.press('1');
    await untilRows(page, of('faster').length + of('slower').length);
    await page.keyboard.press('Escape');
    await untilRows(page, comparison.kernels.length);
    await page.getByRole('button', {name: 'gone'}).click();
    await untilRows(page, comparison.kernels.filter(({matched}) => matched === 'gone').length);
    await page.keyboard.press('Escape');
    await page.keyboard.press('/');
    await page.keyboard.type(of('same')[0].name);
    await untilRows(page, 1);
  });

  await check('a click on a heading sorts', {}, async (page) => {
    const [slowest] = comparison.kernels.filter(({time}) => time.after.median !== null).sort((a, b) => b.time.after.median - a.time.after.median);
    await page.getByRole('region', {name: 'Kernels'}).getByRole('button', {name: 'After', exact: true}).click();
    assert.ok((await rowsOf(page).first().textContent()).includes(slowest.name));
  });

  await check('a page of a kernel has what moved, and keys lead to the next one and back', {}, async (page) => {
    const [kernel] = of('slower');
    await rowsOf(page).getByRole('link', {name: kernel.name}).click();
    await page.waitForFunction((name) => document.querySelector('h1').textContent === name, kernel.name);
    const text = await page.textContent('main');
    assert.ok(text.includes(kernel.time.why));
    assert.ok(kernel.explanation.length > 0);
    for (const line of kernel.explanation) assert.ok(text.includes(line), line);
    const moved = kernel.counters.filter((counter) => counter.moved);
    assert.ok(moved.length > 0);
    const rows = await page.getByRole('region', {name: 'Counters'}).locator('tbody tr').allTextContents();
    assert.equal(rows.length, kernel.counters.length);
    assert.ok(moved.every(({words}) => rows.slice(0, moved.length).some((row) => row.includes(words))));
    await page.keyboard.press('n');
    await page.waitForFunction((name) => document.querySelector('h1').textContent !== name, kernel.name);
    await page.keyboard.press('p');
    await page.waitForFunction((name) => document.querySelector('h1').textContent === name, kernel.name);
    await page.keyboard.press('Escape');
    await page.waitForFunction(() => document.querySelector('h1').textContent === 'Before and after');
  });

  await check('the times of the run are there', {}, async (page) => {
    const names = await page.getByRole('region', {name: 'The run'}).locator('tbody tr td:first-child').allTextContents();
    assert.deepEqual(names.sort(), comparison.run.map(({name}) => name).sort().slice(0, names.length));
    assert.ok(names.length >= Math.min(20, comparison.run.length));
  });

  await check('on paper the kernels are there, and no controls', {}, async (page) => {
    await page.emulateMedia({media: 'print'});
    assert.equal(await rowsOf(page).first().isVisible(), true);
    assert.equal(await page.locator('.toolbar').first().isVisible(), false);
    assert.equal(await page.locator('nav.top').isVisible(), false);
  });

  await checkViews(check, ['', `kernel/${indexOf(of('slower')[0])}`, `kernel/${indexOf(of('inconclusive')[0])}`]);
});
