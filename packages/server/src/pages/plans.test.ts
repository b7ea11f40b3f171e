import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import sql, { type Sql } from 'sql-template-tag';
import { dialectOf, rows, run, type Engine, type Steps } from '../db/engine.ts';
import { migrate } from '../db/sqlite/migrate.ts';
import { openSqlite, type SqliteEngine } from '../db/sqlite/sqlite.ts';
import { engines } from '../db/testing/engines.ts';
import { newBook } from '../identity/users/testing/new-book.ts';
import type { TransactionQuery } from './filter.ts';
import { selectKeys, bestPath } from './paths.ts';
import { selectRows } from './pages.ts';
import { selectMatches, selectAmong } from './selection/matches.ts';
import type { Selection } from './selection/query.ts';
import { plainQuery, plainSelection } from './testing/plain-query.ts';

const all = { include_split_parents: true, include_group_children: true };

/** Each filter with its index. The index must give the rows in order, without a sort, in an empty and a large book. */
const plans: readonly (readonly [filter: Partial<TransactionQuery>, index: string])[] = [
  [{}, 'transactions_by_date'],
  [{ include_pending: true }, 'transactions_by_date'],
  [all, 'transactions_by_date'],
  [{ status: 'unreviewed' }, 'transactions_by_status'],
  [{ manual_account_id: 3 }, 'transactions_by_manual_account'],
  [{ manual_account_id: 3, status: 'reviewed' }, 'transactions_by_manual_account'],
  [
    { manual_account_id: 3, start_date: '2024-01-01', end_date: '2024-12-31' },
    'transactions_by_manual_account',
  ],
  [{ plaid_account_id: 3 }, 'transactions_by_plaid_account'],
  [{ recurring_id: 3 }, 'transactions_by_recurring'],
  [{ category_id: 3 }, 'transactions_by_category'],
  [{ category_id: 0 }, 'transactions_by_category'],
  [{ is_pending: true }, 'transactions_pending'],
  [{ is_group_parent: true }, 'transactions_group_parents'],
  [{ ...all, is_reviewed: false }, 'transactions_by_status'],
];

describe('the plan of a filtered list', () => {
  let engine: SqliteEngine;
  before(() => {
    engine = openSqlite({ path: ':memory:', busyTimeoutMs: 0 });
    migrate(engine);
  });
  after(() => engine.close());

  const planOf = (query: TransactionQuery, categories: number[] | null): Promise<string[]> => {
    const filter = { query, categories };
    const after = { date: '2024-06-30', id: 77 };
    return engine.read(function* () {
      const path = yield* bestPath(1, filter);
      const keys = selectKeys(1, filter, path, { after }, yield* dialectOf());
      const steps = yield* rows<{ detail: string }>(
        sql`EXPLAIN QUERY PLAN ${keys} LIMIT 2 OFFSET 999`,
      );
      return steps.map(({ detail }) => detail);
    });
  };

  it('uses the index of its filter, in its order', async () => {
    for (const [filter, index] of plans) {
      const categories = filter.category_id ? [filter.category_id] : null;
      const plan = (await planOf({ ...plainQuery, ...filter }, categories)).join('\n');
      assert.match(plan, new RegExp(`INDEX ${index} `), JSON.stringify(filter));
      assert.doesNotMatch(plan, /TEMP B-TREE|SCAN/, JSON.stringify(filter));
    }
  });

  it('with a category group merges the index ranges of its members without a sort', async () => {
    const plan = await planOf({ ...plainQuery, category_id: 1 }, [1, 2, 3]);
    assert.equal(plan.filter((step) => step.includes('transactions_by_category')).length, 3);
    assert.match(plan.join('\n'), /MERGE \(UNION ALL\)/);
    assert.doesNotMatch(plan.join('\n'), /TEMP B-TREE/);
  });

  it('by the time of a change seeks that time, and sorts what it finds', async () => {
    const times = {
      updated_since: ['transactions_unchanged', 'updated_at', 'transactions_by_update'],
      created_since: ['transactions_unchanged', 'created_at', 'transactions_by_creation'],
    };
    for (const [name, [unchanged, column, changed]] of Object.entries(times)) {
      const query = { ...plainQuery, [name]: '2026-01-01T00:00:00.000Z' };
      const plan = (await planOf(query, null)).join('\n');
      assert.match(plan, new RegExp(`INDEX ${unchanged} \\(book_id=\\? AND updated_at>\\?\\)`));
      assert.match(plan, new RegExp(`INDEX ${changed} \\(book_id=\\? AND ${column}>\\?\\)`));
      assert.doesNotMatch(plan, /SCAN t\b|ANY/);
    }
  });

  it('with a tag reads the tag table in order', async () => {
    const plan = await planOf({ ...plainQuery, tag_id: 4 }, null);
    assert.match(plan.join('\n'), /SEARCH k USING PRIMARY KEY \(book_id=\? AND tag_id=\?/);
    assert.doesNotMatch(plan.join('\n'), /TEMP B-TREE/);
  });
});

/** Each list that the counts cover, with the index that gives its rows in order. */
const counted: readonly (readonly [shown: Partial<TransactionQuery>, index: string])[] = [
  [{}, 'transactions_by_date'],
  [{ include_pending: true }, 'transactions_by_date'],
  [{ include_split_parents: true }, 'transactions_by_date'],
  [{ include_group_children: true }, 'transactions_by_date'],
  [all, 'transactions_by_date'],
  [{ ...all, include_pending: true }, 'transactions_by_date'],
  [{ ...all, is_pending: false }, 'transactions_by_date'],
  [{ is_pending: true }, 'transactions_pending'],
  [{ ...all, is_pending: true }, 'transactions_pending'],
  [{ status: 'reviewed' }, 'transactions_by_status'],
  [{ status: 'unreviewed', include_pending: true }, 'transactions_by_status'],
];

/** Filters of the filled book, with the number of its rows that each has. */
const sizes: readonly (readonly [filter: Partial<TransactionQuery>, rows: number])[] = [
  [{ updated_since: '2026-01-01' }, 8],
  [{ created_since: '2026-01-01' }, 20],
  [{ status: 'delete_pending' }, 80],
  [{ recurring_id: 5 }, 160],
  [{ is_pending: true }, 267],
  [{ manual_account_id: 2 }, 400],
  [{ start_date: '2020-11-01', end_date: '2020-12-31' }, 1333],
];

for (const { name, skip, open } of engines)
  describe(`lists of a filled book on ${name}`, { skip }, () => {
    let engine: Engine;
    let bookId: number;
    before(async () => {
      engine = await open();
      bookId = (await newBook(engine)).id;
      await engine.write(() => fillRows(bookId));
      // SQLite's figures about indexes are fixed.
      if (name === 'PostgreSQL') await engine.write(() => run(sql`ANALYZE transactions`));
    });

    it('seek in the index of their rows where counts find a page', async () => {
      const isSqlite = name === 'SQLite';
      for (const [shown, index] of counted) {
        const query = { ...plainQuery, ...shown, end_date: '2024-06-15' };
        const statement = sql`${selectRows(bookId, query)} LIMIT 1000 OFFSET 3`;
        const explain = isSqlite ? sql`EXPLAIN QUERY PLAN` : sql`EXPLAIN`;
        const lines = await engine.read(() => rows<object>(sql`${explain} ${statement}`));
        const plan = lines.map((line) => Object.values(line).join(' ')).join('\n');
        const seek = isSqlite
          ? `INDEX ${index} \\(book_id=\\?( AND status=\\?)? AND date>\\? AND date<\\?`
          : `using ${index} `;
        assert.match(plan, new RegExp(seek), JSON.stringify(shown));
        assert.doesNotMatch(plan, /TEMP B-TREE|SCAN|Sort/, JSON.stringify(shown));
      }
    });

    const pathOf = (query: Partial<TransactionQuery>) =>
      engine.read(() => bestPath(bookId, { query: { ...plainQuery, ...query }, categories: null }));

    it('go by the filter with the fewest rows, of any two', async () => {
      for (const [at, [filter]] of sizes.entries())
        for (const [other] of sizes.slice(at + 1)) {
          const { filter: found } = await pathOf({ ...other, ...filter });
          const wanted = Object.keys(filter)[0] === 'start_date' ? 'date' : Object.keys(filter)[0];
          assert.equal(found, wanted, JSON.stringify([filter, other]));
        }
    });

    it('are known to be empty if a filter has no rows', async () => {
      for (const none of [{ updated_since: '2027-01-01' }, { created_since: '2027-01-01' }])
        for (const [other] of sizes)
          assert.equal((await pathOf({ ...other, ...none })).isEmpty, true);
    });

    it('by the time of a change read its index, not the book', async () => {
      const filter = { query: { ...plainQuery, updated_since: '2026-01-01' }, categories: null };
      const lines = await engine.read(function* () {
        const path = yield* bestPath(bookId, filter);
        const keys = selectKeys(bookId, filter, path, { after: null }, yield* dialectOf());
        const explain = name === 'SQLite' ? sql`EXPLAIN QUERY PLAN` : sql`EXPLAIN`;
        return yield* rows<object>(sql`${explain} ${keys} LIMIT 100`);
      });
      const plan = lines.map((line) => Object.values(line).join(' ')).join('\n');
      for (const index of ['transactions_unchanged', 'transactions_by_update'])
        assert.match(plan, new RegExp(index));
      assert.doesNotMatch(plan, /Seq Scan|SCAN t\b|transactions_by_date/);
    });
  });

/** Inserts 8,000 rows of 2,000 days, of which each tenth is pending, a split parent or a group member. */
function* fillRows(bookId: number) {
  yield* run(sql`
    INSERT INTO transactions (id, book_id, date, amount, currency, to_base, payee, status, created_at, updated_at,
      is_pending, is_split_parent, group_parent_id, recurring_id, manual_account_id)
    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 8000)
    SELECT 1000000 + ${bookId} * 100000 + n, CAST(${bookId} AS BIGINT),
      (2020 + n % 6) || '-' || (11 + n % 2) || '-' || (11 + n / 2 % 17),
      0, 'usd', 0, 'P', CASE WHEN n % 100 = 3 THEN 'delete_pending' ELSE 'reviewed' END,
      CASE WHEN n % 400 = 7 THEN '2026-06-01' ELSE '' END,
      CASE WHEN n % 1000 = 7 THEN '2026-06-01' ELSE '' END,
      CASE WHEN n % 30 = 0 THEN 1 ELSE 0 END, CASE WHEN n % 30 = 10 THEN 1 ELSE 0 END,
      CASE WHEN n % 30 = 20 THEN 1 END, CASE WHEN n % 50 = 1 THEN 5 END,
      CASE WHEN n % 20 = 4 THEN 2 END
    FROM numbers`);
}

interface Plan {
  readonly selection: Partial<Selection>;
  readonly indexes: readonly string[];
  /** The columns that are read; by default those of totals. */
  readonly columns?: string;
  /** Whether rows of the table are read, not only the index. */
  readonly readsRows?: boolean;
}

const toSum = 'transactions_to_sum';
const dates = { start_date: '2024-01-02', end_date: '2024-03-04' };
const filters = { min_amount: 3, manual_account_ids: [1, 2], category_ids: [4] };
/** What is read for selections, in an empty and in a large book. */
const selectionPlans: readonly Plan[] = [
  { selection: { tag_ids: [1, 2] }, indexes: [toSum] },
  { selection: { is_pending: true }, indexes: ['transactions_pending'], readsRows: true },
  { selection: { payee: 'Shop', ...dates }, indexes: ['transactions_by_payee'] },
  {
    selection: { payee: 'Shop', ...filters },
    indexes: ['transactions_by_payee'],
    readsRows: true,
  },
  { selection: { ...filters, ...dates }, indexes: [toSum] },
  { selection: { ...filters, status: 'reviewed' }, indexes: [toSum] },
  { selection: { import_id: 7 }, columns: 'date, id, amount', indexes: [toSum] },
];

for (const { name, skip, open } of engines)
  describe(`the plan of a selection on ${name}`, { skip }, () => {
    let engine: Engine;
    before(async () => {
      engine = await open();
    });

    const planOf = ({ selection, columns = 'date, to_base' }: Plan): Promise<string> =>
      explained(() => {
        const wanted = { columns, isWhole: true, categories: selection.category_ids ?? null };
        return selectMatches(1, { ...plainSelection, ...selection }, wanted);
      });

    const explained = (statement: () => Steps<Sql>): Promise<string> =>
      engine.read(function* () {
        const matches = yield* statement();
        if (name === 'SQLite') {
          const steps = yield* rows<{ detail: string }>(sql`EXPLAIN QUERY PLAN ${matches}`);
          return steps.map(({ detail }) => detail).join('\n');
        }
        const lines = yield* rows<{ 'QUERY PLAN': string }>(sql`EXPLAIN ${matches}`);
        return lines.map((line) => line['QUERY PLAN']).join('\n');
      });

    it('compares rows that a search has found in an index, or by their ids', async () => {
      const keys = [{ date: '2024-01-02', id: 3 }];
      const planOfKeys = (more: Partial<Selection>): Promise<string> =>
        explained(() => selectAmong(1, { ...plainSelection, ...filters, ...more }, [4], keys));
      const [listed, pending] = [await planOfKeys({}), await planOfKeys({ is_pending: true })];
      if (name === 'SQLite') {
        assert.match(listed, /SEARCH t USING COVERING INDEX transactions_to_sum/);
        assert.match(pending, /SEARCH t USING INTEGER PRIMARY KEY/);
      } else
        for (const found of [listed, pending]) {
          assert.match(found, /Nested Loop/);
          assert.match(found, /Index Cond: .*id = given\.id/);
        }
    });

    for (const plan of selectionPlans)
      it(`with ${JSON.stringify(plan.selection)} uses ${plan.indexes.join(' and ')}`, async () => {
        const found = await planOf(plan);
        if (name !== 'SQLite') {
          assert.doesNotMatch(found, /(Hash|Merge) (Anti |Semi )?Join/, found);
          return;
        }
        assert.doesNotMatch(found, /SCAN t\b/, found);
        for (const index of plan.indexes) assert.match(found, new RegExp(`INDEX ${index} `));
        const covered = [...found.matchAll(/SEARCH t USING (COVERING )?INDEX/g)];
        assert.equal(covered.length, plan.indexes.length);
        if (plan.readsRows !== true)
          assert.ok(
            covered.every(([, isCovering]) => isCovering),
            found,
          );
      });
  });
