import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { test } from 'node:test';
import { readStatement } from '@coffer/statements/src/read-statement.ts';
import { formatAmount } from '@coffer/core/money';
import { csvHeader, CsvLines } from './csv.ts';
import { rowSeparator, wireRow } from './wire-rows.ts';
import type { ExportedTransaction } from './testing/exported.ts';
import { runs } from '../../../../core/src/testing/length.ts';

type Exported = Omit<ExportedTransaction, 'json'> & { readonly wire: object };

const shop: Exported = {
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
  wire: {},
};

function makeTransaction(fields: Partial<Exported>, wire: object = {}): Exported {
  return { ...shop, ...fields, wire };
}

/** Gives ids to the names, and returns the file. A line with metadata follows every other transaction. */
function csvOf(...transactions: readonly Exported[]): string {
  const names = {
    categories: new Map<number, string>(),
    manual: new Map<number, string>(),
    plaid: new Map<number, string>(),
    tags: new Map<number, string>(),
  };
  const idIn = (list: Map<number, string>, name: string | null): number | null => {
    if (name !== null) list.set(list.size + 1, name);
    return name === null ? null : list.size;
  };
  const rows = transactions.map((each, at) => {
    const { categoryName, accountName, tagNames, externalId, amount, wire, ...same } = each;
    const account = at % 2 === 0 ? 'manual' : 'plaid';
    const row = wireRow({
      ...same,
      ...wire,
      amount: formatAmount(amount),
      external_id: externalId,
      category_id: idIn(names.categories, categoryName),
      [`${account}_account_id`]: idIn(names[account], accountName),
      tag_ids: tagNames.map((name) => idIn(names.tags, name)),
    });
    return at % 2 === 0 ? row : `${row}\n,"custom_metadata":{"a":"\\u001e\\n"}`;
  });
  const lines = new CsvLines(names).linesOf(Buffer.from(rows.join(rowSeparator)));
  return `${csvHeader.toString()}${lines.toString()}`;
}

const header = 'id,date,amount,currency,payee,notes,account,category,tags,status,external_id\n';

test('amounts have the sign of the bank and four decimals, and cells are quoted if necessary', () => {
  assert.equal(csvOf(), header);
  const texts = { payee: 'Shop, "The"', notes: 'two\nlines', categoryName: 'Food; drink' };
  const names = { accountName: 'Checking', tagNames: ['one', 'two'], externalId: 'x1' };
  const csv = csvOf(
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

test('a spreadsheet takes no text for a formula', () => {
  const ascii = '=1+1|+1|-1|@SUM(A1)|\tx|\rx|\nx|=HYPERLINK("http://x","y")';
  const others = '＝1+1|＋1|－1|＠x| =1|\u00a0=1|\u3000＝1|\ufeff=1|\u200b-1|\u00ad\u2060 @x';
  const texts = [...ascii.split('|'), ...others.split('|')];
  for (const text of texts) {
    const csv = csvOf(makeTransaction({ payee: text, notes: text, tagNames: [text] }));
    const cells = readCells(csv.slice(header.length));
    assert.deepEqual([cells[4], cells[5], cells[8]], Array(3).fill(`'${text}`));
  }
});

test('each amount appears once: pending rows, split parents and groups are left out', () => {
  for (const flag of ['is_pending', 'is_split_parent', 'is_group_parent']) {
    assert.equal(csvOf(makeTransaction({}, { [flag]: true })), header, flag);
  }
  const custom_metadata = { is_pending: true };
  const looksLikeOne = { is_pending: false, payee: '"is_pending":true', custom_metadata };
  assert.notEqual(csvOf(makeTransaction({}, looksLikeOne)), header);
  const member = { split_parent_id: 3, group_parent_id: 4, is_split_parent: false };
  assert.notEqual(csvOf(makeTransaction({}, member)), header);
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

test('an import reads any text as it was exported', () => {
  fc.assert(
    fc.property(fc.array(entry, { minLength: 1, maxLength: 8 }), (entries) => {
      const csv = csvOf(...entries.map((each) => makeTransaction(each)));
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
