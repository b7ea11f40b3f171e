import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { evaluator, foldText } from './rules.ts';
import type { Actions, Conditions, KnownRecords, PartAction, StoredRule } from './rules.ts';
import { runs } from '../../../../core/src/testing/length.ts';

type NewTransaction = Parameters<ReturnType<typeof evaluator>>[0];

const known: KnownRecords = { categories: new Set([1, 2, 3]), tags: new Set([7, 8]), excluded: 3 };
const bare: NewTransaction = {
  id: 1,
  date: '2026-01-02',
  amount: 45_000,
  currency: 'usd',
  to_base: 45_000,
  payee: 'BLUE CAFÉ 0042',
  status: 'unreviewed',
  manual_account_id: 5,
};
const row: NewTransaction = { ...bare, notes: 'with Ann', category_id: 1, tag_ids: '[8]' };
const rule = (conditions: Conditions, actions: Actions = {}, stop = false): StoredRule => ({
  id: 1,
  conditions,
  actions,
  stop,
});
const applies = (conditions: Conditions, to = row): boolean =>
  evaluator([rule(conditions)], known)(to).ruleIds.length === 1;
const after = (...all: StoredRule[]) => evaluator(all, known)(row);

test('texts are compared with single blanks, and without letter case and Unicode form', () => {
  for (const [operator, value, expected] of [
    ['is', '  blue cafe\u0301 0042\n', true],
    ['is', 'blue café', false],
    ['contains', 'CAFE\u0301', true],
    ['contains', 'cafe', false],
    ['is', 'Blue \u00a0caf\u00e9\t 0042', true],
    ['contains', 'e\u2003caf\u00e9  0', true],
    ['starts_with', 'blue\t\tcaf\u00e9', true],
    ['is', 'bluecaf\u00e9 0042', false],
    ['starts_with', 'Blue', true],
    ['starts_with', 'café', false],
    ['starts_with', 'blue c.*', false],
  ] as const)
    assert.equal(applies({ payee: { operator, value } }), expected, `${operator} ${value}`);
  assert.ok(applies({ notes: { operator: 'contains', value: 'ANN' } }));
  assert.ok(!applies({ notes: { operator: 'contains', value: 'ANN' } }, bare));
  assert.equal(foldText('STRASSE'), foldText('Straße'));
  assert.equal(foldText('ΟΔΟΣ'), foldText('οδος'));
});

test('amounts are compared by size, and by sign', () => {
  for (const [amount, expected] of [
    [{ equals: 45_000 }, true],
    [{ equals: 45_001 }, false],
    [{ min: 45_000, max: 45_000 }, true],
    [{ min: 45_001 }, false],
    [{ max: 44_999 }, false],
    [{ sign: 'debit', max: 50_000 }, true],
    [{ sign: 'credit' }, false],
  ] as const)
    assert.equal(applies({ amount }), expected, JSON.stringify(amount));
  assert.ok(applies({ amount: { equals: 45_000, sign: 'credit' } }, { ...row, amount: -45_000 }));
  const zero = { ...row, amount: 0 };
  assert.ok(!applies({ amount: { sign: 'debit' } }, zero));
  assert.ok(!applies({ amount: { sign: 'credit' } }, zero));
});

test('all conditions must hold', () => {
  const all: Conditions = { manual_account_id: 5, category_id: 1, amount: { sign: 'debit' } };
  assert.ok(applies(all));
  for (const wrong of [{ manual_account_id: 6 }, { category_id: 2 }, { plaid_account_id: 5 }])
    assert.ok(!applies({ ...all, ...wrong }), JSON.stringify(wrong));
});

test('actions set columns, and keep the first payee', () => {
  const everything: Actions = { payee: 'Cafe', category_id: 2, tag_ids: [7, 8], notes: 'n' };
  const { row: changed, parts } = after(rule({}, { ...everything, reviewed: true }));
  assert.deepEqual(changed, {
    ...row,
    payee: 'Cafe',
    original_name: row.payee,
    category_id: 2,
    tag_ids: '[8,7]',
    notes: 'n',
    status: 'reviewed',
  });
  assert.equal(parts, null);
  assert.equal(after(rule({}, { reviewed: false })).row.status, 'unreviewed');
  assert.equal(after(rule({}, { exclude: true })).row.category_id, 3);
  const named = evaluator([rule({}, { payee: 'x' })], known)({ ...row, original_name: 'first' });
  assert.equal(named.row.original_name, 'first');
});

test('references to records that the book does not have do nothing', () => {
  const gone: Actions = {
    category_id: 9,
    tag_ids: [9],
    split: [{ amount: 1, category_id: 9 }, {}],
  };
  const { row: changed, parts } = after(rule({}, gone));
  assert.deepEqual([changed.category_id, changed.tag_ids], [1, '[8]']);
  assert.deepEqual(parts, [{ amount: 1 }, { amount: 44_999 }]);
  const without = { ...known, excluded: null };
  const kept = evaluator([rule({}, { exclude: true })], without)(row);
  assert.equal(kept.row.category_id, 1);
});

test('later rules see what earlier ones did, until one stops', () => {
  const rename = rule({ payee: { operator: 'contains', value: 'blue' } }, { payee: 'Café' });
  const second = rule({ payee: { operator: 'is', value: 'café' } }, { category_id: 2 });
  assert.equal(after(rename, { ...second, id: 2 }).row.category_id, 2);
  assert.deepEqual(after(rename, { ...second, id: 2 }).ruleIds, [1, 2]);
  assert.equal(after(second, rename).row.category_id, 1);
  assert.equal(after({ ...rename, stop: true }, second).row.category_id, 1);
});

const partArbitrary: fc.Arbitrary<PartAction> = fc.oneof(
  fc.integer({ min: 1, max: 60_000 }).map((amount) => ({ amount })),
  fc.integer({ min: 1, max: 400_000 }).map((percentage) => ({ percentage })),
);

test('the parts of a split total its amount, none is empty, and all have its sign', () => {
  fc.assert(
    fc.property(
      fc.array(partArbitrary, { minLength: 1, maxLength: 4 }),
      fc.oneof(fc.integer({ min: -90_000, max: 90_000 }), fc.maxSafeInteger()),
      fc.constantFrom('usd', 'jpy', 'tnd', 'eth'),
      (parts, amount, currency) => {
        const split = [...parts, {}];
        const evaluate = evaluator([rule({}, { split })], known);
        const { parts: made } = evaluate({ ...row, amount, currency });
        const digits = { usd: 2, jpy: 0, tnd: 3, eth: 4 }[currency];
        const unit = 10 ** (4 - digits);
        const size = (part: PartAction): bigint => {
          if (part.amount !== undefined) return BigInt(part.amount);
          // Half to even, digit by digit in units.
          const [above, below] = [BigInt(Math.abs(amount)) * BigInt(part.percentage!), 1_000_000n];
          const units = above / (below * BigInt(unit));
          const twice = (above - units * below * BigInt(unit)) * 2n;
          const half = below * BigInt(unit);
          const up = twice > half || (twice === half && units % 2n === 1n);
          return (units + (up ? 1n : 0n)) * BigInt(unit);
        };
        const sizes = parts.map(size);
        const rest = BigInt(Math.abs(amount)) - sizes.reduce((sum, each) => sum + each, 0n);
        if (rest <= 0n || sizes.includes(0n)) {
          assert.equal(made, null);
          return;
        }
        const sign = amount < 0 ? -1 : 1;
        const expected = [...sizes, rest].map((each) => sign * Number(each));
        assert.deepEqual(
          made?.map((each) => each.amount),
          expected,
        );
      },
    ),
    { numRuns: runs(500) },
  );
});

test('every evaluated row has all columns that rules write', () => {
  const evaluate = evaluator([rule({ category_id: 1 }, { notes: 'x' })], known);
  const keys = [bare, row].map((each) => Object.keys(evaluate(each).row).toSorted());
  assert.deepEqual(keys[0], keys[1]);
});
