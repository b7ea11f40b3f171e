import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { test } from 'node:test';
import { readStatement } from '@coffer/statements/src/read-statement.ts';
import type { ExportedTransaction } from './export.ts';
import { csvRows } from './file.ts';
import { runs } from '../../../../core/src/testing/length.ts';

const shop: ExportedTransaction = {
  id: 1,
  date: '2024-01-02',
  amount: 125_000,
  currency: 'usd',
  payee: 'Shop',
  notes: null,
  categoryName: null,
  accountName: null,
  externalId: null,
  tagNames: [],
  status: 'reviewed',
  json: '{}',
};

function makeTransaction(fields: Partial<ExportedTransaction>, wire: object = {}) {
  return { ...shop, json: JSON.stringify(wire), ...fields };
}

async function csvOf(...transactions: readonly ExportedTransaction[]): Promise<string> {
  return (await Array.fromAsync(csvRows({ transactions }))).join('');
}

const header = 'id,date,amount,currency,payee,notes,account,category,tags,status,external_id\n';

test('amounts have the sign of the bank and four decimals, and cells are quoted if necessary', async () => {
  assert.equal(await csvOf(), header);
  const texts = { payee: 'Shop, "The"', notes: 'two\nlines', categoryName: 'Food; drink' };
  const names = { accountName: 'Checking', tagNames: ['one', 'two'], externalId: 'x1' };
  const csv = await csvOf(
    makeTransaction({ id: 7, amount: 125_001, ...texts, ...names }),
    makeTransaction({ amount: -1 }),
    makeTransaction({ amount: 0 }),
  );
  const line =
    '7,2024-01-02,-12.5001,usd,"Shop, ""The""","two\nlines",Checking,"Food; drink","one, two",reviewed,x1\n';
  const plain = ['0.0001', '0.0000'].map(
    (amount) => `1,2024-01-02,${amount},usd,Shop,,,,,reviewed,\n`,
  );
  assert.equal(csv, header + line + plain.join(''));
});

test('a spreadsheet takes no text for a formula', async () => {
  const ascii = '=1+1|+1|-1|@SUM(A1)|\tx|\rx|\nx|=HYPERLINK("http://x","y")';
  const others = '＝1+1|＋1|－1|＠x| =1|\u00a0=1|\u3000＝1|\ufeff=1|\u200b-1|\u00ad\u2060 @x';
  const texts = [...ascii.split('|'), ...others.split('|')];
  for (const text of texts) {
    const csv = await csvOf(makeTransaction({ payee: text, notes: text, tagNames: [text] }));
    const cells = readCells(csv.slice(header.length));
    assert.deepEqual([cells[4], cells[5], cells[8]], Array(3).fill(`'${text}`));
  }
});

test('each amount appears once: pending rows, split parents and groups are left out', async () => {
  for (const flag of ['is_pending', 'is_split_parent', 'is_group_parent']) {
    assert.equal(await csvOf(makeTransaction({}, { [flag]: true })), header, flag);
  }
  const custom_metadata = { is_pending: true };
  const looksLikeOne = { is_pending: false, payee: '"is_pending":true', custom_metadata };
  assert.notEqual(await csvOf(makeTransaction({}, looksLikeOne)), header);
  const member = { split_parent_id: 3, group_parent_id: 4, is_split_parent: false };
  assert.notEqual(await csvOf(makeTransaction({}, member)), header);
});

/** Texts without NUL, often with formulas, quotes, line breaks and blanks at their ends. */
const starts = [
  '',
  ..."=|+|-|@|'=|''=|'|\"|'-|'\t|\ufeff|;|,|＝|'＝|\u200b=|'\u200b=|' =|'\n|–|/".split('|'),
];
const text = fc
  .tuple(
    fc.constantFrom(...starts),
    fc.string({ unit: fc.constantFrom(...Array.from('aż💶"\',;=-\n\r\t |')) }),
    fc.string({ unit: 'grapheme' }),
  )
  .map((parts) => parts.join('').replaceAll('\0', ''));
const trimmed = text.map((value) => value.trim());
const blankOr = (texts: fc.Arbitrary<string>) =>
  texts.map((value) => (value === '' ? null : value));

const entry = fc.record({
  date: fc
    .date({ min: new Date('1900-01-01'), max: new Date('2099-12-31'), noInvalidDate: true })
    .map((date) => date.toISOString().slice(0, 10)),
  amount: fc.maxSafeInteger(),
  currency: fc.constantFrom('usd', 'eur', 'jpy'),
  payee: text,
  notes: fc.option(text),
  categoryName: blankOr(trimmed),
  accountName: blankOr(trimmed),
  externalId: blankOr(trimmed),
});

test('an import reads any text as it was exported', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(entry, { minLength: 1, maxLength: 8 }), async (entries) => {
      const csv = await csvOf(...entries.map((each) => makeTransaction(each)));
      const statement = readStatement({ open: () => [Buffer.from(csv)] });
      const read = [...statement.entries()].map(({ line: _line, ...rest }) => rest);
      const expected = entries.map(({ amount, categoryName, accountName, ...rest }) => ({
        ...rest,
        amount: amount === 0 ? 0 : -amount,
        category: categoryName,
        account: accountName,
      }));
      assert.deepEqual(read, expected);
    }),
    { numRuns: runs(300) },
  );
});

/** Returns the cells of a line of CSV, parsed independently of the tested code. */
function readCells(line: string): string[] {
  const cells = [...line.matchAll(/(?:"((?:[^"]|"")*)"|([^",\n]*))[,\n]/g)];
  return cells.map(([, quoted, bare]) => quoted?.replaceAll('""', '"') ?? bare ?? '');
}
