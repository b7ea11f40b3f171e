import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { select } from '../../db/rows.ts';
import { importSettings } from '../../db/tables/tables.ts';
import { as, makeTestApp } from '../../http/testing/test-app.ts';
import { forgetImportSettings, saveImportSettings, type ImportSettings } from '../memory.ts';
import type { PreviewOptions, ImportPreview } from './preview-schema.ts';
import { previewClient } from './testing/preview-client.ts';

const made = await makeTestApp();
const { engine } = made;
const client = previewClient(made);
const { bookId, importedBy } = client;

function queryOf(options: PreviewOptions): string {
  const parts = Object.entries(options).map(([name, value]) => [name, String(value)]);
  return `?${String(new URLSearchParams(Object.fromEntries(parts) as Record<string, string>))}`;
}

async function preview(content: string, options: PreviewOptions = {}): Promise<ImportPreview> {
  const { status, body } = await client.upload(content, queryOf(options));
  assert.equal(status, 201, JSON.stringify(body));
  return body;
}

async function commit(id: number, changes: object = {}): Promise<string[]> {
  const { status, body } = await client.commit(id, changes);
  assert.equal(status, 200, JSON.stringify(body));
  const rows = await importedBy(id);
  return rows.map(({ date, amount, currency }) => `${date} ${amount / 10_000} ${currency}`);
}

async function memory(): Promise<ImportSettings | null> {
  const rows = await engine.read(() => select(importSettings, { book_id: bookId }));
  assert.ok(rows.length < 2);
  return rows[0] === undefined ? null : (JSON.parse(rows[0].settings) as ImportSettings);
}

async function keep(settings: ImportSettings): Promise<void> {
  const [row] = await engine.read(() => select(importSettings, { book_id: bookId }));
  const place = { shape: row!.shape, format: 'csv' };
  await engine.write(() => saveImportSettings(bookId, place, settings));
}

let count = 0;
/** A file of a bank whose columns have unusual names. Each has another payee. */
function file(date: string, amount: string): string {
  count += 1;
  return `When;Who;"How, much"\n${date};Payee ${count};${amount}\n`;
}
const text = 'date=When,payee=Who,amount="How, much"';
const map = { date: 'When', payee: 'Who', amount: 'How, much' };
const given: PreviewOptions = {
  map: text,
  date_format: 'd/m/y',
  decimal: 'comma',
  negate: true,
  currency: 'eur',
  account: 'Card',
};
const kept: ImportSettings = {
  map,
  dateFormat: 'd/m/y',
  decimal: 'comma',
  negate: true,
  currency: 'eur',
  account: 'Card',
};
const first = async () => commit((await preview(file('01/05/2024', '1.234'), given)).id);

beforeEach(() => engine.write(() => forgetImportSettings(bookId, null)));

test("next month's file needs no option, and the preview shows which were remembered", async () => {
  const refused = await client.upload(file('01/05/2024', '1.234'));
  assert.equal(refused.status, 400);
  const { id, remembered } = await preview(file('01/05/2024', '1.234'), given);
  assert.deepEqual([remembered, await memory()], [{}, null]);
  assert.deepEqual(await commit(id), ['2024-05-01 1234 eur']);
  assert.deepEqual(await memory(), kept);
  const june = await preview(file('02/06/2024', '2.345'));
  assert.deepEqual([june.options, june.remembered], [{}, given]);
  assert.deepEqual(june.accounts[0]?.name, 'Card');
  assert.deepEqual(await commit(june.id), ['2024-06-02 2345 eur']);
  assert.deepEqual(await memory(), kept);
});

test('given options win, at the upload and at the import, and are remembered instead', async () => {
  await first();
  const point = await preview(file('03/06/2024', '1.235'), { decimal: 'point' });
  assert.deepEqual({ ...point.remembered, decimal: 'comma' }, given);
  assert.equal(point.remembered.decimal, undefined);
  assert.deepEqual(await commit(point.id), ['2024-06-03 1.235 eur']);
  assert.deepEqual(await memory(), { ...kept, decimal: 'point' });
  const sign = await preview(file('04/06/2024', '7'));
  assert.deepEqual(await commit(sign.id, { negate: false }), ['2024-06-04 -7 eur']);
  assert.deepEqual(await memory(), { ...kept, decimal: 'point', negate: false });
});

test('years that cannot be need an option for each file, which is not remembered', async () => {
  const old = () => file('01/05/1402', '1.234');
  const refused = await client.upload(old(), queryOf(given));
  assert.equal(refused.status, 400);
  assert.match(JSON.stringify(refused.body), /"01\/05\/1402\\": The year 1402 .* use any_year/);
  const { id, first_date } = await preview(old(), { ...given, any_year: true });
  assert.equal(first_date, '1402-05-01');
  assert.deepEqual(await commit(id), ['1402-05-01 1234 eur']);
  assert.deepEqual(await memory(), kept);
  assert.equal((await client.upload(old())).status, 400);
});

test('signs are a question for the account of earlier files with turned signs, and for credit cards', async () => {
  await first();
  const payload = { name: 'Visa', type: 'credit', balance: '0' };
  const url = '/v2/manual_accounts';
  const created = await made.app.inject({ method: 'POST', url, headers: as(made.ada), payload });
  assert.equal(created.statusCode, 201);
  const plain = 'Date,Payee,Amount\n2024-06-05,A,1\n2024-06-06,B,2\n2024-06-07,C,-1\n';
  for (const account of ['Card', 'Visa']) {
    const { status, body } = await client.upload(plain, queryOf({ account }));
    assert.equal(status, 400);
    assert.match(JSON.stringify(body), /Could be money out, as on a card \(negate\), or money in/);
    await preview(plain, { account, negate: false });
  }
  await preview(plain, { account: 'Cash' });
});

test('an old currency is refused, or replaced by the given one and kept in the notes', async () => {
  const marks = 'Date,Payee,Amount,Currency\n2024-05-01,A,-5,DEM\n2024-05-02,B,-6,usd\n';
  const refused = await client.upload(marks, '?account=Cash');
  assert.equal(refused.status, 400);
  assert.match(
    JSON.stringify(refused.body),
    /"dem.*is not a supported currency code: use currency/,
  );
  const { id } = await preview(marks, { account: 'Cash', currency: 'EUR' });
  assert.deepEqual(await commit(id), ['2024-05-01 5 eur', '2024-05-02 6 usd']);
  const rows = await importedBy(id);
  assert.deepEqual(
    rows.map(({ notes }) => notes),
    ['DEM', null],
  );
});

test('an import removes a remembered option with null, and forgets it', async () => {
  await first();
  const { id } = await preview(file('05/06/2024', '1.236'));
  assert.deepEqual(await commit(id, { currency: null, negate: null }), ['2024-06-05 -1236 eur']);
  const { dateFormat, decimal, account } = kept;
  assert.deepEqual(await memory(), { map, dateFormat, decimal, account });
  const plain = 'Date,Payee,Amount\n2024-06-05,A,-1\n';
  await engine.write(() => forgetImportSettings(bookId, null));
  await commit((await preview(plain, { account: 'Cash' })).id);
  assert.deepEqual(await memory(), { account: 'Cash' });
  const next = await preview(plain.replace('-05,A', '-06,B'));
  assert.deepEqual(next.remembered, { account: 'Cash' });
  await commit(next.id, { account: null });
  assert.equal(await memory(), null);
});

test('of several accounts with the same columns none is chosen: they are offered', async () => {
  await first();
  await commit((await preview(file('02/06/2024', '1'), { account: 'Giro', negate: false })).id);
  const asked = await preview(file('03/06/2024', '2'));
  assert.deepEqual([asked.account_choices, asked.accounts[0]?.name], [['Giro', 'Card'], null]);
  assert.equal('account' in asked.remembered || 'negate' in asked.remembered, false);
  const [warning] = asked.warnings.map((each) => each.text);
  const said = 'Earlier files with these columns were of "Giro" and "Card": say which one it is';
  assert.equal(warning, said);
  await commit(asked.id, { account: 'Card' });
  const { accounts } = (await memory())!;
  assert.deepEqual(accounts, ['Card', 'Giro']);
  const chosen = await preview(file('04/06/2024', '3'), { account: 'Giro' });
  assert.deepEqual([chosen.account_choices, chosen.accounts[0]?.name], [undefined, 'Giro']);
  assert.doesNotMatch(JSON.stringify(chosen.warnings), /Earlier files/);
});

test('a preview is imported as it was shown, whatever is remembered meanwhile', async () => {
  await first();
  const { id } = await preview(file('06/07/2024', '1.237'));
  await keep({ ...kept, dateFormat: 'm/d/y' });
  assert.deepEqual(await commit(id), ['2024-07-06 1237 eur']);
  assert.deepEqual(await memory(), { ...kept, dateFormat: 'm/d/y' });
});

test('what no longer fits is not used, which a warning says', async () => {
  await first();
  const warnings = ({ warnings: all }: ImportPreview) => all.map((each) => each.text).join('\n');
  const giro = await preview(file('07/06/2024', '1.238'), { account: 'Giro' });
  assert.match(warnings(giro), /^Remembered signs and currencies are not used: .* of "Card"/);
  assert.deepEqual(giro.remembered, { map: text, date_format: 'd/m/y', decimal: 'comma' });
  await keep({ ...kept, account: 'Gone', isWithoutPayee: true });
  const gone = await preview(file('08/06/2024', '1.239'));
  assert.match(warnings(gone), /^The remembered account "Gone" is not in the book/);
  await commit(gone.id, { account: 'Card' });
  assert.deepEqual(await memory(), { ...kept, isWithoutPayee: true, accounts: ['Card', 'Gone'] });
  await keep({ ...kept, map: { ...map, notes: 'Memo' } });
  const columns = await preview(file('09/06/2024', '1,24'), { map: text });
  assert.match(warnings(columns), /^The remembered columns "Memo" are not in the file/);
  await keep({ ...kept, dateFormat: 'y-m-d' });
  const { map: known } = given;
  const dates = await preview(file('13/06/2024', '1,24'), { map: known! });
  assert.match(warnings(dates), /^The remembered settings do not fit and are not used/);
  assert.deepEqual(dates.remembered, {});
});
