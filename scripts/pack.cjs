'use strict';
/*
 * Writes coffer-VERSION.tgz, the product as a package for `npm install --global`: `npm run pack`.
 *
 * It holds the bundled command and the SQLite library with its compiled files for all platforms, so that it installs
 * without this repository and without a compiler. npm adds the Node for Linux.
 */
var childProcess = require('child_process');
var fs = require('fs');
var os = require('os');
var path = require('path');
var bundler = require('./bundle.cjs');
var webBundler = require('./bundle-web.cjs');

var ROOT = path.join(__dirname, '..');
var COMMAND = path.join(ROOT, 'packages/cli');
/** The start guard, and what it needs in a package. */
var GUARD = ['coffer.cjs', 'run-bundle.cjs'];
var WEB = path.join(ROOT, 'packages/web/dist');
var SQLITE = path.join(ROOT, 'node_modules/better-sqlite3');

function readJson(file) {
  return JSON.parse(fs.readFileSync(file, 'utf8'));
}

function writeJson(file, value) {
  fs.writeFileSync(file, JSON.stringify(value, null, 2) + '\n');
}

/** The package.json of the product: no sources, so none of the packages that are in the bundle. */
function manifest(sqliteVersion) {
  var command = readJson(path.join(COMMAND, 'package.json'));
  return {
    name: command.name,
    version: command.version,
    description: 'Keeps financial records and serves them over an HTTP JSON API',
    license: command.license,
    bin: command.bin,
    files: GUARD.concat('dist'),
    dependencies: { 'better-sqlite3': sqliteVersion },
    bundleDependencies: ['better-sqlite3'],
    optionalDependencies: readJson(path.join(ROOT, 'package.json')).optionalDependencies,
  };
}

/** Copies the SQLite library without its C sources. The start guard checks the version of Node, so npm need not. */
function copySqlite(folder) {
  var sqlite = readJson(path.join(SQLITE, 'package.json'));
  ['lib', 'prebuilds', 'LICENSE'].forEach(function (name) {
    fs.cpSync(path.join(SQLITE, name), path.join(folder, name), { recursive: true });
  });
  writeJson(path.join(folder, 'package.json'), {
    name: sqlite.name,
    version: sqlite.version,
    license: sqlite.license,
    main: sqlite.main,
  });
  return sqlite.version;
}

function stage(folder) {
  bundler.bundleWhenStale();
  webBundler.bundleWebWhenStale();
  GUARD.forEach(function (name) {
    fs.cpSync(path.join(COMMAND, name), path.join(folder, name));
  });
  fs.cpSync(path.join(COMMAND, 'dist'), path.join(folder, 'dist'), { recursive: true });
  fs.cpSync(WEB, path.join(folder, 'dist/web'), { recursive: true });
  // The records of the sources, which a package does not have.
  fs.rmSync(path.join(folder, 'dist/inputs.json'), { force: true });
  fs.rmSync(path.join(folder, 'dist/web/inputs.json'), { force: true });
  ['README.md', 'LICENSE'].forEach(function (name) {
    fs.cpSync(path.join(ROOT, name), path.join(folder, name));
  });
  var sqliteVersion = copySqlite(path.join(folder, 'node_modules/better-sqlite3'));
  var product = manifest(sqliteVersion);
  writeJson(path.join(folder, 'package.json'), product);
  writeJson(path.join(folder, 'npm-shrinkwrap.json'), lockfile(product));
}

/** The lockfile of the package: the Node that npm downloads has the hash that package-lock.json has. */
function lockfile(product) {
  var packages = { '': product };
  var locked = readJson(path.join(ROOT, 'package-lock.json')).packages;
  packages['node_modules/better-sqlite3'] = {
    version: product.dependencies['better-sqlite3'],
    inBundle: true,
  };
  Object.keys(product.optionalDependencies).forEach(function (name) {
    packages['node_modules/' + name] = locked['node_modules/' + name];
  });
  return { name: product.name, version: product.version, lockfileVersion: 3, packages: packages };
}

/** Packs into `destination` and returns the exit code of npm. */
function pack(destination) {
  var folder = fs.mkdtempSync(path.join(os.tmpdir(), 'coffer-pack-'));
  try {
    stage(folder);
    var args = ['pack', folder, '--loglevel=error', '--pack-destination', destination];
    return childProcess.spawnSync('npm', args, { cwd: folder, stdio: 'inherit' }).status;
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

process.exitCode = pack(path.resolve(process.argv[2] || ROOT));
