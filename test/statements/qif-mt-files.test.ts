/*
 * Reads every available QIF, MT940 and MT942 file of a real bank or application, and compares the result with the
 * known content of the file.
 */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { readStatement, type Entry, type StatementOptions } from '@coffer/statements';

const DATA = join(import.meta.dirname, '../../../shared/data');
const FOLDERS = ['qif', 'mt940', 'mt942'];
const skip = existsSync(DATA) ? false : 'the real files are missing';

/** Flags of files whose figures can be read in two ways. */
const FLAGS: Record<string, StatementOptions> = {
  'qif/quicken-bank-splits.qif': { dateFormat: 'm/d/y' },
};
/** Number of warnings of files whose balances do not follow, or whose splits do not total their entry. */
const WARNINGS: Record<string, number> = {
  'mt940/abnamro.sta': 2,
  'qif/quicken-bank-splits.qif': 1,
};

interface Expected {
  file: string;
  count: number;
  sum: string | null;
  sum_by_currency?: Record<string, string>;
  by_account?: Record<string, { count: number; sum: string }>;
  currency: string | string[] | null;
  first: ExpectedEntry;
  last: ExpectedEntry;
  date_min: string;
  date_max: string;
  balances?: { account: string; amount: string; date: string }[];
}

interface ExpectedEntry {
  date: string;
  amount: string;
  payee: string | null;
}

/** A decimal of at most four places in ten-thousandths. */
function tenThousandths(decimal: string): bigint {
  const [, sign, units, fraction = ''] = /^(-?)(\d+)(?:\.(\d{1,4}))?$/.exec(decimal) ?? [];
  return BigInt(`${sign}${units}${fraction.padEnd(4, '0')}`);
}

function sumOf(entries: readonly Entry[]): bigint {
  return entries.reduce((sum, { amount }) => sum + BigInt(amount), 0n);
}

function assertEntry(entry: Entry | undefined, { date, amount, payee }: ExpectedEntry): void {
  assert.ok(entry);
  assert.deepEqual([entry.date, BigInt(entry.amount)], [date, tenThousandths(amount)]);
  const known = (payee ?? '').replace(/\s+/g, ' ').trim();
  assert.ok(entry.payee !== '' || known === '');
  assert.ok(known.includes(entry.payee) || entry.payee.includes(known), entry.payee);
}

describe('real files', { skip }, () => {
  const expected = skip
    ? []
    : (JSON.parse(readFileSync(join(DATA, 'expected.json'), 'utf8')) as Expected[]);
  const byFile = new Map(expected.map((item) => [item.file.replace('statements/', ''), item]));
  const files = skip
    ? []
    : FOLDERS.flatMap((folder) =>
        readdirSync(join(DATA, 'statements', folder)).map((name) => `${folder}/${name}`),
      );

  for (const file of files) {
    it(`imports ${file}`, () => {
      const known = byFile.get(file)!;
      const bytes = readFileSync(join(DATA, 'statements', file));
      const source = { open: () => [bytes] };
      const statement = readStatement(source, FLAGS[file] ?? {});
      const entries = [...statement.entries()];
      assert.equal(statement.format, file.split('/')[0]);
      assert.deepEqual([statement.entryCount, entries.length], [known.count, known.count]);
      if (known.sum !== null) assert.equal(sumOf(entries), tenThousandths(known.sum));
      assertEntry(entries[0], known.first);
      assertEntry(entries.at(-1), known.last);
      const dates = entries.map(({ date }) => date).toSorted();
      assert.deepEqual([dates[0], dates.at(-1)], [known.date_min, known.date_max]);
      assert.equal(statement.warnings?.length, WARNINGS[file] ?? 0);
      assertCurrencies(entries, known);
      assertAccounts(statement, entries, known);
    });
  }
});

function assertCurrencies(entries: readonly Entry[], { currency, ...known }: Expected): void {
  const wanted = [currency].flat().map((code) => code?.toLowerCase() ?? null);
  assert.deepEqual(new Set(entries.map((entry) => entry.currency)), new Set(wanted));
  for (const [code, sum] of Object.entries(known.sum_by_currency ?? {})) {
    const own = entries.filter((entry) => entry.currency === code.toLowerCase());
    assert.equal(sumOf(own), tenThousandths(sum), code);
  }
}

function assertAccounts(
  { accounts }: ReturnType<typeof readStatement>,
  entries: readonly Entry[],
  { by_account: byAccount = {}, balances }: Expected,
): void {
  for (const [number, { count, sum }] of Object.entries(byAccount)) {
    const account = accounts.find(({ bankId, id }) => `${bankId}/${id}` === number);
    const own = entries.filter((entry) => entry.account === account?.name);
    assert.deepEqual(
      [own.length, account?.entryCount, sumOf(own)],
      [count, count, tenThousandths(sum)],
    );
  }
  if (balances === undefined) return;
  const stated = accounts.flatMap(({ bankId, id, balances: own }) =>
    own
      .filter(({ kind }) => kind === 'ledger')
      .map(({ amount, date }) => [bankId === null ? id : `${bankId}/${id}`, BigInt(amount), date]),
  );
  // November has 30 days: the balance of one file is of the 31st.
  const wanted = balances.map(({ account, amount, date }) => [
    ...[account, tenThousandths(amount), date.replace('11-31', '11-30')],
  ]);
  const sorted = (all: unknown[][]) => all.map((one) => one.join(' ')).toSorted();
  assert.deepEqual(sorted(stated), sorted(wanted));
}
