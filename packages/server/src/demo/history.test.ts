import assert from 'node:assert/strict';
import { test } from 'node:test';
import { monthNames } from './calendar.ts';
import type { DemoBook, DemoTransaction } from './demo-book.ts';
import { historyOf } from './history.ts';
import { makeDemoBook } from './make-demo-book.ts';
import { crypto } from './plans.ts';

const owed = ['credit', 'loan'];

/** The balances of all ten years; the book has those of the last five. */
function wholeHistory(book: DemoBook) {
  const all = historyOf(book, crypto, book.transactions, [...monthNames]);
  const known = new Set(all.map((entry) => JSON.stringify(entry)));
  assert.ok(book.history!.every((entry) => known.has(JSON.stringify(entry))));
  return all;
}

for (const transactions of [100, 12_000])
  test(`balances of ${transactions} transactions are the sums of the transactions`, () => {
    const book = makeDemoBook({ transactions });
    const all = wholeHistory(book);
    for (const kind of ['manual', 'plaid'] as const) {
      const accounts = kind === 'manual' ? book.manualAccounts : book.plaidAccounts;
      for (const [account, { name, type, balance, closedOn }] of accounts.entries()) {
        const isOf = (row: DemoTransaction) => row[`${kind}Account`] === account;
        const own = book.transactions.filter((row) => isOf(row) && row.splitParent === null);
        const history = all.filter((e) => e.kind === kind && e.account === account);
        assert.ok(history.length >= 69, name);
        assert.equal(history.at(-1)?.balance, balance, name);
        assert.equal(history.at(-1)?.month, closedOn?.slice(0, 7) ?? '2026-10');
        for (const [at, entry] of history.entries()) {
          const before = history[at - 1];
          if (before === undefined) continue;
          const inMonth = own.filter(({ date }) => date.startsWith(entry.month));
          const sum = inMonth.reduce(
            (total, row) => total + (kind === 'manual' ? row.amount : row.toBase),
            0,
          );
          const change = owed.includes(type) ? sum : -sum;
          assert.equal(entry.balance, before.balance + change, `${name} ${entry.month}`);
        }
      }
    }
  });

test('nothing of the default book is overdrawn, and the closed account has no later transactions', () => {
  const book = makeDemoBook();
  for (const { balance, account, kind, month } of wholeHistory(book))
    assert.ok(balance >= 0, `${kind} ${account} ${month}: ${balance}`);
  const closed = book.manualAccounts.findIndex(({ closedOn }) => closedOn !== undefined);
  const { closedOn = '', balance } = book.manualAccounts[closed]!;
  assert.equal(balance, 0);
  const own = book.transactions.filter(({ manualAccount }) => manualAccount === closed);
  assert.ok(own.length > 0 && own.every(({ date }) => date <= closedOn));
});
