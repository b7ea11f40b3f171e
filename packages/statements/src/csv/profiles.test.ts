import assert from 'node:assert/strict';
import { it } from 'node:test';
import { shownOf } from '../testing/reading.ts';

const text = (...lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');

it('reads YNAB with accounts, flags and splits', () => {
  const file = text(
    'Account,Flag,Date,Payee,Category Group/Category,Category Group,Category,Memo,Outflow,Inflow,Cleared',
    'Cash,Red,01/31/2024,Shop,Food: Milk,Food,Milk,Split (1/2) white,€3.00,€0.00,Cleared',
    'Cash,Red,01/31/2024,Shop,Home: Soap,Home,Soap,Split (2/2),€2.00,€0.00,Cleared',
    'Cash,,02/01/2024,Starting Balance,Inflow: x,Inflow,x,,€0.00,€9.00,Cleared',
  );
  assert.deepEqual(shownOf(file, 'amount currency payee account tags parts'), [
    '-5 | eur | Shop | Cash | Red | -3 - white Food: Milk, -2 - - Home: Soap',
    '9 | eur | Starting Balance | Cash | - | -',
  ]);
});

it('reads Actual with splits, and leaves the rows of an incomplete one', () => {
  const rows = text(
    'Account,Date,Payee,Notes,Category_Group,Category,Amount,Split_Amount,Cleared',
    'A,2024-01-31,Shop,(SPLIT INTO 2) all,,,0,-5.00,Cleared',
    'A,2024-01-31,Shop,(SPLIT 1 OF 2) one,Food,Milk,-3.00,0,Cleared',
  );
  const last = 'A,2024-01-31,Bar,(SPLIT 2 OF 2),Food,Beer,-2.00,0,Cleared\n';
  const [split = ''] = shownOf(rows + last, 'amount notes parts');
  assert.match(split, /^-5 \| all \| -3 [^,]*, -2 Bar - Beer$/);
  assert.deepEqual(shownOf(rows, 'amount'), ['-3']);
});

it('reads Firefly III: the account of each side, transfers twice, groups as splits', () => {
  const file = text(
    'user_id,group_id,journal_id,type,amount,foreign_amount,currency_code,foreign_currency_code,description,date,' +
      'source_name,destination_name,destination_type,category,tags,notes',
    '1,1,1,Withdrawal,-3.00,,EUR,,Milk,2024-01-31T00:00:00+01:00,Bank,Shop,Expense account,Food,"a,b",',
    '1,1,2,Withdrawal,-2.00,,EUR,,Soap,2024-01-31T00:00:00+01:00,Bank,Shop,Expense account,Home,,',
    '1,2,3,Deposit,9.00,,EUR,,Pay,2024-02-01T00:00:00+01:00,Work,Bank,Asset account,,,',
    '1,3,4,Transfer,4.00,5.00,EUR,USD,Move,2024-02-02T00:00:00+01:00,Bank,Cash,Asset account,,,',
  );
  assert.deepEqual(shownOf(file, 'account payee amount currency'), [
    'Bank | Shop | -5 | eur',
    'Bank | Work | 9 | eur',
    'Bank | Cash | -4 | eur',
    'Cash | Bank | 5 | usd',
  ]);
  assert.match(shownOf(file, 'parts')[0]!, /Milk [^,]*, .* Soap /);
});

it('reads Mint, Monarch and Copilot with their signs and tags', () => {
  const mint = text(
    'Date,Description,Original Description,Amount,Transaction Type,Category,Account Name,Labels,Notes',
    '1/02/2024,Shop,SHOP 1,5.00,debit,Food,Card,Trip,n',
    '1/03/2024,Pay,PAY,7.00,credit,Income,Bank,,',
  );
  const ofMint = shownOf(mint, 'date amount tags');
  assert.deepEqual(ofMint, ['2024-01-02 | -5 | Trip', '2024-01-03 | 7 | -']);
  const monarch = text(
    'Date,Merchant,Category,Account,Original Statement,Notes,Amount,Tags',
    '2024-01-31,Shop,Food,Card,SHOP 1,n,-5.00,"a,b"',
  );
  assert.deepEqual(shownOf(monarch, 'tags'), ['a, b']);
  const copilot = text(
    'date,name,amount,status,category,parent category,excluded,tags,type,account,account mask,note,recurring',
    '2024-01-31,Shop,5.00,posted,Food,,false,,regular,Card,1234,,',
    '2024-01-31,Pay,-7.00,pending,Pay,,false,,income,Card,1234,,',
  );
  assert.deepEqual(shownOf(copilot, 'amount isPending'), ['-5 | -', '7 | true']);
});

it('takes the fee of Revolut off, and leaves out what was reverted', () => {
  const file = text(
    'Type,Product,Started Date,Completed Date,Description,Amount,Fee,Currency,State,Balance',
    'TRANSFER,Current,2024-01-30 10:00:00,2024-01-31 10:00:00,To x,-10.00,0.50,EUR,COMPLETED,89.50',
    'CARD_PAYMENT,Current,2024-02-01 10:00:00,,Shop,-5.00,0.00,EUR,REVERTED,',
    'CARD_PAYMENT,Current,2024-02-02 10:00:00,,Bar,-6.00,0.00,EUR,PENDING,',
  );
  const read = shownOf(file, 'date amount isPending');
  assert.deepEqual(read, ['2024-01-31 | -10.5 | -', '2024-02-02 | -6 | true']);
});
