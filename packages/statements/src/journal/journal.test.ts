import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../../core/src/testing/length.ts';
import type { JournalFormat } from '../bytes/detect-format.ts';
import { readStatement } from '../read-statement.ts';
import type { Entry } from '../statement/statement.ts';
import { sourceOf } from '../testing/sources.ts';
import { entriesOf, errorOf, shownOf, warningsOf } from '../testing/reading.ts';
import { JournalLines } from '../bytes/text-lines.ts';

type BookPosting = Omit<typeof posting extends fc.Arbitrary<infer P> ? P : never, 'cents'> & {
  /** Null for the posting whose amount follows from the others. */
  readonly cents: number | null;
};
/** A transaction of a generated book; all formats can have it. */
type BookTransaction = typeof transaction extends fc.Arbitrary<infer T> ? T : never;
type Dialect = (typeof DIALECTS)[number];

/** Formats a book in a dialect: beancount, hledger with decimal commas, or ledger with signs before the numbers. */
function journalText(book: readonly BookTransaction[], dialect: Dialect): string {
  const head = { beancount: '', hledger: 'decimal-mark ,\n\n', ledger: '; -*- ledger -*-\n\n' };
  return head[dialect] + book.map((one) => transactionText(one, dialect)).join('\n');
}

function transactionText(one: BookTransaction, dialect: Dialect): string {
  const { payee, note, tags, isPending, postings } = one;
  const mark = isPending ? '!' : '*';
  const lines = postings.map((posting) => `  ${postingText(posting, dialect)}\n`).join('');
  if (dialect === 'beancount') {
    const shown = tags.map((tag) => ` #${tag}`).join('');
    return `${one.date} ${mark} "${payee}" "${note}"${shown}\n${lines}`;
  }
  const date = one.date.replaceAll('-', dialect === 'ledger' ? '/' : '-');
  const comment = tags.length === 0 ? '' : `  ; :${tags.join(':')}:\n`;
  return `${date} ${mark} ${payee}${note === '' ? '' : ` | ${note}`}\n${comment}${lines}`;
}

function postingText({ account, cents, currency }: BookPosting, dialect: Dialect): string {
  if (cents === null) return account;
  const sign = cents < 0 ? '-' : '';
  const digits = String(Math.abs(cents)).padStart(3, '0');
  const mark = dialect === 'hledger' ? ',' : '.';
  const group = dialect === 'hledger' ? '.' : ',';
  const units = digits.slice(0, -2).replace(/\B(?=(?:\d{3})+$)/g, group);
  const number = `${units}${mark}${digits.slice(-2)}`;
  if (dialect !== 'ledger') return `${account}  ${sign}${number} ${currency}`;
  return `${account}  ${currency === 'USD' ? '$' : '€'}${sign}${number}`;
}

const MONEY = ['Assets:Bank:Checking', 'Assets:Cash', 'Liabilities:Card'];
const CATEGORIES = ['Expenses:Food:Bread', 'Expenses:Home', 'Income:Salary', 'Equity:Opening'];
const DIALECTS = ['beancount', 'hledger', 'ledger'] as const;

const word = fc
  .stringMatching(/^[A-Za-zéж][A-Za-z0-9éж' ,.]{0,12}[a-z]$/)
  .map((text) => text.replace(/ +/g, ' '));
const posting = fc.record({
  account: fc.constantFrom(...MONEY, ...CATEGORIES),
  cents: fc.oneof(
    fc.integer({ min: -9_999, max: 9_999 }),
    fc.integer({ min: -(10 ** 9), max: 10 ** 9 }),
  ),
  currency: fc.constantFrom('USD' as const, 'USD' as const, 'EUR' as const),
});
const transaction = fc
  .record({
    date: fc.integer({ min: 1, max: 28 }).map((day) => `2024-02-${String(day).padStart(2, '0')}`),
    payee: word,
    note: fc.oneof(fc.constant(''), word),
    tags: fc.uniqueArray(fc.constantFrom('food', 'trip', 'x-1'), { maxLength: 2 }),
    isPending: fc.boolean(),
    postings: fc.array(posting, { minLength: 1, maxLength: 5 }),
    last: fc.constantFrom(...MONEY, ...CATEGORIES),
    isElided: fc.boolean(),
  })
  .map(({ postings, last, isElided, ...rest }) => ({
    ...rest,
    postings: [...postings, ...closing(postings, last, isElided)],
  }));
const book = fc.array(transaction, { minLength: 1, maxLength: 8 });

/** The posting that balances the others: without an amount, or one for each currency. */
function closing(
  postings: readonly BookPosting[],
  account: string,
  isElided: boolean,
): BookPosting[] {
  if (isElided) return [{ account, cents: null, currency: 'USD' }];
  return [...sums(postings, ({ currency }) => currency)].map(([currency, { cents }]) => ({
    account,
    cents: -cents,
    currency: currency as 'USD',
  }));
}

function sums(postings: readonly BookPosting[], keyOf: (one: BookPosting) => string) {
  const totals = new Map<string, { cents: number }>();
  for (const one of postings) {
    const total = totals.get(keyOf(one)) ?? { cents: 0 };
    totals.set(keyOf(one), { cents: total.cents + (one.cents ?? 0) });
  }
  return totals;
}

function complete({ postings }: BookTransaction): BookPosting[] {
  const given = postings.filter(({ cents }) => cents !== null);
  const elided = postings.find(({ cents }) => cents === null);
  return elided === undefined ? given : [...given, ...closing(given, elided.account, false)];
}

function totals(pairs: Iterable<readonly [key: string, amount: number]>): Record<string, number> {
  const found = new Map<string, number>();
  for (const [key, amount] of pairs) found.set(key, (found.get(key) ?? 0) + amount);
  return Object.fromEntries([...found].filter(([, amount]) => amount !== 0).toSorted());
}

function short(account: string): string {
  return account.slice(account.indexOf(':') + 1);
}

function shares({ amount, category, currency, parts }: Entry): (readonly [string, number])[] {
  const all = parts ?? [{ amount, category }];
  return all.map((part) => [`${part.category} ${currency}`, part.amount] as const);
}

describe('any journal', () => {
  it('keeps the total of each account and category exactly, in each dialect alike', () => {
    fc.assert(
      fc.property(book, (transactions) => {
        const [first, ...others] = DIALECTS.map((dialect) =>
          entriesOf(journalText(transactions, dialect), { format: dialect }).map(
            ({ line: _, ...entry }) => entry as Entry,
          ),
        );
        for (const other of others) assert.deepEqual(other, first);
        const postings = transactions.map(complete);
        const isMoney = ({ account }: BookPosting): boolean => MONEY.includes(account);
        const key = (one: BookPosting): string =>
          `${short(one.account)} ${one.currency.toLowerCase()}`;
        assert.deepEqual(
          totals(first!.map(({ account, currency, amount }) => [`${account} ${currency}`, amount])),
          totals(
            postings
              .flat()
              .filter(isMoney)
              .map((one) => [key(one), one.cents! * 100]),
          ),
        );
        // Categories count where cash moves in their currency.
        const moved = postings.flatMap((all) => {
          const moves = sums(all.filter(isMoney), key);
          const isMoved = ({ currency }: BookPosting): boolean =>
            [...moves].some(
              ([name, { cents }]) => name.endsWith(currency.toLowerCase()) && cents !== 0,
            );
          return all.filter((one) => !isMoney(one) && isMoved(one));
        });
        const found = totals(first!.flatMap(shares));
        assert.deepEqual(found, totals(moved.map((one) => [key(one), -one.cents! * 100])));
      }),
      { numRuns: runs(250) },
    );
  });
});

it('lines are the same for pieces of any size and any line ends', () => {
  const text = fc
    .array(fc.constantFrom('a', '\r\n', '\n', '\r', ' '))
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(text, fc.array(fc.nat(3)), (whole, lengths) => {
      const pieces: string[] = [];
      let at = 0;
      for (const length of lengths) pieces.push(whole.slice(at, (at += length)));
      const read = [...new JournalLines([...pieces, whole.slice(at)])];
      const lines = whole.split(/\r\n|\n|\r/);
      if (lines.at(-1) === '') lines.pop();
      const wanted = lines.map((line, nth) => ({ line: nth + 1, text: line }));
      assert.deepEqual(read, wanted);
    }),
  );
});

const warned = (format: JournalFormat, ...parts: readonly string[]): string[] =>
  warningsOf(`${parts.join('\n')}\n`, { format });
/** A transaction of 5 dollars from cash to food, which states the balance of cash. */
const paid = (date: string, balance: string): string =>
  `${date} x\n  Assets:Cash  $-5 ${balance}\n  Expenses:Food`;

describe('balances that a journal states', () => {
  it('are checked in ledger and hledger, and a break is reported once', () => {
    const one = paid('2024-01-01', '= $-5');
    const breaks = [one, paid('2024-01-02', '= $90'), paid('2024-01-03', '= $85')];
    for (const format of ['ledger', 'hledger'] as const) {
      assert.deepEqual(warned(format, one, paid('2024-01-02', '= $-10.00')), []);
      assert.deepEqual(warned(format, ...breaks, paid('2024-01-04', '= $81')), [
        '5: Balance of "Assets:Cash" is stated as 90 $, but -10 $ follows from the transactions',
        '11: Balance of "Assets:Cash" is stated as 81 $, but 80 $ follows from the transactions',
      ]);
    }
  });

  it('may include other accounts, name a lot, and follow the order of dates or of lines', () => {
    const below = '2024-01-01 x\n  Assets:Cash:Purse  $5\n  Income:Gift';
    assert.deepEqual(warned('hledger', below, paid('2024-01-02', '=* $0')), []);
    assert.equal(warned('hledger', below, paid('2024-01-02', '= $0')).length, 1);
    const byDate = [paid('2024-01-02', '= $-10'), paid('2024-01-01', '= $-5')];
    const byLine = [paid('2024-01-02', '= $-5'), paid('2024-01-01', '= $-10')];
    for (const both of [byDate, byLine]) assert.deepEqual(warned('hledger', ...both), []);
    const lot = (balance: string): string =>
      `2024-01-01 x\n  Assets:Broker  2 X @ $3 = ${balance}\n  Assets:Cash  $-6`;
    assert.deepEqual(warned('hledger', lot('2 X @@ $4')), []);
    assert.equal(warned('hledger', lot('3 X')).length, 1);
  });

  it('are not checked if other files, virtual postings or rules may add to them', () => {
    const wrong = paid('2024-01-01', '= $7');
    assert.equal(warned('ledger', wrong).length, 1);
    for (const other of ['include x.ledger', '2024-01-01 y\n  (Assets:Cash)  $12', '= /x/\n  A  1'])
      assert.doesNotMatch(warned('ledger', wrong, other).join(), /Balance/);
  });

  it('are those of the morning in beancount, with its tolerances and what pads add', () => {
    const cash = '2024-01-01 * "x"\n  Assets:Cash:Purse  5.00 USD\n  Income:Gift';
    const balance = (text: string): string => `${cash}\n2024-01-02 balance Assets:Cash ${text}`;
    for (const right of ['5.00 USD', '5.01 USD', '4 ~ 1 USD'])
      assert.deepEqual(warned('beancount', balance(right)), [], right);
    const same = warned('beancount', cash, '2024-01-01 balance Assets:Cash 0.00 USD');
    assert.deepEqual(same, []);
    assert.deepEqual(warned('beancount', balance('5.02 USD')), [
      '4: Balance of "Assets:Cash" is stated as 5.02 USD, but 5 USD follows from the transactions',
    ]);
    const pad = '2024-01-01 pad Assets:Cash Equity:Opening';
    assert.deepEqual(warned('beancount', balance('90.00 USD'), pad), []);
  });

  it('become known where the entries make exactly the last of them', () => {
    const known = (format: JournalFormat, ...parts: readonly string[]): string[] =>
      readStatement(sourceOf(`${parts.join('\n')}\n`), { format }).accounts.flatMap((account) =>
        account.balances.map(({ kind, amount, date }) => `${kind} ${date} ${amount / 10_000}`),
      );
    const one = paid('2024-01-01', '= $-5');
    const opening = 'opening 2024-01-01 0';
    const [right, wrong] = [paid('2024-01-02', '= $-10'), paid('2024-01-02', '= $9')];
    assert.deepEqual(known('ledger', one, right), [opening, 'ledger 2024-01-02 -10']);
    assert.deepEqual(known('hledger', one, wrong), [opening, 'ledger 2024-01-01 -5']);
    assert.deepEqual(known('ledger', paid('2024-01-01', '= $9'), paid('2024-01-02', '')), []);
    const cash = '2024-01-01 * "x"\n  Assets:Cash  5.00 USD\n  Income:Gift';
    const check = (text: string) =>
      known('beancount', cash, `2024-01-03 balance Assets:Cash ${text}`);
    assert.deepEqual(check('5.00 USD'), [opening, 'ledger 2024-01-02 5']);
    assert.deepEqual(check('5.01 USD'), [], 'within the tolerance');
    assert.deepEqual(check('5.00 EUR'), []);
  });
});

it('reads drafts, transactions of one posting, without a category', () => {
  const text = '2024-01-31 * "Shop"\n  Assets:Cash  -5.00 USD\n'.repeat(2);
  const drafts = shownOf(text, 'amount category notes payee');
  assert.deepEqual(drafts, ['-5 | - | - | Shop', '-5 | - | - | Shop']);
  assert.deepEqual(warningsOf(text), [
    '1: 2 transactions have only one posting: read without a category',
  ]);
  errorOf(text.replaceAll('Assets:Cash', 'Expenses:Food'));
});

describe('hostile journals', () => {
  const ledger = (text: string): string => errorOf(text, { format: 'ledger' }).message;
  const beancount = (text: string): string => errorOf(text, { format: 'beancount' }).message;
  const head = '2024/1/1 x\n  Assets:Cash  $5\n  Income:X\n';

  it('are refused at a line of more than 1 MiB and at NUL', () => {
    const long = 'x'.repeat(2_000_000);
    assert.match(ledger(`${head}; ${long}`), /^Line 4: Line is longer than 1048576 characters/);
    assert.match(ledger(`${head}; ${long}\n${head}`), /^Line 4: Line is longer/);
    assert.match(ledger(`${head}\0x`), /^Line 4: NUL character/);
    const found = beancount(`2024-01-01 * "${'x\n'.repeat(600_000)}`);
    assert.match(found, /^Line 1: String is never closed/);
  });

  it('are refused for deep nesting and endless lists', () => {
    const cash = (amount: string): string => `2024/1/1 x\n  Assets:Cash  ${amount}\n  Income:X\n`;
    assert.match(ledger(cash(`${'('.repeat(2_000)}1${')'.repeat(2_000)}`)), /nested parentheses/);
    assert.match(ledger(cash('('.repeat(1e6))), /Not an amount/);
    assert.match(ledger(cash('9'.repeat(65))), /Not an amount/);
    const found = ledger('apply account a\n'.repeat(101));
    assert.match(found, /^Line 101: More than 100 nested "apply"/);
    assert.match(ledger('alias a=b\n'.repeat(1_001)), /^Line 1001: More than 1000 aliases/);
    assert.match(ledger(`2024/1/1\n${'  a:b  1\n'.repeat(10_001)}`), /^Line 1: .*10000 postings/);
    const accounts = Array.from({ length: 20_001 }, (_, nth) => ` a:${nth}  1`).join(
      '\n2024/1/1\n b\n',
    );
    assert.match(ledger(`2024/1/1\n${accounts}`), /more than 20000 accounts/);
    const deep = `A${':a'.repeat(600)}`;
    assert.match(ledger(`2024/1/1\n  ${deep}  1\n  b\n`), /Account is longer than 1000 characters/);
  });

  it('end for circular aliases, and refuse those that grow', () => {
    const circle = 'alias a = b\nalias b = a\n2024/1/1\n  a  $5\n  c\n';
    assert.equal(entriesOf(circle, { format: 'ledger' }).length, 2);
    const growing = `${'alias a = a:a:a:a:a:a:a\n'.repeat(900)}2024/1/1\n  a:b  $5\n  c\n`;
    assert.match(ledger(growing), /Account is longer than 1000 characters/);
  });
});
