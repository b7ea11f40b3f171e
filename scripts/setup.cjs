'use strict';
/*
 * Installs the packages of package-lock.json if it is newer than what is installed, and bundles the command and the
 * browser UI. Every script of package.json begins with it.
 *
 * `npm start` needs the packages of the product. The argument "test" adds the test tools. It runs on any Node, before
 * anything is installed: plain JavaScript that needs nothing but Node and the files of this repository. What follows in
 * package.json is started by `exec env node`, which looks for Node on PATH once more, and finds the one that was just
 * installed.
 */
var fs = require('fs');
var path = require('path');
var npm = require('./npm-ci.cjs');
var guard = require('../packages/cli/coffer.cjs');
var bundler = require('./bundle.cjs');
var webBundler = require('./bundle-web.cjs');

var ROOT = path.join(__dirname, '..');

/** npm writes this file last, so an interrupted installation counts as none. */
function isInstalled() {
  var installed = npm.writtenAtMs(path.join(ROOT, 'node_modules/.package-lock.json'));
  return installed >= npm.writtenAtMs(path.join(ROOT, 'package-lock.json'));
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

/** Runs a step, which returns a problem or null, and prints one line about it. */
function step(what, run) {
  var startedAtMs = Date.now();
  process.stderr.write(what + ' ...');
  var problem = run();
  var seconds = Math.round((Date.now() - startedAtMs) / 1000);
  process.stderr.write(problem === null ? ' done in ' + seconds + ' s\n' : ' failed\n');
  return problem;
}

/** npm 9 and 10 lose this link, because the package for another processor has one of the same name. */
function linkNode() {
  var folder = path.join(ROOT, 'node_modules/.bin');
  var link = path.join(folder, 'node');
  var node = guard.findBundledNode(ROOT);
  if (node === null || fs.existsSync(link)) return;
  fs.mkdirSync(folder, { recursive: true });
  fs.rmSync(link, { force: true });
  fs.symlinkSync(path.relative(folder, node), link);
}

function setUp(isForTests) {
  var tools = testTools();
  // npm start keeps test tools that are installed already.
  var withTestTools = isForTests || tools.installed.length > 0;
  var isComplete = !isForTests || tools.installed.length === tools.names.length;
  if (!isInstalled() || !isComplete) {
    var what = withTestTools ? 'Installing packages and test tools' : 'Installing packages';
    var problem = step(what, function () {
      // Even where NODE_ENV says "production".
      return npm.npmCi(ROOT, [withTestTools ? '--include=dev' : '--omit=dev']);
    });
    if (problem !== null) return problem;
  }
  npm.finish(ROOT);
  linkNode();
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
