import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ask, newAddress } from '../../test/service/ask.ts';
import { addOwner, useStore, type Owner } from '../../test/service/owners.ts';
import type { Outcome } from '../run/check.ts';
import { cofferPrints, whose } from '../../test/service/coffer.ts';
import { amountFrom, print, read, sum } from './money-model.ts';
import type { Random } from '../../test/service/random.ts';
import { useServer } from '../../test/service/server-process.ts';

const date = '2024-02-29';
const pageSize = 2_000;
/** An amount in the API, as text and as a number. The digits are compared, because a parser would round. */
const wireAmount = /"amount":"(-?\d+\.\d{4})","currency":"usd","to_base":(-?\d+\.\d{4}),/g;

export async function proveJourney(
  folder: string,
  count: number,
  random: Random,
): Promise<Outcome> {
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
