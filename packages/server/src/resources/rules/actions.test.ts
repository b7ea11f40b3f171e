import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import fc from 'fast-check';
import { changing } from '../../changes/changing.ts';
import type { Change } from '../../changes/change.ts';
import type { Steps } from '../../db/engine.ts';
import { select } from '../../db/rows.ts';
import { categories, manualAccounts, plaidAccounts, rules, tags } from '../../db/tables.ts';
import { usualEngines } from '../../db/testing/engines.ts';
import { recordingEngine } from '../../db/testing/recording-engine.ts';
import type { RecordingEngine } from '../../db/testing/recording-engine.ts';
import { insertTransactions } from '../transactions/actions.ts';
import type { NewTransaction } from '../transactions/actions.ts';
import { newBook } from '../users/testing/new-book.ts';
import { applyRules, createRule, listRules, rulesOf, rulesOfAccount } from './actions.ts';
import { rulesOfCategory, rulesOfPlaidAccount, rulesOfTag } from './actions.ts';
import { applyToExisting, previewRules } from './examine.ts';
import type { RuleActions, RuleConditions } from './schema.ts';
import { runs } from '../../../../core/src/testing/length.ts';

const transaction = (id: number, more: Partial<NewTransaction> = {}): NewTransaction => ({
  ...{ id, date: '2026-01-02', amount: 10_000, currency: 'usd', to_base: 10_000 },
  ...{ payee: `Shop ${id}`, status: 'unreviewed' },
  ...more,
});

for (const { name, skip, open } of usualEngines) {
  describe(`rules on ${name}`, { skip }, () => {
    let engine: RecordingEngine;
    let bookId: number;
    let other: number;
    before(async () => {
      engine = recordingEngine(await open());
      other = (await newBook(engine)).id;
      bookId = (await newBook(engine)).id;
    });

    const change = <T>(work: (change: Change) => Steps<T>, book = bookId): Promise<T> =>
      engine.write(() => changing({ bookId: book, actor: 'test', operation: 'test' }, work));
    const add = (conditions: RuleConditions, actions: RuleActions, book = bookId) =>
      change((each) => createRule(each, { name: 'n', conditions, actions }), book);
    const clear = () =>
      change(function* (each) {
        yield* each.removeAll(rules, yield* select(rules, { book_id: bookId }));
      });
    const newCategory = (label: string) =>
      change((each) => each.insert(categories, { name: label })).then(({ id }) => id);
    const newTag = (label: string) =>
      change((each) => each.insert(tags, { name: label })).then(({ id }) => id);

    it('apply to new transactions, and are read with one statement', async () => {
      const rows = [1, 2, 3].map((id) => transaction(id));
      const unruled = applyRules(await engine.read(() => rulesOf(bookId)), rows);
      assert.deepEqual(
        unruled,
        rows.map((row) => ({ row, parts: null })),
      );
      const category = await newCategory('Shops');
      await add({ payee: { operator: 'is', value: 'shop 2' } }, { category_id: category });
      await add({ category_id: category }, { notes: 'x', split: [{ percentage: 25 }, {}] });
      await add({ amount: { sign: 'debit' } }, { notes: 'of another book' }, other);
      const seen = engine.recorded.length;
      const ruled = applyRules(await engine.read(() => rulesOf(bookId)), rows);
      const own = engine.recorded
        .slice(seen)
        .filter(({ step }) => 'sql' in step && step.sql.includes('rules'));
      assert.equal(own.length, 1);
      assert.deepEqual(
        ruled.map(({ row }) => [row.category_id, row.notes]),
        [
          [null, null],
          [category, 'x'],
          [null, null],
        ],
      );
      assert.deepEqual(
        ruled[1]!.parts?.map(({ amount }) => amount),
        [2500, 7500],
      );
      await clear();
    });

    it('are applied to existing transactions as one change, except splits and recurring items', async () => {
      const category = await newCategory('Applied');
      const [first, last] = [101, 105];
      await change(function* (each) {
        const rows = [
          transaction(101, { date: '2026-01-01' }),
          transaction(102, { date: '2026-01-03', recurring_id: 1 }),
          transaction(103, { date: '2026-01-03', is_split_parent: true }),
          transaction(104, { date: '2026-01-03', split_parent_id: 103 }),
          transaction(105, { date: '2026-01-04', tag_ids: '[]' }),
        ];
        for (const row of rows) yield* insertTransactions(each, [row]);
      });
      const rule = await add(
        { payee: { operator: 'starts_with', value: 'shop' } },
        { category_id: category },
      );
      const scope = { rule_id: rule.id, start_date: '2026-01-01', transactions: 1000 };
      const { examined, transactions } = await engine.read(() => previewRules(bookId, scope));
      assert.equal(examined, 2);
      assert.deepEqual(
        transactions.map(({ id }) => id),
        [last, first],
      );
      const latest = await engine.read(() => previewRules(bookId, { transactions: 1 }));
      assert.deepEqual(
        latest.transactions.map(({ id }) => id),
        [last],
      );
      const done = await change((each) =>
        applyToExisting(each, { ...scope, end_date: '2026-01-03' }),
      );
      assert.deepEqual(done, { examined: 1, changed: 1 });
      const again = await engine.read(() => previewRules(bookId, scope));
      assert.deepEqual(
        again.transactions.map(({ id }) => id),
        [last],
      );
      await clear();
    });

    it('lose references to a deleted record, or are removed with it', async () => {
      const [gone, kept] = [await newCategory('Gone'), await newCategory('Kept')];
      const [lost, label] = [await newTag('lost'), await newTag('label')];
      const always: RuleConditions = { amount: { min: 0 } };
      await add({ ...always, category_id: gone }, { reviewed: true });
      await add(always, { category_id: gone });
      await add(always, { category_id: gone, tag_ids: [lost] });
      await add(always, { split: [{ amount: 1, category_id: gone }, {}], tag_ids: [lost, label] });
      await add({ ...always, category_id: kept }, { tag_ids: [lost] });
      assert.equal(await engine.read(() => rulesOfCategory.count(bookId, gone)), 4);
      assert.equal(await engine.read(() => rulesOfTag.count(bookId, lost)), 3);
      assert.equal(await engine.read(() => rulesOfTag.count(other, lost)), 0);
      await change((each) => rulesOfCategory.detach(each, gone));
      await change((each) => rulesOfTag.detach(each, lost));
      const left = await engine.read(() => listRules(bookId));
      assert.deepEqual(
        left.map(({ actions }) => actions),
        [{ split: [{ amount: '1.0000' }, {}], tag_ids: [label] }],
      );
      assert.equal(await engine.read(() => rulesOfCategory.count(bookId, gone)), 0);
      await clear();
    });

    it('refer to the other record after a merge', async () => {
      const [from, into] = [await newCategory('From'), await newCategory('Into')];
      const [tag, second] = [await newTag('tag'), await newTag('second')];
      const split = [{ amount: 1, category_id: from }, {}];
      await add({ category_id: from }, { split, category_id: from, tag_ids: [tag, second] });
      await change((each) => rulesOfCategory.move(each, from, into));
      await change((each) => rulesOfTag.move(each, tag, second));
      const [rule] = await engine.read(() => listRules(bookId));
      assert.deepEqual(rule?.conditions, { category_id: into });
      const moved = { amount: '1.0000', category_id: into };
      assert.deepEqual(rule.actions, { category_id: into, split: [moved, {}], tag_ids: [second] });
      await clear();
    });

    it('keep manual and synced accounts with the same id apart', async () => {
      const times = { balance: 0, currency: 'usd' };
      const manual = await change((each) =>
        each.insert(manualAccounts, {
          ...{ ...times, id: 77, name: 'm', type: 'cash', balance_as_of: each.at },
          created_by_name: 'a',
        }),
      );
      await change((each) =>
        each.insert(plaidAccounts, {
          ...{ ...times, id: 77, name: 'p', institution_name: 'b', type: 'cash', subtype: 's' },
          ...{ mask: '1', linked_by_name: 'a', date_linked: '2026-01-01' },
        }),
      );
      assert.equal(manual.id, 77);
      await add({ manual_account_id: 77 }, { reviewed: true });
      await add({ plaid_account_id: 77 }, { reviewed: true });
      assert.equal(await engine.read(() => rulesOfAccount.count(bookId, 77)), 1);
      assert.equal(await engine.read(() => rulesOfPlaidAccount.count(bookId, 77)), 1);
      await change((each) => rulesOfAccount.detach(each, 77));
      const left = await engine.read(() => listRules(bookId));
      assert.deepEqual(
        left.map(({ conditions }) => conditions),
        [{ plaid_account_id: 77 }],
      );
      await clear();
    });

    it('are counted exactly as often as they lose something by a detachment', async () => {
      const ids = [await newCategory('A'), await newCategory('B'), await newCategory('C')];
      const some = fc.option(fc.constantFrom(...ids), { nil: undefined });
      const ofCategory = (id: number | undefined) => (id === undefined ? {} : { category_id: id });
      await fc.assert(
        fc.asyncProperty(fc.array(fc.tuple(some, some, some), { maxLength: 4 }), async (all) => {
          for (const [condition, action, part] of all)
            await add(
              { amount: { min: 0 }, ...ofCategory(condition) },
              { ...ofCategory(action), split: [{ amount: 1, ...ofCategory(part) }, {}] },
            );
          const [id] = ids as [number];
          const users = all.filter((each) => each.includes(id));
          assert.equal(await engine.read(() => rulesOfCategory.count(bookId, id)), users.length);
          await change((each) => rulesOfCategory.detach(each, id));
          const left = await engine.read(() => listRules(bookId));
          assert.equal(left.length, all.filter(([condition]) => condition !== id).length);
          assert.ok(!JSON.stringify(left).includes(`"category_id":${id}`));
          await clear();
        }),
        { numRuns: runs(10) },
      );
    });
  });
}
