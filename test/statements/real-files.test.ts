/*
 * Reads every available file of a real bank or application, once, like a user: with the flags that
 * docs/reference/statement-formats.md shows for it. Compares the result with the known content of the file.
 */
import { parseColumnMap } from '../../packages/statements/src/statement/statement.ts';
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { describe, it } from 'node:test';
import { readStatement } from '../../packages/statements/src/read-statement.ts';
import type {
  Entry,
  Statement,
  StatementOptions,
} from '../../packages/statements/src/statement/statement.ts';
import type { StatementError } from '../../packages/statements/src/statement/statement-error.ts';
import { sourceOf, unpackedSource } from '../../packages/statements/src/testing/sources.ts';

const ROOT = join(import.meta.dirname, '../..');
const DATA = join(ROOT, '..', 'shared', 'data');
const skip = existsSync(DATA) ? false : 'missing: the real files';

interface ExpectedEntry {
  /** Null: pending, so the file has none. */
  readonly date: string | null;
  readonly amount: string | null;
  readonly payee: string | null;
}

interface Balance {
  readonly account: string;
  readonly type: string;
  readonly amount: string;
  readonly date: string;
}

interface Expected {
  readonly file: string;
  readonly count: number;
  readonly sum: string | null;
  readonly sum_by_currency?: Readonly<Record<string, string>>;
  readonly by_account?: Readonly<Record<string, { readonly count: number; readonly sum: string }>>;
  readonly first?: ExpectedEntry;
  readonly last?: ExpectedEntry;
  readonly currency: string | string[] | null;
  readonly date_min?: string;
  readonly date_max?: string;
  readonly ledger_balances?: readonly { readonly account: string; readonly closing: string }[];
  readonly balances?: readonly Balance[];
  readonly opening_plus_sum_equals_closing?: boolean | null;
}

/** Files that are refused, and exactly why. */
const REFUSED: Readonly<Record<string, readonly [line: number, value: string, reason: string][]>> =
  {
    'malformed-decimal': [[42, '.', 'Not an amount']],
    'moneymrkt-v103': [
      [45, '-995.4190396554627', 'More than 4 decimals'],
      [52, '788.5385340523635', 'More than 4 decimals'],
      [59, '3070.1328011762807', 'More than 4 decimals'],
    ],
  };
/** Warnings of files whose balances do not follow, or whose splits do not total their entry. */
const WARNINGS: Readonly<Record<string, number>> = { abnamro: 2, 'quicken-bank-splits': 1 };

const nameOf = (file: string): string => basename(file, extname(file));
const namesIn = (text: string): string[] =>
  [...text.matchAll(/`([a-z0-9_-]+)`/g)].map(([, name = '']) => name);

/** What the reference says of files: flags, none, or a reason to refuse them. */
function shownFiles(): Map<string, string> {
  const reference = readFileSync(join(ROOT, 'docs/reference/statement-formats.md'), 'utf8');
  const section = reference.slice(reference.indexOf('## Real files'));
  const [withFlags = '', rest = ''] = section.split('These need no flags');
  const [withoutFlags = '', refused = ''] = rest.split('These are refused');
  return new Map([
    ...[...withFlags.matchAll(/^\| `(--.*)` +\| (`.*`) +\|$/gm)].flatMap(
      ([, flags = '', names = '']) => namesIn(names).map((name) => [name, flags] as const),
    ),
    ...namesIn(withoutFlags.split('Files of these')[0]!).map((name) => [name, ''] as const),
    ...[...refused.matchAll(/^- `(.*)`: (.*)$/gm)].map(([, name = '', why = '']) => {
      return [name, why] as const;
    }),
  ]);
}

function optionsOf(flags: string): StatementOptions {
  const [flag, value] = flags.split(' ');
  if (flag === '--negate') return { negate: true };
  if (flag === '--date-format') return { dateFormat: value as 'd/m/y' };
  assert.equal(flags, '');
  return {};
}

/** A decimal of at most four places in ten-thousandths. */
function tenThousandths(decimal: string): bigint {
  const [, sign, units, fraction = ''] = /^(-?)(\d+)(?:\.(\d{1,4}))?$/.exec(decimal) ?? [];
  return BigInt(`${sign}${units}${fraction.padEnd(4, '0')}`);
}

const sumOf = (entries: readonly Entry[]): bigint =>
  entries.reduce((sum, { amount }) => sum + BigInt(amount), 0n);

function assertEntry(entry: Entry | undefined, expected: ExpectedEntry | undefined): void {
  if (expected === undefined) return;
  assert.ok(entry);
  if (expected.date === null) assert.equal(entry.isPending, true);
  else assert.equal(entry.date, expected.date);
  if (expected.amount !== null) assert.equal(BigInt(entry.amount), tenThousandths(expected.amount));
  const known = (expected.payee ?? '').replaceAll(/"|\s+/g, (text) => (text === '"' ? '' : ' '));
  const payee = entry.payee.replaceAll('"', '');
  // If the payee's cell is empty, the expected payee is in the notes or the category, or is empty.
  if (payee === '') assert.ok(['', entry.notes, entry.category].includes(known.trim()), known);
  else assert.ok(known.includes(payee) || payee.includes(known.trim()), payee);
}

function assertCurrencies(entries: readonly Entry[], { currency, ...known }: Expected): void {
  const wanted = [currency].flat().map((code) => code?.toLowerCase() ?? null);
  // A file may have a currency that its expectation does not know.
  if (currency !== null || known.file.includes('/qif/'))
    assert.deepEqual(new Set(entries.map((entry) => entry.currency)), new Set(wanted));
  for (const [code, sum] of Object.entries(known.sum_by_currency ?? {})) {
    const own = entries.filter((entry) => entry.currency === code.toLowerCase());
    assert.equal(sumOf(own), tenThousandths(sum), code);
  }
}

/** Compares the accounts of a file with the known counts, sums and balances. A CSV file has no accounts. */
function assertAccounts({ accounts, format }: Statement, entries: Entry[], known: Expected): void {
  for (const [number, { count, sum }] of Object.entries(known.by_account ?? {})) {
    const account = accounts.find(({ bankId, id }) => `${bankId}/${id}` === number);
    const own = entries.filter((entry) => entry.account === account?.name);
    const read = [own.length, account?.entryCount, sumOf(own)];
    assert.deepEqual(read, [count, count, tenThousandths(sum)]);
  }
  const balances = accounts.flatMap(({ bankId, id, balances: own }) =>
    own.map((balance) => ({ id, number: bankId === null ? id : `${bankId}/${id}`, ...balance })),
  );
  const ledger = balances.filter(({ kind }) => kind === 'ledger');
  if (format === 'ofx')
    assert.deepEqual(
      ledger.map(({ id, amount }) => [id, BigInt(amount)]),
      (known.ledger_balances ?? [])
        .filter(({ closing }) => closing !== 'None')
        .map(({ account, closing }) => [account, tenThousandths(closing)]),
    );
  else if (format === 'camt')
    assert.deepEqual(
      balances.map(({ id, kind, amount, date }) => [id, kind === 'opening', BigInt(amount), date]),
      (known.balances ?? []).map(({ account, type, amount, date }) => {
        return [account, ['OPBD', 'PRCD'].includes(type), tenThousandths(amount), date];
      }),
    );
  else if (known.balances !== undefined)
    assert.deepEqual(
      balances
        .filter(({ kind }) => kind !== 'available')
        .map(({ number, kind, amount, date }) => `${number} ${kind} ${amount} ${date}`)
        .toSorted(),
      // November has 30 days: the balance of one file is of the 31st.
      known.balances
        .map(({ account, type, amount, date }) => {
          const kind = type.startsWith('60') ? 'opening' : 'ledger';
          return `${account} ${kind} ${tenThousandths(amount)} ${date.replace('11-31', '11-30')}`;
        })
        .toSorted(),
    );
}

const expected =
  skip === false
    ? (JSON.parse(readFileSync(join(DATA, 'expected.json'), 'utf8')) as Expected[])
    : [];

describe('real files', { skip }, () => {
  const shown = shownFiles();
  shown.set('quicken-bank-splits', '--date-format m/d/y');

  for (const known of expected) {
    const [top, folder = '', file = ''] = known.file.split('/');
    if (top !== 'statements') continue;
    const name = nameOf(file);
    const flags = shown.get(name) ?? '';
    const read = (options: StatementOptions) =>
      readStatement(sourceOf(readFileSync(join(DATA, known.file))), options);
    const refused = REFUSED[name];
    if (refused !== undefined) {
      it(`refuses ${file}: ${flags}`, () => {
        assert.throws(
          () => read({}),
          (error: StatementError) => {
            const problems = error.problems.map(({ line, value, reason }) => [line, value, reason]);
            assert.deepEqual([problems, error.problemCount], [refused, refused.length]);
            return true;
          },
        );
      });
      continue;
    }
    it(`imports ${folder}/${file} with flags: ${flags || 'none'}`, () => {
      const statement = read(optionsOf(flags));
      const entries = [...statement.entries()];
      const isTable = folder.startsWith('csv-');
      const isJournal = folder.startsWith('journal-');
      const kind = isTable ? 'csv' : folder.replace(/^ofx.*|^qfx/, 'ofx').replace('journal-', '');
      assert.equal(statement.format, kind.replace(/^camt.*/, 'camt'));
      assert.equal(entries.length, statement.entryCount);
      assert.equal(isJournal ? statement.transactionCount : entries.length, known.count);
      if (known.sum !== null) assert.equal(sumOf(entries), tenThousandths(known.sum));
      assertEntry(entries[0], known.first);
      const dates = entries.map(({ date }) => date).toSorted();
      if (isJournal) {
        assert.ok(dates[0]! >= known.date_min! && dates.at(-1)! <= known.date_max!);
        for (const { amount, parts = [] } of entries)
          if (parts.length > 0)
            assert.equal(
              parts.reduce((sum, part) => sum + part.amount, 0),
              amount,
            );
        return;
      }
      assertEntry(entries.at(-1), known.last);
      if (isTable) return;
      assert.deepEqual([dates[0], dates.at(-1)], [known.date_min, known.date_max]);
      assertCurrencies(entries, known);
      assertAccounts(statement, entries, known);
      const breaks = known.opening_plus_sum_equals_closing === false ? 1 : 0;
      const isChecked = statement.format === 'camt' ? breaks : (WARNINGS[name] ?? 0);
      assert.equal(statement.warnings?.length ?? 0, isChecked);
      if (statement.format === 'ofx') assert.deepEqual(statement.leftOut, []);
    });
  }

  it('are all tried, and those of tables are in the reference', () => {
    const files = expected.map(({ file }) => file).filter((file) => file.startsWith('statements/'));
    assert.equal(files.length, 82);
    const tables = files.filter((file) => file.startsWith('statements/csv-')).map(nameOf);
    const others = [...Object.keys(REFUSED), 'quicken-bank-splits'];
    assert.deepEqual([...shown.keys()].toSorted(), [...tables, ...others].toSorted());
  });

  it('agree with every balance that example.beancount states', () => {
    const text = readFileSync(join(DATA, 'statements/journal-beancount/example.beancount'), 'utf8');
    const entries = [...readStatement(sourceOf(text, 1009)).entries()];
    const checks = [
      ...text.matchAll(/^(\S+) balance (?:Assets|Liabilities):(\S+) +(-?[\d.]+) USD$/gm),
    ];
    for (const [, day = '', account, balance] of checks) {
      const before = entries.filter((entry) => entry.account === account && entry.date < day);
      const total = before.reduce((sum, { amount }) => sum + amount, 0);
      assert.ok(Math.abs(total - Math.round(Number(balance) * 10_000)) <= 100, `${day} ${account}`);
    }
    assert.equal(checks.length, 89);
  });

  it('have 49,102 bank transactions whose sign is a Czech word in another column', async () => {
    const packed = readFileSync(join(DATA, 'berka/transactions-1993-1994q1.csv.gz'));
    const columns = 'direction=type,account=account_id,external_id=trans_id,payee=operation';
    const statement = readStatement(await unpackedSource(packed), { map: parseColumnMap(columns) });
    const entries = [...statement.entries()];
    const credits = entries.filter(({ amount }) => amount > 0);
    assert.equal(sumOf(credits), tenThousandths('177366296.30'));
    assert.equal(sumOf(entries) - sumOf(credits), tenThousandths('-138120153.50'));
    const distinct = (all: readonly unknown[]): number => new Set(all).size;
    assert.deepEqual(
      [
        entries.length,
        distinct(entries.map((each) => each.account)),
        distinct(entries.map((each) => each.externalId)),
      ],
      [49_102, 1_229, 49_102],
    );
  });
});
