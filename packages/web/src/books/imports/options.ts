import { unitsOf } from '../formats/money.ts';
import type { ImportMapping, ImportPreview, Schemas } from '../types.ts';

/** How the columns of a file were read. */
type Mapping = Pick<ImportMapping, 'columns'>;

/** What a column of a table can hold, in the order in which it is offered. Source: `map` of POST /coffer/imports. */
export const columnKeys = [
  ...(['date', 'payee', 'amount', 'debit', 'credit', 'notes', 'category', 'tags'] as const),
  ...(['account', 'currency', 'direction', 'status', 'fee', 'balance', 'external_id'] as const),
];

/** What a column of a table can hold. */
export type ColumnKey = (typeof columnKeys)[number];

/** A column of a file: how it is named and begins, and what it holds. */
export interface FileColumn {
  /** From 1. */
  readonly number: number;
  readonly name: string;
  readonly sample: string;
  /** Empty for a column that is not read. */
  readonly key: ColumnKey | '';
}

/** The columns of a mapping that the server has made. Of several keys of a column, the first. */
export function columnsOf(mapping: Mapping): FileColumn[] {
  return mapping.columns.map(({ number, name, sample, keys }) => {
    const key = columnKeys.find((each) => keys.includes(each)) ?? '';
    return { number, name, sample, key };
  });
}

/**
 * Writes columns as the option `map`, by number: `date=1,payee=3,amount=5,account=`. Of several columns with one key,
 * the one that did not have it before is taken, else the first. A key that several columns had and still have is left
 * to the server, which reads the next one where the first is blank. A key that no column has any more, or that `map`
 * has without a column, is written without one.
 */
export function mapOf(
  columns: readonly FileColumn[],
  before: readonly FileColumn[] = [],
  map = '',
): string {
  const off = new Set([...map.matchAll(/(?:^|,)(\w+)=(?=,|$)/g)].map(([, key]) => key));
  return columnKeys
    .flatMap((key) => {
      const [now, old] = [columns, before].map((all) => all.filter((each) => each.key === key));
      const isOld = ({ number }: FileColumn) => old!.some((each) => each.number === number);
      const isSame = now!.length === old!.length && now!.every(isOld);
      if (now!.length > 1 && isSame) return [];
      const column = now!.find((each) => !isOld(each)) ?? now![0];
      if (column !== undefined) return [`${key}=${column.number}`];
      const isOff = off.has(key) || old!.length > 0;
      return isOff && !needed.has(key) ? [`${key}=`] : [];
    })
    .join(',');
}

const needed: ReadonlySet<ColumnKey> = new Set(['date', 'amount', 'debit', 'credit']);

/** Whether columns can be read: a date, and an amount or a part of one. */
export function isReadable(columns: readonly FileColumn[]): boolean {
  const has = (key: ColumnKey): boolean => columns.some((column) => column.key === key);
  return has('date') && (has('amount') || has('debit') || has('credit'));
}

/** Leaves out options without a value. */
export function given(options: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const entries = Object.entries(options).filter(
    ([, value]) => value !== '' && value !== undefined && value !== null,
  );
  return Object.fromEntries(entries);
}

/** Which options the problems of a refused file ask for. */
export function askedFor(problems: readonly Pick<Schemas['ErrorDetail'], 'errMsg'>[]): {
  readonly dateFormat: boolean;
  readonly decimal: boolean;
  readonly columns: boolean;
  readonly account: boolean;
  readonly anyYear: boolean;
} {
  const has = (text: string): boolean => problems.some(({ errMsg }) => errMsg.includes(text));
  return {
    dateFormat: has('date format'),
    decimal: has('decimal'),
    columns: has('map the columns') || has('No header row'),
    account: has('several accounts'),
    anyYear: has('any_year'),
  };
}

const delimiters = [';', '\t', ',', '|'] as const;
const mostLines = 60;

/**
 * Returns the columns of the beginning of a text file that the server could not read, so that a person can name them.
 *
 * The line with the most columns is taken for the first of the table; what is below it gives the samples. Empty for a
 * file that is no table.
 */
export function columnsInText(text: string): FileColumn[] {
  const lines = text.split(/\r\n|\n|\r/).slice(0, mostLines);
  const tables = delimiters.map((delimiter) => lines.map((line) => cellsOf(line, delimiter)));
  const widest = tables.map((rows) => Math.max(...rows.map((cells) => cells.length)));
  const width = Math.max(...widest);
  const table = tables[widest.indexOf(width)];
  if (table === undefined || width < 2) return [];
  const rows = table.filter((cells) => cells.length === width);
  const [head = [], sample = head] = rows;
  return head.map((name, place) => {
    const cell = sample[place] ?? '';
    return { number: place + 1, name, sample: rows.length > 1 ? cell : name, key: '' };
  });
}

/** Splits a line at the delimiters that are not within quotes. */
function cellsOf(line: string, delimiter: string): string[] {
  const cells: string[] = [];
  let cell = '';
  let isQuoted = false;
  for (const character of `${line}${delimiter}`)
    if (character === '"') isQuoted = !isQuoted;
    else if (character === delimiter && !isQuoted) {
      cells.push(cell.trim());
      cell = '';
    } else cell += character;
  return cells;
}

/** What a preview says about accounts. */
interface Named {
  readonly accounts: readonly { readonly name: string | null }[];
  readonly options: { readonly account?: string };
}

/**
 * Returns the end of an account number in a name that the server has made from it; empty if there is none. The server
 * wants four characters.
 */
function numberAtEnd(name: string): string {
  let start = name.length;
  while (/^[0-9]$/.test(name[start - 1] ?? '')) start -= 1;
  return name.length - start < 4 ? '' : name.slice(start);
}

/**
 * Whether a person can choose another account for rows of a file: for rows without one, for the only account of a file,
 * for one whose name ends with its number, and for one that was chosen before.
 */
export function canName({ accounts, options }: Named, name: string | null): boolean {
  if (name === null || accounts.length === 1 || numberAtEnd(name) !== '') return true;
  return linesOf(options.account).some((line) => line.endsWith(`=${name}`));
}

/**
 * Whether the account is only that of the last file with such columns, which other accounts may have too: no row is in
 * it already, and no balance of the file fits.
 */
export function isGuess(
  preview: Pick<ImportPreview, 'remembered' | 'verdicts' | 'accounts'>,
): boolean {
  const { remembered, verdicts, accounts } = preview;
  const [account, other] = accounts;
  if (account === undefined || other !== undefined || account.name === null) return false;
  const { known, doubtful, replaces } = verdicts;
  const difference = account.balance?.difference ?? null;
  const fits = difference !== null && unitsOf(difference) === 0n;
  return remembered.account === account.name && known + doubtful + replaces === 0 && !fits;
}

/** The option `account` with another name for the rows of one account. */
export function accountLines(
  { accounts, options }: Named,
  name: string | null,
  next: string,
): string {
  if (accounts.length === 1) return next;
  const lines = linesOf(options.account).filter((line) => line.includes('='));
  const before = lines.find((line) => name !== null && line.endsWith(`=${name}`));
  const key = name === null ? '' : (before?.split('=', 1)[0] ?? numberAtEnd(name));
  return [...lines.filter((line) => !line.startsWith(`${key}=`)), `${key}=${next}`].join('\n');
}

function linesOf(account = ''): string[] {
  return account.split('\n');
}
