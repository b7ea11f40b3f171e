/*
 * Sends the connections of this process to the vendor's hosts to a port of this machine, which V1_FRONT_PORT names.
 * Clients that know only those hosts run unchanged. A program preloads it: it is CommonJS for `--require`.
 */
const { Socket } = require('node:net');

const hosts = ['dev.lunchmoney.app', 'api.lunchmoney.dev'];
const { connect } = Socket.prototype;

Socket.prototype.connect = function redirected(...args) {
  // Calls within Node pass one array of the options and the listener.
  const [first, ...rest] = Array.isArray(args[0]) ? args[0] : args;
  if (process.env.V1_FRONT_PORT === undefined || !hosts.includes(first?.host))
    return connect.apply(this, args);
  const port = Number(process.env.V1_FRONT_PORT);
  return connect.call(this, { ...first, host: '127.0.0.1', port }, ...rest);
};
