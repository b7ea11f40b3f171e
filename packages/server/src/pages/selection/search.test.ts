import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import sql from 'sql-template-tag';
import { insertMany, rows, run, type Engine } from '../../db/engine.ts';
import { DerivedOutdatedError } from '../../db/fill-derived.ts';
import { followAll, searchedRows, withDerived, wrongInSearch } from '../../db/follow-search.ts';
import { packBlock } from '../../db/search-blocks.ts';
import { transactions } from '../../db/tables/tables.ts';
import { engines } from '../../db/testing/engines.ts';
import { EngineBook } from '../../http/testing/engine-book.ts';
import { plainSelection } from '../testing/plain-query.ts';
import { search } from './search.ts';

for (const { name, skip, open } of engines)
  describe(`the search on ${name}`, { skip }, () => {
    let engine: Engine;
    before(async () => {
      engine = await open();
    });

    const bookOf = async (count: number): Promise<EngineBook> => {
      const book = await EngineBook.open(engine);
      const [last] = await engine.read(() =>
        rows<{ id: number | null }>(sql`SELECT max(id) AS id FROM transactions`),
      );
      const first = (last?.id ?? 0) + 1;
      const of = { amount: 7, to_base: 7, currency: 'usd', status: 'reviewed' } as const;
      const all = Array.from({ length: count }, (_, at) => ({
        ...of,
        id: first + at,
        date: `2024-01-${String(1 + (at % 28)).padStart(2, '0')}`,
        payee: at === 77 ? 'Rare Shop' : `Shop ${at}`,
      }));
      await book.change((change) => change.insertAll(transactions, all));
      return book;
    };
    const find = (book: EngineBook, ...words: string[]) =>
      engine.read(() => search(book.id, { ...plainSelection, words }));
    const count = async (book: EngineBook, ...words: string[]) => (await find(book, ...words)).size;
    const firstIds = (book: EngineBook) =>
      engine.read(() =>
        rows<{ first_id: number }>(
          sql`SELECT first_id FROM search_blocks WHERE book_id = ${book.id} ORDER BY first_id`,
        ),
      );

    it('reads what the log has, and more only from blocks', async () => {
      const book = await bookOf(1500);
      assert.equal(await count(book, 'shop'), 1500);
      const other = await bookOf(2001);
      await assert.rejects(count(other, 'shop'), DerivedOutdatedError);
      assert.equal(await withDerived(engine, () => count(other, 'shop')), 2001);
      assert.equal((await firstIds(other)).length, 2);
      await book.write(() => run(sql`UPDATE books SET pruned_version = 2 WHERE id = ${book.id}`));
      await assert.rejects(count(book, 'shop'), DerivedOutdatedError);
      assert.equal(await withDerived(engine, () => count(book, 'shop')), 1500);
      assert.deepEqual(await engine.read(() => wrongInSearch(book.id)), []);
    });

    it('writes rows where they belong, also those that come back', async () => {
      const book = await bookOf(3000);
      await followAll(engine, book.id);
      const all = await book.rows(transactions);
      await book.change((change) => change.removeAll(transactions, all.slice(500, 2500)));
      await followAll(engine, book.id);
      assert.equal(await count(book, 'shop'), 1000);
      assert.equal(await count(book, 'rare', 'sh'), 1);
      await book.undoLast();
      await followAll(engine, book.id);
      assert.equal(await count(book, 'shop'), 3000);
      const few = all.slice(1000, 1009);
      await book.change((change) => change.updateAll(transactions, few, { payee: 'X' }));
      await book.change((change) => change.removeAll(transactions, all.slice(9, 12)));
      assert.equal(await count(book, 'shop'), 2988);
      assert.equal(await count(book, 'x'), 9);
      await followAll(engine, book.id);
      assert.equal(await count(book, 'shop'), 2988);
      assert.deepEqual(await engine.read(() => wrongInSearch(book.id)), []);
      assert.ok((await firstIds(book)).length <= 6);
    });

    it('leaves blocks as they are when what they have does not change, or comes back', async () => {
      const book = await bookOf(600);
      await followAll(engine, book.id);
      const few = (await book.rows(transactions)).slice(0, 9);
      const mark = sql`UPDATE search_blocks SET first_day = 0 WHERE book_id = ${book.id}`;
      const days = () =>
        engine.read(() =>
          rows<object>(sql`SELECT first_day FROM search_blocks WHERE book_id = ${book.id}`),
        );
      await book.write(() => run(mark));
      await book.change((change) => change.removeAll(transactions, few));
      await book.undoLast();
      await followAll(engine, book.id);
      assert.deepEqual(await days(), [{ first_day: 0 }]);
      await book.write(() => run(sql`DELETE FROM search_blocks WHERE book_id = ${book.id}`));
      await book.change((change) => change.updateAll(transactions, few, { status: 'unreviewed' }));
      await followAll(engine, book.id);
      assert.deepEqual(await days(), []);
      await book.change((change) => change.updateAll(transactions, few, { payee: 'Y' }));
      await followAll(engine, book.id);
      assert.equal((await days()).length, 1);
    });

    it('goes through all blocks, of a frequent word and of a rare one', async () => {
      const book = await bookOf(100);
      const ids = (await book.rows(transactions)).map(({ id }) => id);
      const version = await book.version();
      // Many blocks, each of one row.
      await engine.write(function* () {
        const of = yield* searchedRows(book.id, ids);
        const columns = ['book_id', 'first_id', 'first_day', 'last_day', 'words', 'block'];
        const blocks = of.map((each) => {
          const { words, block } = packBlock([each]);
          return [book.id, each.id, each.day, each.day, words, block];
        });
        yield* insertMany('search_blocks', columns, blocks);
        yield* run(
          sql`INSERT INTO search_progress (book_id, version) VALUES (${book.id}, ${version})`,
        );
      });
      assert.deepEqual(await engine.read(() => wrongInSearch(book.id)), []);
      assert.equal(await count(book, 'shop'), 100);
      assert.deepEqual([...(await find(book, 'rare')).ids], [ids[77]]);
      assert.equal(await count(book, 'shop', 'rare', 'none'), 0);
    });
  });
