import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { select } from '../../packages/server/src/db/rows.ts';
import { manualAccounts } from '../../packages/server/src/db/tables/tables.ts';
import { usualEngines } from '../../packages/server/src/db/testing/engines.ts';
import { newBook } from '../../packages/server/src/identity/users/testing/new-book.ts';
import { planAccounts } from '../../packages/server/src/imports/account-plan.ts';
import { importEntries } from '../../packages/server/src/imports/commit.ts';
import { accountWith, proofOf } from '../../packages/server/src/ledger/accounts/account-proof.ts';
import { readStatement } from '../../packages/statements/src/read-statement.ts';
import type { StatementOptions } from '../../packages/statements/src/statement/statement.ts';
import { StatementError } from '../../packages/statements/src/statement/statement-error.ts';

const DATA = join(import.meta.dirname, '../../../shared/data');
const skip = existsSync(DATA) ? false : 'missing: ../shared/data';

/** Files that state balances which do not follow from their own entries, or follow from no entry, and why. */
const unproved: Readonly<Record<string, string>> = {
  'camt053/v02-three-decimals.xml': 'the balance has other decimals than the entry',
  'camt053/v02-currency-xxx.xml': 'there is no currency, and the entries make 3,010 more',
  'mt940/abnamro.sta': 'the second statement opens with another balance than the first closes with',
  'csv-app/paypal-bom-header-only.csv': 'the table has no rows',
  'csv-app/wise-usd.csv':
    'rows are missing: the first of 24 August is 787.62, and 145.00 in the evening',
  'csv-bank/bank-of-ireland-two-columns.csv': 'all balances are 100, whatever the amounts are',
  'csv-bank/nordea-dk.csv': 'rows are missing between all of the rows',
  'csv-bank/preamble-and-footer.csv': 'the rows make 0.02 less than the two balances',
  'csv-bank/two-money-columns.csv': 'the balance of 27 March is 1,000 too high',
};

/** Options of files that would be refused. */
const options: Readonly<Record<string, StatementOptions>> = {
  'csv-bank/preamble-and-footer.csv': { dateFormat: 'd/m/y' },
};

const files = skip
  ? []
  : [...readdirSync(join(DATA, 'statements')).map((name) => `statements/${name}`), 'strangers']
      .flatMap((folder) => readdirSync(join(DATA, folder)).map((name) => join(folder, name)))
      .filter((name) => !name.endsWith('.json'));

function read(file: string, name: string) {
  try {
    const bytes = readFileSync(join(DATA, file));
    return readStatement({ open: () => [bytes] }, options[name]);
  } catch (error) {
    if (error instanceof StatementError) return null;
    throw error;
  }
}

const [{ open }] = usualEngines as [(typeof usualEngines)[number]];

describe('the balances of real statements', { skip }, () => {
  it('are proved by their entries, except where the file itself differs', async () => {
    const engine = await open();
    const wrong: Record<string, string[]> = {};
    const proved: string[] = [];
    for (const file of files) {
      const name = file.replace(/^statements./, '');
      const statement = read(file, name);
      if (statement === null) continue;
      const { id } = await newBook(engine);
      const names = { name: null, rest: 'Cash', byNumber: [] };
      const plan = planAccounts(statement, names, { file: name, option: '' });
      const entries = () => statement.entries();
      const how = { dryRun: false, format: statement.format, currency: 'usd' };
      await importEntries(engine, id, { ...plan, ...how, onDoubt: 'keep', entries });
      const states: string[] = [];
      for (const account of await engine.read(() => select(manualAccounts, { book_id: id }))) {
        const { stretches, anchors } = await engine.read(function* () {
          return yield* proofOf(yield* accountWith(id, 'manual', account.id));
        });
        states.push(...anchors.map(() => 'known'));
        states.push(...stretches.map(({ state, difference }) => `${state} ${difference}`));
      }
      const broken = states.filter((state) => !/^known|^proved/.test(state));
      const saysBalances =
        statement.mapping?.columns.some(({ key }) => key === 'balance') === true ||
        statement.accounts.some(({ balances }) => balances.some(({ kind }) => kind === 'ledger')) ||
        statement.warnings?.some(({ text }) => text.startsWith('The balance changes')) === true;
      if (broken.length > 0 || (saysBalances && states.length === 0)) wrong[name] = broken;
      else if (states.length > 0) proved.push(name);
    }
    assert.deepEqual(
      Object.keys(wrong).toSorted(),
      Object.keys(unproved).toSorted(),
      JSON.stringify(wrong),
    );
    assert.equal(proved.length, 43);
  });
});
