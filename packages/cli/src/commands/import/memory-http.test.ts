import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readConfig, serve } from '@coffer/server';
import { coffer, makeBook, makeFolder } from '../../testing/run-coffer.ts';

const folder = makeFolder();
const content = (date: string, amount: string) => `When;Who;How much\n${date};Bar;${amount}\n`;

function write(name: string, ...row: [string, string]): string {
  const file = join(folder, name);
  writeFileSync(file, content(...row));
  return file;
}

test('the command and requests remember for each other', async (t) => {
  const whose = await makeBook(folder);
  const flags = ['--map', 'date=When,payee=Who,amount=How much', '--date-format', 'd/m/y'];
  const more = ['--decimal', 'comma', '--account', 'Card'];
  await coffer('import', write('may.csv', '01/05/2026', '1.234'), ...flags, ...more, ...whose);
  const [token = ''] = /\S+\s*$/.exec(await coffer('token', 'create', ...whose)) ?? [];
  const [, , ...database] = whose;
  const settings = { port: '0', logLevel: 'silent', database: database[1]! };
  const server = await serve(readConfig(settings, {}));
  t.after(() => server.close());
  const post = async (path: string, type: string, body: string) => {
    const headers = { authorization: `Bearer ${token.trim()}`, 'content-type': type };
    const response = await fetch(`${server.url}${path}`, { method: 'POST', headers, body });
    assert.ok(response.ok, await response.clone().text());
    return (await response.json()) as { id: number; remembered: object; imported: number };
  };
  const june = await post('/coffer/imports', 'text/csv', content('02/06/2026', '1.235'));
  assert.deepEqual(june.remembered, {
    account: 'Card',
    map: 'date=When,payee=Who,amount=How much',
    date_format: 'd/m/y',
    decimal: 'comma',
  });
  const commit = `/coffer/imports/${june.id}/commit`;
  const { imported } = await post(commit, 'application/json', '{"decimal":"point"}');
  assert.equal(imported, 1);
  const july = await coffer('import', write('july.csv', '03/07/2026', '1.236'), ...whose);
  assert.match(july, /Remembered: .*, dates d\/m\/y, decimal point, account "Card"\. /);
  const amounts = (await coffer('export', ...whose)).match(/,-?\d+\.\d{4},/g);
  assert.deepEqual(amounts, [',1234.0000,', ',1.2350,', ',1.2360,']);
});
