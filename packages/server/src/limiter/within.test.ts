import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import { Worker } from 'node:worker_threads';
import { within } from './within.ts';

describe('within a time', () => {
  it('comes what the work comes to', async () => {
    assert.equal(await within(Promise.resolve(7), 1000), 7);
    await assert.rejects(within(Promise.reject(new Error('planted')), 1000), /planted/);
  });

  it('there is an end, and what comes later is ignored', async () => {
    const late = Promise.withResolvers<number>();
    const beganMs = performance.now();
    await assert.rejects(within(late.promise, 30), /no answer within 30 ms/);
    assert.ok(performance.now() - beganMs >= 29);
    // Nobody would catch it.
    late.reject(new Error('planted'));
    await new Promise((resolve) => setImmediate(resolve));
  });

  it('an answer that arrived while this process was busy is an answer', async () => {
    // Another thread answers while this one does nothing but count.
    const text = `const { parentPort } = require('node:worker_threads');
      require('node:net').createServer((s) => s.on('data', () => s.write('!')))
      .listen(0, '127.0.0.1', function () { parentPort.postMessage(this.address().port); });`;
    const worker = new Worker(text, { eval: true });
    const [port] = (await once(worker, 'message')) as [number];
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    socket.write('?');
    const answer = within(once(socket, 'data'), 50);
    const untilMs = performance.now() + 300;
    while (performance.now() < untilMs);
    assert.equal(String((await answer)[0]), '!');
    socket.destroy();
    await worker.terminate();
  });

  it('leaves nothing behind that keeps the process', async () => {
    const timers = (): number =>
      process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const before = timers();
    await within(Promise.resolve(), 60_000);
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(timers(), before);
  });
});
