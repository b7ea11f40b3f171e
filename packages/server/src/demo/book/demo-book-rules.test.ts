import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../../../core/src/testing/length.ts';
import { monthNames } from './calendar.ts';
import type { DemoBook, DemoTransaction } from './demo-book.ts';
import { crypto } from './household.ts';
import { makeDemoBook, historyOf } from './make-demo-book.ts';

const firstPendingDate = '2026-10-28';
const shared = ['manualAccount', 'plaidAccount', 'currency', 'date', 'status'] as const;

const options = fc.record({
  transactions: fc.oneof(
    { weight: 8, arbitrary: fc.integer({ min: 100, max: 1_200 }) },
    { weight: 1, arbitrary: fc.integer({ min: 11_000, max: 14_000 }) },
  ),
  seed: fc.nat(4_294_967_295),
});

function holdsFor(check: (book: DemoBook) => void): void {
  check(makeDemoBook());
  fc.assert(
    fc.property(options, (chosen) => check(makeDemoBook(chosen))),
    { numRuns: runs(25) },
  );
}

function sum(rows: readonly DemoTransaction[], key: 'amount' | 'to_base'): number {
  return rows.reduce((total, row) => total + row[key], 0);
}

function childrenBy(book: DemoBook, key: 'splitParent' | 'groupParent') {
  const children = Map.groupBy(book.transactions, (row) => row[key]);
  children.delete(null);
  return children as Map<number, DemoTransaction[]>;
}

test('rows are sorted by date, parents first, with amounts in whole cents or tens of yen', () => {
  holdsFor(({ transactions }) => {
    let earlier = '2016-11-01';
    for (const [index, row] of transactions.entries()) {
      const { date, amount, to_base, currency } = row;
      assert.ok(date >= earlier && date <= '2026-10-31', date);
      assert.ok((row.splitParent ?? -1) < index && (row.groupParent ?? -1) < index);
      earlier = date;
      assert.ok(Number.isSafeInteger(amount) && Number.isSafeInteger(to_base));
      assert.ok(amount !== 0 && !Object.is(to_base, -0));
      const unit = row.is_group_parent ? 1 : currency === 'jpy' ? 100_000 : 100;
      assert.equal(Math.abs(amount % unit), 0);
      if (currency === 'usd') assert.equal(to_base, amount);
      else assert.equal(Math.sign(to_base), Math.sign(amount));
    }
  });
});

test('a split has 2 to 4 parts with its account and day, and a group 2 to 5 plain members', () => {
  holdsFor((book) => {
    const [splits, groups] = [childrenBy(book, 'splitParent'), childrenBy(book, 'groupParent')];
    for (const [index, row] of book.transactions.entries()) {
      const parts = splits.get(index) ?? [];
      assert.equal(row.is_split_parent, parts.length >= 2 && parts.length <= 4);
      assert.ok(parts.length === 0 || row.date < firstPendingDate);
      for (const part of parts) {
        assert.ok(part.source === 'split' && part.amount > 0);
        for (const key of shared) assert.equal(part[key], row[key], key);
      }
      const members = groups.get(index) ?? [];
      assert.equal(row.is_group_parent, members.length >= 2 && members.length <= 5);
      if (members.length === 0) continue;
      assert.deepEqual([row.manualAccount, row.plaidAccount, row.source], [null, null, 'api']);
      const sums = [sum(members, 'to_base'), sum(members, 'amount')];
      assert.deepEqual([row.to_base, row.amount], sums);
      for (const member of members) {
        assert.ok(
          !member.is_split_parent && !member.is_group_parent && member.splitParent === null,
        );
        assert.deepEqual([member.currency, member.status], [row.currency, row.status]);
        assert.ok(!member.is_pending && member.date >= row.date && member.date < firstPendingDate);
      }
    }
  });
});

test('pending rows are new and unreviewed, withdrawn ones are recent purchases, all synced', () => {
  holdsFor(({ transactions }) => {
    const pending = transactions.filter(({ is_pending }) => is_pending);
    for (const { status, date, manualAccount, plaidAccount } of pending) {
      assert.ok(status === 'unreviewed' && date >= firstPendingDate);
      assert.ok(manualAccount === null && plaidAccount !== null);
    }
    const taken = transactions.filter(({ status }) => status === 'delete_pending');
    assert.ok(taken.length <= 2);
    for (const row of taken) {
      assert.ok(row.source === 'plaid' && row.date >= '2026-09-15' && row.amount > 0);
      assert.ok(!row.is_split_parent && row.groupParent === null);
    }
  });
});

function wholeHistory(book: DemoBook) {
  const all = historyOf(book, crypto, book.transactions, { months: [...monthNames] });
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
      for (const [account, { name, type, balance, closed_on }] of accounts.entries()) {
        const isOf = (row: DemoTransaction) => row[`${kind}Account`] === account;
        const own = book.transactions.filter((row) => isOf(row) && row.splitParent === null);
        const history = all.filter((e) => e.kind === kind && e.account === account);
        assert.ok(history.length >= 69, name);
        assert.equal(history.at(-1)?.balance, balance, name);
        assert.equal(history.at(-1)?.month, closed_on?.slice(0, 7) ?? '2026-10');
        for (const [at, entry] of history.entries()) {
          const before = history[at - 1];
          if (before === undefined) continue;
          const inMonth = own.filter(({ date }) => date.startsWith(entry.month));
          const spent = sum(inMonth, kind === 'manual' ? 'amount' : 'to_base');
          const change = ['credit', 'loan'].includes(type) ? spent : -spent;
          assert.equal(entry.balance, before.balance + change, `${name} ${entry.month}`);
        }
      }
    }
  });

test('nothing of the default book is overdrawn, and the closed account has no later transactions', () => {
  const book = makeDemoBook();
  for (const { balance, account, kind, month } of wholeHistory(book))
    assert.ok(balance >= 0, `${kind} ${account} ${month}: ${balance}`);
  const closed = book.manualAccounts.findIndex(({ closed_on }) => closed_on !== undefined);
  const { closed_on = '', balance } = book.manualAccounts[closed]!;
  assert.equal(balance, 0);
  const own = book.transactions.filter(({ manualAccount }) => manualAccount === closed);
  assert.ok(own.length > 0 && own.every(({ date }) => date <= closed_on));
});
