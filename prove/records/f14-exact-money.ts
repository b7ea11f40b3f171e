import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as fc from 'fast-check';
import type { DemoBook, DemoTransaction } from '../../packages/server/src/demo/book/demo-book.ts';
import { fillDemo } from '../../packages/server/src/demo/fill.ts';
import { checkDatabase } from '../../packages/server/src/maintenance/doctor.ts';
import { bookArbitrary } from '../../packages/server/src/pages/testing/page-model.ts';
import { ask } from '../../test/service/ask.ts';
import { coffer, cofferPrints, whose } from '../../test/service/coffer.ts';
import { inFolder, addOwner, useStore, type Owner } from '../../test/service/owners.ts';
import { integerFrom, randomFrom, type Random } from '../../test/service/random.ts';
import { useServer } from '../../test/service/server-process.ts';
import { plainRow } from '../../test/service/small-book.ts';
import type { Check, Outcome } from '../run/check.ts';
import { readFile } from '../run/ledger.ts';
import { newAddress } from '../../test/service/http-exchange.ts';

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
    outcomes.push(await inFolder(proveBounds), await inFolder(proveStrictTables));
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
    rows.push(transaction({ amount: Number(amount), is_split_parent: true }));
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
  return { ...plainRow, date, payee: 'a part', to_base: fields.amount ?? 0, ...fields };
}

/** No amount can be a float: the linter forbids it in code (scripts/lint.check.test.ts), strict tables in data. */
async function proveStrictTables(folder: string): Promise<Outcome> {
  const path = join(folder, 'tables.db');
  await useStore(path, (store) => addOwner(store, 'tables'));
  const tables = readFile(path, (database) => {
    const all = `SELECT name, strict FROM pragma_table_list
      WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%'`;
    return database.prepare<[], { name: string; strict: number }>(all).all();
  });
  const loose = tables.filter(({ strict }) => strict === 0);
  const problems = loose.map(({ name }) => `the table ${name} is not STRICT`);
  if (tables.length === 0) problems.push('no table was found');
  return { figure: `${tables.length} tables without a float`, problems };
}

/** Beyond ±(2^53 − 1) ten-thousandths, or finer than a ten-thousandth. */
const refusedAmounts = [
  '900719925474.0992',
  '-900719925474.0992',
  '(900719925474.0992)',
  '900719925474.09920',
  '900719925475',
  '1000000000000.0000',
  '9223372036854775807',
  '0.00001',
  '1.23456',
  '99999999999999999999999999999999999999',
  '1e5',
  'NaN',
  'Infinity',
  '0x10',
];
/** The import must refuse each of them by name, and store nothing. */
async function proveBounds(folder: string): Promise<Outcome> {
  const database = join(folder, 'bounds.db');
  const owner = await useStore(database, (store) => addOwner(store, 'bounds'));
  const problems: string[] = [];
  const file = join(folder, 'refused.csv');
  const rows = ['1.0000', ...refusedAmounts].map((amount) => `2024-02-29,${amount},x\n`);
  await writeFile(file, `Date,Amount,Payee\n${rows.join('')}`);
  const empty = await cofferPrints('export', ...whose(owner, database));
  const { code, stderr } = await coffer('import', file, ...whose(owner, database));
  if (code !== 1) problems.push(`an import of amounts out of bounds ended with ${code}`);
  for (const [n, amount] of refusedAmounts.entries())
    if (!stderr.includes(`refused.csv:${n + 3}: column "Amount": value "${amount}": `))
      problems.push(`an import of ${amount} printed ${stderr}`);
  const after = await cofferPrints('export', ...whose(owner, database));
  if (after !== empty) problems.push('a refused import left something behind');
  return { figure: `${refusedAmounts.length} amounts out of bounds refused`, problems };
}

const date = '2024-02-29';
const pageSize = 2_000;
/** An amount in the API, as text and as a number. The digits are compared, because a parser would round. */
const wireAmount = /"amount":"(-?\d+\.\d{4})","currency":"usd","to_base":(-?\d+\.\d{4}),/g;

async function proveJourney(folder: string, count: number, random: Random): Promise<Outcome> {
  const amounts = Array.from({ length: count }, () => amountFrom(random));
  const [first, second] = [join(folder, 'first.db'), join(folder, 'second.db')];
  const statement = join(folder, 'statement.csv');
  const lines = amounts.map((amount, n) => `${date},${print(amount)},row ${n}`);
  await writeFile(statement, `Date,Amount,Payee\n${lines.join('\n')}\n`);
  const problems: string[] = [];
  const expect = (what: string, found: readonly bigint[]): void => {
    // An expense is negative in a statement and positive in the API.
    const at = found.findIndex((amount, n) => amount !== amounts[n]);
    if (found.length !== count) problems.push(`${what}: ${found.length} of ${count} amounts`);
    else if (at >= 0) problems.push(`${what}: ${found[at]} instead of ${amounts[at]}`);
  };
  const expectSum = (what: string, text: string): void => {
    if (read(text) !== sum(amounts)) problems.push(`${what}: ${text}, not ${print(sum(amounts))}`);
  };
  const owner = await useStore(first, (store) => addOwner(store, 'first'));
  expectSum('sum of the import', await importSum(statement, owner, first));
  const exported = join(folder, 'exported.csv');
  await cofferPrints('export', '--output', exported, ...whose(owner, first));
  const csv = await cofferPrints('export', ...whose(owner, first));
  expect('CSV', amountsOfCsv(csv));
  const ndjson = await cofferPrints('export', '--format', 'ndjson', ...whose(owner, first));
  expect('NDJSON', negated(amountsOfWire(ndjson)));
  expect('API', negated(await amountsOfApi(first, owner)).toReversed());
  const again = await useStore(second, (store) => addOwner(store, 'second'));
  expectSum('sum of the second import', await importSum(exported, again, second));
  expect(
    'CSV of the second book',
    amountsOfCsv(await cofferPrints('export', ...whose(again, second))),
  );
  return { figure: `${count} amounts`, problems };
}

async function importSum(file: string, owner: Owner, database: string): Promise<string> {
  const args = ['import', file, '--account', 'Cash', '--json', '--decimal', 'point'];
  const said = await cofferPrints(...args, ...whose(owner, database));
  const { sum_by_currency: sums } = JSON.parse(said) as {
    readonly sum_by_currency: Readonly<Record<string, string>>;
  };
  return sums['usd'] ?? '';
}

function amountsOfCsv(csv: string): bigint[] {
  const [, ...lines] = csv.trimEnd().split('\n');
  return lines.map((line) => read(line.split(',')[2] ?? ''));
}

/** Returns the amounts of rows in an API response; both forms of each must be equal. */
function amountsOfWire(text: string): bigint[] {
  return [...text.matchAll(wireAmount)].map(([, amount = '', toBase = '']) => {
    if (amount !== toBase) throw new Error(`The amount is ${amount}, and to_base ${toBase}`);
    return read(amount);
  });
}

function negated(amounts: readonly bigint[]): bigint[] {
  return amounts.map((amount) => -amount);
}

async function amountsOfApi(database: string, { token }: Owner): Promise<bigint[]> {
  return useServer({ database, flags: ['--rate-limit', '1000000000/24h'] }, async ({ url }) => {
    const amounts: bigint[] = [];
    for (let offset = 0; ; offset += pageSize) {
      const target = `/v2/transactions?limit=${pageSize}&offset=${offset}`;
      const { text } = await ask(url + target, { token, from: newAddress() });
      amounts.push(...amountsOfWire(text));
      if (!text.endsWith('"has_more":true}')) return amounts;
    }
  });
}

const largest = 2n ** 53n - 1n;

/** Amounts where a float is inexact: the largest, nearly a whole unit, and the smallest. */
const edges = [largest, -largest, largest - 992n, -9_999n, 0n, 1n, -1n, 10_000n];

function amountFrom(random: Random): bigint {
  const kind = integerFrom(random, 0, 199);
  if (kind < edges.length) return edges[kind]!;
  const bits =
    (BigInt(integerFrom(random, 0, 2 ** 27 - 1)) << 26n) |
    BigInt(integerFrom(random, 0, 2 ** 26 - 1));
  const size = bits % 2n ** BigInt(integerFrom(random, 1, 53));
  return random() < 0.5 ? size : -size;
}

function splitOf(amount: bigint, parts: number, random: Random): bigint[] {
  const split: bigint[] = [];
  let rest = amount;
  for (let n = 1; n < parts; n += 1) {
    const part = amountFrom(random);
    const left = rest - part;
    const taken = left > largest || left < -largest ? 0n : part;
    split.push(taken);
    rest -= taken;
  }
  return [...split, rest];
}

function print(amount: bigint): string {
  const digits = String(amount < 0n ? -amount : amount).padStart(5, '0');
  return `${amount < 0n ? '-' : ''}${digits.slice(0, -4)}.${digits.slice(-4)}`;
}

function read(text: string): bigint {
  if (!/^-?\d+\.\d{4}$/.test(text)) throw new Error(`"${text}" is no amount with four decimals`);
  return BigInt(text.replace('.', ''));
}

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n);
}
