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
  readonly columns: string;
  readonly indexes: readonly string[];
  /** No row of the table is read, only the index. */
  readonly isCovered: boolean;
}

const totals = 'date, to_base';
const dates = { start_date: '2024-01-02', end_date: '2024-03-04' };
const filters = { min_amount: 3, manual_account_ids: [1, 2], category_ids: [4] };
/** What is read for selections, in an empty and in a large book. */
const plans: readonly Plan[] = [
  {
    ...{ selection: { words: ['cafe'], ...filters }, columns: totals, isCovered: true },
    indexes: ['transactions_by_payee', 'transactions_by_notes', 'transactions_to_sum'],
  },
  {
    ...{ selection: { words: ['cafe'], status: 'reviewed' }, columns: totals, isCovered: true },
    indexes: ['transactions_by_payee', 'transactions_by_notes', 'transactions_to_sum'],
  },
  {
    ...{ selection: { tag_ids: [1, 2] }, columns: totals, isCovered: true },
    indexes: ['transactions_to_sum'],
  },
  {
    ...{ selection: { words: ['cafe'], is_pending: true }, columns: totals, isCovered: false },
    indexes: ['transactions_pending'],
  },
  {
    ...{ selection: { words: ['two', 'words'] }, columns: totals, isCovered: true },
    indexes: ['transactions_by_payee', 'transactions_by_notes'],
  },
  {
    ...{ selection: { words: ['cafe'], ...dates }, columns: totals, isCovered: true },
    indexes: ['transactions_by_payee', 'transactions_by_notes'],
  },
  {
    ...{ selection: { payee: 'Shop', ...dates }, columns: totals, isCovered: true },
    indexes: ['transactions_by_payee'],
  },
  {
    ...{ selection: { payee: 'Shop', ...filters }, columns: totals, isCovered: false },
    indexes: ['transactions_by_payee'],
  },
  {
    ...{ selection: { ...filters, ...dates }, columns: totals, isCovered: true },
    indexes: ['transactions_to_sum'],
  },
  {
    ...{ selection: { ...filters, status: 'reviewed' }, columns: totals, isCovered: true },
    indexes: ['transactions_to_sum'],
  },
  {
    ...{ selection: { import_id: 7 }, columns: 'date, id, amount', isCovered: true },
    indexes: ['transactions_to_sum'],
  },
];

for (const { name, skip, open } of engines) {
  describe(`the plan of a selection on ${name}`, { skip }, () => {
    let engine: Engine;
    before(async () => {
      engine = await open();
    });

    const planOf = ({ selection, columns }: Plan): Promise<string> =>
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
        if (plan.isCovered)
          assert.ok(
            covered.every(([, isCovering]) => isCovering),
            found,
          );
      });
  });
}
