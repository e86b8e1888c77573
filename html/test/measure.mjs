// SPDX-License-Identifier: Apache-2.0
// Measures pages: node test/measure.mjs page.html... prints JSON: file size, first paint, time to the
// first frame of the timeline, and frame times while panning and zooming. Each frame is drawn
// DRAWS times: `each` has the least of each frame, its cost on a machine with other work, and `all`
// has every drawing. `first` has the first drawing of each frame, where scripts are not compiled yet:
// the least of RUNS pages.
import {statSync} from 'node:fs';

import {open, start} from './chromium.mjs';

const DRAWS = 5;
const RUNS = Number(process.env.PROF_RUNS ?? 5);

const sorted = (values) => [...values].sort((a, b) => a - b);
const statistic = (values) => {
  const list = sorted(values);
  return {n: list.length, median: list[Math.floor(list.length / 2)], min: list[0], max: list.at(-1)};
};

// Zooms in and out again, and pans at each step; a frame each. Times of drawing in milliseconds.
function frames(draws) {
  const stage = window.profStage;
  const times = [];
  const frame = (act) => {
    act();
    const drawn = [];
    for (let i = 0; i < draws; i++) {
      const begin = performance.now();
      stage.paint();
      // Drawing is queued: reading a pixel waits for it.
      stage.canvas.getContext('2d').getImageData(0, 0, 1, 1);
      drawn.push(performance.now() - begin);
    }
    times.push(drawn);
  };
  for (let step = 0; step < 60; step++) {
    frame(() => stage.zoom(0.8));
    frame(() => stage.pan(0.1));
    frame(() => stage.pan(-0.05));
  }
  for (let step = 0; step < 60; step++) frame(() => stage.zoom(1 / 0.8));
  return times;
}

const browser = await start();
const results = [];
for (const file of process.argv.slice(2)) {
  const paints = [];
  const lines = [];
  const times = []; // by page and frame: its drawings
  let events = 0;
  for (let run = 0; run < RUNS; run++) {
    const {context, page} = await open(browser, file);
    await page.waitForSelector('h1');
    paints.push(await page.evaluate(() => new Promise((done) => {
      const known = performance.getEntriesByName('first-contentful-paint')[0];
      if (known) return done(known.startTime);
      new PerformanceObserver((list) => list.getEntriesByName('first-contentful-paint').forEach((entry) => done(entry.startTime)))
        .observe({type: 'paint', buffered: true});
    })));
    await page.evaluate(() => (location.hash = 'timeline'));
    await page.waitForFunction(() => window.profStage?.frames > 0, null, {timeout: 120000, polling: 20});
    lines.push(await page.evaluate(() => performance.now()));
    times.push(await page.evaluate(frames, DRAWS));
    events = await page.evaluate(() => window.profStage.timeline.events.reduce((sum, track) => sum + track.count, 0));
    await context.close();
  }
  const frameTimes = (values) => {
    const list = sorted(values);
    return {...statistic(list), p99: list[Math.floor(list.length * 0.99)], over_16_ms: list.filter((value) => value > 16).length};
  };
  results.push({
    file: file.split('/').pop(), bytes: statSync(file).size, events,
    first_paint_ms: statistic(paints), timeline_ms: statistic(lines),
    frame_ms: {
      each: frameTimes(times.flat().map((drawn) => Math.min(...drawn))),
      first: frameTimes(times[0].map((_, frame) => Math.min(...times.map((page) => page[frame][0])))),
      all: frameTimes(times.flat(2)),
    },
  });
}
await browser.close();
console.log(JSON.stringify(results, null, 2));
