// SPDX-License-Identifier: Apache-2.0
// The views that need ops of PyTorch, Python stacks or a ledger of memory, in a browser:
// node test/browser_training.mjs page.html report.json
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';

import {checkTensors} from './browser_tensors.mjs';
import {checks, checkViews, decoded} from './checks.mjs';

const [file, jsonFile] = process.argv.slice(2);
const report = JSON.parse(readFileSync(jsonFile, 'utf8'));
const {torch, lines, memory} = report;

const names = (kernels) => kernels.map((kernel) => kernel.name).sort();
const shownKernels = async (page) => (await page.locator('tbody tr td:first-child').allTextContents()).sort();
const rowOf = (page, text) => page.locator('tbody tr', {hasText: text}).first();

// Waits for the kernels' page, and compares its rows.
async function expectKernels(page, expected) {
  await page.getByRole('button', {name: 'Its kernels'}).click();
  await page.waitForFunction(() => document.querySelector('h1')?.textContent === 'Kernels');
  assert.deepEqual(await shownKernels(page), expected);
}

await checks(file, async (check) => {
  await check('ops: each op has a row, headings sort, the filter filters', {hash: '#ops'}, async (page) => {
    const table = page.getByRole('region', {name: 'Ops of PyTorch'});
    const rows = table.locator('tbody tr');
    assert.equal(await rows.count(), torch.ops.length);
    assert.ok((await rows.first().textContent()).startsWith(torch.ops[0].name), 'most GPU time of its own first');
    const longest = torch.ops.reduce((a, b) => (b.cpu_ns > a.cpu_ns ? b : a));
    await page.getByRole('button', {name: 'CPU total'}).click();
    assert.ok((await rows.first().textContent()).includes(longest.calls.toLocaleString('en-US')));
    await page.getByLabel('Filter ops').fill('backward');
    const left = torch.ops.filter((op) => op.backward || `${op.name} ${op.forward}`.toLowerCase().includes('backward')).length;
    await page.waitForFunction((n) => document.querySelectorAll('[aria-label="Ops of PyTorch"] tbody tr').length === n, left);
  });

  await check('ops: a click on an op selects its kernels, of inner ops as well', {hash: '#ops'}, async (page) => {
    const inner = report.kernels.filter((kernel) => kernel.torch_ops.some((op) => op.name === 'aten::addmm'));
    assert.ok(inner.length > 0 && inner.length < report.kernels.length);
    await page.getByRole('button', {name: 'aten::linear', exact: true}).click();
    assert.ok((await page.textContent('.chips')).includes('aten::linear'));
    await expectKernels(page, names(inner));
  });

  await check('ops: on the timeline the kernels of other ops are pale', {hash: '#ops'}, async (page) => {
    await page.getByRole('button', {name: 'aten::gelu', exact: true}).click();
    await page.getByRole('button', {name: 'On the timeline'}).click();
    await decoded(page);
    const labels = await page.evaluate(() => {
      const {accepted, timeline} = window.profStage;
      return timeline.header.names.filter((name, i) => accepted[i]).map((name) => name.label);
    });
    assert.deepEqual(labels, names(report.kernels.filter((kernel) => kernel.torch_ops.some((op) => op.name === 'aten::gelu'))));
  });

  await check('ops: a range of the backward pass selects the range', {hash: '#ops'}, async (page) => {
    const {label} = torch.ranges[0];
    await page.getByRole('button', {name: label, exact: true}).click();
    await page.locator('.chips', {hasText: label}).waitFor();
  });

  await check('lines: each line has a row, and the switch shows innermost lines', {hash: '#lines'}, async (page) => {
    const rows = page.locator('[aria-label="Lines of source"] tbody tr');
    await page.waitForSelector('[data-testid=stacks] .flame');
    assert.equal(await rows.count(), lines.own.length);
    assert.ok((await rows.first().textContent()).includes(`:${lines.own[0].line}`));
    await page.getByRole('button', {name: 'Innermost lines'}).click();
    await page.waitForFunction((n) => document.querySelectorAll('[aria-label="Lines of source"] tbody tr').length === n, lines.all.length);
    const library = lines.all.find((line) => line.file.includes('site-packages'));
    assert.ok(await rowOf(page, `:${library.line}`).isVisible());
    await page.getByLabel('Filter lines').fill(library.function);
    await page.waitForFunction((n) => document.querySelectorAll('[aria-label="Lines of source"] tbody tr').length === n,
      lines.all.filter((line) => line.function === library.function).length);
  });

  await check('lines: the stacks have the time of the lines', {hash: '#lines'}, async (page) => {
    await page.waitForSelector('[data-testid=stacks] .flame');
    const shown = async () => Number((await page.locator('.flame button').first().getAttribute('title')).match(/: ([\d.]+) ms$/)[1]);
    const sum = (key) => lines.all.reduce((total, line) => total + line[key], 0) / 1e6;
    assert.ok(Math.abs((await shown()) - sum('time_ns')) < 0.05, `${await shown()} ms, ${sum('time_ns')}`);
    await page.getByRole('button', {name: 'GPU idle'}).click();
    const idle = await page.locator('.flame button').first().getAttribute('title');
    assert.ok(idle.endsWith('µs') || idle.endsWith('ms'), idle);
  });

  await check('lines: a click on a line selects the kernels that it launched', {hash: '#lines'}, async (page) => {
    const line = lines.own.find((one) => one.function === 'gelu');
    await page.waitForSelector('[data-testid=stacks] .flame');
    await page.locator('[aria-label="Lines of source"] .link', {hasText: `:${line.line}`}).click();
    await expectKernels(page, [line.dominant]);
    await page.keyboard.press('Escape');
    await page.waitForFunction((n) => document.querySelectorAll('tbody tr').length === n, report.kernels.length);
  });

  await check('lines: a click on a frame enlarges it and selects its kernels, and its callers lead back', {hash: '#lines'}, async (page) => {
    await page.waitForSelector('[data-testid=stacks] .flame');
    const frame = page.locator('.flame button', {hasText: 'MLP.forward'});
    const narrow = (await frame.boundingBox()).width;
    await frame.click();
    assert.ok((await frame.boundingBox()).width > narrow * 1.5);
    assert.ok((await page.textContent('.chips')).includes('MLP.forward'));
    const callers = page.getByRole('navigation', {name: 'Callers of the frame'});
    await callers.getByRole('button', {name: 'GPT.forward'}).click();
    await page.waitForFunction(() => document.querySelector('.flame button').textContent.startsWith('GPT.forward'));
    await callers.getByRole('button', {name: 'All', exact: true}).click();
    await callers.waitFor({state: 'detached'});
    assert.equal(await page.locator('.chips').count(), 0);
  });

  await check('memory: the ledger says who holds the peak, what grows, what is left and what failed', {hash: '#memory'}, async (page) => {
    await page.waitForSelector('.layers');
    const text = await page.textContent('main');
    const [device] = memory.devices;
    for (const holder of device.holders) assert.ok(text.includes(holder.range), holder.range);
    assert.ok(memory.growth[0].grows && text.includes('a step') && text.includes(memory.growth[0].holders[0].range));
    const left = page.getByRole('region', {name: 'Memory that was not freed'});
    const line = device.lines[0].place;
    assert.ok(text.includes('Allocated from line') && text.includes(`${line.file.split('/').pop()}:${line.line} ${line.function}`));
    assert.ok(text.includes('In op') && text.includes(device.ops[0].op));
    assert.ok(text.includes(`${memory.failures[0].call} in ${memory.failures[0].range}, ${memory.failures[0].count} times`));
    const grew = page.getByRole('region', {name: /^Lines that grew/});
    assert.equal(await grew.locator('tbody tr').count(), memory.growth[0].lines.length);
    assert.equal(await left.locator('tbody tr').count(), memory.ranges.filter((range) => range.blocks_at_end > 0).length);
    assert.equal(await page.getByRole('region', {name: 'Memory pools'}).locator('tbody tr').count(), memory.pools.length);
  });

  await check('memory: the chart has the ledger\'s ranges, and its peak where the ledger has it', {hash: '#memory'}, async (page) => {
    await page.waitForSelector('.layers');
    const legend = await page.locator('figure .legend li').allTextContents();
    for (const holder of memory.devices[0].holders) assert.ok(legend.includes(holder.range), `${holder.range}: ${legend}`);
    const {peak, at} = await page.evaluate(() => {
      const track = JSON.parse(document.getElementById('timeline').textContent);
      const line = document.querySelector('.moment line');
      const chart = document.querySelector('.layers');
      return {peak: (Number(line.getAttribute('x1')) - 64) / (chart.clientWidth - 64), at: track};
    });
    const expected = (memory.devices[0].peak_at_ns + at.begun_ns) / at.span_ns;
    assert.ok(Math.abs(peak - expected) < 0.01, `${peak}, not ${expected}`);
  });

  await check('the digits choose the views in the order of the bar', {}, async (page) => {
    for (const [digit, title] of [['5', 'Ops of PyTorch'], ['6', 'Lines of source'], ['7', 'Memory'], ['8', 'Compare']]) {
      await page.keyboard.press(digit);
      await page.waitForFunction((text) => document.querySelector('h1')?.textContent.startsWith(text), title);
    }
  });

  await check('printed pages have the tables, and no buttons to press', {hash: '#ops'}, async (page) => {
    await page.emulateMedia({media: 'print'});
    assert.equal(await page.locator('.toolbar').first().isVisible(), false);
    assert.ok(await page.getByRole('table').first().isVisible());
  });

  await checkViews(check, ['overview', 'ops', 'lines', 'memory', 'kernel/0']);
});

await checkTensors(file);
