import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { DemoBook, DemoTransaction } from './demo-book.ts';
import { makeDemoBook } from './make-demo-book.ts';

const manualTypes = [
  'cash',
  'credit',
  'cryptocurrency',
  'employee compensation',
  'investment',
  'loan',
  'other liability',
  'other asset',
  'real estate',
  'vehicle',
];

const firstPendingDate = '2026-10-28';

/** Sizes and seeds; the large sizes are rare, because they take their time. */
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
    { numRuns: 25 },
  );
}

function sum(rows: readonly DemoTransaction[], key: 'amount' | 'toBase'): number {
  return rows.reduce((total, row) => total + row[key], 0);
}

function childrenBy(book: DemoBook, key: 'splitParent' | 'groupParent') {
  const children = Map.groupBy(book.transactions, (row) => row[key]);
  children.delete(null);
  return children as Map<number, DemoTransaction[]>;
}

test('rows ascend by date, and a parent stands before its children', () => {
  holdsFor(({ transactions }) => {
    let earlier = '2016-11-01';
    for (const [index, row] of transactions.entries()) {
      assert.ok(row.date >= earlier && row.date <= '2026-10-31', row.date);
      assert.ok((row.splitParent ?? -1) < index && (row.groupParent ?? -1) < index);
      earlier = row.date;
    }
  });
});

test('amounts are safe integers in units that the currency has, and yen prices end in 0', () => {
  holdsFor(({ transactions }) => {
    for (const { amount, toBase, currency } of transactions) {
      assert.ok(Number.isSafeInteger(amount) && Number.isSafeInteger(toBase));
      assert.ok(amount !== 0 && !Object.is(toBase, -0));
      assert.equal(Math.abs(amount % (currency === 'jpy' ? 100_000 : 1)), 0);
      if (currency === 'usd') assert.equal(toBase, amount);
      else assert.equal(Math.sign(toBase), Math.sign(amount));
    }
  });
});

test('dollar amounts of rows that are no groups are whole cents', () => {
  holdsFor(({ transactions }) => {
    const rows = transactions.filter((row) => !row.isGroupParent);
    for (const { amount } of rows) assert.equal(Math.abs(amount % 100), 0);
  });
});

test('the 2 to 4 parts of a split make up the whole, in its account, currency and day', () => {
  holdsFor((book) => {
    const splits = childrenBy(book, 'splitParent');
    for (const [index, row] of book.transactions.entries()) {
      const parts = splits.get(index);
      assert.equal(row.isSplitParent, parts !== undefined);
      if (parts === undefined) continue;
      assert.ok(parts.length >= 2 && parts.length <= 4 && row.date < firstPendingDate);
      assert.equal(sum(parts, 'amount'), row.amount);
      assert.equal(sum(parts, 'toBase'), row.toBase);
      for (const part of parts) {
        assert.equal(part.source, 'split');
        assert.deepEqual(
          [part.manualAccount, part.plaidAccount, part.currency, part.date, part.status],
          [row.manualAccount, row.plaidAccount, row.currency, row.date, row.status],
        );
      }
    }
  });
});

test('a group has no account, 2 to 5 plain members and their sum', () => {
  holdsFor((book) => {
    const groups = childrenBy(book, 'groupParent');
    for (const [index, row] of book.transactions.entries()) {
      const members = groups.get(index);
      assert.equal(row.isGroupParent, members !== undefined);
      if (members === undefined) continue;
      assert.ok(members.length >= 2 && members.length <= 5);
      assert.deepEqual([row.manualAccount, row.plaidAccount, row.source], [null, null, 'api']);
      assert.equal(row.currency, 'usd');
      assert.equal(row.amount, sum(members, 'toBase'));
      for (const member of members) {
        assert.ok(!member.isSplitParent && !member.isGroupParent && member.splitParent === null);
        assert.ok(!member.isPending && member.status === row.status);
        assert.ok(member.date >= row.date && member.date < firstPendingDate);
      }
    }
  });
});

test('pending rows are unreviewed, lie on synced accounts and belong to the last days', () => {
  holdsFor(({ transactions }) => {
    for (const row of transactions.filter(({ isPending }) => isPending)) {
      assert.ok(row.status === 'unreviewed' && row.plaidAccount !== null, row.payee);
      assert.ok(row.manualAccount === null && row.date >= firstPendingDate);
    }
  });
});

test('rows taken back by the bank are recent purchases on synced accounts, two at most', () => {
  holdsFor(({ transactions }) => {
    const taken = transactions.filter(({ status }) => status === 'delete_pending');
    assert.ok(taken.length <= 2);
    for (const row of taken) {
      assert.ok(row.source === 'plaid' && row.date >= '2026-09-15' && row.amount > 0);
      assert.ok(!row.isSplitParent && row.groupParent === null);
    }
  });
});

test('what is said of a row fits where it came from', () => {
  holdsFor(({ transactions }) => {
    for (const row of transactions) {
      assert.ok(row.manualAccount === null || row.plaidAccount === null, 'at most one account');
      if (row.source !== 'split') assert.equal(row.source === 'plaid', row.plaidAccount !== null);
      assert.equal(row.externalId !== null, row.source === 'csv');
      if (row.plaidMetadata !== null) assert.equal(row.source, 'plaid');
      for (const json of [row.plaidMetadata, row.customMetadata]) {
        if (json === null) continue;
        assert.ok(json.length <= 4_096 && json.startsWith('{'));
        JSON.parse(json);
      }
    }
  });
});

test('the second card is not used before it was opened', () => {
  holdsFor(({ transactions, plaidAccounts }) => {
    const card = plaidAccounts.findIndex(({ name }) => name === 'Juniper Cash Back');
    for (const { plaidAccount, date } of transactions) {
      if (plaidAccount === card) assert.ok(date >= '2018-05-01', date);
    }
  });
});

test('no two rows of an account share an external id', () => {
  holdsFor(({ transactions }) => {
    const rows = transactions.filter(({ externalId }) => externalId !== null);
    const keys = new Set(rows.map((row) => `${row.manualAccount} ${row.externalId}`));
    assert.equal(keys.size, rows.length);
  });
});

test('every reference leads to a record, and no row lies in a group of categories', () => {
  holdsFor((book) => {
    for (const row of book.transactions) {
      if (row.category !== null) assert.equal(book.categories[row.category]?.isGroup, false);
      if (row.manualAccount !== null) assert.ok(book.manualAccounts[row.manualAccount]);
      if (row.plaidAccount !== null) assert.ok(book.plaidAccounts[row.plaidAccount]);
      assert.equal(new Set(row.tags).size, row.tags.length);
      for (const tag of row.tags) assert.ok(book.tags[tag]);
    }
  });
});

test('texts are neither empty nor broken and hold no control characters', () => {
  holdsFor((book) => {
    const named = [...book.manualAccounts, ...book.plaidAccounts, ...book.categories, ...book.tags];
    const texts = [
      ...named.map(({ name }) => name),
      ...book.transactions.flatMap(({ payee, originalName, notes }) => [
        payee,
        originalName,
        notes,
      ]),
    ];
    for (const text of new Set(texts.filter((each) => each !== null))) {
      assert.ok(text.isWellFormed() && text.length >= 1 && text.length <= 140);
      assert.doesNotMatch(text, /\p{Cc}|^\s|\s$/u);
    }
  });
});

test('categories stand after their group, take on its flags and share no name', () => {
  const { categories } = makeDemoBook({ transactions: 100 });
  const names = new Set(categories.map(({ name }) => name.toLowerCase()));
  assert.equal(names.size, categories.length);
  assert.ok(categories.some(({ group, isGroup }) => group === null && !isGroup));
  for (const [index, category] of categories.entries()) {
    if (category.group === null) continue;
    const group = categories[category.group];
    assert.ok(category.group < index && group?.isGroup === true && !category.isGroup);
    assert.equal(category.isIncome, group.isIncome);
    assert.equal(category.excludeFromBudget, group.excludeFromBudget);
    assert.equal(category.excludeFromTotals, group.excludeFromTotals);
  }
});

test('tags and accounts have names of their own and values that the wire knows', () => {
  const { tags, manualAccounts, plaidAccounts } = makeDemoBook({ transactions: 100 });
  assert.equal(new Set(tags.map(({ name }) => name.toLowerCase())).size, tags.length);
  for (const color of tags.flatMap((tag) => [tag.textColor, tag.backgroundColor])) {
    assert.ok(color === null || /^[0-9A-F]{6}$/.test(color));
  }
  const accounts = [...manualAccounts, ...plaidAccounts];
  assert.equal(new Set(accounts.map(({ name }) => name)).size, accounts.length);
  for (const { name, balance } of accounts) {
    assert.ok(name.length <= 45 && Number.isSafeInteger(balance));
  }
  for (const { type } of manualAccounts) assert.ok(manualTypes.includes(type));
});
