'use strict';
/* Coffer itself, as `npm start` runs it: the command, limiter and authentication on, one process. */
const { setInterval } = require('node:timers');
const guard = require('../../packages/cli/coffer.cjs');

const write = process.stdout.write.bind(process.stdout);
process.stdout.write = (text, ...rest) => {
  const [, port] = /^Coffer is listening on \S+:(\d+)/.exec(String(text)) ?? [];
  if (port === undefined) return write(text, ...rest);
  process.send({ port: Number(port) });
  return true;
};
/** The most processor time of the thread that responds between two turns of a timer, since the last message. */
let heldMs = 0;
if (process.env.BENCH_HELD !== undefined) {
  let last = process.threadCpuUsage();
  setInterval(() => {
    const { user, system } = process.threadCpuUsage(last);
    last = process.threadCpuUsage();
    heldMs = Math.max(heldMs, (user + system) / 1000);
  }, 4).unref();
}
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send({ cpuMs: (user + system) / 1000, rssBytes: process.memoryUsage.rss(), heldMs });
  heldMs = 0;
});
// A server that cannot start ends, and none outlives a bench that failed.
process.channel.unref();
process.on('disconnect', () => process.exit());

// Most figures are about pages that are read, so there is no page cache without BENCH_PAGE_CACHE, its size in MB.
process.env.PAGE_CACHE = process.env.BENCH_PAGE_CACHE ?? '0';
const level = process.env.BENCH_LOG_LEVEL ?? 'error';
const most = '1000000000/60s';
const limits = ['--rate-limit', most, '--coffer-rate-limit', most];
const flags = ['--port', '0', ...limits, '--log-level', level];
process.argv.push('serve', ...flags, '--database', process.env.BENCH_DATABASE);
guard.start();
