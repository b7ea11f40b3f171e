import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { insertMany } from '../db/engine.ts';
import type { Engine } from '../db/engine.ts';
import { find, select } from '../db/rows.ts';
import { idempotencyKeys } from '../db/tables.ts';
import { engines } from '../db/testing/engines.ts';
import { newBook } from '../resources/users/testing/new-book.ts';
import { changing } from './changing.ts';
import {
  claimKey,
  earlierRequest,
  idempotencyPruning,
  keepResponse,
  releaseClaim,
  settleClaim,
} from './idempotency.ts';
import type { RequestKey } from './idempotency.ts';
import { updateUnlogged } from './unlogged.ts';

const dayMs = 24 * 60 * 60 * 1000;
const response = { status: 201, body: '{"id":1}' };

for (const { name, skip, openNodes } of engines) {
  describe(`idempotency keys on ${name}`, { skip }, () => {
    let nodes: Engine[];
    let bookId: number;
    before(async () => {
      // The clocks of the nodes must not matter.
      const now = Date.parse('2026-01-01T00:00:00.000Z');
      nodes = await openNodes([now, now + dayMs * 365].map((at) => () => at));
      bookId = (await newBook(nodes[0]!)).id;
    });

    let keys = 0;
    const newKey = (): RequestKey => {
      keys += 1;
      return { bookId, callerId: 1, operation: 'createTag', key: `key ${keys}`, fingerprint: 'a' };
    };
    const lookUp = (key: RequestKey) => nodes[1]!.read(() => earlierRequest(key));
    const expire = ({ key }: RequestKey) =>
      nodes[0]!.write(() =>
        updateUnlogged(idempotencyKeys, { request_key: key }, { expires_at_ms: 1 }),
      );

    it('belong to one book, token and operation, and to equal requests', async () => {
      const key = newKey();
      assert.equal(await lookUp(key), null);
      await nodes[0]!.write(() => keepResponse(key, response));
      assert.deepEqual(await lookUp(key), { is: 'done', response });
      assert.deepEqual(await lookUp({ ...key, fingerprint: 'b' }), { is: 'different' });
      const { id } = await newBook(nodes[0]!);
      for (const other of [{ callerId: 2 }, { operation: 'createRule' }, { bookId: id }])
        assert.equal(await lookUp({ ...key, ...other }), null, JSON.stringify(other));
    });

    it('are kept for a day, by the clock of the database', async () => {
      const key = newKey();
      const beforeMs = Date.now();
      await nodes[1]!.write(() => keepResponse(key, response));
      const row = await nodes[0]!.read(() => find(idempotencyKeys, { request_key: key.key }));
      // The tests run on the machine of the database.
      const lifeMs = row!.expires_at_ms - beforeMs;
      assert.ok(lifeMs > dayMs - 60_000 && lifeMs < dayMs + 600_000, String(lifeMs));
      await expire(key);
      assert.equal(await lookUp(key), null);
      const second = { ...key, fingerprint: 'b' };
      await nodes[0]!.write(() => keepResponse(second, { status: 204, body: null }));
      assert.deepEqual(await lookUp(second), { is: 'done', response: { status: 204, body: null } });
    });

    it('are written together with the change, or not at all', async () => {
      const key = newKey();
      const cause = { bookId, actor: 'test', operation: 'test' };
      const failing = nodes[0]!.write(() =>
        changing(cause, function* () {
          yield* keepResponse(key, response);
          throw new Error('planted');
        }),
      );
      await assert.rejects(failing, /planted/);
      assert.equal(await lookUp(key), null);
    });

    it('are claimed by one of many requests at once', async () => {
      const key = newKey();
      const claims = Array.from({ length: 12 }, (_, at) =>
        nodes[at % 2]!.write(() => claimKey(key, `claim ${at}`)),
      );
      const found = await Promise.all(claims);
      const won = found.indexOf(null);
      assert.deepEqual(
        found.filter((_, at) => at !== won),
        Array.from({ length: 11 }, () => ({ is: 'under way' })),
      );
      await nodes[0]!.write(() => settleClaim(key, 'another claim', response));
      await nodes[0]!.write(() => releaseClaim(key, 'another claim'));
      assert.deepEqual(await lookUp(key), { is: 'under way' });
      await nodes[1]!.write(() => settleClaim(key, `claim ${won}`, response));
      assert.deepEqual(await lookUp(key), { is: 'done', response });
      const late = await nodes[0]!.write(() => claimKey(key, 'late'));
      assert.deepEqual(late, { is: 'done', response });
    });

    it('are free again after a claim was given back, or expired', async () => {
      const key = newKey();
      const claim = (holder: string) => nodes[0]!.write(() => claimKey(key, holder));
      assert.equal(await claim('first'), null);
      await nodes[1]!.write(() => releaseClaim(key, 'first'));
      assert.equal(await claim('second'), null);
      await expire(key);
      assert.equal(await claim('third'), null);
      // The second request was slow, not dead. The third one has the key now.
      await nodes[0]!.write(() => settleClaim(key, 'second', { status: 200, body: '2' }));
      assert.deepEqual(await lookUp(key), { is: 'under way' });
    });

    it('are deleted after they have expired', async () => {
      const [old, young] = [newKey(), newKey()];
      const columns = Object.keys(idempotencyKeys.columns);
      const row = (at: number) => [bookId, 1, 'old', `${old.key} ${at}`, 'a', null, 201, '{}', 1];
      await nodes[0]!.write(function* () {
        const rows = Array.from({ length: 1001 }, (_, at) => row(at));
        yield* insertMany('idempotency_keys', columns, rows);
        yield* updateUnlogged(idempotencyKeys, { book_id: bookId }, { expires_at_ms: 1 });
        yield* keepResponse(young, response);
      });
      await idempotencyPruning.run(nodes[1]!, 0, AbortSignal.abort());
      const rows = () => nodes[0]!.read(() => select(idempotencyKeys, { book_id: bookId }));
      assert.ok((await rows()).length > 1001);
      await idempotencyPruning.run(nodes[1]!, 0, new AbortController().signal);
      assert.deepEqual(
        (await rows()).map(({ request_key }) => request_key),
        [young.key],
      );
    });
  });
}
