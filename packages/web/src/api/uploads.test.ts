import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ImportPreview } from '../books/types.ts';
import { ApiError } from './errors.ts';
import { Uploads } from './uploads.ts';

const file = (name: string): File => new File(['x'], name);
const preview = (id: number): ImportPreview => ({ id }) as ImportPreview;
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
async function settle(): Promise<void> {
  for (let turns = 0; turns < 9; turns += 1) await turn();
}

test('files are sent one after another; a refused one does not hold up the others', async () => {
  const sent: string[] = [];
  let under = 0;
  const queue = new Uploads(async ({ name }) => {
    under += 1;
    assert.equal(under, 1);
    sent.push(name);
    await turn();
    under -= 1;
    if (name === 'b') throw new ApiError(400, 'bad');
    return preview(sent.length);
  });
  queue.add([file('a'), file('b')]);
  queue.add([file('c')]);
  await settle();
  assert.deepEqual(sent, ['a', 'b', 'c']);
  assert.deepEqual(
    queue.state.map(({ state, previewId }) => [state, previewId]),
    [
      ['sent', 1],
      ['refused', null],
      ['sent', 3],
    ],
  );
  assert.deepEqual(
    queue.state.map(({ progress, isSeen }) => [progress, isSeen]),
    [
      [1, false],
      [0, false],
      [1, false],
    ],
  );
  queue.seeAll();
  assert.ok(queue.state.every(({ isSeen }) => isSeen));
  queue.retry(2, { date_format: 'd/m/y' });
  assert.deepEqual(queue.state[1]?.options, { date_format: 'd/m/y' });
  await settle();
  queue.remove(2);
  const keys = queue.state.map(({ key }) => key);
  assert.deepEqual(keys, [1, 3]);
});

test('a file that does not reach the server is sent again when it is back', async () => {
  let attempts = 0;
  const { promise: back, resolve } = Promise.withResolvers<undefined>();
  const queue = new Uploads(
    async () => {
      attempts += 1;
      await turn();
      if (attempts === 1) throw new ApiError(0, 'offline');
      return preview(7);
    },
    async () => {
      await back;
    },
  );
  queue.add([file('a')]);
  await settle();
  assert.deepEqual([attempts, queue.state[0]?.state], [1, 'waiting']);
  resolve(undefined);
  await settle();
  assert.deepEqual([attempts, queue.of(7)?.state], [2, 'sent']);
});

test('a file that is read again has its new preview, and keeps the old one when refused', async () => {
  let id = 0;
  let isRefused = false;
  const queue = new Uploads(async () => {
    await turn();
    if (isRefused) throw new ApiError(400, 'bad');
    id += 1;
    return preview(id);
  });
  queue.add([file('a')]);
  await settle();
  await queue.readAgain(1, file('a'), { negate: true });
  assert.equal(queue.of(1), undefined);
  assert.deepEqual(queue.of(2)?.options, { negate: true });
  isRefused = true;
  await assert.rejects(queue.readAgain(2, file('a'), {}), ApiError);
  assert.deepEqual(queue.of(2)?.options, { negate: true });
});
