import assert from 'node:assert/strict';
import { it } from 'node:test';
import { entriesOf } from '../../testing/reading.ts';

it('reads YNAB with accounts, flags and splits', () => {
  const text =
    'Account,Flag,Date,Payee,Category Group/Category,Category Group,Category,Memo,Outflow,Inflow,Cleared\n' +
    'Cash,Red,01/31/2024,Shop,Food: Milk,Food,Milk,Split (1/2) white,€3.00,€0.00,Cleared\n' +
    'Cash,Red,01/31/2024,Shop,Home: Soap,Home,Soap,Split (2/2),€2.00,€0.00,Cleared\n' +
    'Cash,,02/01/2024,Starting Balance,Inflow: x,Inflow,x,,€0.00,€9.00,Cleared\n';
  const [split, start] = entriesOf(text);
  assert.deepEqual([split!.amount, split!.account, split!.tags], [-50_000, 'Cash', ['Red']]);
  assert.deepEqual(split!.parts, [
    { amount: -30_000, payee: null, notes: 'white', category: 'Food: Milk' },
    { amount: -20_000, payee: null, notes: null, category: 'Home: Soap' },
  ]);
  assert.deepEqual(
    [start!.amount, start!.payee, start!.currency],
    [90_000, 'Starting Balance', 'eur'],
  );
});

it('reads Actual with splits, and leaves the rows of an incomplete one', () => {
  const head = 'Account,Date,Payee,Notes,Category_Group,Category,Amount,Split_Amount,Cleared\n';
  const rows =
    'A,2024-01-31,Shop,(SPLIT INTO 2) all,,,0,-5.00,Cleared\n' +
    'A,2024-01-31,Shop,(SPLIT 1 OF 2) one,Food,Milk,-3.00,0,Cleared\n';
  const last = 'A,2024-01-31,Bar,(SPLIT 2 OF 2),Food,Beer,-2.00,0,Cleared\n';
  const [split] = entriesOf(head + rows + last);
  assert.deepEqual([split!.amount, split!.notes, split!.parts?.length], [-50_000, 'all', 2]);
  assert.deepEqual(split!.parts![1], {
    amount: -20_000,
    payee: 'Bar',
    notes: null,
    category: 'Beer',
  });
  assert.deepEqual(
    entriesOf(head + rows).map(({ amount }) => amount),
    [-30_000],
  );
});

it('reads Firefly III: the account of each side, transfers twice, groups as splits', () => {
  const text =
    'user_id,group_id,journal_id,type,amount,foreign_amount,currency_code,foreign_currency_code,description,date,' +
    'source_name,destination_name,destination_type,category,tags,notes\n' +
    '1,1,1,Withdrawal,-3.00,,EUR,,Milk,2024-01-31T00:00:00+01:00,Bank,Shop,Expense account,Food,"a,b",\n' +
    '1,1,2,Withdrawal,-2.00,,EUR,,Soap,2024-01-31T00:00:00+01:00,Bank,Shop,Expense account,Home,,\n' +
    '1,2,3,Deposit,9.00,,EUR,,Pay,2024-02-01T00:00:00+01:00,Work,Bank,Asset account,,,\n' +
    '1,3,4,Transfer,4.00,5.00,EUR,USD,Move,2024-02-02T00:00:00+01:00,Bank,Cash,Asset account,,,\n';
  const entries = entriesOf(text);
  assert.deepEqual(
    entries.map(({ account, payee, amount, currency }) => [
      account,
      payee,
      amount / 10_000,
      currency,
    ]),
    [
      ['Bank', 'Shop', -5, 'eur'],
      ['Bank', 'Work', 9, 'eur'],
      ['Bank', 'Cash', -4, 'eur'],
      ['Cash', 'Bank', 5, 'usd'],
    ],
  );
  assert.deepEqual(
    entries[0]!.parts?.map(({ notes }) => notes),
    ['Milk', 'Soap'],
  );
});

it('reads Mint, Monarch and Copilot with their signs and tags', () => {
  const mint =
    'Date,Description,Original Description,Amount,Transaction Type,Category,Account Name,Labels,Notes\n' +
    '1/02/2024,Shop,SHOP 1,5.00,debit,Food,Card,Trip,n\n1/03/2024,Pay,PAY,7.00,credit,Income,Bank,,\n';
  assert.deepEqual(
    entriesOf(mint).map(({ date, amount, tags }) => [date, amount, tags]),
    [
      ['2024-01-02', -50_000, ['Trip']],
      ['2024-01-03', 70_000, undefined],
    ],
  );
  const monarch =
    'Date,Merchant,Category,Account,Original Statement,Notes,Amount,Tags\n2024-01-31,Shop,Food,Card,SHOP 1,n,-5.00,"a,b"\n';
  assert.deepEqual(entriesOf(monarch)[0]!.tags, ['a', 'b']);
  const copilot =
    'date,name,amount,status,category,parent category,excluded,tags,type,account,account mask,note,recurring\n' +
    '2024-01-31,Shop,5.00,posted,Food,,false,,regular,Card,1234,,\n2024-01-31,Pay,-7.00,pending,Pay,,false,,income,Card,1234,,\n';
  assert.deepEqual(
    entriesOf(copilot).map(({ amount, isPending }) => [amount, isPending]),
    [
      [-50_000, undefined],
      [70_000, true],
    ],
  );
});

it('takes the fee of Revolut off, and leaves out what was reverted', () => {
  const text =
    'Type,Product,Started Date,Completed Date,Description,Amount,Fee,Currency,State,Balance\n' +
    'TRANSFER,Current,2024-01-30 10:00:00,2024-01-31 10:00:00,To x,-10.00,0.50,EUR,COMPLETED,89.50\n' +
    'CARD_PAYMENT,Current,2024-02-01 10:00:00,,Shop,-5.00,0.00,EUR,REVERTED,\n' +
    'CARD_PAYMENT,Current,2024-02-02 10:00:00,,Bar,-6.00,0.00,EUR,PENDING,\n';
  assert.deepEqual(
    entriesOf(text).map(({ date, amount, isPending }) => [date, amount, isPending]),
    [
      ['2024-01-31', -105_000, undefined],
      ['2024-02-02', -60_000, true],
    ],
  );
});
