// SPDX-License-Identifier: Apache-2.0
import {defineConfig} from 'vite';

// One script for each kind of page, "main" (a report) and "comparison", which the mode names, and one
// style sheet for all. The program prof puts them into its pages.
export default defineConfig(({mode}) => ({
  oxc: {jsx: {runtime: 'automatic', importSource: 'preact'}},
  build: {
    target: 'es2022',
    outDir: `dist/${mode}`,
    cssCodeSplit: false,
    lib: {entry: `src/${mode}.tsx`, formats: ['iife'], name: 'prof', fileName: () => 'prof.js', cssFileName: 'prof'},
  },
}));
