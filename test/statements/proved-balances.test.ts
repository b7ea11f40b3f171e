import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { select } from '../../packages/server/src/db/rows.ts';
import { manualAccounts } from '../../packages/server/src/db/tables/tables.ts';
import { usualEngines } from '../../packages/server/src/db/testing/engines.ts';
import { newBook } from '../../packages/server/src/identity/users/testing/new-book.ts';
import { planAccounts } from '../../packages/server/src/imports/account-plan.ts';
import { importEntries } from '../../packages/server/src/imports/import.ts';
import { accountWith, proofOf } from '../../packages/server/src/ledger/accounts/account-proof.ts';
import { readStatement } from '../../packages/statements/src/read-statement.ts';
import { StatementError } from '../../packages/statements/src/statement/statement-error.ts';

const DATA = join(import.meta.dirname, '../../../shared/data/statements');
const skip = existsSync(DATA) ? false : 'missing: ../shared/data/statements';
const formats = ['camt052', 'camt053', 'mt940', 'ofx1-sgml', 'ofx2-xml', 'qfx'];

/** Files whose balances do not follow from their own entries, and why. */
const differing: Readonly<Record<string, string>> = {
  'camt053/v02-three-decimals.xml': 'the balance has other decimals than the entry',
  'mt940/abnamro.sta':
    'the second statement opens with another balance than the first one closes with',
};

const files = skip
  ? []
  : formats.flatMap((format) => readdirSync(join(DATA, format)).map((name) => `${format}/${name}`));

function read(name: string) {
  try {
    const bytes = readFileSync(join(DATA, name));
    return readStatement({ open: () => [bytes] });
  } catch (error) {
    if (error instanceof StatementError) return null;
    throw error;
  }
}

const [{ open }] = usualEngines as [(typeof usualEngines)[number]];

describe('the balances of real statements', { skip }, () => {
  it('are proved by their entries, except where the file itself differs', async () => {
    const engine = await open();
    const broken: Record<string, string[]> = {};
    let proved = 0;
    for (const name of files) {
      const statement = read(name);
      if (statement === null) continue;
      const { id } = await newBook(engine);
      const plan = planAccounts(
        statement,
        { name: null, rest: 'Cash', byNumber: [] },
        { file: name, option: '' },
      );
      const entries = () => statement.entries();
      const options = { dryRun: false, format: statement.format, currency: 'usd' };
      await importEntries(engine, id, { ...plan, ...options, onDoubt: 'keep', entries });
      for (const account of await engine.read(() => select(manualAccounts, { book_id: id }))) {
        const { stretches } = await engine.read(function* () {
          return yield* proofOf(yield* accountWith(id, 'manual', account.id));
        });
        proved += stretches.filter(({ state }) => state === 'proved').length;
        const wrong = stretches.filter(({ state }) => state !== 'proved');
        if (wrong.length > 0) broken[name] = wrong.map(({ difference }) => String(difference));
      }
    }
    assert.deepEqual(
      Object.keys(broken).toSorted(),
      Object.keys(differing).toSorted(),
      JSON.stringify(broken),
    );
    assert.ok(proved > 0);
  });
});
