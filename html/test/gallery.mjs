// SPDX-License-Identifier: Apache-2.0
// Takes the pictures of the gallery: node test/gallery.mjs PROF REPOSITORY FOLDER, in the build's
// folder html. It writes the page of each recording, and pictures of its overview and timeline.
// Debian's pngquant reduces their colours.
import {execFileSync} from 'node:child_process';
import {mkdirSync, mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';

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

const COLORS = '128'; // enough for text on a plain background and a dozen meanings

const [prof, repository, folder] = process.argv.slice(2);
mkdirSync(folder, {recursive: true});
const pages = mkdtempSync(join(tmpdir(), 'prof-gallery-'));
const browser = await start();
for (const [program, recording] of Object.entries(RECORDINGS)) {
  const file = join(pages, `${program}.html`);
  execFileSync(prof, ['report', join(repository, recording), '--html', file], {stdio: ['ignore', 'ignore', 'inherit']});
  for (const {name, view, ...size} of SHOTS) {
    const {context, page, problems} = await open(browser, file, {...size, hash: `#${view}`});
    await page.waitForSelector(view === 'timeline' ? '[data-testid=timeline]' : 'h1');
    await page.waitForTimeout(500);
    const bottom = await page.evaluate(() => Math.ceil(document.querySelector('main').getBoundingClientRect().bottom));
    const picture = join(folder, `${program}-${name}.png`);
    await page.screenshot({path: picture, clip: {x: 0, y: 0, width: size.width, height: Math.min(bottom - 24, size.height)}});
    execFileSync('pngquant', ['--force', '--ext', '.png', '--nofs', '--strip', COLORS, picture]);
    if (problems.length > 0) console.log(picture, problems);
    await context.close();
  }
}
await browser.close();
rmSync(pages, {recursive: true});
