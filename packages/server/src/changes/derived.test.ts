import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import fc from 'fast-check';
import sql from 'sql-template-tag';
import type { Engine, Steps } from '../db/engine.ts';
import { rows } from '../db/engine.ts';
import { select } from '../db/rows.ts';
import { transactions } from '../db/tables.ts';
import { engines } from '../db/testing/engines.ts';
import { newBook } from '../resources/users/testing/new-book.ts';
import { changing } from './changing.ts';
import type { Change } from './change.ts';
import { addAccounts, changeArbitrary, performWrites } from './testing/random-changes.ts';
import { NoSuchVersionError, undo, UndoConflictError } from './undo.ts';

interface Derived {
  readonly counts: readonly unknown[];
  readonly tags: readonly unknown[];
}

function* readDerived(bookId: number): Steps<Derived> {
  return {
    counts: yield* rows(sql`SELECT granularity, period, listed FROM transaction_counts
      WHERE book_id = ${bookId} ORDER BY granularity, period`),
    tags: yield* rows(sql`SELECT tag_id, date, transaction_id FROM transaction_tags
      WHERE book_id = ${bookId} ORDER BY transaction_id, tag_id, date`),
  };
}

/** The same, computed from the rows of transactions. */
function* countAgain(bookId: number): Steps<Derived> {
  const ofPeriods = (granularity: string, length: number) =>
    rows(sql`SELECT CAST(${granularity} AS TEXT) AS granularity, period, count(*) AS listed FROM (
        SELECT substr(date, 1, ${length}) AS period FROM transactions
        WHERE book_id = ${bookId} AND is_pending = 0 AND is_split_parent = 0 AND group_parent_id IS NULL
      ) listed GROUP BY period ORDER BY period`);
  const all = yield* select(transactions, { book_id: bookId });
  const tags = all.flatMap(({ id, date, tag_ids }) =>
    (JSON.parse(tag_ids) as number[])
      .toSorted((a, b) => a - b)
      .map((tag_id) => ({ tag_id, date, transaction_id: id })),
  );
  return { counts: [...(yield* ofPeriods('day', 10)), ...(yield* ofPeriods('month', 7))], tags };
}

for (const { name, skip, open } of engines) {
  describe(`a derived table on ${name}`, { skip }, () => {
    let engine: Engine;
    before(async () => {
      engine = await open(() => Date.parse('2026-01-01T00:00:00.000Z'));
    });

    it('is equal to a recount, after any changes and undos', async () => {
      const steps = fc.array(fc.oneof(changeArbitrary, fc.nat(9)), { minLength: 3, maxLength: 12 });
      await fc.assert(
        fc.asyncProperty(steps, async (steps) => {
          const { id } = await newBook(engine);
          const cause = { bookId: id, actor: 'token 1', operation: 'test' };
          const change = (work: (change: Change) => Steps<void>) =>
            engine.write(() => changing(cause, work));
          await change(addAccounts);
          let last = 2;
          for (const step of steps) {
            if (typeof step === 'number')
              await change((each) => undo(each, 3 + (step % last))).catch(passOver);
            else await change((each) => performWrites(each, step));
            last += 1;
          }
          const [kept, counted] = await engine.read(function* () {
            return [yield* readDerived(id), yield* countAgain(id)] as const;
          });
          assert.deepEqual(kept, counted);
        }),
        { numRuns: name === 'SQLite' ? 150 : 40 },
      );
    });
  });
}

/** Ignores the errors of undo: many random versions do not exist or cannot be undone. */
function passOver(error: unknown): void {
  const isExpected = error instanceof UndoConflictError || error instanceof NoSuchVersionError;
  if (!isExpected) throw error;
}
