'use strict';
/* What the bundle of the command takes instead of `semver`: the same, loaded when the framework compares versions. */
module.exports = new Proxy(
  {},
  {
    get: function (_target, name) {
      return require('../node_modules/semver/index.js')[name];
    },
  },
);
