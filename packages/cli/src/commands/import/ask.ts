import type { ImportSettings } from '@coffer/server/src/imports/memory.ts';
import type {
  StatementProblem,
  SeenColumn,
  Statement,
} from '@coffer/statements/src/statement/statement.ts';
import type { StatementError } from '@coffer/statements/src/statement/statement-error.ts';
import type { TableOutline } from '@coffer/statements/src/csv/table/layout.ts';
import { quote, count } from '../../terminal/format.ts';
import type { PromptChoice, Prompts } from '../../terminal/prompts.ts';
import type { ComparedFile, ListedEntry } from '@coffer/server/src/imports/compare.ts';
import { formatAmount } from '@coffer/core/money';
import { printable } from '@coffer/core/text';
import { cut, padded } from '../../terminal/table.ts';
import { flagsOf } from './options.ts';

type Map = NonNullable<ImportSettings['map']>;

/** A file, and what its table looks like. */
interface AskedFile {
  readonly path: string;
  readonly outline: TableOutline | null;
}

/** Asks what the first unclear problem of a file means. Returns the settings that say it; null if there are none. */
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

/** Returns the columns of which one may have the payee, in a table where no column is known to have it. */
export function columnsForPayee(
  { mapping, entryCount }: Statement,
  outline: TableOutline | null,
): readonly SeenColumn[] {
  if (mapping === undefined || outline === null || entryCount === 0) return [];
  if (mapping.columns.some(({ key }) => key === 'payee')) return [];
  const used = new Set(mapping.columns.map(({ number }) => number));
  return outline.columns.filter(({ number, sample }) => !used.has(number) && sample !== '');
}

/** Asks which of these columns has the payee. */
export async function askPayee(
  prompts: Prompts,
  { path, outline }: AskedFile & { readonly outline: TableOutline },
  columns: readonly SeenColumn[],
): Promise<ImportSettings> {
  const choices = columns.map((column) => choiceOf(column, outline));
  const message = `No known column of ${path} has the payee. Which one has it?`;
  const payee = await prompts.choose<string | null>(message, [...choices, noColumn]);
  return payee === null ? { isWithoutPayee: true } : { map: { payee } };
}

/** Returns the whole map of a table that was read, by numbers: for a table without known names. */
export function wholeMap({ mapping }: Statement): Map {
  const used = (mapping?.columns ?? []).filter(({ isFallback }) => !isFallback);
  return Object.fromEntries(used.map(({ key, number }) => [key, String(number)]));
}

/** Asks about each row that the book may have already. Returns what happens to them, by their number. */
export async function askAboutDoubtful(
  prompts: Prompts,
  { doubtful, decisions, entries }: ComparedFile,
): Promise<ReadonlyMap<number, 'skip'>> {
  const all = Array.from({ length: entries.count }, (_, at) => at + 1);
  const left = all.filter((number) => decisions.of(number).verdict === 'doubtful');
  const skipped = await askEach(prompts, doubtful, left);
  return new Map([...skipped].map((number) => [number, 'skip']));
}

type Reply = 'keep' | 'skip' | 'keep all' | 'skip all';

/** Returns the numbers of the rows not to import. Only the first rows are `listed`; one reply is for all others. */
async function askEach(
  prompts: Prompts,
  listed: readonly ListedEntry[],
  all: readonly number[],
): Promise<ReadonlySet<number>> {
  const skipped = new Set<number>();
  const left = new Set(all);
  for (const entry of listed) {
    const reply = await prompts.choose(messageFor(entry), choicesFor(left.size));
    left.delete(entry.number);
    if (reply.startsWith('skip')) skipped.add(entry.number);
    if (reply === 'skip all') return new Set([...skipped, ...left]);
    if (reply === 'keep all') return skipped;
  }
  if (left.size === 0) return skipped;
  const message = `${count(left.size, 'more row')} may be in the book already`;
  const isSkipped = await prompts.choose(message, [
    { value: false, label: 'Import them' },
    { value: true, label: 'Skip them' },
  ]);
  return isSkipped ? new Set([...skipped, ...left]) : skipped;
}

function messageFor({ line, known, knownId, why, ...entry }: ListedEntry): string {
  const row = (each: Pick<ListedEntry, 'date' | 'amount' | 'payee'>) =>
    `${each.date} ${formatAmount(each.amount)} "${each.payee}"`;
  return `Line ${line}: ${row(entry)}\nmay be transaction ${knownId}: ${row(known)} (${why})`;
}

function choicesFor(left: number): { value: Reply; label: string }[] {
  const each = [
    { value: 'skip' as const, label: 'It is the same: skip it' },
    { value: 'keep' as const, label: 'It is another one: import it' },
  ];
  if (left < 2) return each;
  const others = count(left - 1, 'other');
  return [
    ...each,
    { value: 'skip all', label: `Skip it and the ${others}` },
    { value: 'keep all', label: `Import it and the ${others}` },
  ];
}

/** A file that is refused, but could be read with more flags. */
export class UnclearFile extends Error {
  override readonly name = 'UnclearFile';
  /** What is unclear. */
  readonly error: StatementError;
  /** Lines with the columns of the file and the flags to give. */
  readonly hints: readonly string[];

  constructor(error: StatementError, hints: readonly string[]) {
    super(error.message);
    this.error = error;
    this.hints = hints;
  }
}

const mostColumns = 40;

/** Whether flags, or a user at a terminal, can solve a problem of a file. */
export function isUnclear({ choices, needsColumns }: StatementProblem): boolean {
  return needsColumns === true || (choices?.length ?? 0) > 0;
}

/** Returns the columns of a file with a sample of each, and the flags for what is unclear. */
export function hintsFor(
  file: string,
  { problems }: StatementError,
  outline: TableOutline | null,
): string[] {
  const flags = problems.flatMap(({ choices }) =>
    choices === undefined ? [] : [flagsFor(choices)],
  );
  const isUnknown = problems.some(({ needsColumns }) => needsColumns === true);
  return [
    ...(outline === null ? [] : columnLines(file, outline.columns)),
    ...(isUnknown && outline !== null
      ? ['Give --map date=COLUMN,amount=COLUMN,payee=COLUMN with names or numbers of columns']
      : []),
    ...flags,
  ];
}

function flagsFor(choices: NonNullable<StatementProblem['choices']>): string {
  const each = choices.map(
    ({ label, options }) => `${flagsOf(options)} for ${printable(meaning(label))}`,
  );
  return `Give ${each.join(', or ')}`;
}

/** A label without its remark: `2026-03-02` of `2026-03-02 (d/m/y)`. */
function meaning(label: string): string {
  return label.split(' (', 1)[0]!;
}

/** Returns columns of a file, each with its first value. */
export function columnLines(file: string, columns: readonly SeenColumn[]): string[] {
  const lines = columns
    .slice(0, mostColumns)
    .map(({ number, name, sample }) => [String(number), name === '' ? '-' : name, sample]);
  const numbers = lines.map(([number = '', name = '', sample = '']) => {
    return `${number.padStart(4)}  ${padded(cut(printable(name), 30), 30)}  ${cut(printable(sample), 40)}`;
  });
  const more = columns.length - mostColumns;
  return [
    `The columns of ${quote(file)}, each with its first value:`,
    ...numbers.map((line) => line.trimEnd()),
    ...(more > 0 ? [`and ${more} more`] : []),
  ];
}
