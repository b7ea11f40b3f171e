import type { ImportSettings } from '@coffer/server/src/imports/settings.ts';
import type { SeenColumn, Statement } from '@coffer/statements/src/statement/statement.ts';
import type {
  StatementError,
  StatementProblem,
} from '@coffer/statements/src/statement/statement-error.ts';
import type { TableOutline } from '@coffer/statements/src/csv/table/outline.ts';
import { quote } from '../../terminal/format.ts';
import type { PromptChoice, Prompts } from '../../terminal/prompts.ts';

type Map = NonNullable<ImportSettings['map']>;

/** A file, and what its table looks like. */
export interface AskedFile {
  readonly path: string;
  readonly outline: TableOutline | null;
}

/** Asks what the first unclear problem of a file means. Returns what settles it; null if nothing can. */
export async function askAbout(
  prompts: Prompts,
  file: AskedFile,
  { problems }: StatementError,
): Promise<ImportSettings | null> {
  for (const problem of problems) {
    const { choices = [], needsColumns } = problem;
    if (needsColumns === true && file.outline !== null)
      return { map: await askColumns(prompts, file.path, file.outline) };
    if (choices.length === 0) continue;
    const options = choices.map(({ label, options: value }) => ({ label, value }));
    return await prompts.choose(meaningOf(file.path, problem), options);
  }
  return null;
}

function meaningOf(path: string, { line, column, value }: StatementProblem): string {
  const place = column === null ? '' : `, column ${quote(column)}`;
  return `${path}, line ${line}${place}: what does ${quote(value ?? '')} mean?`;
}

/** Asks for the columns with the date, the amount and the payee. */
async function askColumns(prompts: Prompts, path: string, outline: TableOutline): Promise<Map> {
  const left = outline.columns.map((column) => choiceOf(column, outline));
  const ask = async <T>(what: string, others: readonly PromptChoice<T>[] = []) => {
    const chosen = await prompts.choose<string | T>(`Which column of ${path} has ${what}?`, [
      ...left,
      ...others,
    ]);
    const at = left.findIndex(({ value }) => value === chosen);
    if (at >= 0) left.splice(at, 1);
    return chosen;
  };
  const date = String(await ask('the date'));
  const amount = await ask('the amount', [
    { value: null, label: 'Two columns: one for money out, one for money in' },
  ]);
  const money =
    amount === null
      ? { debit: String(await ask('money out')), credit: String(await ask('money in')) }
      : { amount };
  const payee = left.length === 0 ? null : await ask('the payee', [noColumn]);
  return { date, ...money, ...(payee !== null && { payee }) };
}

const noColumn = { value: null, label: 'None of them' };

function choiceOf(column: SeenColumn, outline: TableOutline): PromptChoice<string> {
  const { number, name, sample } = column;
  const label = name === '' ? `column ${number}` : name;
  return { value: columnReference(column, outline), label, ...(sample !== '' && { hint: sample }) };
}

/** A column as a value of a map: its name, unless it has none of its own. */
function columnReference({ number, name }: SeenColumn, { columns, hasHeader }: TableOutline) {
  const isOwn = columns.filter((each) => each.name === name).length === 1;
  const isName = hasHeader && name.trim() !== '' && !/^\d+$|…$/.test(name.trim());
  return isOwn && isName ? name : String(number);
}

/** Asks for the payee of a file where no column has it. Null if it need not be asked. */
export async function askPayee(
  prompts: Prompts,
  { path, outline }: AskedFile,
  { mapping, entryCount }: Statement,
): Promise<ImportSettings | null> {
  if (mapping === undefined || outline === null || entryCount === 0) return null;
  if (mapping.columns.some(({ key }) => key === 'payee')) return null;
  const used = new Set(mapping.columns.map(({ number }) => number));
  const unused = outline.columns.filter(({ number, sample }) => !used.has(number) && sample !== '');
  if (unused.length === 0) return null;
  const choices = unused.map((column) => choiceOf(column, outline));
  const message = `No known column of ${path} has the payee. Which one has it?`;
  const payee = await prompts.choose<string | null>(message, [...choices, noColumn]);
  return payee === null ? { isWithoutPayee: true } : { map: { payee } };
}

/** Returns the whole map of a table that was read, by numbers: for a table without known names. */
export function wholeMap({ mapping }: Statement): Map {
  const used = (mapping?.columns ?? []).filter(({ isFallback }) => !isFallback);
  return Object.fromEntries(used.map(({ key, number }) => [key, String(number)]));
}
