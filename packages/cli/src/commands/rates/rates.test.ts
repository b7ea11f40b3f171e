import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import {
  coffer,
  jsonLines,
  makeFolder,
  newBook,
  refuses,
  runCoffer,
} from '../../testing/run-coffer.ts';

const folder = makeFolder();

/** Creates a book in dollars. Returns the options for it, and those for its database. */
async function newDatabase(): Promise<{ whose: string[]; database: string[] }> {
  const whose = await newBook();
  return { whose, database: whose.slice(2) };
}

function write(name: string, content: Uint8Array | string): string {
  const file = join(folder, name);
  writeFileSync(file, content);
  return file;
}

const statement = write(
  'statement.csv',
  'Date,Payee,Amount,Currency,Account\n2026-01-05,Shop,-10.00,EUR,Paris\n2026-01-05,Shop,-1.00,CHF,\n',
);
const history = write(
  'eurofxref-hist.csv',
  'Date,USD,CYP,JPY,\n2026-01-05,1.2,N/A,180,\n2026-01-02,1.1,N/A,N/A,\n',
);
const daily = write('eurofxref.csv.gz', gzipSync('Date, USD, \n06 January 2026, 1.25, \n'));

const toBases = async (whose: readonly string[]): Promise<unknown[]> =>
  jsonLines(await coffer('export', '--format', 'ndjson', ...whose))
    .filter(({ type }) => type === 'transaction')
    .map(({ to_base }) => to_base);

test('rates are imported, and values in the currencies of books follow', async () => {
  const { whose, database } = await newDatabase();
  assert.match(
    await coffer('import', statement, ...whose),
    / 2 transactions have no exchange rate \(chf, eur\): see "coffer rates import"\.\n$/,
  );
  assert.deepEqual(await toBases(whose), [0, 0]);
  const imported = await runCoffer(['rates', 'import', history, daily, ...database]);
  assert.deepEqual(imported, {
    code: 0,
    stdout:
      '4 rates added. 2 currencies, 2026-01-02 to 2026-01-06. ' +
      'Columns that are no supported currencies: CYP. ' +
      '2 transactions and accounts in 1 book updated.\n',
    stderr: '',
  });
  assert.deepEqual(await toBases(whose), [12, 0]);
  const again = await coffer('rates', 'import', history, daily, '--json', ...database);
  assert.deepEqual(JSON.parse(again), {
    added: 0,
    changed: 0,
    known: 4,
    currencies: 2,
    first_date: '2026-01-02',
    last_date: '2026-01-06',
    skipped_columns: ['CYP'],
    updated_records: 0,
    updated_books: 0,
  });
  const corrected = write('corrected.csv', 'Date,USD\n2026-01-05,1.3\n');
  assert.match(
    await coffer('rates', 'import', corrected, ...database),
    /^0 rates added, 1 changed\. 1 currency, 2026-01-05 to 2026-01-05\. 1 transaction or account in 1 book /,
  );
  assert.deepEqual(await toBases(whose), [13, 0]);
});

test('the doctor notes transactions without a rate, and finds nothing wrong', async () => {
  const { whose, database } = await newDatabase();
  await coffer('import', statement, ...whose);
  await coffer('rates', 'import', history, ...database);
  const note = 'Book 1: transactions in chf without an exchange rate, whose value in usd is 0: 1';
  const { code, stdout, stderr } = await runCoffer(['doctor', ...database]);
  assert.deepEqual([code, stdout], [0, 'Everything agrees\n']);
  assert.ok(stderr.startsWith(`Note: ${note}\nNote: Change log: `));
  const json = await coffer('doctor', '--json', ...database);
  assert.partialDeepStrictEqual(JSON.parse(json), { findings: [], notes: [note] });
});

test('an invalid file is reported with line, column and value, and nothing is imported', async () => {
  const { database } = await newDatabase();
  const wrong = write('wrong.csv', 'Date,USD\n2026-01-05,1;2\u001b[2J\n2026-01-32,1\n');
  const zip = write('wrong.zip', 'PK\x03\x04');
  const argv = ['rates', 'import', history, wrong, zip, ...database];
  const { code, stdout, stderr } = await runCoffer(argv);
  assert.deepEqual([code, stdout], [1, '']);
  assert.deepEqual(stderr.trimEnd().split('\n'), [
    `${wrong}:2: column "USD": value "1;2\\u001b[2J": Not a rate`,
    `${wrong}:3: column "Date": value "2026-01-32": Not a date`,
    `${zip}: The ZIP archive is damaged`,
    'No rates were imported',
  ]);
  mkdirSync(join(folder, 'a-folder'));
  for (const [file, message] of [
    ['missing.csv', /^There is no file ".*missing\.csv"\n$/],
    ['a-folder', /^Cannot import ".*a-folder": it is a directory\n$/],
  ] as const) {
    await refuses(['rates', 'import', history, join(folder, file), ...database], 1, message);
  }
  const none = await runCoffer(['rates', 'list', ...database]);
  assert.match(none.stderr, /^There are no exchange rates\. /);
});

test('rates are listed and shown', async () => {
  const { database } = await newDatabase();
  await coffer('rates', 'import', history, ...database);
  const last_date = '2026-01-05';
  assert.deepEqual(jsonLines(await coffer('rates', 'list', '--json', ...database)), [
    { currency: 'jpy', dates: 1, first_date: last_date, last_date, per_eur: '180' },
    { currency: 'usd', dates: 2, first_date: '2026-01-02', last_date, per_eur: '1.2' },
  ]);
  assert.equal(
    await coffer('rates', 'show', 'USD', '--date', '2026-01-04', ...database),
    'DATE        PER EUR  SOURCE  READ AT\n2026-01-02      1.1  file    2026-11-20T12:00Z\n',
  );
  const shown = await coffer('rates', 'show', 'usd', ...database);
  assert.match(shown, /^DATE.*\n2026-01-05 .*\n2026-01-02 .*\n$/);
  const none = await runCoffer(['rates', 'show', 'sek', ...database]);
  assert.deepEqual([none.code, none.stderr], [0, 'There are no rates of sek\n']);
  for (const [argv, message] of [
    [['xxq'], /"xxq" is not a supported currency code/],
    [['usd', '--date', '2026-02-30'], /^--date: "2026-02-30" is not a date/],
  ] as const)
    await refuses(['rates', 'show', ...argv, ...database], 2, message);
});
