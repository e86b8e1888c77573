// SPDX-License-Identifier: Apache-2.0
// Takes the pictures of the documentation: node test/screenshots.mjs page.html training.html
// comparison.html folder [kernel]. The second page is that of write_training_recording, the third one
// that of write_compared_runs.
import {mkdirSync} from 'node:fs';

import {open, start} from './chromium.mjs';

const [file, training, comparison, folder, kernel = '0'] = process.argv.slice(2);
mkdirSync(folder, {recursive: true});
const browser = await start();

async function shot(name, view, options, prepare = async () => {}, of = file) {
  const {context, page, problems} = await open(browser, of, {...options, hash: `#${view}`});
  await page.waitForTimeout(400);
  await prepare(page);
  await page.waitForTimeout(150);
  await page.screenshot({path: `${folder}/${name}.png`});
  if (problems.length > 0) console.log(name, problems);
  await context.close();
}

const wait = (page) => page.waitForSelector('[data-testid=timeline]');
const near = async (page) => {
  await wait(page);
  await page.evaluate(() => {
    const stage = window.profStage;
    const track = stage.timeline.events.find((one) => one.entry.kind === 'stream');
    const middle = Math.floor(track.count / 2);
    stage.move({begin: track.starts[middle], end: track.starts[Math.min(middle + 24, track.count - 1)]});
  });
};

await shot('overview-light', 'overview', {width: 1280, height: 1000});
await shot('overview-dark', 'overview', {width: 1280, height: 1000, dark: true});
await shot('overview-narrow', 'overview', {width: 390, height: 844});
await shot('timeline-light', 'timeline', {width: 1280, height: 860}, wait);
await shot('timeline-near-dark', 'timeline', {width: 1280, height: 860, dark: true}, near);
await shot('timeline-narrow-dark', 'timeline', {width: 390, height: 844, dark: true}, near);
await shot('ranges-light', 'ranges', {width: 1280, height: 860});
await shot('kernels-light', 'kernels', {width: 1280, height: 860});
await shot('kernel-light', `kernel/${kernel}`, {width: 1280, height: 1300}, (page) => page.waitForSelector('.mean'));
await shot('kernel-dark-wide', `kernel/${kernel}`, {width: 2560, height: 1300, dark: true}, (page) => page.waitForSelector('.mean'));
const stacks = (page) => page.waitForSelector('[data-testid=stacks] .flame');
await shot('ops-light', 'ops', {width: 1280, height: 860}, undefined, training);
await shot('lines-dark', 'lines', {width: 1280, height: 800, dark: true}, stacks, training);
await shot('memory-dark', 'memory', {width: 1280, height: 1100, dark: true}, (page) => page.waitForSelector('.layers'), training);
await shot('memory-narrow', 'memory', {width: 390, height: 844}, (page) => page.waitForSelector('.layers'), training);
await shot('comparison-light', '', {width: 1280, height: 960}, undefined, comparison);
await shot('changed-kernel-dark', 'kernel/0', {width: 1280, height: 860, dark: true}, undefined, comparison);
await browser.close();
