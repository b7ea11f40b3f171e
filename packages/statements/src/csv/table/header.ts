import { shorten, withSingleBlanks } from '@coffer/core/text';
import { MAX_SHOWN_LENGTH, type Refusal } from '../../statement/statement-error.ts';
import type { Row } from './rows.ts';
import { amountIn, looksLikeAmount } from '../../statement/amounts.ts';
import { parseCurrency, unitCurrency } from '../../statement/currencies.ts';
import { looksLikeDate } from '../../statement/dates.ts';
import { COLUMN_KEYS, type ColumnKey, type ColumnMap } from '../../statement/statement.ts';
import {
  DESCRIPTION_RANK,
  headerName,
  isCurrencyName,
  type HeaderName,
  areAccounts,
  filledCells,
  freeColumns,
  hasBothDirections,
  type Columns,
  type Free,
  type Rows,
  profileOf,
  type Profile,
} from './header-names.ts';
import { folded } from '../../words/vocabulary.ts';
import {
  possibleAccounts,
  accountSides,
  otherAccounts,
  holdersOf,
  sidesOf,
  textColumns,
  type PossibleAccount,
  type AccountSides,
  type UnclearColumns,
  type NamedTable,
  type OwnSide,
  type Parties,
  type Sides,
  accountAbove,
} from './parties.ts';
import { balanceOf, type Numbers } from './relations.ts';
import { namesCard, personName } from '../../words/meanings.ts';

/** The delimiter, the first row and the columns of a table. */
export interface Layout extends Header {
  readonly form: string;
  /** Rows above this line are not entries. */
  readonly firstLine: number;
  /** The only currency that the text above the table has; null if there is none or more. */
  readonly preambleCurrency: string | null;
  /** The only number of an account in the text above the table, without blanks; null if there is none or more. */
  readonly accountAbove: string | null;
  /** The dates in the text above the table, as written. */
  readonly datesAbove: readonly string[];
  /** Whether the text above the table is of a card. */
  readonly isCardAbove: boolean;
  /** Whether that text is in Thai. */
  readonly isThaiAbove: boolean;
  /** Whether the columns were found by their content. */
  readonly isInferred: boolean;
}

/** The first rows of a table. */
export interface Head {
  readonly form: string;
  readonly rows: Row[];
  /** Why no more rows could be read. */
  refusal: Refusal | null;
}

/** Whether a name of a column is in a script of East Asia. */
export function isEastAsian(names: readonly string[]): boolean {
  return names.some((name) =>
    /[\p{Script=Han}\p{Script=Hangul}\p{Script=Katakana}\p{Script=Hiragana}]/u.test(name),
  );
}

/** The name of a column in messages. */
export function columnName(layout: Pick<Layout, 'names'>, index: number): string {
  const name = layout.names[index] ?? '';
  return name === '' ? `column ${index + 1}` : shorten(name, MAX_SHOWN_LENGTH);
}

/** The header of a table. */
export interface Header {
  /** Number of columns. */
  readonly width: number;
  /** Index of each known column. */
  readonly columns: Columns;
  /** Columns that are used where the cell of the first one is blank. */
  readonly fallbacks: { readonly date?: number; readonly payee: readonly number[] };
  /** Columns of dates that are not used, such as the day of the booking. */
  readonly otherDates: readonly number[];
  /** Columns of amounts that are not used, such as those in another currency. */
  readonly otherMoney: readonly number[];
  /** Whether the header is in a language that writes the day before the month. */
  readonly isDayFirst: boolean;
  /** Columns that may have the direction, if every cell is a known direction; preferred first. */
  readonly directionColumns: readonly number[];
  /** The columns of the payer and of the recipient: one is the payee, by the sign of the amount. */
  readonly sides: Sides | null;
  /** The columns of the accounts of both sides: one is the own account, by the sign of the amount. */
  readonly accountSides: AccountSides | null;
  /** Who is on one of both sides in all rows. */
  readonly ownSide: OwnSide | null;
  /** Columns with the number of the other side's account; the first that has one counts. */
  readonly otherAccounts: readonly number[];
  /** Columns of texts that are not used otherwise: they go to the notes. */
  readonly texts: readonly number[];
  /** Columns whose meaning only all rows show; none if the names are clear. */
  readonly unclear: UnclearColumns;
  /** By index; empty where the header's cell is empty. */
  readonly names: readonly string[];
  /** The currency that the name of the amount's column contains. */
  readonly currency: string | null;
  /** The bank or application that writes such a header. */
  readonly profile: Profile | null;
}

/** What is known without a header. */
export const NO_HEADER = {
  fallbacks: { payee: [] },
  otherDates: [],
  otherMoney: [],
  isDayFirst: false,
  directionColumns: [],
  currency: null,
  profile: null,
  sides: null,
  accountSides: null,
  ownSide: null,
  otherAccounts: [],
  texts: [],
  unclear: { accounts: [], holders: [], namedHolders: [], hasOtherNames: false },
} as const satisfies Partial<Header>;

/** The index of a column given by its number, counted from 1; null if it is given by name. */
export function columnNumber(column: string): number | null {
  return /^[1-9]\d{0,3}$/.test(column.trim()) ? Number(column) - 1 : null;
}

/** A header while its columns are found. */
interface Draft extends NamedTable {
  readonly columns: Columns;
  readonly map: ColumnMap;
  readonly free: Free;
}

/**
 * Parses a row as a header: mapped columns by number or name, then those of a known bank or application, the others by
 * known names. Of two columns with the same name, the first is used; where a name has several meanings, the `sample`
 * rows below decide. Null if the row lacks a mapped name, a date or an amount.
 */
export function readHeader(
  cells: readonly string[],
  map: ColumnMap,
  sample: Rows = [],
  parties: Parties | null = null,
): Header | null {
  const names = cells.map(withSingleBlanks);
  const columns = mappedColumns(names, map);
  if (columns === null) return null;
  const owners = parties?.owners ?? [];
  const draft = draftOf(names, columns, { map, sample, owners });
  const { known, profile, free } = draft;
  addKnown(draft);
  addRecognisable(draft);
  if (!isTable(columns, map) && !isOneSided(columns, sample)) return null;
  const isOpenAccount = isRecognisable('account', draft);
  const bothAccounts = isOpenAccount ? accountSides(draft) : null;
  const accounts = isOpenAccount && bothAccounts === null ? possibleAccounts(draft) : [];
  addAccount(columns, accounts, parties);
  if (bothAccounts !== null) columns.account = bothAccounts.from;
  useNameless(draft);
  addBalance(draft);
  const isDetail = map.amount === undefined && dropDetails(draft);
  const hasOwnPayee = map.payee !== undefined || profile?.columns?.payee !== undefined;
  if (columns.notes === undefined && map.notes === undefined && !hasOwnPayee) addNotes(draft);
  const width = Math.max(names.length, ...Object.values(columns).map((index) => index + 1));
  const money = columns.amount ?? columns.debit ?? columns.credit!;
  const sides = sidesOf(draft, !hasOwnPayee, parties?.payers);
  if (sides?.isPayee === true) columns.payee = sides.recipient;
  const fallbacks = fallbacksOf(draft);
  const persons = columns.payee === undefined ? [] : [columns.payee, ...fallbacks.payee];
  return {
    columns,
    names,
    width,
    profile,
    sides,
    accountSides: bothAccounts,
    ownSide: parties?.ownSide ?? null,
    otherAccounts: bothAccounts === null ? otherAccounts(draft) : [],
    fallbacks: {
      ...fallbacks,
      payee: fallbacks.payee.filter(
        (index) => index !== sides?.payer && index !== sides?.recipient,
      ),
    },
    texts: map.notes === undefined ? textColumns(draft, columns, { owners, sides }) : [],
    unclear: {
      accounts: parties === null && accounts[0]?.name !== 'own' ? accounts : [],
      ...holdersOf(draft, hasOwnPayee || parties !== null ? [] : persons, sides),
    },
    otherDates: free('date'),
    otherMoney: isDetail ? [] : free('amount').filter((index) => isCurrencyName(names[index]!)),
    isDayFirst: isDayFirst(columns, known),
    directionColumns: directionColumns(draft),
    currency: known[money]?.currency ?? profile?.currency ?? null,
  };
}

/** What is known of a table before its columns are found, but mapped ones. Columns of `owners` mean nothing else. */
function draftOf(
  names: readonly string[],
  columns: Columns,
  { map, sample, owners }: Pick<Draft, 'map' | 'sample'> & { readonly owners: readonly number[] },
): Draft {
  const profile = profileOf(names.map(folded), map);
  const known = names.map(headerName);
  const others = known.map((name, index) =>
    owners.includes(index) ? { ...name, ranks: {} } : name,
  );
  const free = freeColumns(others, columns, sample);
  return { names, known, sample, profile, columns, map, free };
}

/** Adds the columns that their names show, but accounts. */
function addRecognisable(draft: Draft): void {
  for (const key of COLUMN_KEYS) {
    const isOpen = key !== 'account' && isRecognisable(key, draft);
    const index = isOpen ? draft.free(key)[0] : undefined;
    if (index !== undefined) draft.columns[key] = index;
  }
}

const MAX_FALLBACKS = 8;

/** A column under a name that is not known, whose numbers change by the amounts. */
function addBalance({ columns, known, sample, profile, map }: Draft): void {
  const { date, amount } = columns;
  if (profile !== null || map.balance !== undefined) return;
  if (columns.balance !== undefined || date === undefined || amount === undefined) return;
  const rows = sample.filter((row) => looksLikeDate((row[date] ?? '').trim()));
  const numbersOf = (index: number): Numbers => ({
    index,
    values: rows.map((row) => amountIn((row[index] ?? '').trim()) ?? NaN),
  });
  const others = known.flatMap(({ ranks, isBlank }, index) =>
    Object.keys(ranks).length === 0 && isBlank === undefined ? [numbersOf(index)] : [],
  );
  const numbers = others.filter(({ values }) => !values.some(Number.isNaN));
  if (numbers.length === 0) return;
  const index = balanceOf(numbersOf(amount), numbers);
  if (index !== null) columns.balance = index;
}

/** The best column of accounts if its name is clear; else the one that all rows have shown. */
function addAccount(
  columns: Columns,
  candidates: readonly PossibleAccount[],
  parties: Parties | null,
): void {
  const isLeft = (index: number) => !Object.values(columns).includes(index);
  const first = candidates.find(({ index }) => isLeft(index));
  const index = parties === null || first?.name === 'own' ? first?.index : parties.account;
  if (index === undefined || index === null || !isLeft(index)) return;
  columns.account = index;
}

function mappedColumns(names: readonly string[], map: ColumnMap): Columns | null {
  const columns: Columns = {};
  for (const key of COLUMN_KEYS) {
    const column = map[key];
    if (column === undefined || column === '') continue;
    const index = columnNumber(column) ?? indexOfName(names, column);
    if (index < 0) return null;
    columns[key] = index;
  }
  return columns;
}

function indexOfName(names: readonly string[], name: string): number {
  return names.map(plain).indexOf(plain(name));
}

function plain(name: string): string {
  return name.replace(/\s+/g, ' ').trim().toLowerCase();
}

/** Adds the columns of a known bank or application, unless the map has others. */
function addKnown({ columns, profile, names, map }: Draft): void {
  for (const [key, list] of Object.entries(profile?.columns ?? {}) as [
    ColumnKey,
    readonly string[],
  ][]) {
    if (map[key] !== undefined || (key === 'amount' && (map.debit ?? map.credit))) continue;
    const index = profileColumns(list, names)[0];
    if (index !== undefined && !Object.values(columns).includes(index)) columns[key] = index;
  }
}

function profileColumns(list: readonly string[], names: readonly string[]): number[] {
  const foldedNames = names.map(folded);
  return list.flatMap((name) => {
    const index = foldedNames.indexOf(name);
    return index < 0 ? [] : [index];
  });
}

/** A map with debit or credit takes precedence over an amount column of the header. */
function isRecognisable(key: ColumnKey, { map, columns, profile }: Draft): boolean {
  if (columns[key] !== undefined || map[key] !== undefined || key === 'direction') return false;
  if (profile?.ignored?.includes(key) === true) return false;
  return key !== 'amount' || (map.debit === undefined && map.credit === undefined);
}

function isTable({ date, amount, debit, credit }: Columns, map: ColumnMap): boolean {
  const isMapped = map.debit !== undefined || map.credit !== undefined;
  const hasBoth = debit !== undefined && credit !== undefined;
  return date !== undefined && (amount !== undefined || hasBoth || isMapped);
}

/** A name over a currency and an amount, of which the second column has no name: `Change,,Balance,`. */
function useNameless({ columns, names, map, sample }: Draft): void {
  for (const key of ['amount', 'balance'] as const) {
    const index = columns[key];
    if (index === undefined || map[key] !== undefined || names[index + 1] !== '') continue;
    const cells = filledCells(sample, index);
    if (cells.length === 0 || !cells.every((cell) => typeof parseCurrency(cell) === 'string'))
      continue;
    if (key === 'amount') columns.currency ??= index;
    columns[key] = index + 1;
  }
}

/** Where the other party has a column of its own, the best description is for the notes. */
function addNotes({ columns, names, free }: Draft): void {
  const { payee } = columns;
  const rank = payee === undefined ? undefined : headerName(names[payee]!).ranks.payee;
  if (rank === undefined || rank >= DESCRIPTION_RANK) return;
  const isDescription = (index: number) =>
    headerName(names[index]!).ranks.payee! >= DESCRIPTION_RANK &&
    personName(folded(names[index]!)) === null;
  const notes = free('payee').find(isDescription);
  if (notes !== undefined) columns.notes = notes;
}

function isDayFirst(columns: Columns, known: readonly HeaderName[]): boolean {
  const used = Object.values(columns).filter((index) => known[index]?.isDayFirst === true);
  return used.includes(columns.date!) || used.length >= 2;
}

/**
 * Next to debits and credits, a column of amounts that is blank where they are filled has the parts of a sum; then it
 * is not used.
 */
function dropDetails({ columns, profile, sample }: Draft): boolean {
  const { amount, debit, credit } = columns;
  if (amount === undefined || debit === undefined || credit === undefined) return false;
  if (profile?.columns?.amount !== undefined) return false;
  const isFilled = (row: readonly string[], index: number) => /\d/.test(row[index] ?? '');
  const isDetail = sample.some(
    (row) => !isFilled(row, amount) && (isFilled(row, debit) || isFilled(row, credit)),
  );
  if (isDetail) delete columns.amount;
  return isDetail;
}

/** Whether there is only a column of money out, or of money in, and rows that show it. */
function isOneSided({ date, amount, debit, credit }: Columns, sample: Rows): boolean {
  const money = debit ?? credit;
  if (date === undefined || amount !== undefined || money === undefined) return false;
  return sample.some(
    (row) => looksLikeDate((row[date] ?? '').trim()) && looksLikeAmount((row[money] ?? '').trim()),
  );
}

function fallbacksOf(draft: Draft): Header['fallbacks'] {
  const { map } = draft;
  const date = map.date === undefined ? unusedColumns('date', draft)[0] : undefined;
  const payee = map.payee === undefined ? payees(draft) : [];
  return { ...(date === undefined ? {} : { date }), payee };
}

/** Unused columns that can have a key: those of the profile first. */
function unusedColumns(key: 'date' | 'payee', { profile, names, free, columns }: Draft): number[] {
  const own = profile?.columns?.[key];
  const listed = own === undefined ? [] : profileColumns(own, names);
  return [...listed.filter((index) => index !== columns[key]), ...free(key)];
}

/** After the others, the description that became the notes; last, columns with numbers of accounts. */
function payees(draft: Draft): number[] {
  const { columns, names, sample } = draft;
  const all = unusedColumns('payee', draft);
  const isNumber = (index: number) => areAccounts(filledCells(sample, index));
  const [numbers, others] = [all.filter(isNumber), all.filter((index) => !isNumber(index))];
  const { notes } = columns;
  const rank = notes === undefined ? undefined : headerName(names[notes]!).ranks.payee;
  const isDescription =
    notes !== undefined &&
    (columns.payee === undefined || (rank !== undefined && rank >= DESCRIPTION_RANK));
  const ordered = [...others, ...(isDescription ? [notes] : []), ...numbers];
  return [...new Set(ordered)].slice(0, MAX_FALLBACKS);
}

/** A letter that is no usual mark of a direction: under another name it may be anything. */
function isLetter(cell: string): boolean {
  return /^[^cdhs+-]$/i.test(cell);
}

/** Also columns without a name, which may mark credits, and columns in which every cell is one of both directions. */
function directionColumns({ columns, profile, map, names, free, sample }: Draft): number[] {
  if (map.direction !== undefined || profile?.splits === 'wise') return [];
  if (columns.direction !== undefined) return [columns.direction];
  const used = Object.values(columns);
  const others = names.flatMap((name, index) => {
    if (used.includes(index)) return [];
    const cells = filledCells(sample, index);
    return name === '' || (hasBothDirections(cells) && !cells.every(isLetter)) ? [index] : [];
  });
  return [...new Set([...free('direction'), ...others])].slice(0, 8);
}

// A code that is the whole cell, or the end of one such as `Currency: EUR`.
const CODE =
  /(?:^|[:=]\s*|(?:currency|währung|devise|valuta|waluta|moneda|moeda|divisa|валюта)\s+)([A-Z]{3})$/iu;

/** What the rows above a table show of it. */
export function textAbove(
  rows: readonly Row[],
): Pick<
  Layout,
  'preambleCurrency' | 'datesAbove' | 'accountAbove' | 'isCardAbove' | 'isThaiAbove'
> {
  return {
    preambleCurrency: currencyAbove(rows),
    datesAbove: datesAbove(rows),
    accountAbove: accountAbove(rows.map(({ cells }) => cells)),
    isThaiAbove: rows.some(({ cells }) => cells.some((cell) => /\p{Script=Thai}/u.test(cell))),
    isCardAbove: rows.some(({ cells }) => cells.some(namesCard)),
  };
}

/** The only currency that the rows above a table name; null if there is none or more than one. */
function currencyAbove(rows: readonly Row[]): string | null {
  const found = new Set<string>();
  for (const cell of rows.flatMap(({ cells }) => cells)) {
    if (cell.length > 60) continue;
    const code = CODE.exec(cell.trim())?.[1];
    const currency = code?.toUpperCase() === code && code !== undefined ? unitCurrency(code) : null;
    if (currency !== null) found.add(currency);
  }
  const [only = null] = found;
  return found.size === 1 ? only : null;
}

const DATE = /(?<![\d./-])\d{1,2}([-/.])\d{1,2}\1(?:\d{4}|\d{2})(?![\d./-])/g;
const MAX_DATES = 20;

/** The dates with a short first part in the rows above a table, such as those of its period. */
function datesAbove(rows: readonly Row[]): readonly string[] {
  const cells = rows.flatMap((row) => row.cells).filter((cell) => cell.length < 200);
  return cells.flatMap((cell) => cell.match(DATE) ?? []).slice(0, MAX_DATES);
}
