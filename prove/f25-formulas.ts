import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { addOwner, inFolder, useStore } from './book.ts';
import type { Check } from './check.ts';
import { cofferPrints, whose } from './coffer-command.ts';
import { hostileTexts, mayBeFormula } from './formula-cells.ts';

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
