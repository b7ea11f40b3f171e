'use strict';
/*
 * Installs what package-lock.json names, when that is newer than what is installed.
 *
 * Runs before `npm start` and `npm test`, on whatever Node the machine has, before anything is
 * installed: plain JavaScript, nothing but what Node brings along and the start guard beside it.
 */
var childProcess = require('child_process');
var fs = require('fs');
var path = require('path');
var guard = require('../packages/cli/coffer.cjs');
var bundler = require('./bundle.cjs');

var ROOT = path.join(__dirname, '..');

/** When the file was last written, in milliseconds since the epoch; 0 when it is missing. */
function writtenAtMs(file) {
  try {
    return fs.statSync(path.join(ROOT, file)).mtime.getTime();
  } catch (error) {
    if (error.code === 'ENOENT') return 0;
    throw error;
  }
}

/** npm writes this file last, so an installation that was broken off counts as none. */
function isInstalled() {
  return writtenAtMs('node_modules/.package-lock.json') >= writtenAtMs('package-lock.json');
}

/*
 * Whoever runs this through npm hands down npm's own variables. Those that say where the machine's
 * registry, proxy or cache is must stay; those that describe the outer command would turn the inner
 * one into something else (another folder, one workspace, a dry run).
 */
var OUTER_COMMAND = /^npm_(package_|lifecycle_|command$|(old|new)_version$)/i;
var OUTER_CONFIG = /^npm_config_(.*prefix|global|location|.*workspaces?|include.*|omit|only)$/i;
var OUTER_MODE = /^npm_config_(production|dry_run|package_lock|package_lock_only|if_present)$/i;

function isOfOuterCommand(name) {
  return OUTER_COMMAND.test(name) || OUTER_CONFIG.test(name) || OUTER_MODE.test(name);
}

function environmentForNpm() {
  var environment = {};
  Object.keys(process.env).forEach(function (name) {
    if (!isOfOuterCommand(name)) environment[name] = process.env[name];
  });
  // The Node in here is about to be taken away and put back: npm has to run on another one.
  environment.PATH = pathWithout(path.join(ROOT, 'node_modules') + path.sep);
  return environment;
}

function pathWithout(folder) {
  var parts = (process.env.PATH || '').split(path.delimiter);
  var kept = parts.filter(function (part) {
    return part.indexOf(folder) !== 0;
  });
  return kept.join(path.delimiter);
}

/** Installs with everything the tests need, even where NODE_ENV says "production". */
function install() {
  console.error(
    'Installing what package-lock.json names (npm ci), which takes a minute the first time',
  );
  var args = ['ci', '--no-audit', '--no-fund', '--include=dev', '--include=optional'];
  var options = { cwd: ROOT, env: environmentForNpm(), stdio: ['ignore', 2, 2] };
  return childProcess.spawnSync('npm', args, options);
}

function explain(result) {
  if (result.error) return 'npm cannot be run (' + result.error.message + '): install npm';
  var ended = result.signal ? 'was ended by ' + result.signal : 'ended with ' + result.status;
  return 'npm ci ' + ended + ': see its messages above, then run "npm ci" in ' + ROOT;
}

function setUp() {
  if (!isInstalled()) {
    var result = install();
    if (result.status !== 0) return explain(result);
  }
  bundler.bundleWhenStale();
  if (guard.isNewEnough(process.versions.node) || guard.findBundledNode(ROOT)) return null;
  return guard.refusal(process.versions.node);
}

var problem = setUp();
if (problem !== null) {
  console.error(problem);
  process.exitCode = 1;
}
