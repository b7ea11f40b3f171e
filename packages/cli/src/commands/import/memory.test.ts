import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readConfig } from '@coffer/server/src/config.ts';
import { serve } from '@coffer/server/src/main.ts';
import { coffer, makeFolder, newBook, writeLines } from '../../testing/run-coffer.ts';

const folder = makeFolder();
let files = 0;
const write = (...lines: string[]): string => writeLines(folder, `${(files += 1)}.csv`, ...lines);

const header = 'When;Who;How much';
const flags = ['--map', 'date=When,payee=Who,amount=How much', '--date-format', 'd/m/y'];

interface Preview {
  readonly id: number;
  readonly remembered: object;
  readonly imported: number;
  readonly accounts: readonly { readonly name: string | null }[];
  readonly warnings: readonly { readonly text: string }[];
}

test('the command and requests remember for each other', async (t) => {
  const whose = await newBook();
  const own = [...flags, '--decimal', 'comma', '--account', 'Card'];
  await coffer('import', write(header, '01/05/2026;Bakery;1.234'), ...own, ...whose);
  const [token = ''] = /\S+\s*$/.exec(await coffer('token', 'create', ...whose)) ?? [];
  const [, , ...database] = whose;
  const settings = { port: '0', logLevel: 'silent', database: database[1]! };
  const server = await serve(readConfig(settings, {}));
  t.after(() => server.close());
  const post = async (path: string, type: string, body: string) => {
    const headers = { authorization: `Bearer ${token.trim()}`, 'content-type': type };
    const response = await fetch(`${server.url}${path}`, { method: 'POST', headers, body });
    assert.ok(response.ok, await response.clone().text());
    return (await response.json()) as Preview;
  };
  const june = await post('/coffer/imports', 'text/csv', `${header}\n02/06/2026;Bar;1.235\n`);
  assert.deepEqual(june.remembered, {
    account: 'Card',
    map: 'date=When,payee=Who,amount=How much',
    date_format: 'd/m/y',
    decimal: 'comma',
  });
  const commit = `/coffer/imports/${june.id}/commit`;
  const { imported } = await post(commit, 'application/json', '{"decimal":"point"}');
  assert.equal(imported, 1);
  const july = await coffer('import', write(header, '03/07/2026;Bar;1.236'), ...whose);
  assert.match(july, /Remembered: .*, dates d\/m\/y, decimal point, account "Card"\. /);
  const named = 'Date,Payee,Amount,Account\n2026-08-01,A,-1.00,Cash\n2026-08-02,B,-2.00,\n';
  for (const [options, accounts, said] of [
    ['', ['Cash', null], []],
    ['account=Giro', ['Giro'], ['Account "Giro" wins over the accounts in column "Account"']],
    ['account=%3DGiro', ['Cash', 'Giro'], []],
    ['map=account%3D', [null], []],
    ['map=account%3D&account=Giro', ['Giro'], []],
  ] as const) {
    const preview = await post(`/coffer/imports?${options}`, 'text/csv', named);
    assert.deepEqual(
      preview.accounts.map(({ name }) => name),
      accounts,
    );
    const texts = preview.warnings.map(({ text }) => text);
    assert.deepEqual(
      texts.filter((text) => text.includes('wins')),
      said,
    );
  }
  const amounts = (await coffer('export', ...whose)).match(/,-?\d+\.\d{4},/g);
  assert.deepEqual(amounts, [',1234.0000,', ',1.2350,', ',1.2360,']);
});
