import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readConfig } from '@coffer/server/src/config.ts';
import { serve } from '@coffer/server/src/main.ts';
import {
  coffer,
  makeFolder,
  newBook,
  refuses,
  rowsOf,
  runCoffer,
  writeLines,
} from '../../testing/run-coffer.ts';

const folder = makeFolder();
let files = 0;
const write = (...lines: string[]): string => writeLines(folder, `${(files += 1)}.csv`, ...lines);

const header = 'When;Who;How much';
const flags = ['--map', 'date=When,payee=Who,amount=How much', '--date-format', 'd/m/y'];
const more = ['--decimal', 'comma', '--negate', '--currency', 'eur', '--account', 'Card'];
const june = () => write(header, '02/06/2026;Bar;1.234');

test("next month's file needs no flag, and the summary says why", async () => {
  const whose = await newBook();
  await coffer('import', write(header, '01/05/2026;Bakery;1.234'), ...flags, ...more, ...whose);
  const file = june();
  const { code, stdout } = await runCoffer(['import', file, ...whose]);
  assert.equal(code, 0);
  assert.equal(
    stdout.split('\n')[1],
    'Remembered: columns date="When" payee="Who" amount="How much", dates d/m/y, decimal comma, ' +
      `money out is positive, currency eur, account "Card". To forget it: coffer import --forget ${file}`,
  );
  assert.deepEqual(await rowsOf(whose), [
    '2026-05-01,-1234.0000,eur,Bakery,,Card,,,unreviewed,',
    '2026-06-02,-1234.0000,eur,Bar,,Card,,,unreviewed,',
  ]);
  const json = await coffer('import', file, '--json', ...whose);
  const { remembered } = JSON.parse(json) as { remembered: object };
  assert.partialDeepStrictEqual(remembered, { dateFormat: 'd/m/y', account: 'Card' });
});

test('a dry run and a refused file remember nothing, and another book neither', async () => {
  const [whose, others] = [await newBook(), await newBook()];
  const bad = write(header, '02/06/2026;Bar;x');
  await coffer('import', june(), ...flags, ...more, '--dry-run', ...whose);
  assert.equal((await runCoffer(['import', bad, ...flags, ...more, ...whose])).code, 1);
  assert.equal((await runCoffer(['import', june(), ...whose])).code, 1);
  await coffer('import', june(), ...flags, ...more, ...whose);
  assert.equal((await runCoffer(['import', june(), ...others])).code, 1);
});

test('--forget forgets the settings of a file, or all', async () => {
  const whose = await newBook();
  const file = june();
  const other = write('Date,Payee,Amount', '2026-06-02,Bar,-1.50');
  const forget = (...rest: string[]) => coffer('import', '--forget', ...rest, ...whose);
  await coffer('import', file, ...flags, ...more, ...whose);
  await coffer('import', other, '--account', 'Cash', ...whose);
  assert.equal(await forget(file), 'Forgotten: the settings of 1 kind of file\n');
  assert.equal(await forget(file), 'Nothing was remembered\n');
  assert.equal((await runCoffer(['import', june(), ...whose])).code, 1);
  assert.match(await coffer('import', other, ...whose), /Remembered: account "Cash"\. /);
  assert.equal(await forget('--json'), '{"forgotten":1}\n');
  assert.doesNotMatch(await coffer('import', other, ...whose), /Remembered/);
  const qif = write('!Type:Bank', 'D31/05/2024', 'T-1.00', '^');
  const { stderr } = await runCoffer(['import', '--forget', qif, ...whose]);
  assert.equal(stderr, `"${qif}" has no columns\n`);
  await refuses(['import', ...whose], 2, 'Name a file to import\n');
});

test('what no longer fits is not used, which is said', async () => {
  const whose = await newBook();
  const may = write('Date,Payee,Amount', '01/05/2026,Bakery,-1.50');
  await coffer('import', may, '--date-format', 'd/m/y', '--account', 'Cash', ...whose);
  const other = write('Date,Payee,Amount', '05/13/2026,Bar,-2.50');
  const dates = await runCoffer(['import', other, ...whose]);
  assert.equal(dates.code, 0, dates.stderr);
  assert.match(dates.stderr, /: the remembered settings do not fit and are not used\n/);
  await coffer('import', '--forget', ...whose);
  const given = ['--date-format', 'd/m/y', '--account', 'Wallet', '--json'];
  const made = await coffer('import', may, ...given, ...whose);
  const { import_id } = JSON.parse(made) as { import_id: number };
  await coffer('imports', 'undo', String(import_id), ...whose);
  const undone = await runCoffer(['import', may, ...whose]);
  assert.match(undone.stderr, /: the remembered account "Wallet" is not in the book\n/);
  assert.match(undone.stderr, /has no account\. Use --account/);
});

test('the account of a file that names accounts is not remembered', async () => {
  const whose = await newBook();
  const head = 'Date,Payee,Amount,Account';
  const file = write(head, '2026-06-02,Bar,-1.50,Own', '2026-06-03,Bar,-1.50,');
  await coffer('import', file, '--account', 'Cash', ...whose);
  const next = write(head, '2026-07-03,Bar,-1.50,');
  const { stdout, stderr } = await runCoffer(['import', next, ...whose]);
  assert.doesNotMatch(stdout, /Remembered/);
  assert.match(stderr, /1 row of .* has no account/);
});

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
