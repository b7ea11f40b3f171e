'use strict';
/*
 * Bundles the command and the server into packages/cli/dist.
 *
 * The bundle is a cache for a fast start: finding and reading some 600 small source files takes a third of each start.
 * Where it is missing or stale, the start guard runs the sources. Plain JavaScript, because the set-up runs on any
 * Node.
 */
var childProcess = require('child_process');
var crypto = require('crypto');
var fs = require('fs');
var path = require('path');
var guard = require('../packages/cli/coffer.cjs');
var inputs = require('../packages/cli/bundle-inputs.cjs');
var banner = require('./bundle-banner.cjs');

var ROOT = path.join(__dirname, '..');
var FOLDER = path.join(ROOT, 'packages/cli/dist');
var ENTRY = 'packages/cli/src/main.ts';
/** It names the rooms with operations. */
var OPERATIONS = 'packages/server/src/all.ts';
/** The import of a room with operations. */
var ROOM = /^import \{[^}]*Routes[^}]*\} from '\.\/([^']+)';$/gm;
/** They run in threads of the server, which looks for them in the folder of its own code. */
var WORKERS = {
  worker: 'packages/server/src/worker.ts',
  'backup-worker': 'packages/server/src/maintenance/scheduled/worker.ts',
};
/** Folders with files that the server reads from the folder of its code. */
var COPIED_FOLDERS = ['packages/server/src/http'];
/** Inputs of the bundle that esbuild does not list. */
var OTHER_INPUTS = [
  ...['package-lock.json', 'tsconfig.json', 'scripts/bundle.cjs', 'scripts/bundle-banner.cjs'],
  ...['scripts/keep-code.cjs', 'packages/cli/run-bundle.cjs'],
];
/** A run takes one second; on a busy machine ten. */
var KEEP_CODE_MS = 60 * 1000;

/** Large packages that few servers need: files of their own, so that no start reads them. */
var PARTS = {
  '@scalar/fastify-api-reference': './part-reader.cjs',
  '@simplewebauthn/server': './part-passkeys.cjs',
  'prom-client': './part-metrics.cjs',
};
/** What a part is made from, where it is not the package itself. */
var PART_ENTRIES = { '@scalar/fastify-api-reference': './scripts/bundle-reader.cjs' };
/** Native code, which cannot be in a bundle. */
var NATIVE = ['better-sqlite3'];
/** What the framework loads for schemas of routes. No route has one: see `frameworkOptions`. */
var NEVER_LOADED = ['@fastify/ajv-compiler', '@fastify/fast-json-stringify-compiler'];
/**
 * Native code is not in the bundle. The framework loads HTTP/2 and TLS, which take as long as the rest of the code of
 * Node for networks; Coffer serves neither.
 */
var ALIASES = {
  assert: './scripts/bundle-assert.cjs',
  'better-sqlite3': './scripts/bundle-sqlite.cjs',
  'node:assert': './scripts/bundle-assert.cjs',
  'node:http2': './scripts/bundle-http2.cjs',
  'node:https': './scripts/bundle-https.cjs',
  semver: './scripts/bundle-semver.cjs',
};

function options(format, entryPoints) {
  return {
    absWorkingDir: ROOT,
    entryPoints: entryPoints,
    outdir: FOLDER,
    bundle: true,
    // Less to read at each start. Names and short lines stay, for stack traces.
    minifyWhitespace: true,
    minifySyntax: true,
    lineLimit: 160,
    legalComments: 'none',
    metafile: true,
    platform: 'node',
    format: format,
    target: 'node24',
    external: NATIVE.concat(NEVER_LOADED, Object.values(PARTS)),
    logLevel: 'silent',
  };
}

/** The entry points of the command. Each room is one too, so that chunks of its own are loaded when they are used. */
function commandEntries() {
  var entries = { main: ENTRY };
  if (!isThere(OPERATIONS)) return entries;
  Array.from(fs.readFileSync(path.join(ROOT, OPERATIONS), 'utf8').matchAll(ROOM)).forEach(
    function (match, at) {
      entries['room-' + at] = path.join(path.dirname(OPERATIONS), match[1]);
    },
  );
  return entries;
}

/**
 * The command in chunks, of which a start loads only those that it needs: to find the functions of the whole command
 * would take twice as long as to start Node. CommonJS, so that V8's code can be kept.
 */
function bundleCommand() {
  var result = require('esbuild').buildSync(
    Object.assign(options('esm', commandEntries()), {
      splitting: true,
      alias: Object.assign({}, PARTS, ALIASES),
      define: banner.names,
      write: false,
    }),
  );
  var chunks = {};
  result.outputFiles.forEach(function (each) {
    // The code of a room is in chunks that the server has too.
    if (path.basename(each.path).startsWith('room-')) return;
    chunks[path.basename(each.path)] = withBanner(inAscii(asCommonJs(each.text)));
  });
  var main = chunks['main.js'];
  delete chunks['main.js'];
  // Identifies the code that V8 kept from them.
  var id = crypto.createHash('sha256').update(main).update(JSON.stringify(chunks)).digest('hex');
  fs.writeFileSync(path.join(FOLDER, 'main.cjs'), '//' + id + '\n' + main);
  fs.writeFileSync(path.join(FOLDER, 'main.chunks'), packed(chunks, ofServer(result.metafile)));
  return result.metafile;
}

/** What a server loads by `import()`, and nearly each needs one day; others depend on its settings. */
var NEEDED_LATER = /^(read-preview|commit-preview|unpack|busboy|2020)-/;

/** The chunks of the server and its rooms, each after those that it imports. */
function ofServer(metafile) {
  var seen = new Set();
  var found = [];
  function visit(file) {
    var output = metafile.outputs[file];
    if (output === undefined || seen.has(file)) return;
    seen.add(file);
    output.imports.forEach(function (each) {
      var isNeeded = each.kind === 'import-statement';
      if (isNeeded || NEEDED_LATER.test(path.basename(each.path))) visit(each.path);
    });
    found.push(path.basename(file));
  }
  Object.keys(metafile.outputs).forEach(function (file) {
    if (/^(room|serve)-/.test(path.basename(file))) visit(file);
  });
  return found;
}

function asCommonJs(text) {
  var code = require('esbuild').transformSync(text, {
    format: 'cjs',
    platform: 'node',
    target: 'node24',
    minifyWhitespace: true,
    lineLimit: 160,
    // A vm.Script can import modules only with an experimental feature, which prints a warning.
    supported: { 'dynamic-import': false },
  }).code;
  return loadedWhenUsed(code);
}

/** An import of a chunk or of a module of Node, as esbuild writes it. No other name begins like that. */
var IMPORT = /var (import_\w+)=require\("((?:node:|\.\/chunk-)[^"]+)"\);/g;

/** Loads what another chunk or Node exports when a name of it is used for the first time. */
function loadedWhenUsed(code) {
  var names = new Set();
  var declared = code.replace(IMPORT, function (_all, name, request) {
    names.add(name);
    return (
      'var L' +
      name +
      ';function F' +
      name +
      '(){return L' +
      name +
      '??=require("' +
      request +
      '")}'
    );
  });
  return declared.replace(/\b(new )?(import_\w+)/g, function (all, isNew, name) {
    if (!names.has(name)) return all;
    return isNew ? 'new(F' + name + '())' : 'F' + name + '()';
  });
}

function withBanner(text) {
  var hasNames = Object.values(banner.names).some(function (name) {
    return text.includes(name);
  });
  return hasNames ? banner.text + text : text;
}

/** A line with the places of the chunks after it, and which of them the server needs; and the chunks. */
function packed(chunks, needed) {
  var at = 0;
  var places = {};
  Object.keys(chunks).forEach(function (name) {
    places[name] = [at, chunks[name].length];
    at += chunks[name].length;
  });
  var ahead = needed.filter(function (name) {
    return Object.hasOwn(places, name);
  });
  return JSON.stringify({ places: places, ahead: ahead }) + '\n' + Object.values(chunks).join('');
}

/** The bundler escapes characters outside ASCII in texts, but not in regular expressions. */
function inAscii(text) {
  return text.replace(/[^\x00-\x7f]/g, function (unit) {
    return '\\u' + unit.charCodeAt(0).toString(16).padStart(4, '0');
  });
}

/** The packages that the command loads when it needs them. */
function bundleParts(command) {
  var entries = {};
  var imports = Object.values(command.outputs).flatMap(function (each) {
    return each.imports;
  });
  imports.forEach(function (each) {
    Object.keys(PARTS).forEach(function (name) {
      var part = path.basename(PARTS[name], '.cjs');
      if (PARTS[name] === each.path) entries[part] = PART_ENTRIES[name] || name;
    });
  });
  var all = Object.assign(options('cjs', entries), { outExtension: { '.js': '.cjs' } });
  return require('esbuild').buildSync(all).metafile;
}

function bundleWorkers() {
  return require('esbuild').buildSync(
    Object.assign(options('esm', WORKERS), {
      splitting: true,
      banner: {
        js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
      },
    }),
  ).metafile;
}

/** Without that code, the first start takes twice as long. */
function keepCode() {
  var node = guard.isNewEnough(process.versions.node)
    ? process.execPath
    : guard.findBundledNode(ROOT);
  var script = path.join(__dirname, 'keep-code.cjs');
  if (node === null || !fs.existsSync(script)) return;
  // The settings of a server are not for this one.
  childProcess.spawnSync(node, [script], { env: {}, stdio: 'ignore', timeout: KEEP_CODE_MS });
}

function bundle() {
  var begunMs = inputs.begin();
  var command = bundleCommand();
  var all = [command, bundleParts(command)].concat(isThere(WORKERS.worker) ? bundleWorkers() : []);
  var sources = all
    .flatMap(function (each) {
      return Object.keys(each.inputs);
    })
    .filter(function (file, place, files) {
      return file.indexOf('node_modules/') === -1 && files.indexOf(file) === place;
    });
  inputs.write(
    begunMs,
    sources.concat(copyPages(), packageFiles(sources), OTHER_INPUTS.filter(isThere)),
    COPIED_FOLDERS.filter(isThere),
  );
  keepCode();
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
