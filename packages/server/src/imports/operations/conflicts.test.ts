import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import sql from 'sql-template-tag';
import { changing, type Change } from '../../book/change.ts';
import { prunedVersion } from '../../book/log.ts';
import { pruneHistory } from '../../book/retention.ts';
import { readState } from '../../book/testing/book-state.ts';
import { rows, type Engine, type Steps } from '../../db/engine.ts';
import { categories, manualAccounts, tags, transactions } from '../../db/tables/tables.ts';
import { usualEngines } from '../../db/testing/engines.ts';
import { undoChange } from '../../history/undo/actions.ts';
import { createTransactions } from '../../ledger/transactions/requests/insert.ts';
import { changeTransactions } from '../../ledger/transactions/requests/update.ts';
import { Problem } from '../../operations/problem.ts';
import type { ImportEntry } from '../entry.ts';
import { entryOf, ImportBook } from '../testing/import-book.ts';
import { importOf, importsBy, listImports, redoImport, undoImport } from './records.ts';

for (const { name, skip, open } of usualEngines) {
  describe(`an undo of an import with conflicts on ${name}`, { skip }, () => {
    let engine: Engine;
    before(async () => {
      engine = await open(() => Date.parse('2026-01-10T00:00:00.000Z'));
    });

    const begin = async () => {
      const imports = await ImportBook.create(engine, null);
      const cause = { bookId: imports.id, actor: 'test', operation: 'test' };
      return {
        bookId: imports.id,
        load: async (...entries: Partial<ImportEntry>[]) => {
          const file = entries.map((each, at) =>
            entryOf({
              date: '2026-01-05',
              amount: -20_000,
              account: 'Cash',
              line: at + 1,
              ...each,
            }),
          );
          return (await imports.load(file, { format: 'csv' })).importId!;
        },
        /** The file names the account by its number. */
        loadNumbered: async (entry: Partial<ImportEntry>) => {
          const number = { bankId: null, number: 'DE89 3704 0044 0532 0130 00', name: null };
          const accounts = new Map([['Cash', number]]);
          const file = [entryOf({ account: 'Cash', ...entry })];
          return (await imports.load(file, { format: 'ofx', accounts })).importId!;
        },
        change: <T>(work: (change: Change) => Steps<T>) =>
          engine.write(() => changing(cause, work)),
        undo: (id: number, mode: 'refuse' | 'skip' = 'refuse') =>
          undoImport(engine, cause, id, mode),
        redo: (id: number) => redoImport(engine, cause, id),
        undoneVersion: async (id: number) =>
          (await engine.read(() => importOf(imports.id, id))).undone_version!,
        undoVersion: (version: number, mode: 'refuse' | 'skip') =>
          undoChange(engine, cause, version, { mode }),
        rows: () => imports.rows(),
        state: () => readState(engine, imports.id),
        balance: async () => (await imports.accounts())[0]?.balance,
      };
    };
    const problemOf = async (refused: Promise<unknown>, kind: Problem['kind']) => {
      const error = await refused.catch((reason: unknown) => reason);
      assert.ok(error instanceof Problem, String(error));
      assert.equal(error.kind, kind);
      return error;
    };

    it('lets one of two undos at once win, and one of two redos', async () => {
      const book = await begin();
      const id = await book.load({}, { payee: 'Bakery' });
      for (const mode of ['refuse', 'skip'] as const) {
        const undone = await Promise.allSettled([1, 2, 3].map(() => book.undo(id, mode)));
        assertOneWins(undone, `Import ${id} is undone already`);
        const redone = await Promise.allSettled([1, 2, 3].map(() => book.redo(id)));
        assertOneWins(redone, `Import ${id} is not undone`);
      }
      assert.deepEqual([(await book.rows()).length, await book.balance()], [2, -40_000]);
    });

    it('does not restore what another import has added since', async () => {
      const book = await begin();
      const entries = [{}, {}, { payee: 'Bakery', amount: -30_000 }];
      const first = await book.load(...entries);
      await book.undo(first);
      // One of the two equal purchases, and another of the day. The undo has removed the account: it is a new one.
      await book.load({}, { payee: 'New', amount: -40_000 });
      const [error] = (await problemOf(book.redo(first), 'undoConflict')).details;
      assert.match(error!.errMsg, /^transactions \d+: it was imported since$/);
      assert.equal((await book.rows()).length, 2);
      const version = await book.undoneVersion(first);
      await book.undoVersion(version, 'skip');
      assert.deepEqual(
        (await book.rows()).map(({ amount }) => amount).toSorted((a, b) => a - b),
        [20_000, 20_000, 30_000, 40_000],
      );
    });

    it('restores what another import that is undone had added', async () => {
      const book = await begin();
      await book.load({ payee: 'Other' });
      const first = await book.load({ amount: -30_000 });
      await book.undo(first);
      const second = await book.load({ amount: -30_000 });
      await book.undo(second);
      await book.redo(first);
      await problemOf(book.redo(second), 'undoConflict');
      assert.equal((await book.rows()).length, 2);
    });

    it('restores an import of an account whose number another one has noted since', async () => {
      const book = await begin();
      const first = await book.loadNumbered({ amount: -30_000 });
      await book.undo(first);
      await book.loadNumbered({ amount: -40_000 });
      await book.redo(first);
      assert.equal((await book.rows()).length, 2);
    });

    it('keeps what is written at the same time', async () => {
      const book = await begin();
      await book.load({ payee: 'First' });
      const id = await book.load({ payee: 'Second' }, { payee: 'Third' });
      const [{ manual_account_id } = { manual_account_id: null }] = await book.rows();
      const row = { date: '2026-01-06', amount: '5', payee: 'Mine', manual_account_id };
      const write = () =>
        book.change((change) => createTransactions(change, { transactions: [row] }));
      await Promise.all([write(), book.undo(id), write()]);
      const payees = (await book.rows()).map(({ payee }) => payee);
      assert.deepEqual(payees.toSorted(), ['First', 'Mine', 'Mine']);
      assert.equal(await book.balance(), -120_000);
    });

    it('names later records that use a created account, category or tag, and keeps these', async () => {
      const book = await begin();
      const start = await book.state();
      const id = await book.load({ category: 'Food', tags: ['trip'] }, { payee: 'Bakery' });
      const [first] = await book.rows();
      const { category_id, manual_account_id, tag_ids } = first!;
      const used = { category_id, manual_account_id, tag_ids: JSON.parse(tag_ids) as number[] };
      const mine = { date: '2026-01-06', amount: '5', payee: 'Mine', ...used };
      const created = await book.change((change) =>
        createTransactions(change, { transactions: [mine] }),
      );
      const [later] = created.ids;
      const { details } = await problemOf(book.undo(id), 'undoConflict');
      const texts = details.map(({ errMsg, record, id: of, column, reason }) =>
        [errMsg, record, of, column, reason].join(' '),
      );
      const by = `used since by transactions ${later}`;
      for (const [record, column] of [
        [`tags ${used.tag_ids[0]}`, 'tag_ids'],
        [`categories ${category_id}`, 'category_id'],
        [`manual_accounts ${manual_account_id}`, 'manual_account_id'],
      ] as const) {
        const expected = `${record}: ${by} (${column}) transactions ${later} ${column} used since`;
        assert.ok(texts.includes(expected), texts.join('\n'));
      }
      assert.equal(texts.length, 3);
      assert.equal((await book.rows()).length, 3);
      assert.equal((await book.undo(id, 'skip')).conflicts.length, 3);
      assert.deepEqual(
        (await book.rows()).map((row) => row.id),
        [later],
      );
      assert.equal(await book.balance(), -50_000);
      for (const table of [categories, tags, manualAccounts])
        assert.equal((await book.state()).get(table.name)!.size, 1);
      assert.equal(start.get('tags')!.size, 0);
    });

    it('does not take away a pending row that a later import has posted, unless that is undone', async () => {
      const book = await begin();
      const pending = await book.load({ isPending: true }, { payee: 'Bakery' });
      const posted = await book.load({});
      const [row] = await book.rows();
      assert.deepEqual([row!.is_pending, await book.balance()], [false, -40_000]);
      const error = await problemOf(book.undo(pending), 'undoConflict');
      assert.ok(error.details.some((each) => each['id'] === row!.id));
      await book.undo(posted);
      assert.deepEqual([(await book.rows())[0]!.is_pending, await book.balance()], [true, -20_000]);
      await book.redo(posted);
      await book.undo(pending, 'skip');
      const left = await book.rows();
      assert.deepEqual(
        [left.length, left[0]!.is_pending, await book.balance()],
        [1, false, -20_000],
      );
    });

    it('is refused if nothing is left, and a redo if a record was changed since', async () => {
      const book = await begin();
      await book.load({ payee: 'First', amount: -70_000 });
      const id = await book.load({ isPending: true });
      const posted = await book.load({});
      await book.undo(posted);
      const row = (await book.rows()).find(({ payee }) => payee === 'Shop')!;
      await book.change((change) =>
        changeTransactions(change, [{ id: row.id, date: '2026-01-07', payee: 'Mine' }] as never),
      );
      const state = await book.state();
      assert.equal((await book.redo(posted)).row.undone_version, null);
      await book.undo(posted);
      assert.deepEqual(await book.state(), state);
      const mine = (await book.rows()).find(({ payee }) => payee === 'Mine')!;
      await book.change((change) => change.remove(transactions, mine));
      await problemOf(book.redo(posted), 'undoConflict');
      const undone = await problemOf(book.undo(id), 'invalidRequest');
      assert.equal(undone.details[0]!.errMsg, `Import ${id} has nothing left that could be undone`);
    });

    it('finds a later use behind a thousand rows of the import, and restores many rows', async () => {
      const book = await begin();
      const many = Array.from({ length: 340 }, (_, at) => ({
        amount: -(at + 2),
        parts: partsOf(-(at + 2)),
      }));
      const id = await book.load(...many);
      const split = (await book.rows()).find((row) => row.is_split_parent)!;
      const state = await book.state();
      await book.undo(id);
      assert.equal((await book.rows()).length, 0);
      await book.redo(id);
      assert.deepEqual(await book.state(), state);
      // No record refers to a part of a split as this one does: only an error in a client could create it.
      const [last] = await engine.read(() =>
        rows<{ id: number }>(
          sql`SELECT MAX(id) AS id FROM transactions WHERE book_id = ${book.bookId}`,
        ),
      );
      await book.change((change) =>
        change.insertAll(transactions, [
          { ...split, id: last!.id + 1, is_split_parent: false, split_parent_id: split.id },
        ]),
      );
      const { conflicts } = await book.undo(id, 'skip');
      const columns = conflicts.map(({ reason, column }) => `${reason} ${column}`);
      assert.deepEqual(columns, ['used since split_parent_id', 'used since manual_account_id']);
    });

    it(
      'lists imports by an index, without a sort',
      { skip: name !== 'SQLite' && 'the plan of SQLite' },
      async () => {
        const plan = await engine.read(() =>
          rows<{ detail: string }>(
            sql`EXPLAIN QUERY PLAN ${importsBy(1, { limit: 2, offset: 3, isPreview: true })}`,
          ),
        );
        const text = plan.map(({ detail }) => detail).join('\n');
        assert.match(text, /SEARCH imports USING INDEX \S+ \(book_id=\?\)/);
        assert.doesNotMatch(text, /TEMP B-TREE|SCAN/);
      },
    );

    it('is refused after its change was pruned, as a redo is', async () => {
      const book = await begin();
      const [first, second] = [await book.load({}), await book.load({ payee: 'Second' })];
      await book.undo(second);
      await pruneHistory(engine, '9999-01-01', new AbortController().signal);
      const pruned = await engine.read(() => prunedVersion(book.bookId));
      const third = await book.load({ payee: 'Third' });
      const listed = await engine.read(() => listImports(book.bookId, { limit: 9, offset: 0 }));
      const shown = listed.map(({ id, is_pruned }) => `${id} ${is_pruned}`);
      assert.deepEqual(shown, [`${third} false`, `${second} true`, `${first} true`]);
      for (const undoing of [
        () => book.undo(first),
        () => book.undo(first, 'skip'),
        () => book.redo(second),
      ]) {
        const problem = await problemOf(undoing(), 'pruned');
        assert.equal(problem.details[0]!['oldest_version'], pruned + 1);
      }
    });
  });
}

function partsOf(amount: number) {
  const part = { payee: null, notes: null, category: null };
  return [
    { ...part, amount: amount + 1 },
    { ...part, amount: -1 },
  ];
}

function assertOneWins(results: readonly PromiseSettledResult<unknown>[], message: string): void {
  assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1);
  for (const result of results) {
    if (result.status === 'fulfilled') continue;
    const reason: unknown = result.reason;
    assert.ok(reason instanceof Problem, String(reason));
    assert.equal(reason.kind, 'invalidRequest');
    assert.equal(reason.details[0]!.errMsg, message);
  }
}
