import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import sql from 'sql-template-tag';
import type { TransactionQuery } from './query.ts';
import { rows } from '../db/engine.ts';
import { selectKeys } from './filter.ts';
import { migrate } from '../db/sqlite/migrate.ts';
import { openSqlite } from '../db/sqlite/sqlite.ts';
import type { SqliteEngine } from '../db/sqlite/sqlite.ts';

const plain: TransactionQuery = {
  limit: 1000,
  offset: 0,
  include_pending: false,
  include_split_parents: false,
  include_group_children: false,
  include_children: false,
  include_metadata: false,
  include_files: false,
};

/** Everything at once, as v1 lists it. */
const all = { include_split_parents: true, include_group_children: true };

/** Each filter with its index. The index must give the rows in order, without a sort, in an empty and a large book. */
const plans: readonly (readonly [filter: Partial<TransactionQuery>, index: string])[] = [
  [{}, 'transactions_by_date'],
  [{ include_pending: true }, 'transactions_by_date'],
  [all, 'transactions_by_date'],
  [{ status: 'unreviewed' }, 'transactions_by_date'],
  [{ updated_since: '2026-01-01T00:00:00.000Z' }, 'transactions_by_date'],
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
  [{ ...all, is_reviewed: false }, 'transactions_by_date'],
];

describe('the plan of a filtered list', () => {
  let engine: SqliteEngine;
  before(() => {
    engine = openSqlite({ path: ':memory:', busyTimeoutMs: 0 });
    migrate(engine);
  });
  after(() => engine.close());

  const planOf = (query: TransactionQuery, categories: number[] | null): Promise<string[]> => {
    const keys = selectKeys(1, query, categories, { date: '2024-06-30', id: 77 });
    return engine.read(function* () {
      const steps = yield* rows<{ detail: string }>(
        sql`EXPLAIN QUERY PLAN ${keys} LIMIT 2 OFFSET 999`,
      );
      return steps.map(({ detail }) => detail);
    });
  };

  for (const [filter, index] of plans) {
    it(`with ${JSON.stringify(filter)} uses ${index}`, async () => {
      const categories = filter.category_id ? [filter.category_id] : null;
      const plan = await planOf({ ...plain, ...filter }, categories);
      assert.match(plan.join('\n'), new RegExp(`INDEX ${index} `));
      assert.doesNotMatch(plan.join('\n'), /TEMP B-TREE|SCAN/);
    });
  }

  it('with a category group merges the index ranges of its members without a sort', async () => {
    const plan = await planOf({ ...plain, category_id: 1 }, [1, 2, 3]);
    assert.equal(plan.filter((step) => step.includes('transactions_by_category')).length, 3);
    assert.match(plan.join('\n'), /MERGE \(UNION ALL\)/);
    assert.doesNotMatch(plan.join('\n'), /TEMP B-TREE/);
  });

  it('with a tag reads the tag table in order', async () => {
    const plan = await planOf({ ...plain, tag_id: 4 }, null);
    assert.match(plan.join('\n'), /SEARCH k USING PRIMARY KEY \(book_id=\? AND tag_id=\?/);
    assert.doesNotMatch(plan.join('\n'), /TEMP B-TREE/);
  });
});
