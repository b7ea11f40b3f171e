'use strict';
/*
 * Runs a bundled command, with the code that V8 compiled in earlier runs.
 *
 * The compile cache of Node keeps only what is compiled when a file is loaded. The functions that run later are most of
 * the code: compiling them takes a third of the start of a server. So the code is kept here, after it has run, in one
 * file for each command, because each runs other functions. V8 refuses code of another version or with other flags.
 *
 * A bundle is a file for what each start needs, and a file next to it with chunks that are loaded when they are
 * required. The code of a first run of the server comes with the bundle: see scripts/keep-code.cjs.
 */
var Buffer = require('buffer').Buffer;
var fs = require('fs');
var path = require('path');
var v8 = require('v8');
var vm = require('vm');

/** By then a server has usually had its first requests. */
var KEEP_AFTER_MS = 20 * 1000;
/** A server loads what later requests need, a little at a time, so that none of them waits for much of it. */
var AHEAD_AFTER_MS = 5 * 1000;
var AHEAD_EVERY_MS = 50;
/** Each of the first runs adds its functions, because a first run may be short. Writing costs about 20 ms. */
var KEPT_RUNS = 3;
/** The first line of a bundle: a hash of what follows, and of its chunks. */
var ID = /^\/\/([0-9a-f]{64})\n/;
/** What comes before the code in a kept file: the id of the bundle, and how many runs the code is from. */
var HEAD_BYTES = 65;
/** The places of the chunks are within them. */
var FIRST_BYTES = 32 * 1024;
/** The name of what is not a chunk. */
var MAIN = 'main.js';

/**
 * Returns the code of earlier runs of this bundle by the names of its chunks, and their number; none if the file is
 * missing, damaged or of another bundle.
 */
function readKept(file, id) {
  var code = new Map();
  try {
    var bytes = fs.readFileSync(file);
    if (bytes.length <= HEAD_BYTES || bytes.latin1Slice(0, 64) !== id)
      return { runs: 0, code: code };
    var end = bytes.indexOf('\n', HEAD_BYTES);
    var at = end + 1;
    JSON.parse(bytes.latin1Slice(HEAD_BYTES, end)).forEach(function (each) {
      code.set(each[0], bytes.subarray(at, (at += each[1])));
    });
    if (at === bytes.length) return { runs: bytes[64], code: code };
  } catch {
    // The first run.
  }
  return { runs: 0, code: new Map() };
}

/** The code of earlier runs from the first of the files that has some. */
function readFirst(files, id) {
  return files.reduce(
    function (found, file) {
      return found.runs > 0 ? found : readKept(file, id);
    },
    { runs: 0, code: new Map() },
  );
}

/** Writes at once or not at all: another process may read the file, and the folder may be read-only. */
function keep(file, id, runs, code) {
  var part = file + '.' + process.pid;
  var lengths = Array.from(code, function (each) {
    return [each[0], each[1].length];
  });
  var head = Buffer.from(id + String.fromCharCode(runs) + JSON.stringify(lengths) + '\n', 'latin1');
  try {
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(part, Buffer.concat([head].concat(Array.from(code.values()))));
    fs.renameSync(part, file);
  } catch {
    removeIfThere(part);
  }
}

function removeIfThere(file) {
  try {
    fs.unlinkSync(file);
  } catch {
    // It was not created.
  }
}

/**
 * Returns a function that reads a chunk, undefined for what is none, and the names of those that a server needs later.
 * A bundle has ASCII characters only.
 */
function chunksOf(file) {
  var places = {};
  var ahead = [];
  var start = 0;
  var opened;
  function read(at, length) {
    var bytes = Buffer.allocUnsafeSlow(length);
    return bytes.latin1Slice(0, fs.readSync(opened, bytes, 0, length, at));
  }
  if (fs.existsSync(file)) {
    opened = fs.openSync(file, 'r');
    var first = read(0, FIRST_BYTES);
    start = first.indexOf('\n') + 1;
    var head = JSON.parse(first.slice(0, start));
    places = head.places;
    ahead = head.ahead;
  }
  return {
    ahead: ahead,
    textOf: function (name) {
      var place = Object.hasOwn(places, name) ? places[name] : undefined;
      return place && read(start + place[0], place[1]);
    },
  };
}

/**
 * Loads the bundle `file`, a CommonJS module, for the command `name`; `folder` is for the code that is kept, and
 * `requireOfNode` loads modules of Node.
 *
 * Returns its exports; `loadNext`, which loads a part of what later requests need; and `keepCode`, which keeps the code
 * of this run if it adds to that of earlier ones, but for what `loadNext` has loaded. V8 accepts code only with the
 * flags that it was made with.
 */
function load(file, name, folder, requireOfNode) {
  var text = fs.readFileSync(file, 'latin1');
  var id = (ID.exec(text) || [])[1];
  var tag = v8.cachedDataVersionTag().toString(16);
  var codeName = [name, process.arch, tag].join('-') + '.code';
  var codeFile = path.join(folder, codeName);
  var codeFiles = [codeFile, path.join(path.dirname(file), codeName)];
  var known = id === undefined ? { runs: KEPT_RUNS, code: new Map() } : readFirst(codeFiles, id);
  var runs = known.runs;
  var dist = path.dirname(file);
  var chunks = chunksOf(path.join(dist, path.basename(file, '.cjs') + '.chunks'));
  var isAhead = false;
  var nodeModule = require('module');
  var requireFile = nodeModule.createRequire(file);
  var scripts = new Map();
  var modules = new Map();

  function run(chunk, code, filename) {
    var head = '(function (exports, require, module, __filename, __dirname) {';
    var cachedData = known.code.get(chunk);
    var options = { filename: filename, cachedData: cachedData };
    var script = new vm.Script(head + code + '\n})', options);
    if (script.cachedDataRejected) runs = 0;
    var module = { exports: {} };
    if (!isAhead) scripts.set(chunk, script);
    modules.set(chunk, module);
    script.runInThisContext()(module.exports, requireChunk, module, file, dist);
    return module.exports;
  }

  function requireChunk(request) {
    var chunk = request.slice(2);
    var loaded = modules.get(chunk);
    if (loaded !== undefined) return loaded.exports;
    var code = request.startsWith('./') ? chunks.textOf(chunk) : undefined;
    if (code === undefined) return requireOther(request);
    return run(chunk, code, dist + path.sep + chunk);
  }

  function requireOther(request) {
    return nodeModule.isBuiltin(request) ? requireOfNode(request) : requireFile(request);
  }

  /** Loads the next chunk that a server needs. Returns whether there was one. */
  function loadNext() {
    var chunk = chunks.ahead.find(function (each) {
      return !modules.has(each);
    });
    if (chunk === undefined) return false;
    isAhead = true;
    requireChunk('./' + chunk);
    isAhead = false;
    return true;
  }

  return {
    exports: run(MAIN, text, file),
    loadNext: loadNext,
    keepCode: function () {
      if (runs < KEPT_RUNS) {
        var code = new Map(known.code);
        scripts.forEach(function (script, chunk) {
          code.set(chunk, script.createCachedData());
        });
        keep(codeFile, id, runs + 1, code);
      }
      runs = KEPT_RUNS;
    },
  };
}

/** Loads what later requests need while they are not there yet. */
function loadAhead(loaded) {
  setTimeout(function next() {
    if (loaded.loadNext()) setTimeout(next, AHEAD_EVERY_MS).unref();
  }, AHEAD_AFTER_MS).unref();
}

module.exports = { KEEP_AFTER_MS: KEEP_AFTER_MS, load: load, loadAhead: loadAhead };
