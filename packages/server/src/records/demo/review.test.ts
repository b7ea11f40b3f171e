import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lastDay } from './calendar.ts';
import { categoryIndex, listCategories, type CategoryName } from './categories.ts';
import type { DemoTransaction } from './demo-book.ts';
import { draftTransaction } from './draft-transaction.ts';
import { Random } from './random.ts';
import { reviewStatus, withDeletePending } from './review.ts';
import { TransactionWriter } from './transaction-writer.ts';

const categories = listCategories();

/** Seven reviewed rows of the last week, all of that category. */
function lastWeek(category: CategoryName, isSplitParent = false): DemoTransaction[] {
  const writer = new TransactionWriter(new Random(1));
  for (let day = lastDay - 6; day <= lastDay; day += 1) {
    const fields = { day, amount: 99_500, payee: 'Shop', category, account: 'checking' } as const;
    writer.write(draftTransaction({ ...fields, isSplitParent }));
  }
  assert.equal(writer.transactions[0]?.category, categoryIndex(category));
  return writer.transactions;
}

function takenBack(rows: DemoTransaction[]): number {
  const marked = withDeletePending(rows, categories);
  return marked.filter(({ status }) => status === 'delete_pending').length;
}

test('the bank takes back two purchases of the last weeks', () => {
  assert.equal(takenBack(lastWeek('Groceries')), 2);
});

test('the bank takes back one purchase when there is only one, and none when there is none', () => {
  assert.equal(takenBack(lastWeek('Groceries').slice(-1)), 1);
  assert.equal(takenBack([]), 0);
});

test('the bank never takes back a transfer', () => {
  assert.equal(takenBack(lastWeek('Between Accounts')), 0);
});

test('the bank never takes back what has been split', () => {
  assert.equal(takenBack(lastWeek('Groceries', true)), 0);
});

test('rows of the last two weeks wait for review, rows of a year ago do not', () => {
  const random = new Random(1);
  const open = (day: number) =>
    Array.from({ length: 200 }, () => reviewStatus(day, random)).filter(
      (status) => status === 'unreviewed',
    ).length;
  assert.ok(open(lastDay) > 160);
  assert.ok(open(lastDay - 30) < 100);
  assert.equal(open(lastDay - 400), 0);
});
