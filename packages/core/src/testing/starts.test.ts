import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { freePort, listenHere, onFreePort, startTogether } from './starts.ts';

const taken = Object.assign(new Error('listen EADDRINUSE'), { code: 'EADDRINUSE' });

test('a port that another program took is tried again, five times at most', async () => {
  const other = await listenHere(createServer());
  const free = await freePort();
  const ports = [other.port, other.port, free];
  const listen = (port: number) =>
    new Promise<number>((resolve, reject) => {
      const server = createServer().once('error', reject);
      server.listen(port, '127.0.0.1', () => server.close(() => resolve(port)));
    });
  assert.equal(await onFreePort(listen, () => Promise.resolve(ports.shift()!)), free);
  let tried = 0;
  const failing = (error: Error) => onFreePort(() => Promise.reject(((tried += 1), error)));
  await assert.rejects(failing(taken), taken);
  await assert.rejects(failing(new Error('no such file')), /no such file/);
  assert.equal(tried, 6);
  await other.close();
});

test('of several that are started together none is left when one fails, whenever it does', async () => {
  for (const failing of [0, 1, 2]) {
    const running = new Set<number>();
    const start = async (n: number) => {
      for (let turn = 0; turn < n; turn += 1) await Promise.resolve();
      if (n === failing) throw new Error(`no ${n}`);
      running.add(n);
      return { stop: async () => void running.delete(n) };
    };
    await assert.rejects(startTogether(start(0), start(1), start(2)), { message: `no ${failing}` });
    assert.deepEqual([...running], []);
  }
});
