import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ask, newAddress } from '../../test/service/ask.ts';
import { addOwner, useStore, type Owner } from '../../test/service/owners.ts';
import type { Outcome } from '../run/check.ts';
import { coffer, cofferPrints, whose } from '../../test/service/coffer.ts';
import { useServer } from '../../test/service/server-process.ts';

/** Beyond ±(2^53 − 1) ten-thousandths, or finer than a ten-thousandth. */
const refusedAmounts = [
  ...['900719925474.0992', '-900719925474.0992', '(900719925474.0992)', '900719925474.09920'],
  ...['900719925475', '1000000000000.0000', '9223372036854775807', '0.00001', '1.23456'],
  ...['99999999999999999999999999999999999999', '1e5', 'NaN', 'Infinity', '0x10'],
];
/** Never an id, an offset or a limit. */
const refusedNumbers = '9007199254740992 9007199254740993 -9007199254740992 1e300 0.5'.split(' ');
const numericParameters = ['limit', 'offset', 'category_id', 'manual_account_id', 'tag_id'];

/** Values out of bounds must be refused by name, and nothing of them stored. */
export async function proveBounds(folder: string): Promise<Outcome> {
  const database = join(folder, 'bounds.db');
  const owner = await useStore(database, (store) => addOwner(store, 'bounds'));
  const problems = [
    ...(await proveImportRefuses(folder, database, owner)),
    ...(await proveApiRefuses(database, owner)),
  ];
  const count = refusedAmounts.length + refusedNumbers.length * numericParameters.length;
  return { figure: `${count} numbers out of bounds refused`, problems };
}

async function proveImportRefuses(folder: string, database: string, owner: Owner) {
  const problems: string[] = [];
  const empty = await cofferPrints('export', ...whose(owner, database));
  for (const amount of refusedAmounts) {
    const file = join(folder, 'refused.csv');
    const row = (value: string): string => `2024-02-29,${value},x\n`;
    await writeFile(file, `Date,Amount,Payee\n${row('1.0000')}${row(amount)}${row('2.0000')}`);
    const { code, stderr } = await coffer('import', file, ...whose(owner, database));
    if (code !== 1) problems.push(`an import of ${amount} ended with ${code}`);
    if (!stderr.includes(`refused.csv:3: column "Amount": value "${amount}": `))
      problems.push(`an import of ${amount} printed ${stderr}`);
  }
  const after = await cofferPrints('export', ...whose(owner, database));
  if (after !== empty) problems.push('a refused import left something behind');
  return problems;
}

async function proveApiRefuses(database: string, { token }: Owner): Promise<string[]> {
  const problems: string[] = [];
  await useServer({ database }, async ({ url }) => {
    for (const name of numericParameters)
      for (const number of refusedNumbers) {
        const target = `${url}/v2/transactions?${name}=${number}`;
        const { status, text } = await ask(target, { token, from: newAddress() });
        if (status !== 400 || !text.includes(`/query/${name}`))
          problems.push(`${name}=${number} returned ${status}: ${text}`);
      }
  });
  return problems;
}
