// SPDX-License-Identifier: Apache-2.0
import {defineConfig} from 'vite';

// One script and one style sheet, which the program prof puts into each page.
export default defineConfig({
  oxc: {jsx: {runtime: 'automatic', importSource: 'preact'}},
  build: {
    target: 'es2022',
    cssCodeSplit: false,
    lib: {entry: 'src/main.tsx', formats: ['iife'], name: 'prof', fileName: () => 'prof.js', cssFileName: 'prof'},
  },
});
