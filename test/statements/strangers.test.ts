/* Reads every available file of users that nobody here had seen, without flags, and compares it with what it holds. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, it } from 'node:test';
import { parseAmount } from '@coffer/core/money';
import { readStatement } from '../../packages/statements/src/read-statement.ts';
import { StatementError } from '../../packages/statements/src/statement/statement-error.ts';
import type { Statement } from '../../packages/statements/src/statement/statement.ts';
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
    it(`reads ${name}`, () => {
      const statement = read(known);
      if (statement === null) assert.equal(known.refusal_ok, true);
      else assertStatement(statement, known);
    });
  }
});
