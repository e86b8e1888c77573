// SPDX-License-Identifier: Apache-2.0
// Takes the pictures of the gallery: node test/gallery.mjs PROF REPOSITORY FOLDER [NAME=RECORDING...],
// in the build's folder html. It writes the page of each recording, and pictures of its overview and
// timeline. Recordings that are named take the place of the repository's.
// Debian's pngquant reduces their colours.
import {execFileSync} from 'node:child_process';
import {mkdirSync, mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join, resolve} from 'node:path';

import {open, start} from './chromium.mjs';

// Recordings of programs on an H200 that the repository has.
const RECORDINGS = {
  training: 'test/data/continuous/llama_like_train.prof',
  prefill: 'examples/recordings/transformer_layer_2048.prof',
  decode: 'examples/recordings/transformer_layer_1.prof',
  kernels: 'test/data/zoo_h200/zoo_default_0.prof',
  'counted-kernels': 'test/data/zoo_h200/zoo_all_3.prof',
};

const SHOTS = [
  {name: 'overview', view: 'overview', width: 1280, height: 1000},
  {name: 'overview-narrow-dark', view: 'overview', width: 390, height: 844, dark: true},
  {name: 'timeline', view: 'timeline', width: 1280, height: 860},
];

// A part of the page of a kernel whose SMs have no work at the end of a launch.
const COURSE = {program: 'kernels', card: 'Over the time of one launch', width: 1280, height: 1400};

const COLORS = '128'; // enough for text on a plain background and a dozen meanings

async function keep(shown, picture, options, problems) {
  await shown.screenshot({path: picture, ...options});
  execFileSync('pngquant', ['--force', '--ext', '.png', '--nofs', '--strip', COLORS, picture]);
  if (problems.length > 0) console.log(picture, problems);
}

const [prof, repository, folder, ...named] = process.argv.slice(2);
const recordings = named.length > 0 ? Object.fromEntries(named.map((word) => word.split('='))) : RECORDINGS;
mkdirSync(folder, {recursive: true});
const pages = mkdtempSync(join(tmpdir(), 'prof-gallery-'));
const browser = await start();
for (const [program, recording] of Object.entries(recordings)) {
  const file = join(pages, `${program}.html`);
  execFileSync(prof, ['report', resolve(repository, recording), '--html', file], {stdio: ['ignore', 'ignore', 'inherit']});
  for (const {name, view, ...size} of SHOTS) {
    const {context, page, problems} = await open(browser, file, {...size, hash: `#${view}`});
    await page.waitForSelector(view === 'timeline' ? '[data-testid=timeline]' : 'h1');
    await page.waitForTimeout(500);
    const bottom = await page.evaluate(() => Math.ceil(document.querySelector('main').getBoundingClientRect().bottom));
    const clip = {x: 0, y: 0, width: size.width, height: Math.min(bottom - 24, size.height)};
    await keep(page, join(folder, `${program}-${name}.png`), {clip}, problems);
    await context.close();
  }
  if (program !== COURSE.program) continue;
  const report = JSON.parse(execFileSync(prof, ['report', resolve(repository, recording), '--json'], {maxBuffer: 1 << 28}));
  const index = report.kernels.findIndex((kernel) => kernel.verdict.notes.some((note) => note.startsWith('drain: ')));
  const {context, page, problems} = await open(browser, file, {...COURSE, hash: `#kernel/${index}`});
  await keep(page.locator('section.card', {hasText: COURSE.card}), join(folder, `${program}-course.png`), {}, problems);
  await context.close();
}
await browser.close();
rmSync(pages, {recursive: true});
