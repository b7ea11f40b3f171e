#!/usr/bin/env node
'use strict';
/*
 * Starts the command on a Node that can run it.
 *
 * Plain JavaScript on purpose: it must be read by the old Node that it is there to replace. Nothing
 * else of ours and nothing native is loaded before the version is known, because a native module
 * built for a newer Node can end an old one without a word.
 */
var childProcess = require('child_process');
var fs = require('fs');
var os = require('os');
var path = require('path');

var NEEDED_MAJOR = 24;
var FORWARDED_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];
/** Names the pipe that a command shares with the process that started it. */
var PIPE_VARIABLE = 'COFFER_WRAPPER_PIPE';

/** Whether the Node of that version, such as "24.21.0", runs our TypeScript. */
function isNewEnough(version) {
  return parseInt(version, 10) >= NEEDED_MAJOR;
}

/** The Node that npm installed for this machine, looked for from `folder` upwards, or null. */
function findBundledNode(folder) {
  var name = 'node-' + process.platform + '-' + process.arch;
  var candidate = path.join(folder, 'node_modules', name, 'bin', 'node');
  if (fs.existsSync(candidate)) return candidate;
  var parent = path.dirname(folder);
  return parent === folder ? null : findBundledNode(parent);
}

/** What to say when no Node is new enough: which one is needed, which was found, what to do. */
function refusal(found) {
  return (
    'Coffer needs Node ' +
    NEEDED_MAJOR +
    ' or newer, found ' +
    found +
    ': run "npm ci" in the repository, which brings one along for Linux, or install Node ' +
    NEEDED_MAJOR
  );
}

function refuse() {
  console.error(refusal(process.versions.node));
  process.exitCode = 1;
}

/** Ends this process as the other one ended. */
function endLike(code, signal) {
  if (!signal) return process.exit(code);
  FORWARDED_SIGNALS.forEach(function (name) {
    process.removeAllListeners(name);
  });
  process.kill(process.pid, signal);
  // Only a signal that this process was told to ignore comes as far as this.
  setTimeout(function () {
    process.exit(128 + os.constants.signals[signal]);
  }, 100);
}

function runAgainWith(node) {
  var args = [__filename].concat(process.argv.slice(2));
  // Nothing is ever written to the pipe. It ends when this process does, however that happens.
  var child = childProcess.spawn(node, args, {
    stdio: ['inherit', 'inherit', 'inherit', 'pipe'],
    env: Object.assign({}, process.env, { [PIPE_VARIABLE]: '3' }),
  });
  FORWARDED_SIGNALS.forEach(function (name) {
    process.on(name, function () {
      child.kill(name);
    });
  });
  child.on('exit', endLike);
  child.on('error', function (error) {
    console.error('Cannot run "' + node + '": ' + error.message);
    process.exit(1);
  });
}

/**
 * Stops this process as SIGTERM does when the wrapper that started it has ended. A wrapper that is killed with SIGKILL
 * cannot forward a signal. Another thread watches the pipe, because an import keeps this one busy.
 */
function stopWithWrapper() {
  var pipe = process.env[PIPE_VARIABLE];
  if (pipe === undefined) return;
  delete process.env[PIPE_VARIABLE];
  var watch = `
    const { Socket } = require('net');
    const pipe = new Socket({ fd: ${Number(pipe)} });
    pipe.on('error', () => {}).on('close', () => process.kill(process.pid, 'SIGTERM')).resume();`;
  var worker = new (require('worker_threads').Worker)(watch, { eval: true });
  // A variable that somebody else has set names no pipe.
  worker.on('error', function () {});
  worker.unref();
}

function runHere() {
  stopWithWrapper();
  // An installed package has no sources.
  var isPackage = !fs.existsSync(path.join(__dirname, 'src'));
  var root = isPackage ? __dirname : path.join(__dirname, '..', '..');
  var cache = path.join(root, 'node_modules', '.cache', 'coffer');
  var enableCompileCache = require('module').enableCompileCache;
  if (enableCompileCache) enableCompileCache(cache);
  // A command that ends before it has said how it went has failed.
  process.exitCode = 1;
  var hasBundle = isPackage || require('./bundle-inputs.cjs').compare() !== 'stale';
  (hasBundle ? import('./dist/main.js') : import('./src/main.ts'))
    .then(function (command) {
      return command.main(process.argv.slice(2));
    })
    .then(function (code) {
      process.exitCode = code;
    });
}

function start() {
  if (isNewEnough(process.versions.node)) return runHere();
  var node = findBundledNode(__dirname);
  // A bundled Node that is too old itself must not start itself for ever.
  if (node === null || fs.realpathSync(node) === fs.realpathSync(process.execPath)) return refuse();
  runAgainWith(node);
}

module.exports = {
  findBundledNode: findBundledNode,
  isNewEnough: isNewEnough,
  refusal: refusal,
  start: start,
};

if (require.main === module) start();
