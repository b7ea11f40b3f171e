import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import sql from 'sql-template-tag';
import { rows } from '../../db/engine.ts';
import type { Engine } from '../../db/engine.ts';
import { engines } from '../../db/testing/engines.ts';
import { selectMatches } from './matches.ts';
import type { Selection } from './query.ts';

const plain: Selection = {
  ...{ limit: 100, offset: 0, words: [], sort: '-date' },
  ...{ include_pending: false, include_split_parents: false, include_group_children: false },
  ...{ include_children: false, include_metadata: false, include_files: false },
};

interface Plan {
  readonly selection: Partial<Selection>;
  readonly indexes: readonly string[];
  /** The columns that are read; by default those of totals. */
  readonly columns?: string;
  /** Whether rows of the table are read, not only the index. */
  readonly readsRows?: boolean;
}

const byText = ['transactions_by_payee', 'transactions_by_notes'];
const toSum = 'transactions_to_sum';
const dates = { start_date: '2024-01-02', end_date: '2024-03-04' };
const filters = { min_amount: 3, manual_account_ids: [1, 2], category_ids: [4] };
/** What is read for selections, in an empty and in a large book. */
const plans: readonly Plan[] = [
  { selection: { words: ['cafe'], ...filters }, indexes: [...byText, toSum] },
  { selection: { words: ['cafe'], status: 'reviewed' }, indexes: [...byText, toSum] },
  { selection: { tag_ids: [1, 2] }, indexes: [toSum] },
  {
    selection: { words: ['cafe'], is_pending: true },
    indexes: ['transactions_pending'],
    readsRows: true,
  },
  { selection: { words: ['two', 'words'] }, indexes: byText },
  { selection: { words: ['cafe'], ...dates }, indexes: byText },
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

for (const { name, skip, open } of engines) {
  describe(`the plan of a selection on ${name}`, { skip }, () => {
    let engine: Engine;
    before(async () => {
      engine = await open();
    });

    const planOf = ({ selection, columns = 'date, to_base' }: Plan): Promise<string> =>
      engine.read(function* () {
        const wanted = { columns, isWhole: true };
        const categories = selection.category_ids ?? null;
        const matches = yield* selectMatches(
          ...([1, { ...plain, ...selection }, { ...wanted, categories }] as const),
        );
        if (name === 'SQLite') {
          const steps = yield* rows<{ detail: string }>(sql`EXPLAIN QUERY PLAN ${matches}`);
          return steps.map(({ detail }) => detail).join('\n');
        }
        const lines = yield* rows<{ 'QUERY PLAN': string }>(sql`EXPLAIN ${matches}`);
        return lines.map((line) => line['QUERY PLAN']).join('\n');
      });

    for (const plan of plans)
      it(`with ${JSON.stringify(plan.selection)} uses ${plan.indexes.join(' and ')}`, async () => {
        const found = await planOf(plan);
        if (name !== 'SQLite') {
          assert.doesNotMatch(found, /(Hash|Merge) (Anti |Semi )?Join/, found);
          if (plan.indexes.includes('transactions_by_notes')) assert.match(found, /Nested Loop/);
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
}
