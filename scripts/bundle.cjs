'use strict';
/*
 * Bundles the command and the server into packages/cli/dist.
 *
 * The bundle is a cache for a fast start: finding and reading some 280 small source files takes a third of each start.
 * Where it is missing or stale, the start guard runs the sources. Plain JavaScript, because the set-up runs on any
 * Node.
 */
var fs = require('fs');
var path = require('path');
var inputs = require('../packages/cli/bundle-inputs.cjs');

var ROOT = path.join(__dirname, '..');
var FOLDER = path.join(ROOT, 'packages/cli/dist');
var ENTRY = 'packages/cli/src/main.ts';
/** Runs in a thread of the server, which looks for it in the folder of its own code. */
var WORKER = 'packages/server/src/imports/previews/worker.ts';
/** Folders with files that the server reads from the folder of its code. */
var COPIED_FOLDERS = ['packages/server/src/http/coffer'];
/** Inputs of the bundle that esbuild does not list. */
var OTHER_INPUTS = ['package-lock.json', 'tsconfig.json', 'scripts/bundle.cjs'];

function options() {
  return {
    absWorkingDir: ROOT,
    entryPoints: isThere(WORKER) ? { main: ENTRY, 'import-worker': WORKER } : { main: ENTRY },
    outdir: FOLDER,
    bundle: true,
    splitting: true,
    // Less to read at each start. Names and short lines stay, for stack traces.
    minifyWhitespace: true,
    minifySyntax: true,
    lineLimit: 160,
    legalComments: 'none',
    metafile: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    // Native code.
    external: ['better-sqlite3'],
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
    logLevel: 'silent',
  };
}

function bundle() {
  var begunMs = inputs.begin();
  var result = require('esbuild').buildSync(options());
  var sources = Object.keys(result.metafile.inputs).filter(function (file) {
    return file.indexOf('node_modules/') === -1;
  });
  inputs.write(
    begunMs,
    sources.concat(copyPages(), packageFiles(sources), OTHER_INPUTS.filter(isThere)),
    COPIED_FOLDERS.filter(isThere),
  );
}

/** Copies the pages into the bundle and returns where they came from. */
function copyPages() {
  var copied = [];
  COPIED_FOLDERS.filter(isThere).forEach(function (folder) {
    inputs.copiedFiles(folder).forEach(function (name) {
      fs.copyFileSync(path.join(ROOT, folder, name), path.join(FOLDER, name));
      copied.push(folder + '/' + name);
    });
  });
  return copied;
}

/** The package.json of every package with a source: its "exports" say which files an import means. */
function packageFiles(sources) {
  var files = sources.map(function (file) {
    return file.split('/').slice(0, 2).concat('package.json').join('/');
  });
  return Array.from(new Set(files)).filter(isThere);
}

function isThere(file) {
  return fs.existsSync(path.join(ROOT, file));
}

/** Rebuilds the bundle unless it is fresh. If that fails, the command runs from the sources. */
function bundleWhenStale() {
  if (!isThere(ENTRY) || inputs.compare() === 'fresh') return;
  try {
    bundle();
  } catch (error) {
    fs.rmSync(FOLDER, { recursive: true, force: true });
    console.error('Cannot bundle, so starting takes a little longer: ' + error.message);
  }
}

module.exports = { bundleWhenStale: bundleWhenStale };
