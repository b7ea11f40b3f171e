import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dayOn } from './calendar.ts';
import { draftTransaction, type DraftFields } from './draft-transaction.ts';
import { Random } from './random.ts';
import { TransactionWriter } from './transaction-writer.ts';

function purchase(date: string, fields: Partial<DraftFields> = {}) {
  const day = dayOn(date);
  return draftTransaction({
    day,
    amount: 1_234_500,
    payee: 'Shop',
    category: 'Groceries',
    account: 'travelCard',
    ...fields,
  });
}

function payment(date: string) {
  const fields = { day: dayOn(date), amount: 0, payee: 'Payment', category: null };
  const cardSide = draftTransaction({ ...fields, account: 'travelCard' });
  return [draftTransaction({ ...fields, account: 'checking', cardSide }), cardSide];
}

function amountsOf(drafts: readonly ReturnType<typeof draftTransaction>[]): number[] {
  const writer = new TransactionWriter(new Random(1));
  for (const draft of drafts) writer.write(draft);
  return writer.transactions.map(({ amount }) => amount);
}

test('a card payment pays what was owed at the end of the month before, in whole cents', () => {
  const abroad = purchase('2022-01-31', { amount: 1_000_100, currency: 'eur' });
  const amounts = amountsOf([
    purchase('2022-01-30'),
    abroad,
    purchase('2022-02-03'),
    ...payment('2022-02-05'),
    ...payment('2022-03-05'),
  ]);
  assert.deepEqual(amounts.slice(3), [2_278_100, -2_278_100, 1_234_500, -1_234_500]);
});

test('parts of a split are not charged to the card twice', () => {
  const parent = purchase('2022-01-10', { isSplitParent: true });
  const part = purchase('2022-01-10', { splitParent: parent });
  assert.equal(amountsOf([parent, part, ...payment('2022-02-05')])[2], 1_234_500);
});

test('a card on which nothing is owed is paid a small sum all the same', () => {
  const refund = purchase('2022-01-10', { amount: -500_000 });
  assert.deepEqual(amountsOf([refund, ...payment('2022-02-05')]).slice(1), [250_000, -250_000]);
});

test('a row whose parent has not been written is refused', () => {
  const parent = purchase('2022-01-10', { isSplitParent: true });
  const writer = new TransactionWriter(new Random(1));
  assert.throws(() => writer.write(purchase('2022-01-10', { splitParent: parent })), {
    message: 'The parent "Shop" must be written first',
  });
});

test('rows read from a file are numbered within their account', () => {
  const writer = new TransactionWriter(new Random(1));
  for (const account of ['creditUnion', 'savings', 'creditUnion', 'wallet', 'checking'] as const) {
    writer.write(purchase('2022-01-10', { account }));
  }
  assert.deepEqual(
    writer.transactions.map(({ externalId }) => externalId),
    ['CVCU-0000001', 'RDS-0000001', 'CVCU-0000002', null, null],
  );
});
