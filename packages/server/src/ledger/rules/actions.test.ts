import assert from 'node:assert/strict';
import { beforeEach, it } from 'node:test';
import type { Change } from '../../book/change.ts';
import type { Steps } from '../../db/engine.ts';
import { categories, manualAccounts, plaidAccounts, tags } from '../../db/tables/tables.ts';
import { recordingEngine } from '../../db/testing/recording-engine.ts';
import { onEngines, type EngineBook } from '../../http/testing/engine-book.ts';
import { pick } from '../../http/testing/pick.ts';
import { insertTransactions, type NewTransaction } from '../transactions/writes.ts';
import { rulesOf, applyRules, createRule, listRules, updateRule } from './actions.ts';
import { applyToExisting, previewRules } from './examine.ts';
import type { RuleActions, RuleConditions } from './schema.ts';
import { ruleRecord } from './record.ts';

const referring = ruleRecord.refersTo;

type PreviewScope = Parameters<typeof previewRules>[1];

const transaction = (id: number, more: Partial<NewTransaction> = {}): NewTransaction => ({
  id,
  date: '2026-01-02',
  amount: 10_000,
  currency: 'usd',
  to_base: 10_000,
  payee: `Shop ${id}`,
  status: 'unreviewed',
  ...more,
});

onEngines('rules', (open) => {
  let book: EngineBook;
  let other: EngineBook;
  beforeEach(async () => {
    [other, book] = [await open(), await open()];
  });

  const add = (conditions: RuleConditions, actions: RuleActions, to = book) =>
    to.change((each) => createRule(each, { name: 'n', conditions, actions }));
  const change = <T>(work: (change: Change) => Steps<T>) => book.change(work);
  const left = () => book.read(() => listRules(book.id));
  const newCategory = async (name: string) =>
    (await change((each) => each.insert(categories, { name }))).id;
  const newTag = async (name: string) => (await change((each) => each.insert(tags, { name }))).id;

  it('apply to new transactions, and are read with one statement', async () => {
    const engine = recordingEngine(book.engine);
    const rows = [1, 2, 3].map((id) => transaction(id));
    const unruled = applyRules(await engine.read(() => rulesOf(book.id)), rows);
    const same = rows.map((row) => ({ row, parts: null }));
    assert.deepEqual(unruled, same);
    const category = await newCategory('Shops');
    await add({ payee: { operator: 'is', value: 'shop 2' } }, { category_id: category });
    await add({ category_id: category }, { notes: 'x', split: [{ percentage: 25 }, {}] });
    await add({ amount: { sign: 'debit' } }, { notes: 'of another book' }, other);
    const seen = engine.recorded.length;
    const ruled = applyRules(await engine.read(() => rulesOf(book.id)), rows);
    const own = engine.recorded
      .slice(seen)
      .filter(({ step }) => 'sql' in step && step.sql.includes('rules'));
    assert.equal(own.length, 1);
    const shown = pick(pick(ruled, 'row'), 'category_id', 'notes');
    assert.deepEqual(shown.map(String), [',', `${category},x`, ',']);
    assert.deepEqual(pick(ruled[1]!.parts!, 'amount'), [2500, 7500]);
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
    const payee = { operator: 'starts_with', value: 'shop' } as const;
    const rule = await add({ payee }, { category_id: category });
    const scope = { rule_id: rule.id, start_date: '2026-01-01', transactions: 1000 };
    const preview = (of: PreviewScope) => book.read(() => previewRules(book.id, of));
    const idsIn = async (of: PreviewScope) => pick((await preview(of)).transactions, 'id');
    assert.equal((await preview(scope)).examined, 2);
    assert.deepEqual(await idsIn(scope), [last, first]);
    assert.deepEqual(await idsIn({ transactions: 1 }), [last]);
    const done = await change((each) =>
      applyToExisting(each, { ...scope, end_date: '2026-01-03' }),
    );
    assert.deepEqual(done, { examined: 1, changed: 1 });
    assert.deepEqual(await idsIn(scope), [last]);
  });

  it('that are off do not apply, but one alone can be previewed and applied', async () => {
    const payee = { operator: 'is', value: 'shop 201' } as const;
    const { id } = await add({ payee }, { notes: 'n' });
    const rows = [transaction(201)];
    await change((each) => insertTransactions(each, rows));
    const ruled = async () =>
      applyRules(await book.read(() => rulesOf(book.id)), rows)[0]?.row.notes;
    const previewed = async (of: PreviewScope) =>
      (await book.read(() => previewRules(book.id, of))).changed;
    assert.deepEqual([await ruled(), await previewed({})], ['n', 1]);
    await change((each) => updateRule(each, id, { enabled: false }));
    assert.deepEqual(pick(await left(), 'enabled'), [false]);
    assert.deepEqual([await ruled(), await previewed({})], [undefined, 0]);
    assert.equal(await previewed({ rule_id: id }), 1);
    const done = await change((each) => applyToExisting(each, { rule_id: id }));
    assert.deepEqual(done, { examined: 1, changed: 1 });
  });

  it('examine every transaction of a book, some at a time', async () => {
    const many = Array.from({ length: 4500 }, (_each, at) =>
      transaction(1001 + at, { date: `2026-01-${10 + (at % 20)}` }),
    );
    await change((each) => insertTransactions(each, many));
    const payee = { operator: 'starts_with', value: 'shop' } as const;
    const { id } = await add({ payee }, { notes: 'all' });
    const scope = { rule_id: id, transactions: 1_000_000 };
    const found = await book.read(() => previewRules(book.id, { ...scope, limit: 3 }));
    assert.deepEqual([found.examined, found.changed, found.transactions.length], [4500, 4500, 3]);
    assert.equal(found.transactions[0]?.date, '2026-01-29');
    const apply = () => change((each) => applyToExisting(each, scope));
    assert.deepEqual(await apply(), { examined: 4500, changed: 4500 });
    assert.deepEqual(await apply(), { examined: 4500, changed: 0 });
  });

  it('lose references to a deleted record, or are removed with it', async () => {
    const [gone, kept] = [await newCategory('Gone'), await newCategory('Kept')];
    const [lost, label] = [await newTag('lost'), await newTag('label')];
    const always: RuleConditions = { amount: { min: 0 } };
    await add({ ...always, category_id: gone }, { category_id: gone });
    await add({ ...always, category_id: gone }, { reviewed: true });
    await add(always, { category_id: gone });
    await add(always, { category_id: gone, tag_ids: [lost] });
    await add(always, { split: [{ amount: 1, category_id: gone }, {}], tag_ids: [lost, label] });
    await add({ ...always, category_id: kept }, { tag_ids: [lost] });
    const counts = async () => [
      await book.read(() => referring.categories!.count(book.id, gone)),
      await book.read(() => referring.tags!.count(book.id, lost)),
      await other.read(() => referring.tags!.count(other.id, lost)),
    ];
    assert.deepEqual(await counts(), [5, 3, 0]);
    await change((each) => referring.categories!.detach(each, gone));
    await change((each) => referring.tags!.detach(each, lost));
    const kind = { split: [{ amount: '1.0000' }, {}], tag_ids: [label] };
    assert.deepEqual(pick(await left(), 'actions'), [kind]);
    assert.deepEqual(await counts(), [0, 0, 0]);
  });

  it('refer to the other record after a merge', async () => {
    const [from, into] = [await newCategory('From'), await newCategory('Into')];
    const [tag, second] = [await newTag('tag'), await newTag('second')];
    const split = [{ amount: 1, category_id: from }, {}];
    await add({ category_id: from }, { split, category_id: from, tag_ids: [tag, second] });
    await change((each) => referring.categories!.move(each, from, into));
    const [rule] = await left();
    assert.deepEqual(rule?.conditions, { category_id: into });
    const moved = { amount: '1.0000', category_id: into };
    assert.deepEqual(rule.actions, {
      category_id: into,
      split: [moved, {}],
      tag_ids: [tag, second],
    });
  });

  it('keep manual and synced accounts with the same id apart', async () => {
    const times = { balance: 0, currency: 'usd' };
    const manual = await change((each) =>
      each.insert(manualAccounts, {
        ...times,
        id: 77,
        name: 'm',
        type: 'cash',
        balance_as_of: each.at,
        created_by_name: 'a',
      }),
    );
    await change((each) =>
      each.insert(plaidAccounts, {
        ...times,
        id: 77,
        name: 'p',
        institution_name: 'b',
        type: 'cash',
        subtype: 's',
        mask: '1',
        linked_by_name: 'a',
        date_linked: '2026-01-01',
      }),
    );
    assert.equal(manual.id, 77);
    await add({ manual_account_id: 77 }, { reviewed: true });
    await add({ plaid_account_id: 77 }, { reviewed: true });
    await change((each) => referring.manual_accounts!.remove(each, 77));
    assert.deepEqual(pick(await left(), 'conditions'), [{ plaid_account_id: 77 }]);
  });
});
