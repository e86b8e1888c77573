// SPDX-License-Identifier: Apache-2.0
// Writes dist/prof.js and dist/prof.css into a C++ source, with the hashes for the page's policy:
// node embed.mjs bundle.cc
import {createHash} from 'node:crypto';
import {readFileSync, writeFileSync} from 'node:fs';

const MOST_SCRIPT_BYTES = 200_000;

const script = readFileSync('dist/prof.js', 'utf8').trim();
const style = readFileSync('dist/prof.css', 'utf8').trim();
if (/<\/script|<!--/i.test(script)) throw new Error('the script has "</script" or "<!--" in it');
if (/<\/style/i.test(style)) throw new Error('the style has "</style" in it');
if (Buffer.byteLength(script) > MOST_SCRIPT_BYTES) {
  throw new Error(`the script has ${Buffer.byteLength(script)} bytes, at most ${MOST_SCRIPT_BYTES}`);
}

const hash = (text) => 'sha256-' + createHash('sha256').update(text).digest('base64');
// Compilers limit the length of one literal; those that follow each other are one string.
const literal = (text) =>
  (text.match(/[^]{1,12000}/gu) ?? ['']).map((part) => `R"~prof~(${part})~prof~"`).join('\n');

writeFileSync(
  process.argv[2],
  `// SPDX-License-Identifier: Apache-2.0
#include "lib/html/bundle.h"

namespace prof::html {
namespace {

constexpr char kScript[] = ${literal(script)};
constexpr char kStyle[] = ${literal(style)};

}  // namespace

Bundle BuiltBundle() {
  Bundle bundle;
  bundle.script = {kScript, sizeof(kScript) - 1};
  bundle.style = {kStyle, sizeof(kStyle) - 1};
  bundle.script_hash = "${hash(script)}";
  bundle.style_hash = "${hash(style)}";
  return bundle;
}

}  // namespace prof::html
`,
);
