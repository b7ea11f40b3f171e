'use strict';
/*
 * Packs the command and the server into packages/cli/dist, as a cache of the sources beside it.
 *
 * Finding and reading some 240 small files is a third of each start; one file is read at once. The
 * sources stay what runs wherever the cache is missing or older than any of them: the start guard
 * compares. Plain JavaScript, because the set-up runs it on whatever Node the machine has.
 */
var fs = require('fs');
var path = require('path');
var guard = require('../packages/cli/coffer.cjs');

var ROOT = path.join(__dirname, '..');
var FOLDER = path.join(ROOT, 'packages/cli/dist');
/** Files that the server reads from beside its code. */
var PAGES = path.join(ROOT, 'packages/server/src/http/coffer');

function options() {
  return {
    absWorkingDir: ROOT,
    entryPoints: { main: 'packages/cli/src/main.ts' },
    outdir: FOLDER,
    bundle: true,
    splitting: true,
    metafile: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    // Native code, and a library that a start never loads.
    external: ['better-sqlite3', '@scalar/*'],
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
    logLevel: 'silent',
  };
}

/** Writes the bundle, then what it was made of: without that list it counts as missing. */
function bundle() {
  fs.rmSync(FOLDER, { recursive: true, force: true });
  var result = require('esbuild').buildSync(options());
  fs.readdirSync(PAGES).forEach(function (name) {
    if (!/\.ts$/.test(name)) fs.copyFileSync(path.join(PAGES, name), path.join(FOLDER, name));
  });
  var inputs = {};
  Object.keys(result.metafile.inputs)
    .filter(function (file) {
      return file.indexOf('node_modules/') === -1;
    })
    .concat('package-lock.json')
    .forEach(function (file) {
      inputs[file] = fs.statSync(path.join(ROOT, file)).mtimeMs;
    });
  fs.writeFileSync(path.join(FOLDER, 'inputs.json'), JSON.stringify(inputs));
}

/** Makes the bundle anew when a source has changed. A machine on which that fails runs the sources. */
function bundleWhenStale() {
  if (guard.hasFreshBundle() || !fs.existsSync(path.join(ROOT, options().entryPoints.main))) return;
  try {
    bundle();
  } catch (error) {
    fs.rmSync(FOLDER, { recursive: true, force: true });
    console.error('Cannot bundle, so starting takes a little longer: ' + error.message);
  }
}

module.exports = { bundleWhenStale: bundleWhenStale };
