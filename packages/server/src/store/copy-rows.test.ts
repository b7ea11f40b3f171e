import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import sql from 'sql-template-tag';
import { insertMany, joined, rows, run } from './engine.ts';
import { openPostgres } from './postgres.ts';
import type { PostgresEngine } from './postgres.ts';
import { startPostgres } from './testing/postgres-server.ts';
import type { PostgresServer } from './testing/postgres-server.ts';

const columns = ['id', 'text', 'bytes'];
const texts = [
  'plain',
  '',
  '\\N',
  '\\.',
  'tab\there',
  'line\nend\r',
  'back\\slash\\t',
  '"quoted", too',
  '本屋 🏦',
  '\b\f\v\u0001',
];

describe('many rows at once', () => {
  let server: PostgresServer;
  let engine: PostgresEngine;
  before(async () => {
    server = await startPostgres();
    engine = openPostgres({
      url: await server.newDatabase(),
      poolSize: 1,
      maxWaiting: 10,
      connectTimeoutMs: 5000,
      statementTimeoutMs: 30_000,
    });
    await engine.write(() =>
      run(sql`CREATE TABLE kept (id BIGINT PRIMARY KEY, text TEXT, bytes BYTEA)`),
    );
  });
  after(async () => {
    await engine.close();
    await server.stop();
  });

  const kept = (): Promise<unknown> =>
    engine.read(() => rows(sql`SELECT id, text, bytes FROM kept ORDER BY id`));

  it('come out as they went in', async () => {
    const values = [...texts, null].map((text, id) => [id, text, Buffer.from(text ?? 'null')]);
    await engine.write(() => insertMany('kept', columns, values));
    const expected = values.map(([id, text, bytes]) => ({ id, text, bytes }));
    assert.deepEqual(await kept(), expected);
  });

  it('half a character becomes the replacement character', async () => {
    await engine.write(() => insertMany('kept', columns, [[100, 'half \ud83c', null]]));
    const half = engine.read(() => rows(sql`SELECT text FROM kept WHERE id = 100`));
    assert.deepEqual(await half, [{ text: 'half \ufffd' }]);
  });

  it('that cannot be taken are an error of their write, which changes nothing', async () => {
    const before = await kept();
    const duplicate = engine.write(function* () {
      yield* insertMany('kept', columns, [[200, 'first', null]]);
      yield* insertMany('kept', columns, [[200, 'again', null]]);
    });
    await assert.rejects(duplicate, { code: '23505' });
    const unknown = engine.write(() => insertMany('nowhere', columns, [[1, 'x', null]]));
    await assert.rejects(unknown, { code: '42P01' });
    assert.deepEqual(await kept(), before);
  });

  it('are there for the next statement of their transaction, and gone with it', async () => {
    const before = await kept();
    const failing = engine.write(function* () {
      yield* insertMany('kept', columns, [[300, 'seen', null]]);
      const found = yield* rows(sql`SELECT text FROM kept WHERE id = 300`);
      assert.deepEqual(found, [{ text: 'seen' }]);
      yield* insertMany('kept', columns, [[301, 'on its way', null]]);
      throw new Error('broken off');
    });
    await assert.rejects(failing, { message: 'broken off' });
    assert.deepEqual(await kept(), before);
  });

  it('that a migration sends last are an error of the migration', async () => {
    const migration = engine.migrate(1000, async (connection) => {
      const [step] = insertMany('kept', columns, [[0, 'there already', null]]);
      await connection.perform(step!);
    });
    await assert.rejects(migration, { code: '23505' });
  });

  it('a read of one statement refuses a second one', async () => {
    const two = engine.readOne(function* () {
      yield* rows(sql`SELECT 1`);
      return yield* rows(sql`SELECT 2`);
    });
    await assert.rejects(two, { message: 'An operation of one statement asked for another one' });
  });

  it('rows are joined in order as bytes, and an error leaves the connection usable', async () => {
    const joinedIds = engine.read(() =>
      joined(sql`SELECT id::text AS json FROM kept WHERE id < 3 ORDER BY id DESC`),
    );
    assert.equal((await joinedIds).toString(), '2,1,0');
    const failing = engine.read(() =>
      joined(sql`SELECT (1 / (id - 1))::text AS json FROM kept WHERE id < 2 ORDER BY id`),
    );
    await assert.rejects(failing, { code: '22012' });
    const one = engine.read(() => rows(sql`SELECT 'ok' AS text`));
    assert.deepEqual(await one, [{ text: 'ok' }]);
    const none = engine.read(() => joined(sql`SELECT text AS json FROM kept WHERE id < 0`));
    assert.equal((await none).length, 0);
  });
});
