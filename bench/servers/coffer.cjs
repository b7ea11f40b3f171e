'use strict';
/* Coffer itself, as `npm start` runs it: the command, limiter and authentication on, one process. */
const guard = require('../../packages/cli/coffer.cjs');

const write = process.stdout.write.bind(process.stdout);
process.stdout.write = (text, ...rest) => {
  const [, port] = /^Coffer is listening on \S+:(\d+)/.exec(String(text)) ?? [];
  if (port === undefined) return write(text, ...rest);
  process.send({ port: Number(port) });
  return true;
};
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send({ cpuMs: (user + system) / 1000, rssBytes: process.memoryUsage.rss() });
});
// A server that cannot start ends, and none outlives a bench that failed.
process.channel.unref();
process.on('disconnect', () => process.exit());

// Most figures are about pages that are read, so there is no page cache without BENCH_PAGE_CACHE, its size in MB.
process.env.PAGE_CACHE = process.env.BENCH_PAGE_CACHE ?? '0';
const level = process.env.BENCH_LOG_LEVEL ?? 'error';
const flags = ['--port', '0', '--rate-limit', '1000000000/60s', '--log-level', level];
process.argv.push('serve', ...flags, '--database', process.env.BENCH_DATABASE);
guard.start();
