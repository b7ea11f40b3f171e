'use strict';
/* What the bundle of the command takes instead of `node:assert`: the same, loaded when an assertion fails. */
function assert(value, message) {
  if (!value) process.getBuiltinModule('node:assert')(value, message);
}

module.exports = new Proxy(assert, {
  get: function (_target, name) {
    return process.getBuiltinModule('node:assert')[name];
  },
});
