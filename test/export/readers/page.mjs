// SPDX-License-Identifier: Apache-2.0
// What the tests with a reader's page share: an export, the page on a local server, and a browser.
// PROF_NODE_MODULES names a folder node_modules with playwright-core (default: that of the HTML
// report's page), PROF_CHROMIUM a Chromium.
import {execFileSync} from 'node:child_process';
import {existsSync, mkdtempSync, readFileSync, rmSync, statSync} from 'node:fs';
import {createServer} from 'node:http';
import {createRequire} from 'node:module';
import {tmpdir} from 'node:os';
import {extname, join} from 'node:path';

const [program, recording, ownModules] = process.argv.slice(2);
const TYPES = {
  '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.wasm': 'application/wasm',
};

export function skip(why) {
  console.log(`[skipped] ${why}`);
  process.exit(0);
}

export function check(claim, what) {
  if (!claim) throw new Error(`failed: ${what}`);
}

// The rows of a table of CSV, as objects. Cells with a comma or a line end are not split right.
export function table(name) {
  const words = ['export', '--to', 'csv', '--table', name, '-o', '-', recording];
  const text = execFileSync(program, words,
    {encoding: 'utf8', maxBuffer: 1 << 30, stdio: ['ignore', 'pipe', 'ignore']});
  const [header, ...lines] = text.trimEnd().split('\n').map((line) => line.split(','));
  return lines.map((cells) => Object.fromEntries(header.map((key, i) => [key, cells[i]])));
}

// Opens the page in the folder that the variable names, with the export beside it as /export.
// `look(page, url)` checks it.
export async function open(variable, what, format, look) {
  const root = process.env[variable] ?? '';
  if (!existsSync(join(root, 'index.html'))) {
    skip(`${variable} does not name a folder with ${what}`);
  }
  const browser = await start();
  const folder = mkdtempSync(join(tmpdir(), 'prof-readers-'));
  const file = join(folder, 'export');
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url.split('?')[0]);
    const from = path === '/export' ? file : join(root, path === '/' ? 'index.html' : path);
    if (!existsSync(from) || statSync(from).isDirectory()) {
      response.writeHead(404).end();
    } else {
      response.setHeader('content-type', TYPES[extname(from)] ?? 'application/octet-stream');
      response.end(readFileSync(from));
    }
  });
  try {
    execFileSync(program, ['export', '--to', format, recording, '-o', file], {stdio: 'ignore'});
    await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
    await look(await browser.newPage(), `http://127.0.0.1:${server.address().port}`);
    console.log('ok');
  } finally {
    await browser.close();
    server.close();
    rmSync(folder, {recursive: true});
  }
}

async function start() {
  const modules = process.env.PROF_NODE_MODULES ?? ownModules ?? '';
  const chromium = process.env.PROF_CHROMIUM ?? '/usr/bin/chromium';
  if (!existsSync(join(modules, 'playwright-core'))) {
    skip('PROF_NODE_MODULES does not name a node_modules with playwright-core');
  }
  if (!existsSync(chromium)) skip(`${chromium} is not there: apt-get install chromium`);
  return createRequire(join(modules, 'from.js'))('playwright-core').chromium.launch({
    executablePath: chromium,
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  });
}
