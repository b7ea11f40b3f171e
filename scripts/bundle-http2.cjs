'use strict';
/* What the bundle of the command takes instead of `node:http2`: the same, loaded when it is used. */
module.exports = {
  createServer: function (options, listener) {
    return process.getBuiltinModule('node:http2').createServer(options, listener);
  },
  createSecureServer: function (options, listener) {
    return process.getBuiltinModule('node:http2').createSecureServer(options, listener);
  },
};
