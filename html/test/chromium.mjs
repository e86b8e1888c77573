// SPDX-License-Identifier: Apache-2.0
// Starts Debian's Chromium for tests, screenshots and measurements of a page.
import {existsSync} from 'node:fs';
import {chromium} from 'playwright-core';

export const CHROMIUM = process.env.PROF_CHROMIUM ?? '/usr/bin/chromium';

const ARGUMENTS = [
  '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync', '--allow-file-access-from-files',
];

export async function start() {
  if (!existsSync(CHROMIUM)) {
    console.log(`[skipped] ${CHROMIUM} is not there: apt-get install chromium`);
    process.exit(0);
  }
  return chromium.launch({executablePath: CHROMIUM, args: ARGUMENTS});
}

// A page at a size, and what went wrong in it: errors of scripts, and requests to anywhere.
export async function open(browser, file, {width = 1280, height = 900, dark = false, hash = ''} = {}) {
  const context = await browser.newContext({viewport: {width, height}, colorScheme: dark ? 'dark' : 'light'});
  const page = await context.newPage();
  const problems = [];
  page.on('pageerror', (error) => problems.push(`error: ${error.message}`));
  page.on('console', (message) => message.type() === 'error' && problems.push(`console: ${message.text()}`));
  page.on('request', (request) => {
    if (!request.url().startsWith('file:') && !request.url().startsWith('data:')) problems.push(`request: ${request.url()}`);
  });
  await page.goto(`file://${file}${hash}`);
  return {context, page, problems};
}
