// SPDX-License-Identifier: Apache-2.0
// node run_tool.mjs page.html TOOL arguments...: runs a tool of node_modules in the working
// directory ("-": the arguments themselves), or prints why it is skipped.
import {spawnSync} from 'node:child_process';
import {existsSync} from 'node:fs';

const [page, tool, ...rest] = process.argv.slice(2);
const script = tool === '-' ? [] : [`node_modules/${tool}`];
if (!existsSync(page)) {
  console.log('[skipped] this build has no HTML report');
} else if (!existsSync('node_modules/playwright-core') || !script.every((file) => existsSync(file))) {
  console.log('[skipped] the tools for tests were not installed: configure with -DPROF_TESTS=ON');
} else {
  process.exit(spawnSync(process.execPath, [...script, ...rest], {stdio: 'inherit'}).status ?? 1);
}
