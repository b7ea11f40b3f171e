/* Reads every available file of users that nobody here had seen, without flags, and compares it with what it holds. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, it } from 'node:test';
import { parseAmount } from '@coffer/core/money';
import { readStatement, StatementError } from '@coffer/statements';
import type { Statement } from '@coffer/statements';
import { sourceOf } from '../../packages/statements/src/testing/sources.ts';

const DATA = join(import.meta.dirname, '../../../shared/data');
const LIST = join(DATA, 'strangers/expected.json');
const skip = existsSync(LIST) ? false : 'missing: the real files';

interface Expected {
  readonly file: string;
  readonly count: number;
  readonly sum: string;
  readonly currency: string | null;
  readonly first: { readonly date: string; readonly amount: string; readonly payee: string };
  readonly last: Expected['first'];
  readonly date_min: string;
  readonly date_max: string;
  /** How many own accounts the file has, or which. */
  readonly accounts?: number | readonly string[];
  /** Whether a clear refusal is as good. */
  readonly refusal_ok?: boolean;
}

/** Files that are not read as expected yet. */
const OPEN: ReadonlySet<string> = new Set([
  'abn-tsv.tab',
  'be-qif.qif',
  'buckets-336-cba-empty-fitid-wrong-close.ofx',
  'buddhist-era.csv',
  'card-refund-only-no-payment.csv',
  'card-sign-3to1.csv',
  'jalali-english-header.csv',
  'myfin-571-discover.csv',
  'oca-375-reversal.xml',
  'positive-only-balance-decides.csv',
  'unsigned-balance-header8.csv',
  'wise-history-2025.csv',
  'year-0024.csv',
]);

const expected =
  skip === false ? (JSON.parse(readFileSync(LIST, 'utf8')) as readonly Expected[]) : [];

/** Returns what a file has; null for one that is refused. */
function read({ file }: Expected): Statement | null {
  try {
    return readStatement(sourceOf(readFileSync(join(DATA, file))));
  } catch (error) {
    assert.ok(error instanceof StatementError, String(error));
    return null;
  }
}

function assertStatement(statement: Statement, known: Expected): void {
  const entries = [...statement.entries()];
  const days = entries.map(({ date }) => date).toSorted();
  const sum = entries.reduce((so, { amount }) => so + amount, 0);
  assert.deepEqual(
    [entries.length, sum, days[0], days.at(-1)],
    [known.count, parseAmount(known.sum), known.date_min, known.date_max],
  );
  for (const [entry, wanted] of [
    [entries[0]!, known.first],
    [entries.at(-1)!, known.last],
  ] as const) {
    assert.deepEqual([entry.date, entry.amount], [wanted.date, parseAmount(wanted.amount)]);
    assert.ok(entry.payee.includes(wanted.payee), entry.payee);
  }
  const currencies = new Set(entries.map(({ currency }) => currency));
  assert.deepEqual(currencies, new Set([known.currency?.toLowerCase() ?? null]));
  const accounts = new Set(entries.map(({ account }) => account));
  if (typeof known.accounts === 'number') assert.equal(accounts.size, known.accounts);
  else if (known.accounts !== undefined) assert.deepEqual([...accounts], known.accounts);
}

describe('files of strangers', { skip }, () => {
  for (const known of expected) {
    const name = basename(known.file);
    const isOpen = OPEN.has(name);
    it(`reads ${name}`, { skip: isOpen ? 'not read as expected yet' : false }, () => {
      const statement = read(known);
      if (statement === null) assert.equal(known.refusal_ok, true);
      else assertStatement(statement, known);
    });
  }
});
