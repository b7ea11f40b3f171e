'use strict';
/*
 * What the bundle of the command takes instead of `better-sqlite3`: the same, but only the file that finds the native
 * code is read from the package. To find and compile its other 14 files takes a thirtieth of a start.
 */
var nodeModule = require('module');
var path = require('path');
var createDatabase = require('../node_modules/better-sqlite3/lib/database.js');

function getBinding(nativeBinding) {
  // The file that runs the bundle: the package is in a folder node_modules above it.
  var requireFile = nodeModule.createRequire(__filename);
  var folder = path.dirname(requireFile.resolve('better-sqlite3/package.json'));
  return requireFile(path.join(folder, 'lib/binding.js')).getBinding(nativeBinding);
}

module.exports = Object.assign(createDatabase(getBinding, true), {
  SqliteError: require('../node_modules/better-sqlite3/lib/sqlite-error.js'),
});
