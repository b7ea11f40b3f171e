import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import sql from 'sql-template-tag';
import { insertMany, rows, type Engine } from '../db/engine.ts';
import { find, select } from '../db/rows.ts';
import { books, idempotencyKeys, leases, tags, users } from '../db/tables/tables.ts';
import { engines } from '../db/testing/engines.ts';
import { newBook } from '../identity/users/testing/new-book.ts';
import { changing } from './change.ts';
import {
  claimKey,
  earlierRequest,
  keepResponse,
  pruneKeys,
  releaseClaim,
  finishClaim,
  type RequestKey,
} from './idempotency.ts';
import { endLease, forgetLease, holdsLease, takeLease, type Lease } from './leases.ts';
import { deleteUnlogged, insertUnlogged, updateUnlogged } from './unlogged.ts';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const nowMs = Date.parse('2026-01-01T00:00:00.000Z');
/** The clocks of the nodes, which must not matter. */
const clocks = [-365, 0, 0, 365].map((days) => () => nowMs + days * dayMs);

for (const { name, skip, openNodes } of engines)
  describe(`a lease on ${name}`, { skip }, () => {
    let nodes: Engine[];
    before(async () => {
      nodes = await openNodes(clocks);
    });

    let leaseNames = 0;
    const newName = (): string => `lease ${(leaseNames += 1)}`;
    const take = (node: number, lease: string, durationMs = minuteMs, holder = `node ${node}`) =>
      nodes[node]!.write(() => takeLease(lease, holder, durationMs));
    const holds = (lease: Lease) => nodes[0]!.read(() => holdsLease(lease));

    it('has one holder, however many try to take it at once', async () => {
      for (let round = 0; round < 20; round += 1) {
        const lease = newName();
        const askers = [0, 1, 2, 3, 0, 1, 2, 3];
        const taken = await Promise.all(
          askers.map((node, index) => take(node, lease, minuteMs, `asker ${index}`)),
        );
        const held = taken.filter((each) => each !== null);
        assert.equal(held.length, 1);
        assert.equal(await holds(held[0]!), true);
      }
    });

    it('cannot be taken until it expires or ends, and then gets a greater number', async () => {
      const lease = newName();
      const held: Lease[] = [];
      // With a duration of 0 it expires at once on the clock of the database.
      for (const durationMs of [0, -minuteMs, minuteMs]) {
        const { number, ...rest } = (await take(held.length, lease, durationMs))!;
        assert.deepEqual(rest, { name: lease, holder: `node ${held.length}` });
        held.push({ ...rest, number });
      }
      for (const node of [0, 1, 3]) assert.equal(await take(node, lease), null);
      assert.notEqual(await take(0, newName()), null, 'another lease');
      await nodes[2]!.write(() => endLease(held[2]!));
      held.push((await take(3, lease))!);
      const numbers = held.map(({ number }) => number);
      for (const [at, number] of numbers.slice(1).entries()) assert.ok(number > numbers[at]!);
    });

    it('is still held after it has expired until another holder takes it', async () => {
      const lease = newName();
      const first = await take(0, lease, 0);
      assert.equal(await holds(first!), true);
      const second = await take(1, lease);
      assert.equal(await holds(first!), false);
      assert.equal(await holds(second!), true);
      assert.equal(await holds({ ...second!, holder: 'node 0' }), false);
      assert.equal(await holds({ ...second!, number: first!.number }), false);
    });

    it('can be taken if it lasts longer than any lease: the clock of the database went back', async () => {
      const lease = newName();
      await take(0, lease);
      const expires_at_ms = Date.now() + dayMs;
      await nodes[0]!.write(() => updateUnlogged(leases, { name: lease }, { expires_at_ms }));
      assert.notEqual(await take(1, lease), null);
      assert.equal(await take(2, lease), null);
    });

    it('cannot be ended by an earlier holder', async () => {
      const lease = newName();
      const first = await take(0, lease, 0);
      const second = await take(1, lease);
      await nodes[0]!.write(() => endLease(first!));
      assert.equal(await take(2, lease), null);
      assert.equal(await holds(second!), true);
    });

    it('has a number of at least the time of the database in microseconds', async () => {
      const lease = newName();
      const { number } = (await take(3, lease, 0))!;
      const row = await nodes[0]!.read(() => find(leases, { name: lease }));
      assert.ok(number >= row!.expires_at_ms * 1000, `${number}`);
      assert.ok(Number.isSafeInteger(number));
    });

    it('can be deleted, and then taken again', async () => {
      const lease = newName();
      const held = await take(0, lease);
      await nodes[0]!.write(() => forgetLease(lease));
      assert.equal(await holds(held!), false);
      assert.notEqual(await take(1, lease), null);
    });
  });

const response = { status: 201, body: '{"id":1}' };

for (const { name, skip, openNodes } of engines)
  describe(`idempotency keys on ${name}`, { skip }, () => {
    let nodes: Engine[];
    let bookId: number;
    before(async () => {
      nodes = await openNodes(clocks.slice(2));
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
      assert.equal(found.filter((each) => each?.is === 'under way').length, 11);
      await nodes[0]!.write(() => finishClaim(key, 'another claim', response));
      await nodes[0]!.write(() => releaseClaim(key, 'another claim'));
      assert.deepEqual(await lookUp(key), { is: 'under way' });
      await nodes[1]!.write(() => finishClaim(key, `claim ${won}`, response));
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
      await nodes[0]!.write(() => finishClaim(key, 'second', { status: 200, body: '2' }));
      assert.deepEqual(await lookUp(key), { is: 'under way' });
    });

    it('are free although a claim was made before the clock of the database went back', async () => {
      for (const [aheadMs, isFree] of [
        [3600_000, true],
        [minuteMs + 30_000, false],
      ] as const) {
        const key = newKey();
        const claim = () => nodes[0]!.write(() => claimKey(key, 'first'));
        assert.equal(await claim(), null);
        const expires_at_ms = Date.now() + aheadMs;
        await nodes[0]!.write(() =>
          updateUnlogged(idempotencyKeys, { request_key: key.key }, { expires_at_ms }),
        );
        assert.deepEqual(await claim(), isFree ? null : { is: 'under way' });
      }
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
      await pruneKeys(nodes[1]!, AbortSignal.abort());
      const rows = () => nodes[0]!.read(() => select(idempotencyKeys, { book_id: bookId }));
      assert.ok((await rows()).length > 1001);
      await pruneKeys(nodes[1]!, new AbortController().signal);
      assert.equal((await rows()).map(({ request_key }) => request_key).join(), young.key);
    });
  });

const created_at = '2026-01-01T00:00:00.000Z';

for (const { name, skip, open } of engines)
  describe(`rows that are not records of a book, on ${name}`, { skip }, () => {
    let engine: Engine;
    before(async () => {
      engine = await open();
    });

    it('are inserted, updated and deleted without a version or a line in the log', async () => {
      // @ts-expect-error A table of records must be written through a change.
      assert.ok(() => deleteUnlogged(tags, { id: 1 }));
      const book = await newBook(engine);
      const known = await engine.read(() => find(books, { id: book.id }));
      const user = await engine.write(() =>
        insertUnlogged(users, { email: 'a@example.org', name: 'A', created_at }),
      );
      const findUser = () => engine.read(() => find(users, { id: user.id }));
      assert.deepEqual(await findUser(), user);
      await engine.write(() => updateUnlogged(users, { id: user.id }, { name: 'B' }));
      assert.deepEqual(await findUser(), { ...user, name: 'B' });
      await engine.write(() => deleteUnlogged(users, { id: user.id }));
      assert.equal(await findUser(), undefined);
      assert.deepEqual(await engine.read(() => find(books, { id: book.id })), known);
      assert.deepEqual(await engine.read(() => rows(sql`SELECT * FROM changes`)), []);
      assert.deepEqual(await engine.read(() => rows(sql`SELECT * FROM changed_records`)), []);
    });
  });
