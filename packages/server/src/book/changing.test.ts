import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import sql from 'sql-template-tag';
import { rows, type Engine, type Steps } from '../db/engine.ts';
import { find, select } from '../db/rows.ts';
import {
  books,
  categories,
  cryptoAccounts,
  cryptoBalances,
  tags,
  transactions,
} from '../db/tables/tables.ts';
import { engines } from '../db/testing/engines.ts';
import type { ImportEntry } from '../imports/entry.ts';
import { importEntries } from '../imports/commit.ts';
import { newBook } from '../identity/users/testing/new-book.ts';
import { changing, NoSuchBookError, type Change } from './change.ts';
import { waitForWaiter } from './testing/lock-waiter.ts';

const startMs = Date.parse('2026-01-01T00:00:00.000Z');

interface LoggedLine {
  readonly record: string;
  readonly first_id: number;
  readonly last_id: number;
  readonly kind: string;
  readonly diff: string | null;
}
const idsOf = ({ first_id, last_id }: LoggedLine): string => `${first_id} to ${last_id}`;

for (const { name, skip, open, openNodes } of engines)
  describe(`a change on ${name}`, { skip }, () => {
    let clockMs = startMs;
    let engine: Engine;
    before(async () => {
      engine = await open(() => clockMs);
    });

    const causeOf = (bookId: number) => ({ bookId, actor: 'token 7', operation: 'test' });
    const write = <T>(bookId: number, work: (change: Change) => Steps<T>): Promise<T> =>
      engine.write(() => changing(causeOf(bookId), work));
    const bookOf = async (id: number) => (await engine.read(() => find(books, { id })))!;
    const changesOf = (bookId: number) =>
      engine.read(() =>
        rows(sql`SELECT * FROM changes WHERE book_id = ${bookId} ORDER BY version`),
      );
    const linesOf = (bookId: number, version: number): Promise<LoggedLine[]> =>
      engine.read(() =>
        rows(sql`SELECT record, first_id, last_id, kind, diff FROM changed_records
          WHERE book_id = ${bookId} AND version = ${version} ORDER BY place`),
      );
    const insertTag = (bookId: number, tag: string) =>
      write(bookId, (change) => change.insert(tags, { name: tag }));

    it('is one version with a time, an actor and an operation', async () => {
      const { id } = await newBook(engine);
      clockMs += 1000;
      const made = await write(id, (change) => {
        assert.equal(change.version, 2);
        return change.insert(tags, { name: 'a' });
      });
      const at = new Date(clockMs).toISOString();
      assert.deepEqual([made.created_at, made.updated_at], [at, at]);
      const { version, changed_at } = await bookOf(id);
      assert.deepEqual([version, changed_at], [2, at]);
      const line = { book_id: id, version: 2, at, actor: 'token 7', operation: 'test' };
      assert.deepEqual(await changesOf(id), [{ ...line, undoes: null }]);
      assert.deepEqual(await linesOf(id, 2), [
        { record: 'tags', first_id: made.id, last_id: made.id, kind: 'made', diff: null },
      ]);
      const other = await newBook(engine);
      assert.deepEqual([(await bookOf(other.id)).version, await changesOf(other.id)], [1, []]);
    });

    it('is later than the previous change, whatever the clock says', async () => {
      const { id } = await newBook(engine);
      const times: string[] = [];
      for (const stepMs of [0, -60_000, 0, 30_000, 90_000]) {
        clockMs += stepMs;
        times.push((await insertTag(id, `${clockMs} ${times.length}`)).updated_at);
      }
      const firstMs = Date.parse(times[0]!);
      const msAfter = times.map((each) => Date.parse(each) - firstMs);
      assert.deepEqual(msAfter, [0, 1, 2, 3, clockMs - firstMs]);
    });

    it('logs an import of many rows as one line for each range of consecutive ids', async () => {
      const { id } = await newBook(engine);
      const entries = Array.from({ length: 1700 }, (_, at): ImportEntry => ({
        line: at + 1,
        date: '2024-01-01',
        amount: -at,
        currency: null,
        payee: 'P',
        notes: null,
        category: null,
        account: null,
        externalId: null,
      }));
      const plan = { entries: () => entries, defaultAccount: 'Bank', dryRun: false };
      await importEntries(engine, id, plan);
      const lines = await linesOf(id, 2);
      const stored = await engine.read(() => select(transactions, { book_id: id }));
      const made = lines.filter(({ record }) => record === 'transactions').map(idsOf);
      assert.deepEqual(made, [`${stored[0]!.id} to ${stored.at(-1)!.id}`]);
      // The account is created, and its balance has moved when all rows are written.
      assert.deepEqual(lines.map(({ record, kind }) => `${record} ${kind}`).toSorted(), [
        'manual_accounts changed',
        'manual_accounts made',
        'transactions made',
      ]);
    });

    it('logs the columns that differ, before and after, and the whole rows of removed records', async () => {
      const { id } = await newBook(engine);
      const category = await write(id, (change) => change.insert(categories, { name: 'Food' }));
      clockMs += 1000;
      const changed = await write(id, (change) =>
        change.update(categories, category, { is_income: true, name: 'Food', sort_order: 3 }),
      );
      assert.deepEqual(changed, {
        ...category,
        is_income: true,
        sort_order: 3,
        updated_at: new Date(clockMs).toISOString(),
      });
      assert.deepEqual(await engine.read(() => find(categories, { id: category.id })), changed);
      await write(id, (change) => change.remove(categories, changed));
      const logged = async (version: number) => {
        const [{ diff, ...line }, ...more] = (await linesOf(id, version)) as [LoggedLine];
        assert.deepEqual(more, []);
        return [line, JSON.parse(diff!) as object] as const;
      };
      const at = { record: 'categories', first_id: category.id, last_id: category.id };
      const times = [category.updated_at, changed.updated_at];
      const diff = { is_income: [false, true], sort_order: [null, 3], updated_at: times };
      assert.deepEqual(await logged(3), [{ ...at, kind: 'changed' }, diff]);
      const [removed, kept] = await logged(4);
      assert.deepEqual(removed, { ...at, kind: 'removed' });
      assert.deepEqual({ ...kept, book_id: id }, changed);
    });

    it('joins records with the same change in a line, and omits unchanged records', async () => {
      const { id } = await newBook(engine);
      const made = await write(id, function* (change) {
        const all = [];
        for (const each of ['a', 'b', 'c', 'd'])
          all.push(
            yield* change.insert(tags, { name: each, description: each === 'c' ? 'x' : null }),
          );
        return all;
      });
      clockMs += 1000;
      const written = await write(id, (change) =>
        change.updateAll(tags, made, { description: 'x' }),
      );
      assert.equal(written.map((tag) => tag.name).join(), 'a,b,d');
      const [a, b, , d] = made.map((tag) => tag.id);
      assert.deepEqual((await linesOf(id, 3)).map(idsOf), [`${a} to ${b}`, `${d} to ${d}`]);
      const times = (await engine.read(() => select(tags, { book_id: id }))).map(
        ({ updated_at }) => updated_at === made[0]!.updated_at,
      );
      assert.deepEqual(times, [false, false, true, false]);
    });

    it('that writes nothing does not raise the version', async () => {
      const { id } = await newBook(engine);
      const tag = await insertTag(id, 'a');
      const known = await bookOf(id);
      clockMs += 1000;
      const equal = await write(id, (change) => change.update(tags, tag, { name: 'a' }));
      assert.deepEqual(equal, tag);
      await write(id, (change) => change.update(tags, tag, {}));
      await write(id, (change) => change.updateAll(tags, [], { name: 'b' }));
      await write(id, (change) => change.removeAll(tags, []));
      assert.deepEqual(await bookOf(id), known);
      assert.equal((await changesOf(id)).length, 1);
      assert.deepEqual(await engine.read(() => find(tags, { id: tag.id })), tag);
    });

    it('with equal values changes only the time, if evenIfEqual is set', async () => {
      const { id } = await newBook(engine);
      const tag = await insertTag(id, 'a');
      clockMs += 1000;
      const moved = await write(id, (change) =>
        change.update(tags, tag, { name: 'a' }, { evenIfEqual: true }),
      );
      assert.deepEqual(moved, { ...tag, updated_at: new Date(clockMs).toISOString() });
      assert.equal((await bookOf(id)).version, 3);
      const [line] = await linesOf(id, 3);
      assert.deepEqual(Object.keys(JSON.parse(line!.diff!) as object), ['updated_at']);
    });

    it('never writes a secret to the log', async () => {
      const { id } = await newBook(engine);
      const sealed_credentials = Buffer.from('a secret');
      const account = await write(id, (change) =>
        change.insert(cryptoAccounts, {
          provider: 'kraken',
          status: 'active',
          created_by_name: 'A',
          sealed_credentials,
        }),
      );
      const other = Buffer.from('another one');
      const changed = await write(id, (change) =>
        change.update(cryptoAccounts, account, { sealed_credentials: other }),
      );
      assert.deepEqual(Buffer.from(changed.sealed_credentials), other);
      assert.equal((await bookOf(id)).version, 3, 'it is still a change');
      const same = Buffer.from('another one');
      await write(id, (change) =>
        change.update(cryptoAccounts, changed, { sealed_credentials: same }),
      );
      assert.equal((await bookOf(id)).version, 3, 'equal bytes are not a change');
      await write(id, (change) => change.remove(cryptoAccounts, changed));
      for (const version of [2, 3, 4])
        for (const { diff } of await linesOf(id, version))
          assert.doesNotMatch(diff ?? '', /sealed|secret|another/);
    });

    it('logs the rest of a key that has more than an id', async () => {
      const { id } = await newBook(engine);
      const balance = await write(id, function* (change) {
        const account = yield* change.insert(cryptoAccounts, {
          provider: 'kraken',
          status: 'active',
          created_by_name: 'A',
          sealed_credentials: Buffer.of(1),
        });
        return yield* change.insert(cryptoBalances, {
          account_id: account.id,
          symbol: 'btc',
          name: 'B',
          read_at: change.at,
          quantity: '1.000000000000000000',
        });
      });
      await write(id, (change) => change.update(cryptoBalances, balance, { name: 'Bitcoin' }));
      const [, made] = await linesOf(id, 2);
      assert.deepEqual(JSON.parse(made!.diff!), { symbol: 'btc' });
      const [changed] = await linesOf(id, 3);
      const diff = { symbol: ['btc', 'btc'], name: ['B', 'Bitcoin'] };
      assert.deepEqual(JSON.parse(changed!.diff!), diff);
    });

    it('of a book that does not exist is refused', async () => {
      await assert.rejects(insertTag(2 ** 40, 'a'), new NoSuchBookError(2 ** 40));
    });

    it('takes the time only after it has waited for another change', async () => {
      let nowMs = startMs;
      const [first, second] = await openNodes([() => nowMs, () => nowMs]);
      const { id } = await newBook(first!);
      let waiting: Promise<string> | undefined;
      const earlier = await first!.write(() =>
        changing(causeOf(id), function* (change) {
          yield* change.insert(tags, { name: 'first' });
          waiting = second!.write(() =>
            changing(causeOf(id), (each) => atOf(each.insert(tags, { name: 'second' }), each)),
          );
          if (name === 'PostgreSQL') yield* waitForWaiter();
          nowMs += 60_000;
          yield* change.insert(tags, { name: 'third' });
          return change.at;
        }),
      );
      assert.equal(earlier, new Date(startMs + 1).toISOString());
      assert.equal(await waiting, new Date(startMs + 60_000).toISOString());
    });
  });

function* atOf(steps: Steps<unknown>, { at }: Change): Steps<string> {
  yield* steps;
  return at;
}
