import { dayOf, msOf } from '@coffer/core/dates';
import { nameKey, quote } from '@coffer/core/text';
import type { Statement, StatementOptions } from '@coffer/statements/src/statement/statement.ts';
import type { TableOutline } from '@coffer/statements/src/csv/table/layout.ts';
import { deleteUnlogged, insertUnlessTaken, updateUnlogged } from '../book/unlogged.ts';
import { now as currentInstant, now, type Steps } from '../db/engine.ts';
import { find, select } from '../db/rows.ts';
import { given } from '../db/table.ts';
import { importSettings } from '../db/tables/tables.ts';
import { listAccounts, type ManualAccount } from '../ledger/accounts/actions.ts';
import { namesAccounts, type AccountNames } from './account-plan.ts';

/** Settings from earlier imports that fit, and sentences without a capital about those that do not. */
export interface Memory {
  readonly settings: ImportSettings;
  readonly notes: readonly string[];
  /** The accounts of earlier files with these columns, if there were several and none is given; else none. */
  readonly accounts: readonly string[];
  readonly facts: BookFacts;
}

/** What the book knows before a file is read: the day, and whether the account is one of a card. */
export type BookFacts = Pick<StatementOptions, 'today' | 'isCard'>;

/** Returns what options say about files of the same kind. */
export function settingsOf(options: StatementOptions, { name }: AccountNames): ImportSettings {
  const { map, dateFormat, decimal, encoding, negate, currency, anyYear } = options;
  const account = name ?? undefined;
  return given({ map, dateFormat, decimal, encoding, negate, currency, anyYear, account });
}

/** Returns the options for reading a file with settings. */
export function readingOptions(
  settings: ImportSettings,
  { format, skipBadRows }: Pick<StatementOptions, 'format' | 'skipBadRows'>,
  { today, isCard }: BookFacts,
): StatementOptions {
  const { map, dateFormat, decimal, encoding, negate, currency, anyYear } = settings;
  const own = { map, dateFormat, decimal, encoding, negate, currency, anyYear };
  return given({ format, skipBadRows, ...own, today, isCard });
}

/** Returns a map as the value of an option, such as `date=Datum,amount=4`. */
export function mapText(map: NonNullable<ImportSettings['map']>): string {
  const quoted = (column: string): string =>
    /[",]/.test(column) ? `"${column.replaceAll('"', '""')}"` : column;
  return Object.entries(map)
    .map(([key, column]) => `${key}=${quoted(column)}`)
    .join(',');
}

/** Whether nothing is chosen. */
export function isEmpty(settings: ImportSettings): boolean {
  return Object.keys(settings).length === 0;
}

/**
 * Returns what is remembered for files with the shape of a table, without what does not fit the table, the accounts of
 * the book, and what is said now.
 */
export function* fittingMemory(
  bookId: number,
  outline: TableOutline | null,
  now: ImportSettings,
): Steps<Memory> {
  const notes: string[] = [];
  const known = outline === null ? null : yield* importSettingsOf(bookId, outline.shape);
  const { accounts: earlier = [], ...fits } =
    outline === null || known === null ? {} : withoutMissingColumns(known, outline, notes);
  const today = dayOf(msOf(yield* currentInstant()));
  const inBook = yield* listAccounts(bookId);
  const accounts = accountsToChoose({ ...fits, accounts: earlier }, now, inBook);
  if (accounts.length > 1) {
    notes.push(`earlier files with these columns were of ${listOf(accounts)}: say which one it is`);
    return { settings: withoutAccount(fits), notes, accounts, facts: { today } };
  }
  const settings = withoutOtherAccount(fits, now, notes);
  const name = now.account ?? settings.account;
  const fitting = { settings, notes, accounts: [], facts: { today } };
  if (typeof name !== 'string') return fitting;
  const account = inBook.find((each) => isNamed(each, name));
  const isCard = account?.type === 'credit' || (yield* importsAsCard(bookId, name));
  const facts = { today, isCard };
  if (account !== undefined || now.account !== undefined) return { ...fitting, facts };
  notes.push(`the remembered account ${quote(name)} is not in the book`);
  return { ...fitting, settings: without(settings, 'account'), facts };
}

/** Returns the accounts of earlier files that are in the book; none if it is said which one a file is of. */
function accountsToChoose(
  { account, accounts = [] }: ImportSettings,
  now: ImportSettings,
  inBook: readonly Pick<ManualAccount, 'name' | 'display_name'>[],
): readonly string[] {
  if (now.account !== undefined || account === null) return [];
  return accounts.filter((name) => inBook.some((each) => isNamed(each, name)));
}

function listOf(names: readonly string[]): string {
  return `${names.slice(0, -1).map(quote).join(', ')} and ${quote(names.at(-1)!)}`;
}

/** Two accounts of a bank may have equal columns, but other signs: a card and a current account. */
function withoutAccount(settings: ImportSettings): ImportSettings {
  return without(without(without(settings, 'account'), 'negate'), 'currency');
}

function isNamed(account: Pick<ManualAccount, 'name' | 'display_name'>, wanted: string): boolean {
  const { name, display_name } = account;
  return [name, display_name].some((each) => each !== null && nameKey(each) === nameKey(wanted));
}

function withoutMissingColumns(
  settings: ImportSettings,
  outline: TableOutline,
  notes: string[],
): ImportSettings {
  const missing = missingColumns(settings, outline);
  if (missing.length === 0) return settings;
  notes.push(`the remembered columns ${missing.map(quote).join(', ')} are not in the file`);
  return without(settings, 'map');
}

function missingColumns({ map }: ImportSettings, { columns }: TableOutline): string[] {
  const known = new Set(columns.flatMap(({ name, number }) => [plain(name), String(number)]));
  return Object.values(map ?? {}).filter((column) => column !== '' && !known.has(plain(column)));
}

function plain(name: string): string {
  return name.replace(/\s+/g, ' ').trim().toLowerCase();
}

function withoutOtherAccount(
  settings: ImportSettings,
  { account: given }: ImportSettings,
  notes: string[],
): ImportSettings {
  const { account, negate, currency } = settings;
  const isOther =
    typeof given === 'string' && typeof account === 'string' && nameKey(given) !== nameKey(account);
  if (!isOther) return settings;
  if (negate === true || currency !== undefined)
    notes.push(`remembered signs and currencies are not used: they are of ${quote(account)}`);
  return withoutAccount(settings);
}

/** A file that was read with remembered settings, or without them. */
export interface ReadWithMemory extends Omit<Memory, 'facts'> {
  readonly statement: Statement;
}

/**
 * Reads a file with the remembered settings and with those of now, which win. If only that works, reads it without the
 * remembered ones. `read` returns why a file cannot be read; if it cannot either way, that is returned.
 */
export async function readWithMemory<E extends Error>(
  { settings, notes, accounts }: Memory,
  now: ImportSettings,
  read: (settings: ImportSettings) => Statement | E | Promise<Statement | E>,
): Promise<ReadWithMemory | E> {
  const first = await read({ ...settings, ...now });
  if (!(first instanceof Error)) return { statement: first, settings, notes, accounts };
  const without = isEmpty(settings) ? first : await read(now);
  if (without instanceof Error) return first;
  const note = 'the remembered settings do not fit and are not used';
  return { statement: without, settings: {}, notes: [...notes, note], accounts };
}

/** Returns the names of accounts, with the remembered one for a file without names of its own. */
export function namesWithMemory(
  statement: Statement,
  names: AccountNames,
  { account }: ImportSettings,
): AccountNames {
  if (names.name !== null || names.rest !== null || namesAccounts(statement)) return names;
  return { ...names, name: account ?? null };
}

/** Returns what was remembered and is not said otherwise now. `isNamed`: the file names accounts. */
export function usedSettings(
  isNamed: boolean,
  remembered: ImportSettings,
  now: ImportSettings,
): ImportSettings {
  const used = ofFile(isNamed, remembered);
  return Object.fromEntries(Object.entries(used).filter(([key]) => !(key in now)));
}

/** Returns what to remember after an import; null to leave it as it is. `isNamed`: the file names accounts. */
export function settingsToSave(
  isNamed: boolean,
  remembered: ImportSettings,
  now: ImportSettings,
): ImportSettings | null {
  const fresh = ofFile(isNamed, now);
  return isEmpty(fresh) ? null : { ...remembered, ...fresh };
}

/** The account of a file that names accounts is only for some of its rows; years are allowed for one file. */
function ofFile(isNamed: boolean, settings: ImportSettings): ImportSettings {
  const ofTables = without(settings, 'anyYear');
  return isNamed ? without(ofTables, 'account') : ofTables;
}

function without(settings: ImportSettings, name: keyof ImportSettings): ImportSettings {
  return Object.fromEntries(Object.entries(settings).filter(([key]) => key !== name));
}

/** What a user said about files of a bank. Everything is optional: what is missing is detected. */
export interface ImportSettings extends Readonly<
  Pick<StatementOptions, 'dateFormat' | 'decimal' | 'negate' | 'anyYear' | 'encoding' | 'currency'>
> {
  /** The column of each part of an entry, by name or number; empty for none. */
  readonly map?: Readonly<Record<string, string>>;
  /** The name of the account for rows without one; null to import them without an account. */
  readonly account?: string | null;
  /** The accounts of earlier files, the last one first, if they were several. */
  readonly accounts?: readonly string[];
  /** Whether the user said that no column has the payee. */
  readonly isWithoutPayee?: boolean;
}

/** Returns what is remembered for files with this shape, or null. */
export function* importSettingsOf(bookId: number, shape: string): Steps<ImportSettings | null> {
  const row = yield* find(importSettings, { book_id: bookId, shape });
  return row === undefined ? null : (JSON.parse(row.settings) as ImportSettings);
}

/** Whether earlier files of an account had money out as positive amounts, as cards do. */
function* importsAsCard(bookId: number, account: string): Steps<boolean> {
  const rows = yield* select(importSettings, { book_id: bookId });
  return rows.some((row) => {
    const { negate, account: own } = JSON.parse(row.settings) as ImportSettings;
    return negate === true && typeof own === 'string' && nameKey(own) === nameKey(account);
  });
}

/** Most accounts that are remembered for one shape. */
const mostAccounts = 10;

/** Returns the accounts of all files with a shape, the last one first; none for a single one. */
function accountsAfter(
  before: ImportSettings | null,
  { account }: ImportSettings,
): Pick<ImportSettings, 'accounts'> {
  const names = [account, ...(before?.accounts ?? [before?.account])];
  const known = names.filter((name) => typeof name === 'string');
  const keys = known.map(nameKey);
  const accounts = known.filter((_name, at) => keys.indexOf(keys[at]!) === at);
  return accounts.length > 1 ? { accounts: accounts.slice(0, mostAccounts) } : {};
}

/** Remembers settings for files with this shape instead of those before, and the accounts of all. */
export function* saveImportSettings(
  bookId: number,
  { shape, format }: { readonly shape: string; readonly format: string },
  settings: ImportSettings,
): Steps<void> {
  const accounts = accountsAfter(yield* importSettingsOf(bookId, shape), settings);
  const text = JSON.stringify({ ...without(settings, 'accounts'), ...accounts });
  const values = { format, settings: text, updated_at: yield* now() };
  const where = { book_id: bookId, shape };
  if ((yield* insertUnlessTaken(importSettings, { ...where, ...values })) === undefined)
    yield* updateUnlogged(importSettings, where, values);
}

/** Forgets the settings for a shape, or with null all settings of the book. Returns how many there were. */
export function* forgetImportSettings(bookId: number, shape: string | null): Steps<number> {
  const where = { book_id: bookId, ...(shape !== null && { shape }) };
  const { length } = yield* select(importSettings, where);
  yield* deleteUnlogged(importSettings, where);
  return length;
}
