// SPDX-License-Identifier: Apache-2.0
// Tensors in the view of memory, in a browser: pages with made-up tensors.
import assert from 'node:assert/strict';
import {rmSync} from 'node:fs';

import {checks, checkViews} from './checks.mjs';
import {tensorData, tensorPages} from './tensors_page.mjs';

const card = (page, title) => page.locator('section.card', {has: page.getByRole('heading', {name: title, exact: true})});
const legendOf = async (figure) => (await figure.locator('.legend li').allTextContents()).map((text) => text.trim());
// Rows of a table, each as its cells.
const rowsOf = (page, label) => page.getByRole('region', {name: label, exact: true}).locator('tbody tr')
  .evaluateAll((rows) => rows.map((row) => [...row.cells].map((cell) => cell.textContent)));

async function checkAll(check) {
  await check('memory: the peak of the GPU is divided into its parts', {hash: '#memory'}, async (page) => {
    const figure = card(page, 'What the peak of GPU 0 is used for').locator('figure');
    const {parts} = tensorData;
    const legend = await legendOf(figure);
    assert.equal(legend.length, parts.length);
    assert.equal(legend[0], 'activations 31.0 GB 43.7 %');
    assert.ok(legend.some((text) => text.startsWith("not PyTorch's 1.50 GB")), `${legend}`);
    const widths = await figure.locator('.bar span').evaluateAll((spans) => spans.map((span) => span.getBoundingClientRect().width));
    const wide = await figure.locator('.bar').evaluate((bar) => bar.getBoundingClientRect().width);
    assert.equal(widths.length, parts.length);
    assert.ok(Math.abs(widths[0] / wide - 31 / 71) < 0.03, `${widths} of ${wide}`);
  });

  await check('memory: tensors have their roles, their tables and the segments', {hash: '#memory'}, async (page) => {
    const [first, second] = tensorData.tensors;
    const gpu0 = card(page, 'Tensors on GPU 0');
    const legend = await legendOf(gpu0.locator('figure'));
    assert.deepEqual(legend.map((text) => text.match(/^\D+(?= \d)/)[0]), first.roles.map((role) => role.role));
    assert.deepEqual(await gpu0.locator('.facts dd').allTextContents(), ['70.0 GB in 1,406 segments', '5.00 GB 7.1 %', '412', '1.10 GB']);
    assert.deepEqual((await rowsOf(page, 'Tensors by line, GPU 0'))[0], ['model.py:57 MLP.forward', '31.5 GB', '48.5 %', '812']);
    assert.equal((await rowsOf(page, 'Tensors by line, GPU 0')).length, first.lines.length);
    assert.deepEqual((await rowsOf(page, 'Tensors by op, GPU 0'))[1], ['(no op)', '26.5 GB', '40.8 %', '1,041']);
    assert.deepEqual((await rowsOf(page, 'Tensors by range, GPU 0')).map(([range]) => range), first.holders.map((holder) => holder.range));
    const gpu1 = await card(page, 'Tensors on GPU 1').textContent();
    assert.ok(!second.roles_named && gpu1.includes('--torch modules') && gpu1.includes('No segment was recorded.'), gpu1);
    assert.equal((await gpu0.textContent()).includes('--torch modules'), false);
    assert.equal(await page.getByRole('region', {name: 'Tensors by line, GPU 1'}).count(), 0);
  });

  await check('memory: a tensor that got no memory has its place, and shows that memory is fragmented', {hash: '#memory'}, async (page) => {
    const failed = card(page, 'Tensors that got no memory');
    assert.equal(await failed.locator('.what').textContent(),
      '2.00 GB on GPU 0, in step/forward, at model.py:58 MLP.forward, in op aten::gelu, 3 times, first 3.45 ms after the start');
    assert.ok((await failed.textContent()).includes('the memory is fragmented'));
    const sizes = await failed.locator('.bars:not(.holders) li').allTextContents();
    assert.deepEqual(sizes, ['wanted2.00 GB', 'unused5.00 GB', 'largest gap1.10 GB']);
    assert.equal((await legendOf(failed.locator('figure'))).length, tensorData.tensor_failures[0].roles.length);
    await page.waitForSelector('.layers');
    assert.ok((await page.locator('.moment').allTextContents()).includes('no 2.00 GB for a tensor'));
  });

  await check('memory: growth of tensors has its name', {hash: '#memory'}, async (page) => {
    const grown = await card(page, 'Growth from step to step').locator('.what').allTextContents();
    assert.ok(grown.includes('tensors, GPU 0: +20.0 MB a step'), `${grown}`);
    assert.equal((await rowsOf(page, 'Lines that grew, tensors, GPU 0')).length, 1);
  });

  await checkViews(check, ['memory']);
}

async function checkNone(check) {
  await check('memory: a report without tensors is shown without them', {hash: '#memory'}, async (page) => {
    await page.waitForSelector('.layers');
    const text = await page.textContent('main');
    assert.equal(/tensors|used for/i.test(text), false);
  });
}

async function checkOnly(check) {
  await check('memory: tensors alone are shown, and no card about allocations', {hash: '#memory'}, async (page) => {
    await card(page, 'Tensors on GPU 0').waitFor();
    const titles = await page.locator('h2').allTextContents();
    for (const title of ['Left at the end', 'By kind', 'Allocated, by range']) assert.equal(titles.includes(title), false, title);
  });
}

export async function checkTensors(file) {
  const {folder, all, none, only} = tensorPages(file);
  try {
    await checks(all, checkAll);
    await checks(none, checkNone);
    await checks(only, checkOnly);
  } finally {
    rmSync(folder, {recursive: true});
  }
}
