#!/usr/bin/env node
'use strict';
/*
 * Starts the command on a Node that can run it.
 *
 * Plain JavaScript on purpose, because an old Node must be able to run it. It loads no other code of
 * Coffer and no native module before it has checked the version: a native module for a newer Node
 * can end an old one without a message.
 */
var fs = require('fs');
var path = require('path');

var NEEDED_MAJOR = 24;
var FORWARDED_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];
/** The variable with the pipe between a command and the process that started it. */
var PIPE_VARIABLE = 'COFFER_WRAPPER_PIPE';

/**
 * The flags of V8 for a server. Its young generation stays at the initial 1 MB.
 *
 * Pages are buffers outside the heap. A young generation that grows keeps many of them for long, until their size
 * causes a major collection. The flag works in a running process, unlike those for the size itself. A test checks that
 * no other file gives a server flags of V8.
 */
var SERVER_FLAGS = '--semi-space-growth-factor=1';

/**
 * The default of V8. Node comes with the compiled code of its modules, which V8 accepts only with the flags that it was
 * made with: to compile a module takes three times as long as to load its code.
 */
var NODE_FLAGS = '--semi-space-growth-factor=2';

/** Modules of Node that each server needs, and that Node loads itself. */
var SERVER_MODULES = ['cluster', 'dns', 'http'];

/** Returns whether a version of Node, such as "24.21.0", can run Coffer. */
function isNewEnough(version) {
  return parseInt(version, 10) >= NEEDED_MAJOR;
}

/** Returns the Node that npm installed for this platform in `folder` or one of its parents, or null. */
function findBundledNode(folder) {
  var name = 'node-' + process.platform + '-' + process.arch;
  var candidate = path.join(folder, 'node_modules', name, 'bin', 'node');
  if (fs.existsSync(candidate)) return candidate;
  var parent = path.dirname(folder);
  return parent === folder ? null : findBundledNode(parent);
}

/** Returns the message for a Node that is too old. */
function refusal(found) {
  return (
    'Coffer needs Node ' +
    NEEDED_MAJOR +
    ' or newer, but this is Node ' +
    found +
    '. Install Node ' +
    NEEDED_MAJOR +
    ', or on Linux install Coffer again with its optional packages, which include it'
  );
}

function refuse() {
  console.error(refusal(process.versions.node));
  process.exitCode = 1;
}

/** Ends this process in the same way as the other one. */
function endLike(code, signal) {
  if (!signal) return process.exit(code);
  FORWARDED_SIGNALS.forEach(function (name) {
    process.removeAllListeners(name);
  });
  process.kill(process.pid, signal);
  // Reached only if this process ignores the signal.
  setTimeout(function () {
    process.exit(128 + require('os').constants.signals[signal]);
  }, 100);
}

function runAgainWith(node) {
  var args = [__filename].concat(process.argv.slice(2));
  // Nothing is written to the pipe. It closes when this process ends, for any reason.
  var child = require('child_process').spawn(node, args, {
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
 * Stops this process with SIGTERM when the wrapper that started it has ended: a wrapper that is killed with SIGKILL
 * cannot forward a signal. Another thread watches the pipe, because an import keeps this thread busy.
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
  // If somebody else has set the variable, there is no pipe.
  worker.on('error', function () {});
  worker.unref();
}

/** Before the code is loaded: the young generation grows with the first collections, and stays large. */
function prepareServer() {
  SERVER_MODULES.forEach(function (name) {
    require(name);
  });
  require('v8').setFlagsFromString(SERVER_FLAGS);
}

/** Loads a module of Node while a server runs. */
function requireForServer(name) {
  var v8 = require('v8');
  v8.setFlagsFromString(NODE_FLAGS);
  try {
    return require(name);
  } finally {
    v8.setFlagsFromString(SERVER_FLAGS);
  }
}

function runHere() {
  if (process.argv[2] === 'serve') prepareServer();
  stopWithWrapper();
  // An installed package has no sources.
  var isPackage = !fs.existsSync(path.join(__dirname, 'src'));
  var root = isPackage ? __dirname : path.join(__dirname, '..', '..');
  var cache = path.join(root, 'node_modules', '.cache', 'coffer');
  // A command that ends without a result has failed.
  process.exitCode = 1;
  var hasBundle = isPackage || require('./bundle-inputs.cjs').compare() !== 'stale';
  if (hasBundle) runBundle(cache);
  else {
    require('module').enableCompileCache(cache);
    import('./src/main.ts').then(function (command) {
      return run(command.main);
    });
  }
}

function runBundle(cache) {
  var bundle = require('./run-bundle.cjs');
  var file = path.join(__dirname, 'dist', 'main.cjs');
  var command = /^[a-z-]+$/.test(process.argv[2]) ? process.argv[2] : 'none';
  var requireOfNode = command === 'serve' ? requireForServer : require;
  var loaded = bundle.load(file, command, cache, requireOfNode);
  setTimeout(loaded.keepCode, bundle.KEEP_AFTER_MS).unref();
  if (command === 'serve') bundle.loadAhead(loaded);
  run(loaded.exports.main).then(function () {
    if (process.exitCode === 0) loaded.keepCode();
  });
}

function run(main) {
  return main(process.argv.slice(2)).then(function (code) {
    process.exitCode = code;
  });
}

function start() {
  if (isNewEnough(process.versions.node)) return runHere();
  var node = findBundledNode(__dirname);
  // A bundled Node that is too old must not start itself again and again.
  if (node === null || fs.realpathSync(node) === fs.realpathSync(process.execPath)) return refuse();
  runAgainWith(node);
}

module.exports = {
  findBundledNode: findBundledNode,
  isNewEnough: isNewEnough,
  refusal: refusal,
  SERVER_FLAGS: SERVER_FLAGS,
  requireForServer: requireForServer,
  start: start,
};

if (require.main === module) start();
