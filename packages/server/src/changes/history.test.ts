import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import sql from 'sql-template-tag';
import type { Engine, Steps } from '../db/engine.ts';
import { insertMany, rows } from '../db/engine.ts';
import { tags } from '../db/tables.ts';
import { engines } from '../db/testing/engines.ts';
import { newBook } from '../resources/users/testing/new-book.ts';
import { rowsAfter } from './earlier-rows.ts';
import { listHistory } from './history.ts';
import { countsOf } from './version-counts.ts';
import { effectsOnRecord } from './version-records.ts';
import type { HistoryFilter } from './history.ts';

const filters: readonly HistoryFilter[] = [
  {},
  { before: 30 },
  { actor: 'token 1' },
  { operation: 'b' },
  { actor: 'token 1', operation: 'b' },
  { record: 'tags' },
  { record: 'tags', id: 1000 },
  { record: 'tags', id: 1000, actor: 'token 0', operation: 'a' },
  { record: 'transactions', id: 5, operation: 'a' },
  { record: 'rules' },
  { from: at(10), to: at(20), record: 'tags' },
  { from: at(99) },
  { to: at(1) },
];

function at(version: number): string {
  return new Date(Date.UTC(2026, 0, 1) + version * 1000).toISOString();
}

/** Versions 2 to 60: their actors, operations, tables and ranges of ids vary. */
const versions = Array.from({ length: 59 }, (_, index) => {
  const version = index + 2;
  return {
    version,
    actor: `token ${version % 3}`,
    operation: version % 2 ? 'a' : 'b',
    record: version % 5 ? 'tags' : 'transactions',
    firstId: [1000, 990, 489, 488, 487, 1, 5, 1001][version % 8]!,
    length: [1, 20, 600, 512, 513, 2000, 1, 5][(version * 3) % 8]!,
  };
});
type Version = (typeof versions)[number];

function isMatch(
  each: Version,
  { before: end, actor, operation, record, id, from, to }: HistoryFilter,
): boolean {
  const { version, firstId, length } = each;
  return (
    (end === undefined || version < end) &&
    (actor ?? each.actor) === each.actor &&
    (operation ?? each.operation) === each.operation &&
    (record ?? each.record) === each.record &&
    (id === undefined || (firstId <= id && id < firstId + length)) &&
    (from === undefined || at(version) >= from) &&
    (to === undefined || at(version) <= to)
  );
}

for (const { name, skip, open } of engines) {
  describe(`the history of a book on ${name}`, { skip }, () => {
    let engine: Engine;
    let bookId: number;
    before(async () => {
      engine = await open();
      for (let count = 0; count < 2; count += 1) {
        bookId = (await newBook(engine)).id;
        await engine.write(() => writeVersions(bookId));
      }
    });

    for (const filter of filters)
      it(`lists pages by ${JSON.stringify(filter)}`, async () => {
        const expected = versions.filter((each) => isMatch(each, filter)).toReversed();
        for (const limit of [1, 7, 100]) {
          const walked: number[] = [];
          for (let last = filter.before; ;) {
            const page = await engine.read(() =>
              listHistory(bookId, { ...filter, before: last }, limit),
            );
            walked.push(...page.map(({ version }) => version));
            if (page.length < limit) break;
            last = page.at(-1)!.version;
          }
          assert.deepEqual(
            walked,
            expected.map(({ version }) => version),
          );
        }
      });
    it(
      'never reads all lines of a book, nor those of all later versions',
      { skip: name !== 'SQLite' },
      async () => {
        const key = { table: tags, id: 1000, key: { id: 1000 } };
        const reads: (() => Steps<unknown>)[] = [
          ...filters.map((filter) => () => listHistory(bookId, filter, 10)),
          () => countsOf(bookId, [5, 9]),
          () => effectsOnRecord(bookId, tags, 1000, [5]),
          () => rowsAfter(bookId, 5, [key]),
        ];
        for (const read of reads)
          for (const [text, plan] of await engine.read(() => plansOf(read())))
            for (const line of plan.filter((each) => / (r|changed_records) /.test(each)))
              assert.doesNotMatch(
                line,
                /SCAN|PRIMARY KEY \(book_id=\?( AND version[<>].*)?\)$/,
                text,
              );
      },
    );
  });
}

/** Runs steps, and returns the plan of each of their statements. */
function* plansOf(steps: Steps<unknown>): Steps<[text: string, plan: string[]][]> {
  const plans: [string, string[]][] = [];
  for (let next = steps.next(); next.done !== true;) {
    const step = next.value;
    if ('text' in step) {
      const plan = yield* rows<{ detail: string }>(sql`EXPLAIN QUERY PLAN ${step}`);
      plans.push([step.text, plan.map(({ detail }) => detail)]);
    }
    next = steps.next(yield step);
  }
  return plans;
}

function* writeVersions(bookId: number) {
  yield* insertMany(
    'changes',
    ['book_id', 'version', 'at', 'actor', 'operation', 'undoes'],
    versions.map(({ version, actor, operation }) => [
      bookId,
      version,
      at(version),
      actor,
      operation,
      null,
    ]),
  );
  // Lines of an older node have no mark for the second line about a table.
  const lines = versions.flatMap(({ version, record, firstId, length }) =>
    [0, 1].map((place) => [
      ...[bookId, version, place, record, firstId, firstId + length - 1, 'changed', '{}'],
      version % 2 ? place : 0,
    ]),
  );
  yield* insertMany(
    'changed_records',
    ['book_id', 'version', 'place', 'record', 'first_id', 'last_id', 'kind', 'diff', 'repeats'],
    lines,
  );
}
