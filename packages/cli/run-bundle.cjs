'use strict';
/*
 * Runs a bundled command, with the code that V8 compiled in earlier runs.
 *
 * The compile cache of Node keeps only what is compiled when a file is loaded. The functions that run later are most of
 * the code: compiling them takes a third of the start of a server. So the code is kept here, after it has run, in one
 * file for each command, because each runs other functions. V8 refuses code of another version or with other flags.
 */
var fs = require('fs');
var path = require('path');
var v8 = require('v8');
var vm = require('vm');

/** By then a server has usually had its first requests. */
var KEEP_AFTER_MS = 20 * 1000;
/** Each of the first runs adds its functions, because a first run may be short. Writing costs about 20 ms. */
var KEPT_RUNS = 3;
/** The first line of a bundle: a hash of what follows. */
var ID = /^\/\/([0-9a-f]{64})\n/;
/** What comes before the code in a kept file: the id of the bundle, and how many runs the code is from. */
var HEAD_BYTES = 65;

/** Returns the code of earlier runs of this bundle, and their number; none if the file is missing or of another one. */
function readKept(file, id) {
  try {
    var bytes = fs.readFileSync(file);
    var isSame = bytes.length > HEAD_BYTES && bytes.latin1Slice(0, 64) === id;
    if (isSame) return { runs: bytes[64], code: bytes.subarray(HEAD_BYTES) };
  } catch {
    // The first run.
  }
  return { runs: 0, code: undefined };
}

/** Writes at once or not at all: another process may read the file, and the folder may be read-only. */
function keep(file, id, runs, code) {
  var part = file + '.' + process.pid;
  try {
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(part, id + String.fromCharCode(runs), 'latin1');
    fs.appendFileSync(part, code);
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
 * Loads the bundle `file`, a CommonJS module, for the command `name`; `folder` is for the code that is kept.
 *
 * Returns its exports, and a function that keeps the code of this run if it adds to that of earlier ones.
 */
function load(file, name, folder) {
  // A bundle has ASCII characters only.
  var text = fs.readFileSync(file, 'latin1');
  var id = (ID.exec(text) || [])[1];
  var codeFile = path.join(folder, name + '-' + v8.cachedDataVersionTag().toString(16) + '.code');
  var known = id === undefined ? { runs: KEPT_RUNS } : readKept(codeFile, id);
  var head = '(function (exports, require, module, __filename, __dirname) {';
  var script = new vm.Script(head + text + '\n})', {
    filename: file,
    cachedData: known.code,
  });
  var runs = script.cachedDataRejected ? 0 : known.runs;
  var module = { exports: {} };
  var require_ = require('module').createRequire(file);
  script.runInThisContext()(module.exports, require_, module, file, path.dirname(file));
  return {
    exports: module.exports,
    keepCode: function () {
      if (runs < KEPT_RUNS) keep(codeFile, id, runs + 1, script.createCachedData());
      runs = KEPT_RUNS;
    },
  };
}

module.exports = { KEEP_AFTER_MS: KEEP_AFTER_MS, load: load };
