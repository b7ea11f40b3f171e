'use strict';
/*
 * Records the input files of a bundle, such as packages/cli/dist, and checks whether they are still the same.
 *
 * It compares content, because "cp -p", "tar" and "rsync" keep time stamps. Hashing all files would
 * take about 25 ms at each start, so a file with the recorded ctime and size is not read: no program
 * can set the ctime, and every write changes it. Plain JavaScript, because the start guard needs it.
 */
var fs = require('fs');
var path = require('path');

var ROOT = path.join(__dirname, '..', '..');
var DIST = path.join(__dirname, 'dist');
/** The file of a bundle with the record. */
var RECORD = 'inputs.json';
/** The coarsest clock of a file system (FAT): a file can change twice within one step and keep its ctime. */
var CLOCK_STEP_MS = 2000;

/** Returns the files of a folder that are copied into the bundle: pages, style sheets, scripts and pictures. */
function copiedFiles(folder) {
  return fs
    .readdirSync(path.join(ROOT, folder))
    .filter(function (name) {
      return /\.(css|html|js|svg)$/.test(name);
    })
    .sort();
}

function hashOf(file) {
  var content = fs.readFileSync(path.join(ROOT, file));
  return require('crypto').createHash('sha256').update(content).digest('hex');
}

/** Starts a record before any input is read. Returns the time by the clock of the file system. */
function begin(dist) {
  fs.rmSync(dist, { recursive: true, force: true });
  fs.mkdirSync(dist, { recursive: true });
  return fs.statSync(dist).ctimeMs;
}

/**
 * Writes the record: `files`, and the names of the copied files in `folders`, as paths relative to the root. Writes no
 * record if a file has changed since `begunMs`, because the bundle may contain its old content.
 */
function write(dist, begunMs, files, folders) {
  var record = { begunMs: begunMs, files: {}, folders: {} };
  folders.forEach(function (folder) {
    record.folders[folder] = copiedFiles(folder);
  });
  var isSettled = files.every(function (file) {
    var stats = fs.statSync(path.join(ROOT, file));
    record.files[file] = { ctimeMs: stats.ctimeMs, size: stats.size, sha256: hashOf(file) };
    return stats.ctimeMs <= begunMs;
  });
  if (isSettled) fs.writeFileSync(path.join(dist, RECORD), JSON.stringify(record));
}

/**
 * Compares the bundle with its inputs.
 *
 * "fresh": the same content. "touched": the same content, but files had to be read to find out, so a new bundle would
 * start faster. "stale": a file is different, missing or new, or there is no bundle.
 */
function compare(dist) {
  try {
    return compareWith(JSON.parse(fs.readFileSync(path.join(dist, RECORD), 'utf8')));
  } catch {
    return 'stale';
  }
}

function compareWith(record) {
  var state = 'fresh';
  var hasSameNames = Object.keys(record.folders).every(function (folder) {
    return copiedFiles(folder).join('/') === record.folders[folder].join('/');
  });
  var isSame = Object.keys(record.files).every(function (file) {
    var known = record.files[file];
    // path.join() takes as long as the system call.
    var stats = fs.statSync(ROOT + '/' + file);
    if (stats.size !== known.size) return false;
    var isOld = stats.ctimeMs < record.begunMs - CLOCK_STEP_MS;
    if (isOld && stats.ctimeMs === known.ctimeMs) return true;
    state = 'touched';
    return hashOf(file) === known.sha256;
  });
  return hasSameNames && isSame ? state : 'stale';
}

/** The functions above for the bundle in the folder `dist`. */
function recordIn(dist) {
  return {
    begin: begin.bind(null, dist),
    compare: compare.bind(null, dist),
    write: write.bind(null, dist),
  };
}

module.exports = Object.assign({ copiedFiles: copiedFiles, recordIn: recordIn }, recordIn(DIST));
