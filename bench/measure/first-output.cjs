'use strict';
/* Loaded before a command: writes its processor time, in milliseconds, when it prints something for the first time. */
var write = process.stdout.write;

process.stdout.write = function () {
  var used = process.cpuUsage();
  process.stdout.write = write;
  process.stderr.write('\nprocessor time ' + (used.user + used.system) / 1000 + '\n');
  return write.apply(process.stdout, arguments);
};
