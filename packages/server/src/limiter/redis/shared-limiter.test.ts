import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import { Worker } from 'node:worker_threads';
import { within } from './shared-limiter.ts';

describe('a time limit for work', () => {
  it('settles with the result or the error of the work', async () => {
    assert.equal(await within(Promise.resolve(7), 1000), 7);
    await assert.rejects(within(Promise.reject(new Error('planted')), 1000), /planted/);
  });

  it('rejects at the limit and ignores a later result', async () => {
    const late = Promise.withResolvers<number>();
    const beganMs = performance.now();
    await assert.rejects(within(late.promise, 30), /no reply within 30 ms/);
    assert.ok(performance.now() - beganMs >= 29);
    // Unhandled, this rejection would end the process.
    late.reject(new Error('planted'));
    await new Promise((resolve) => setImmediate(resolve));
  });

  it('accepts a reply that arrived while this process was busy', async () => {
    // Another thread replies while this one is busy.
    const text = `const { parentPort } = require('node:worker_threads');
      require('node:net').createServer((s) => s.on('data', () => s.write('!')))
      .listen(0, '127.0.0.1', function () { parentPort.postMessage(this.address().port); });`;
    const worker = new Worker(text, { eval: true });
    const [port] = (await once(worker, 'message')) as [number];
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    socket.write('?');
    const reply = within(once(socket, 'data'), 50);
    const untilMs = performance.now() + 300;
    while (performance.now() < untilMs);
    assert.equal(String((await reply)[0]), '!');
    socket.destroy();
    await worker.terminate();
  });

  it('leaves no timer that keeps the process running', async () => {
    const timers = (): number =>
      process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const before = timers();
    await within(Promise.resolve(), 60_000);
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(timers(), before);
  });
});
