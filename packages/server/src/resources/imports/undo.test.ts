import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import fc from 'fast-check';
import { changing } from '../../changes/changing.ts';
import { readState, undone } from '../../changes/testing/book-state.ts';
import type { BookState } from '../../changes/testing/book-state.ts';
import type { Engine } from '../../db/engine.ts';
import { usualEngines } from '../../db/testing/engines.ts';
import type { ImportEntry } from '../../imports/entry.ts';
import { importEntries } from '../../imports/import.ts';
import { checkDatabase } from '../../maintenance/doctor.ts';
import { Problem } from '../../wire/problem.ts';
import { movesOf } from '../transactions/actions.ts';
import type { TransactionRow } from '../transactions/actions.ts';
import { newBook } from '../users/testing/new-book.ts';
import { entriesArbitrary, performWrite, writesArbitrary } from './testing/changed-book.ts';
import type { UserWrite } from './testing/changed-book.ts';
import { redoImport, undoImport } from './undo.ts';
import { runs } from '../../../../core/src/testing/length.ts';

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

  /** Performs writes of a user, without those that the API refuses. */
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

  /** Undoes an import as far as possible, and returns the records that it keeps. */
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
