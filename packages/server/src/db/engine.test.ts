import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import sql, { raw } from 'sql-template-tag';
import { context, Emit, insertMany, joined, now, row, rows, run } from './engine.ts';
import type { Engine, Step, Steps } from './engine.ts';
import { engines } from './testing/engines.ts';

const texts = ['one', 'zwei ü🏦', null];
const startMs = Date.parse('2026-01-02T03:04:05.678Z');

for (const kind of engines) {
  const { name, skip } = kind;
  describe(`an engine: ${name}`, { skip }, () => {
    let engine: Engine;
    let other: Engine;
    before(async () => {
      const clock = (): number => startMs;
      [engine, other] = (await kind.openNodes([clock, clock])) as [Engine, Engine];
      await engine.write(function* () {
        yield* run(sql`CREATE TABLE kept (id BIGINT PRIMARY KEY, text TEXT)`);
        yield* insertMany(
          'kept',
          ['id', 'text'],
          texts.map((text, at) => [at + 1, text]),
        );
      });
    });

    const all = (): Steps<unknown[]> => rows(sql`SELECT id, text FROM kept ORDER BY id`);
    const add = (id: number): Steps<void> => run(sql`INSERT INTO kept VALUES (${id}, ${'more'})`);
    const remove = (id: number): Steps<void> => run(sql`DELETE FROM kept WHERE id = ${id}`);

    it('stores many rows at once unchanged, and accepts an empty list', async () => {
      await engine.write(() => insertMany('kept', ['id', 'text'], []));
      const expected = texts.map((text, at) => ({ id: at + 1, text }));
      assert.deepEqual(await engine.read(all), expected);
      assert.deepEqual(await other.readStatement(all), expected, 'visible to others');
    });

    it('lets steps read their own writes, and rolls back when they throw', async () => {
      const before = await engine.read(all);
      const fault = new Error('interrupted');
      const failing = engine.write(function* () {
        yield* insertMany('kept', ['id', 'text'], [[10, 'seen']]);
        assert.deepEqual(yield* row(sql`SELECT text FROM kept WHERE id = 10`), { text: 'seen' });
        yield* insertMany('kept', ['id', 'text'], [[11, 'not waited for']]);
        throw fault;
      });
      await assert.rejects(failing, fault);
      assert.deepEqual(await engine.read(all), before);
    });

    it('rolls back a write with the option rollback, and returns its value', async () => {
      const before = await engine.read(all);
      const tried = await engine.write(
        function* () {
          yield* add(12);
          return (yield* all()).length;
        },
        { rollback: true },
      );
      assert.equal(tried, before.length + 1);
      assert.deepEqual(await engine.read(all), before);
    });

    it('throws a constraint violation as refused, and a programming error as it is', async () => {
      const refused = { name: 'DatabaseError', kind: 'refused' };
      const taken = engine.write(() => add(1));
      await assert.rejects(taken, refused);
      const twice = engine.write(() => insertMany('kept', ['id'], [[20], [20]]));
      await assert.rejects(twice, refused);
      const wrong = engine.read(() => rows(sql`SELECT nothing FROM nowhere`));
      await assert.rejects(wrong, { name: /^(?!DatabaseError)/ });
      assert.equal((await engine.read(all)).length, 3, 'the connection still works');
    });

    it('reads one statement without a transaction, and refuses a second one', async () => {
      const two = engine.readStatement(function* () {
        yield* context();
        yield* all();
        return yield* all();
      });
      await assert.rejects(two, {
        message: 'readStatement accepts one statement, but there is a second one',
      });
    });

    it('joins rows with commas, in order, as bytes', async () => {
      const texts = (where: string): Promise<Buffer> =>
        engine.read(() =>
          joined(sql`SELECT text AS json FROM kept WHERE ${raw(where)} ORDER BY id DESC`),
        );
      assert.deepEqual(await texts('id < 3'), Buffer.from('zwei ü🏦,one'));
      assert.deepEqual(await texts('id < 4'), Buffer.from('zwei ü🏦,one'), 'null is left out');
      assert.deepEqual(await texts('id < 0'), Buffer.alloc(0));
      const bytes = await engine.read(function* () {
        const { dialect } = yield* context();
        return yield* row<{ text: Buffer }>(
          sql`SELECT ${dialect.bytes(sql`text`)} AS text FROM kept WHERE id = 2`,
        );
      });
      assert.deepEqual(bytes?.text, Buffer.from('zwei ü🏦'));
    });

    it('gives steps the time of its clock and its own dialect', async () => {
      const found = await engine.read(function* () {
        return { at: yield* now(), ...(yield* context()) };
      });
      const { dialect } = engine;
      const memory = new Map();
      assert.deepEqual(found, { at: '2026-01-02T03:04:05.678Z', nowMs: startMs, dialect, memory });
    });

    it('gives each run its own memory', async () => {
      const remember = function* (): Steps<unknown> {
        const { memory } = yield* context();
        memory.set('count', ((memory.get('count') as number | undefined) ?? 0) + 1);
        yield* all();
        return (yield* context()).memory.get('count');
      };
      const twice = function* (): Steps<unknown> {
        yield* remember();
        return yield* remember();
      };
      assert.equal(await engine.read(twice), 2);
      assert.equal(await engine.write(twice), 2);
      assert.equal(await engine.readStatement(remember), 1);
      for await (const count of engine.stream(function* () {
        yield new Emit(yield* twice());
      }))
        assert.equal(count, 2);
    });

    it('streams from the snapshot at its start, whatever others write', async () => {
      const seen: unknown[] = [];
      const stream = engine.stream(function* (): Generator<Step | Emit<unknown>, void, unknown> {
        yield new Emit((yield* all()).length);
        yield new Emit((yield* all()).length);
      });
      for await (const count of stream) {
        seen.push(count);
        if (seen.length === 1) await other.write(() => add(30));
      }
      assert.deepEqual(seen, [3, 3]);
      assert.equal((await engine.read(all)).length, 4);
      await engine.write(() => remove(30));
    });

    it('ends a stream when its reader stops, and when its steps throw', async () => {
      const fault = new Error('interrupted');
      const stream = (): AsyncIterable<number> =>
        engine.stream(function* () {
          yield* all();
          yield new Emit(1);
          throw fault;
        });
      for await (const first of stream()) {
        assert.equal(first, 1);
        break;
      }
      await assert.rejects(Array.fromAsync(stream()), fault);
      await engine.write(() => add(31));
      await engine.write(() => remove(31));
    });

    it('shares nothing with another database on the same engine', async () => {
      const separate = await kind.open();
      const found = await separate.read(() => rows(sql`SELECT id FROM users`));
      assert.deepEqual(found, []);
    });
  });
}
