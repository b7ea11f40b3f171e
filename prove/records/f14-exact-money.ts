import { join } from 'node:path';
import { ESLint } from 'eslint';
import * as fc from 'fast-check';
import { fillDemo, checkDatabase } from '../../packages/server/src/main.ts';
import type { DemoBook, DemoTransaction } from '../../packages/server/src/demo/demo-book.ts';
import { bookArbitrary } from '../../packages/server/src/pages/testing/page-model.ts';
import { inFolder, addOwner, useStore } from '../../test/service/owners.ts';
import type { Check, Outcome } from '../run/check.ts';
import { integerFrom, randomFrom, type Random } from '../../test/service/random.ts';
import { readFile } from '../run/ledger.ts';
import { plainRow } from '../../test/service/small-book.ts';
import { proveBounds } from './money-bounds.ts';
import { proveJourney } from './money-journey.ts';
import { amountFrom, splitOf } from './money-model.ts';

const seed = 14;
const mostPerBook = 100_000;

export const check: Check = {
  id: 'F14',
  rounds: { short: 1_000, full: 1_000_000 },
  async run(amounts) {
    const random = randomFrom(seed);
    const outcomes: Outcome[] = [];
    for (let done = 0; done < amounts; done += mostPerBook) {
      const count = Math.min(mostPerBook, amounts - done);
      outcomes.push(await inFolder((folder) => proveJourney(folder, count, random)));
    }
    outcomes.push(await inFolder((folder) => proveSplits(folder, amounts / 100, random)));
    outcomes.push(await inFolder(proveBounds), await proveIntegersOnly());
    const problems = outcomes.flatMap((outcome) => outcome.problems);
    const rest = outcomes.slice(-3).map(({ figure }) => figure);
    const figure = `${amounts} amounts imported and exported, ${rest.join(', ')}: ${problems.length} wrong (seed ${seed})`;
    return { figure, problems };
  },
};

const mostParts = 7;
/** Every tenth split is wrong by a ten-thousandth. */
const wrongEvery = 10;

/** The doctor lists at most this many findings of one check, and then the number of the others. */
const mostNamed = 20;

/** Splits transactions into parts: the doctor must find those with a wrong sum, and no others. */
async function proveSplits(folder: string, splits: number, random: Random): Promise<Outcome> {
  const [template] = fc.sample(bookArbitrary, { numRuns: 1, seed: 1 });
  const rows: DemoTransaction[] = [];
  const wrong: number[] = [];
  for (let n = 0; n < splits; n += 1) {
    const amount = amountFrom(random);
    const parts = splitOf(amount, integerFrom(random, 1, mostParts), random).map(Number);
    const isWrong = n % wrongEvery === 0;
    // Towards zero, so that the amount stays in range.
    if (isWrong) parts[0] = parts[0]! > 0 ? parts[0]! - 1 : parts[0]! + 1;
    if (isWrong) wrong.push(rows.length + 1);
    const parent = rows.length;
    rows.push(transaction({ amount: Number(amount), isSplitParent: true }));
    for (const part of parts) rows.push(transaction({ amount: part, splitParent: parent }));
  }
  const book: DemoBook = { ...template!, transactions: rows };
  const found = await useStore(join(folder, 'splits.db'), async (store) => {
    const { bookId } = await addOwner(store, 'splits');
    await fillDemo(store, bookId, book);
    return checkDatabase(store, { repair: false });
  });
  const named = found.map(({ check, detail }) =>
    check === 'splits' ? Number(/\d+/.exec(detail)?.[0]) : detail,
  );
  const left = wrong.length - mostNamed;
  const expected = left > 0 ? [...wrong.slice(0, mostNamed), left] : wrong;
  const problems =
    named.join() === expected.join() ? [] : [`found ${named.join()}, not ${expected.join()}`];
  return { figure: `${wrong.length} wrong splits found among ${splits}`, problems };
}

function transaction(fields: Partial<DemoTransaction>): DemoTransaction {
  return {
    ...plainRow,
    date: '2024-02-29',
    payee: 'a part',
    toBase: fields.amount ?? 0,
    ...fields,
  };
}

const root = join(import.meta.dirname, '../..');
/** The code that reads, calculates and stores money. */
const rooms = [
  ...['changes', 'db', 'demo', 'imports', 'pages', 'resources'].map((room) => `server/src/${room}`),
  'core/src',
  'statements/src',
];
const forbidden = ['parseFloat', 'toFixed'];

/** No amount can be a float: the linter forbids it in code, strict columns in data. */
async function proveIntegersOnly(): Promise<Outcome> {
  const problems = [...(await missingRules()), ...(await inFolder(looseColumns))];
  return { figure: `${rooms.length} folders and all tables without a float`, problems };
}

async function missingRules(): Promise<string[]> {
  const eslint = new ESLint({ cwd: root });
  const problems: string[] = [];
  for (const room of rooms) {
    const config = (await eslint.calculateConfigForFile(join(root, 'packages', room, 'a.ts'))) as {
      readonly rules: Readonly<Record<string, unknown>>;
    };
    const rule = JSON.stringify(config.rules['no-restricted-syntax']);
    for (const name of forbidden)
      if (!rule.startsWith('[2') || !rule.includes(name)) problems.push(`${room} may use ${name}`);
  }
  return problems;
}

async function looseColumns(folder: string): Promise<string[]> {
  const path = join(folder, 'columns.db');
  await useStore(path, (store) => addOwner(store, 'columns'));
  return readFile(path, (database) => {
    const tables = database
      .prepare<[], { name: string; strict: number }>(
        `SELECT name, strict FROM pragma_table_list
         WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%'`,
      )
      .all();
    const columns = database
      .prepare<[], { table_name: string; name: string; type: string }>(
        `SELECT m.name AS table_name, c.name, c.type FROM sqlite_schema m, pragma_table_xinfo(m.name) c
         WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' AND (c.type NOT IN ('INTEGER', 'TEXT', 'BLOB')
           OR (c.name IN ('amount', 'to_base', 'balance', 'credit_limit') AND c.type <> 'INTEGER'))`,
      )
      .all();
    const loose = tables.filter(({ strict }) => strict === 0);
    if (tables.length === 0) return ['no table was found'];
    return [
      ...loose.map(({ name }) => `the table ${name} is not STRICT`),
      ...columns.map(({ table_name, name, type }) => `${table_name}.${name} is ${type}`),
    ];
  });
}
