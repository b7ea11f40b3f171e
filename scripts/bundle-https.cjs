'use strict';
/* What the bundle of the command takes instead of `node:https`: the same, loaded when it is used. */
['Agent', 'createServer', 'get', 'globalAgent', 'request'].forEach(function (name) {
  Object.defineProperty(exports, name, {
    enumerable: true,
    get: function () {
      return process.getBuiltinModule('node:https')[name];
    },
  });
});
