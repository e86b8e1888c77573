// SPDX-License-Identifier: Apache-2.0
// Writes the scripts of dist/main and dist/comparison, and the style sheet of both, into a C++ source,
// with the hashes for the pages' policies: node embed.mjs bundle.cc
import {createHash} from 'node:crypto';
import {readFileSync, writeFileSync} from 'node:fs';

const MOST_BYTES = {main: 200_000, comparison: 60_000};

const read = (file) => readFileSync(`dist/${file}`, 'utf8').trim();

function scriptOf(page) {
  const script = read(`${page}/prof.js`);
  if (/<\/script|<!--/i.test(script)) throw new Error(`the script of ${page} has "</script" or "<!--" in it`);
  if (Buffer.byteLength(script) > MOST_BYTES[page]) {
    throw new Error(`the script of ${page} has ${Buffer.byteLength(script)} bytes, at most ${MOST_BYTES[page]}`);
  }
  return script;
}

const report = scriptOf('main');
const comparison = scriptOf('comparison');
const style = read('main/prof.css');
if (/<\/style/i.test(style)) throw new Error('the style has "</style" in it');
if (style !== read('comparison/prof.css')) throw new Error('the pages have different style sheets');

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

constexpr char kReportScript[] = ${literal(report)};
constexpr char kComparisonScript[] = ${literal(comparison)};
constexpr char kStyle[] = ${literal(style)};

}  // namespace

Bundle BuiltBundle(PageKind kind) {
  Bundle bundle;
  if (kind == PageKind::kReport) {
    bundle.script = {kReportScript, sizeof(kReportScript) - 1};
    bundle.script_hash = "${hash(report)}";
  } else {
    bundle.script = {kComparisonScript, sizeof(kComparisonScript) - 1};
    bundle.script_hash = "${hash(comparison)}";
  }
  bundle.style = {kStyle, sizeof(kStyle) - 1};
  bundle.style_hash = "${hash(style)}";
  return bundle;
}

}  // namespace prof::html
`,
);
