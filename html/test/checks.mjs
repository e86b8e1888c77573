// SPDX-License-Identifier: Apache-2.0
// What the tests of pages in a browser share.
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {createRequire} from 'node:module';

import {open, start} from './chromium.mjs';

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

// Waits until the page has the timeline, while the view "timeline" is shown.
export const decoded = (page) => page.waitForSelector('[data-testid=timeline]');

// Runs `tests` with a function that makes one check: a page of its own, in which no error and no
// request may happen. Prints what was checked, and fails at the first thing that is wrong.
export async function checks(file, tests) {
  const browser = await start();
  let passed = 0;
  const check = async (name, options, test) => {
    const {context, page, problems} = await open(browser, file, options);
    try {
      await test(page);
      assert.deepEqual(problems, [], 'no error and no request');
      console.log(`passed: ${name}`);
      passed++;
    } catch (problem) {
      console.log(`FAILED: ${name}`);
      throw problem;
    } finally {
      await context.close();
    }
  };
  try {
    await tests(check);
  } finally {
    await browser.close();
  }
  console.log(`${passed} passed, 0 failed`);
}

async function accessible(page) {
  // The page's policy keeps scripts out that are not its own: axe is evaluated from outside.
  await page.evaluate(axeSource);
  const {violations} = await page.evaluate(() => globalThis.axe.run());
  assert.deepEqual(violations.map(({id, nodes}) => `${id}: ${nodes[0].html}`), []);
}

// Views in both themes, from the narrowest screen to the widest: nothing that axe finds, nothing that
// is wider than the page, and a bar of which all is in sight.
export async function checkViews(check, views) {
  for (const [dark, width] of [[false, 390], [true, 1280], [false, 2560]]) {
    await check(`accessible: ${dark ? 'dark' : 'light'}, ${width} px`, {dark, width}, async (page) => {
      for (const view of views) {
        await page.evaluate((to) => (location.hash = to), view);
        if (view === 'timeline') await decoded(page);
        await page.waitForTimeout(50);
        await accessible(page);
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.ok(overflow <= 0, `${view} is ${overflow} px too wide`);
        const hidden = await page.$$eval('nav.top > *', (parts) => parts.filter((part) => {
          const {left, right} = part.getBoundingClientRect();
          return left < 0 || right > innerWidth;
        }).map((part) => part.textContent));
        assert.deepEqual(hidden, []);
      }
    });
  }
}
