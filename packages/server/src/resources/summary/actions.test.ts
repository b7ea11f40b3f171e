import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import fc from 'fast-check';
import { changing } from '../../changes/changing.ts';
import { undo } from '../../changes/undo.ts';
import { find } from '../../db/rows.ts';
import { books } from '../../db/tables.ts';
import type { Engine } from '../../db/engine.ts';
import { usualEngines } from '../../db/testing/engines.ts';
import { newBook } from '../users/testing/new-book.ts';
import { summaryOf } from './actions.ts';
import type { SummaryQuery } from './schema.ts';
import {
  bookArbitrary,
  expectedSummary,
  queryArbitrary,
  writeBook,
} from './testing/summary-model.ts';
import { runs } from '../../../../core/src/testing/length.ts';

/** Parses JSON with every number as the text that was sent. */
function parseExactly(json: string): unknown {
  return JSON.parse(json, (_key, value: unknown, context: { source?: string } = {}) =>
    typeof value === 'number' ? context.source : value,
  );
}

for (const { name, skip, open } of usualEngines) {
  describe(`summaries on ${name}`, { skip }, () => {
    let engine: Engine;
    before(async () => {
      engine = await open(() => Date.parse('2024-06-15T12:00:00.000Z'));
    });

    it('are what a model of the book expects, to the last decimal, and nothing is left after an undo', async () => {
      const cases = bookArbitrary.chain((book) =>
        fc.record({
          book: fc.constant(book),
          queries: fc.array(queryArbitrary(book), { minLength: 1, maxLength: 4 }),
        }),
      );
      await fc.assert(
        fc.asyncProperty(cases, async ({ book, queries }) => {
          const made = await newBook(engine);
          const cause = { bookId: made.id, actor: 'test', operation: 'fill' };
          const ids = await engine.write(() =>
            changing(cause, (change) => writeBook(change, book)),
          );
          const summary = async (query: SummaryQuery) =>
            parseExactly(JSON.stringify(await engine.read(() => summaryOf(made, query))));
          for (const query of queries)
            assert.deepEqual(await summary(query), expectedSummary(book, ids, query));
          const version = (await engine.read(() => find(books, { id: made.id })))!.version;
          await engine.write(() => changing(cause, (change) => undo(change, version)));
          const whole = { ...queries[0]!, include_exclude_from_budgets: true };
          const left = (await summary(whole)) as { categories: unknown[] };
          assert.deepEqual(left.categories, []);
        }),
        { numRuns: runs(name === 'SQLite' ? 30 : 10) },
      );
    });
  });
}
