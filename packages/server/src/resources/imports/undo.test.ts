import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import fc from 'fast-check';
import type { Change } from '../../changes/change.ts';
import { changing } from '../../changes/changing.ts';
import { readState, undone } from '../../changes/testing/book-state.ts';
import type { BookState } from '../../changes/testing/book-state.ts';
import type { Engine, Steps } from '../../db/engine.ts';
import { select } from '../../db/rows.ts';
import { categories, manualAccounts, tags, transactions } from '../../db/tables.ts';
import { usualEngines } from '../../db/testing/engines.ts';
import type { ImportEntry } from '../../imports/entry.ts';
import { importEntries } from '../../imports/import.ts';
import { checkDatabase } from '../../maintenance/doctor.ts';
import { Problem } from '../../wire/problem.ts';
import { updateAccount } from '../accounts/actions.ts';
import { mergeAccount } from '../accounts/merge.ts';
import { removeAccount } from '../accounts/removal.ts';
import { updateCategory } from '../categories/actions.ts';
import { removeCategory } from '../categories/merge.ts';
import { removeTag } from '../tags/dependents.ts';
import { movesOf } from '../transactions/actions.ts';
import type { TransactionRow } from '../transactions/actions.ts';
import { groupTransactions, ungroupTransactions } from '../transactions/groups/group.ts';
import { deleteTransactions } from '../transactions/requests/delete.ts';
import { createTransactions } from '../transactions/requests/insert.ts';
import { changeTransactions } from '../transactions/requests/update.ts';
import { splitTransaction, unsplitTransaction } from '../transactions/splits/split.ts';
import { newBook } from '../users/testing/new-book.ts';
import { redoImport, undoImport } from './undo.ts';
import { runs } from '../../../../core/src/testing/length.ts';

/** Entries of a file. There are few values, so that entries of two files are equal sometimes. */
const entriesArbitrary: fc.Arbitrary<readonly ImportEntry[]> = fc
  .array(
    fc.record({
      date: fc.constantFrom('2026-01-01', '2026-01-31', '2026-02-03'),
      amount: fc.constantFrom(-10_000, -20_000, 35_000, -1, 0),
      payee: fc.constantFrom('Shop', 'Bakery', 'Pay'),
      category: fc.constantFrom(null, 'Food', 'Rent', 'food'),
      account: fc.constantFrom('Cash', 'Card', 'Savings', null),
      tags: fc.subarray(['trip', 'work']),
      isPending: fc.boolean(),
      isSplit: fc.nat(4).map((n) => n === 0),
      hasId: fc.nat(3).map((n) => n === 0),
    }),
    { minLength: 1, maxLength: 8 },
  )
  .map((entries) =>
    entries.map(({ isSplit, hasId, ...entry }, at) => {
      const half = Math.trunc(entry.amount / 2);
      const parts = [half, entry.amount - half].map((amount) => ({
        ...{ amount, payee: null, notes: null, category: isSplit ? 'Parts' : null },
      }));
      return {
        ...entry,
        line: at + 1,
        currency: null,
        notes: null,
        externalId: hasId ? `id-${at}` : null,
        ...(isSplit && { parts }),
      };
    }),
  );

const kinds = [
  ...(['create', 'update', 'update', 'split', 'unsplit', 'group', 'ungroup', 'delete'] as const),
  ...(['rename account', 'remove account', 'merge account'] as const),
  ...(['change category', 'remove category', 'remove tag'] as const),
] as const;

const writeArbitrary = fc.record({
  kind: fc.constantFrom(...kinds),
  picks: fc.array(fc.nat(40), { minLength: 5, maxLength: 5 }),
});
/** One write of a user. Numbers choose among the records that exist, and among values. */
type UserWrite = typeof writeArbitrary extends fc.Arbitrary<infer W> ? W : never;

const writesArbitrary = fc.array(writeArbitrary, { maxLength: 8 });

/** Performs a write by the functions of the API. Throws a Problem if the API would refuse it. */
function* performWrite(change: Change, { kind, picks }: UserWrite): Steps<void> {
  const book = { book_id: change.bookId };
  const rows = yield* select(transactions, book);
  const accounts = yield* select(manualAccounts, book);
  const [ofBook, labels] = [yield* select(categories, book), yield* select(tags, book)];
  const [a = 0, b = 0, c = 0, d = 0] = picks;
  const at = <T>(list: readonly T[], pick: number): T | undefined => list[pick % list.length];
  const values = {
    amount: `${(a % 5) - 2}.5`,
    category_id: at([null, ...ofBook.map(({ id }) => id)], b),
    manual_account_id: at([null, ...accounts.map(({ id }) => id)], c),
    tag_ids: labels.slice(d % 3).map(({ id }) => id),
  };
  const [row, other] = [at(rows, a), at(rows, b)!];
  const [account, into] = [at(accounts, a), at(accounts, b)!];
  const [category, tag] = [at(ofBook, a), at(labels, a)];
  const split = rows.find((each) => each.is_split_parent);
  const group = rows.find((each) => each.is_group_parent);
  if (kind === 'create') {
    const mine = { date: '2026-02-02', payee: 'Mine', ...values };
    yield* createTransactions(change, { transactions: [mine] } as never);
  } else if (kind.endsWith('account')) {
    if (account === undefined) return;
    const options = { items: b % 2 === 0, history: c % 2 === 0 };
    if (kind === 'rename account') yield* updateAccount(change, account, { name: `A ${b}` });
    else if (kind === 'remove account') yield* removeAccount(change, account, options);
    else if (into !== account)
      yield* mergeAccount(change, account, { into_id: into.id, add_balance: true });
  } else if (kind === 'change category' && category !== undefined)
    yield* updateCategory(change, category, { name: `C ${b}`, description: 'd' });
  else if (kind === 'remove category' && category !== undefined)
    yield* removeCategory(change, category);
  else if (kind === 'remove tag' && tag !== undefined) yield* removeTag(change, tag);
  else if (kind === 'unsplit' && split !== undefined)
    yield* unsplitTransaction(change, split.id, split);
  else if (kind === 'ungroup' && group !== undefined) yield* ungroupTransactions(change, group);
  else if (row === undefined) return;
  else if (kind === 'update') {
    const [name, value] = Object.entries({ ...values, notes: `N ${a}` })[b % 5]!;
    yield* changeTransactions(change, [{ id: row.id, [name]: value }] as never);
  } else if (kind === 'split')
    yield* splitTransaction(change, row, [{ amount: 1 }, { amount: row.amount - 1 }]);
  else if (kind === 'group' && row !== other) {
    const ids = [row.id, other.id];
    yield* groupTransactions(change, { ids, date: '2026-01-15', payee: 'Group' });
  } else if (kind === 'delete') yield* deleteTransactions(change, [row.id]);
}

/** More cases: `COFFER_UNDO_CASES=2000`. */
const cases = Number(process.env['COFFER_UNDO_CASES'] ?? 0);

for (const { name, skip, open } of usualEngines) {
  describe(`the undo of an import on ${name}`, { skip }, () => {
    let engine: Engine;
    before(async () => {
      engine = await open(() => Date.parse('2026-01-10T00:00:00.000Z'));
    });

    it('keeps what users changed, restores the rest, and can be undone and repeated', async () => {
      const outcomes = { whole: 0, partly: 0 };
      const numRuns = runs(cases || (name === 'SQLite' ? 60 : 12));
      await fc.assert(
        fc.asyncProperty(
          entriesArbitrary,
          entriesArbitrary,
          writesArbitrary,
          writesArbitrary,
          async (earlier, entries, first, later) => {
            const book = new Book(engine, (await newBook(engine)).id);
            await book.import(earlier);
            await book.perform(first);
            const start = await book.state();
            const id = await book.import(entries);
            const imported = await book.state();
            if (isEqual(start, imported)) return;
            await book.perform(later);
            const now = await book.state();
            const kept = await book.undo(id).catch(nothingLeft);
            if (kept === null) {
              assert.deepEqual(await book.state(), now);
              return;
            }
            outcomes[kept.size === 0 ? 'whole' : 'partly'] += 1;
            const after = await book.state();
            if (isEqual(now, imported)) assert.deepEqual(after, start);
            compareRecords(after, now, undone(now, start, imported), kept);
            compareBalances(now, after);
            await redoImport(engine, book.cause, id);
            assert.deepEqual(await book.state(), now);
            assert.deepEqual(await book.undo(id), kept);
            assert.deepEqual(await book.state(), after);
          },
        ),
        // The few cases of a usual run are always the same.
        { numRuns, ...(cases === 0 && { seed: 12 }) },
      );
      assert.ok(outcomes.whole > 0 && outcomes.partly > 0, JSON.stringify(outcomes));
      assert.deepEqual(await checkDatabase(engine, { repair: false }), []);
    });
  });
}

/** Users may have removed everything that an import created, or changed it. */
function nothingLeft(error: unknown): null {
  if (!(error instanceof Problem)) throw error;
  assert.ok(['invalidRequest', 'undoConflict'].includes(error.kind));
  return null;
}

class Book {
  readonly cause: { readonly bookId: number; readonly actor: string; readonly operation: string };
  readonly #engine: Engine;

  constructor(engine: Engine, bookId: number) {
    this.#engine = engine;
    this.cause = { bookId, actor: 'test', operation: 'test' };
  }

  async import(entries: readonly ImportEntry[]): Promise<number> {
    const plan = { entries: () => entries, defaultAccount: null, dryRun: false, format: 'csv' };
    return (await importEntries(this.#engine, this.cause.bookId, plan)).importId!;
  }

  async perform(writes: readonly UserWrite[]): Promise<void> {
    for (const write of writes)
      try {
        await this.#engine.write(() =>
          changing(this.cause, (change) => performWrite(change, write)),
        );
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
      }
  }

  async undo(id: number): Promise<Set<string>> {
    const { conflicts } = await undoImport(this.#engine, this.cause, id, 'skip');
    return new Set(conflicts.flatMap(({ blocked }) => blocked));
  }

  /** The records of the book, without the times of balances. */
  async state(): Promise<BookState> {
    const state = await readState(this.#engine, this.cause.bookId);
    for (const row of state.get('manual_accounts')!.values())
      delete (row as { balance_as_of?: string }).balance_as_of;
    return state;
  }
}

const isEqual = (one: BookState, other: BookState): boolean => textOf(one) === textOf(other);
const textOf = (state: BookState): string =>
  JSON.stringify([...state].map(([table, rows]) => [table, [...rows]]));

/** Each record is as it was before the undo, or as an undo makes it. Balances have a rule of their own. */
function compareRecords(
  after: BookState,
  now: BookState,
  whole: BookState,
  kept: ReadonlySet<string>,
): void {
  for (const [table, records] of after) {
    const [asNow, asUndone] = [now.get(table)!, whole.get(table)!];
    for (const key of new Set([...records.keys(), ...asNow.keys(), ...asUndone.keys()])) {
      const [is, current, expected] = [records, asNow, asUndone].map((each) =>
        JSON.stringify(each.get(key), (column, value: unknown) =>
          table === 'manual_accounts' && /^(balance|to_base)$/.test(column) ? 0 : value,
        ),
      );
      assert.ok(is === current || is === expected, `${table} ${key}: ${is}, not ${expected}`);
      if (kept.has(`${table} ${key}`)) assert.equal(is, current, 'a conflict is kept');
    }
  }
}

/** The balance of each account moves by its transactions. */
function compareBalances(now: BookState, after: BookState): void {
  const [earlier, later] = [now, after].map(spentByAccount);
  for (const [key, row] of after.get('manual_accounts')!) {
    const account = now.get('manual_accounts')!.get(key);
    const id = Number(key);
    const moved = (earlier!.get(id) ?? 0) - (later!.get(id) ?? 0);
    const balance = Number(account?.['balance'] ?? 0);
    assert.equal(row['balance'], balance + moved, `the balance of account ${id}`);
  }
}

function spentByAccount(state: BookState): Map<number, number> {
  const spent = new Map<number, number>();
  for (const row of state.get('transactions')!.values())
    for (const { accountId, amount } of movesOf(row as unknown as TransactionRow))
      spent.set(accountId, (spent.get(accountId) ?? 0) + amount);
  return spent;
}
