'use strict';
/*
 * Runs the bundled server once, with a new database, and keeps the code that V8 compiled for its start and its first
 * requests in the folder of the bundle. Started by the bundler, on the Node that runs the server.
 */
var fs = require('fs');
var os = require('os');
var path = require('path');
var guard = require('../packages/cli/coffer.cjs');
var bundle = require('../packages/cli/run-bundle.cjs');

var DIST = path.join(__dirname, '../packages/cli/dist');
var folder = fs.mkdtempSync(path.join(os.tmpdir(), 'coffer-keep-code-'));
var database = 'sqlite:' + path.join(folder, 'coffer.db');
var paths = ['/v2/transactions?limit=1', '/v2/me', '/healthz'];

/** Calls back with the address and the token that the server prints. */
function onListening(use) {
  var text = '';
  process.stdout.write = function (chunk) {
    text += chunk;
    var address = /http:\/\/127\.0\.0\.1:\d+/.exec(text);
    var token = /Bearer (\S+?)['"]/.exec(text);
    if (address !== null && token !== null) use(address[0], token[1]);
    return true;
  };
}

function request(address, token, rest, done) {
  if (rest.length === 0) return done();
  var options = { headers: { Authorization: 'Bearer ' + token, Connection: 'close' } };
  require('http').get(address + rest[0], options, function (response) {
    response.resume().on('end', function () {
      request(address, token, rest.slice(1), done);
    });
  });
}

// V8 refuses code that was made with other flags than those of the server.
require('v8').setFlagsFromString(guard.SERVER_FLAGS);
var loaded = bundle.load(path.join(DIST, 'main.cjs'), 'serve', DIST, guard.requireForServer);
onListening(function (address, token) {
  onListening(function () {});
  request(address, token, paths, function () {
    loaded.keepCode();
    process.kill(process.pid, 'SIGTERM');
  });
});
process.on('exit', function () {
  fs.rmSync(folder, { recursive: true, force: true });
});
loaded.exports.main(['serve', '--setup', '--port', '0', '--database', database]);
