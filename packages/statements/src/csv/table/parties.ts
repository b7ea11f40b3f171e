import {
  parseDirection,
  accountName,
  accountNumber,
  accountSide,
  namesNumber,
  personName,
  type AccountName,
} from '../../words/meanings.ts';
import {
  DESCRIPTION_RANK,
  type HeaderName,
  areAccounts,
  filledCells,
  type Columns,
  type Rows,
  type Profile,
} from './header-names.ts';
import { folded } from '../../words/vocabulary.ts';

/** A column that may have the accounts of the statement. */
export interface PossibleAccount {
  readonly index: number;
  readonly name: AccountName;
  /** Whether its name says that it has numbers, so that any other text is not the name of an account. */
  readonly isOfNumbers: boolean;
  /** Whether it is before all names and texts, as banks write the own account. */
  readonly isFirst: boolean;
}

/** Columns whose meaning only all rows of a table show. */
export interface UnclearColumns {
  /** Columns that have the own accounts or those of other parties, preferred first. */
  readonly accounts: readonly PossibleAccount[];
  /** Columns of names that are those of the owner if all rows have the same one. */
  readonly holders: readonly number[];
  /** Those of them that are named as the other party: only where another column names one, too. */
  readonly namedHolders: readonly number[];
  /** Whether another column names the other party. */
  readonly hasOtherNames: boolean;
}

/** What all rows of a table have shown. */
export interface Parties {
  /** The column with the own accounts; null if there is none. */
  readonly account: number | null;
  /** Columns with the name of the account's owner. */
  readonly owners: readonly number[];
  /** Where a table has both sides of a payment, the names of payers that paid several recipients. */
  readonly payers: ReadonlySet<string>;
  /** The own side of a table with both sides of a payment; null if it has none, or not in all rows. */
  readonly ownSide: OwnSide | null;
}

/** Who is on one of the two sides of a payment in all rows. */
export interface OwnSide {
  /** The column of those who pay. */
  readonly from: number;
  readonly text: string;
}

/** The columns of a header with the two sides of a payment. */
export interface Sides {
  /** Whether the other side is the payee; else another column has it, and the other side is for the notes. */
  readonly isPayee: boolean;
  readonly payer: number;
  readonly recipient: number;
  /** Names of payers that paid several recipients: the owner's, also where money comes back from a recipient. */
  readonly owners: ReadonlySet<string>;
}

/** The columns of the accounts of both sides: the own one is the first for money out, the second for money in. */
export interface AccountSides {
  readonly from: number;
  readonly to: number;
}

/** The names of a header and the rows below. */
export interface NamedTable {
  readonly names: readonly string[];
  readonly known: readonly HeaderName[];
  readonly sample: Rows;
  readonly profile: Profile | null;
}

/** The columns that may have accounts, best first; one whose name says that it has the own ones is clear. */
export function possibleAccounts({
  names,
  known,
  sample,
  profile,
}: NamedTable): readonly PossibleAccount[] {
  if (profile?.ignored?.includes('account') === true) return [];
  const all = names
    .map((name, index) => {
      const text = folded(name);
      const isFirst = !known.slice(0, index).some(({ ranks }) => ranks.payee ?? ranks.notes);
      return { index, name: accountName(text), isOfNumbers: namesNumber(text), isFirst };
    })
    .filter((each): each is PossibleAccount => each.name !== null);
  const own = all.filter(({ name }) => name === 'own');
  const rank = ({ index }: PossibleAccount): number => known[index]?.ranks.account ?? Infinity;
  const cards = all.filter(({ name }) => name === 'card');
  const others = all.filter(({ name }) => name === 'either' || name === 'product');
  const best = own.length > 0 ? own : others;
  const ordered = [best, cards].flatMap((each) => each.toSorted((a, b) => rank(a) - rank(b)));
  const hasOthers =
    all.some(({ name }) => name === 'other') ||
    known.some(({ ranks }, index) => isOfPerson(ranks.payee) && areNumbers(sample, index));
  const isClear = profile?.isApplication === true || hasOthers;
  const [first] = ordered;
  // Where the other parties have a column of accounts, another one has the own accounts.
  const isOwn = first?.name === 'either' && isClear;
  return isOwn ? [{ ...first, name: 'own' }] : ordered;
}

/** Columns with the numbers of the accounts of others, those that a name says first. */
export function otherAccounts({
  names,
  columns,
  profile,
}: NamedTable & { readonly columns: Columns }): number[] {
  if (profile?.isApplication === true) return [];
  const kinds = names.map((name) => accountName(folded(name)));
  // Next to another column that may have any account, it may be the number of that.
  const isOwnClear = columns.account === undefined || kinds[columns.account] === 'own';
  const own = new Set(profile?.columns?.account);
  const isOthers = (kind: AccountName | null, index: number) =>
    index !== columns.account &&
    !own.has(folded(names[index]!)) &&
    (kind === 'other' || (kind === 'either' && isOwnClear));
  const all = kinds.flatMap((kind, index) => (isOthers(kind, index) ? [index] : []));
  return all.toSorted((a, b) => Number(kinds[a] === 'either') - Number(kinds[b] === 'either'));
}

function isOfPerson(rank = Infinity): boolean {
  return rank < DESCRIPTION_RANK;
}

function areNumbers(sample: Rows, index: number): boolean {
  return areAccounts(filledCells(sample, index));
}

/** The two sides of a payment, where the table has both in one row. */
export function sidesOf(
  table: NamedTable,
  isPayee: boolean,
  owners: ReadonlySet<string> = new Set(),
): Sides | null {
  if (table.profile?.isApplication === true) return null;
  const kindOf = (name: string, index: number) => {
    const kind = personName(name);
    return kind !== null && areNumbers(table.sample, index) ? null : kind;
  };
  const pair = filledPair(table, kindOf, ['payer', 'recipient']);
  return pair && { payer: pair[0], recipient: pair[1], isPayee, owners };
}

/** The accounts of both sides of a payment, where the table has both in one row. */
export function accountSides(table: NamedTable): AccountSides | null {
  if (table.profile !== null) return null;
  const pair = filledPair(table, accountSide, ['from', 'to']);
  return pair && { from: pair[0], to: pair[1] };
}

/** The first columns of two meanings, by their folded names; null unless a row has both. */
function filledPair<T>(
  { names, sample }: NamedTable,
  meaningOf: (name: string, index: number) => T | null,
  meanings: readonly [T, T],
): readonly [number, number] | null {
  const found = names.map((name, index) => meaningOf(folded(name), index));
  const [one, other] = [found.indexOf(meanings[0]), found.indexOf(meanings[1])];
  if (one < 0 || other < 0) return null;
  const isFilled = (row: readonly string[], index: number) => (row[index] ?? '').trim() !== '';
  return sample.some((row) => isFilled(row, one) && isFilled(row, other)) ? [one, other] : null;
}

/** Columns of names that may be those of the owner, where another column has a name or a text instead. */
export function holdersOf(
  { names, known, sample }: NamedTable,
  used: readonly number[],
  sides: Sides | null,
): Pick<UnclearColumns, 'holders' | 'namedHolders' | 'hasOtherNames'> {
  const ofOwner = used.filter((index) => personName(folded(names[index] ?? '')) === 'holder');
  const parties = used.filter(
    (index) => isOfPerson(known[index]?.ranks.payee) && !areNumbers(sample, index),
  );
  const first = sides === null && ofOwner.length === 0 ? parties.slice(0, 1) : [];
  const namedHolders = parties.length > 1 ? first : [];
  const holders = [...ofOwner, ...namedHolders];
  const hasOtherNames = sides !== null || parties.some((index) => !holders.includes(index));
  return { holders, namedHolders, hasOtherNames };
}

/** Columns of texts that are not used otherwise: they go to the notes. */
export function textColumns(
  table: NamedTable,
  columns: Columns,
  { owners, sides }: { readonly owners: readonly number[]; readonly sides: Sides | null },
): number[] {
  if (table.profile?.isApplication === true) return [];
  const used = [...Object.values(columns), ...owners, sides?.payer, sides?.recipient];
  return table.names.flatMap((_, index) =>
    !used.includes(index) && isText(table, index) ? [index] : [],
  );
}

function isText({ names, known, sample, profile }: NamedTable, index: number): boolean {
  const name = folded(names[index]!);
  const account = accountName(name);
  const { ranks } = known[index]!;
  const isNote = ranks.notes !== undefined && profile?.ignored?.includes('notes') !== true;
  if (isNote || ranks.payee !== undefined || account === 'other')
    return !areDirections(sample, index) && (profile === null || differ(sample, index));
  if (account === 'either' || account === 'card') return differ(sample, index);
  const isUnknown = Object.keys(ranks).length === 0 && personName(name) === null;
  const cells = filledCells(sample, index);
  const isWorth = areProse(cells) || (cells.length > 0 && cells.every((cell) => IBAN.test(cell)));
  return isUnknown && profile === null && sample.length > 1 && isWorth && differ(sample, index);
}

/** A number of an account that no other text is like. */
const IBAN = /^[A-Z]{2}\d{2}[A-Z0-9 ]{11,40}$/;

/** Whether the cells of a column differ, or there is only one row. */
function differ(sample: Rows, index: number): boolean {
  return sample.length < 2 || new Set(sample.map((row) => (row[index] ?? '').trim())).size > 1;
}

function areDirections(sample: Rows, index: number): boolean {
  const cells = filledCells(sample, index);
  return cells.length > 0 && cells.every((cell) => parseDirection(cell) !== null);
}

/** Whether some of the cells of a column have several words. */
export function areProse(cells: readonly string[]): boolean {
  return cells.some((cell) => /\p{L}{2}[.,:;]? +\p{L}{2}/u.test(cell));
}

/** The number of an account in the text above a table; null if there is none or more than one. */
export function accountAbove(rows: Rows): string | null {
  const cells = rows.flatMap((row) =>
    row.map((cell, index) => [cell, row[index + 1] ?? ''] as const),
  );
  const short = cells.filter(([cell]) => cell.length < 200);
  const ibans = short.flatMap(([cell]) => ibanIn(cell) ?? []);
  const numbers =
    ibans.length > 0 ? ibans : short.flatMap(([cell, next]) => labelled(cell, next) ?? []);
  const [only = null] = numbers;
  return new Set(numbers).size === 1 ? only : null;
}

function ibanIn(cell: string): string | null {
  const text =
    /(?<![A-Z0-9])[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,4})?(?![A-Z0-9])/.exec(cell);
  const bare = text?.[0].replaceAll(' ', '') ?? '';
  return bare.replace(/\D/g, '').length >= 10 ? bare : null;
}

/** The number after a name of accounts, in the same cell or in the next one. */
function labelled(cell: string, next: string): string | null {
  const [label = '', ...rest] = cell.split(/[:=]/);
  const isAccount = ['own', 'either'].includes(accountName(folded(label)) ?? '');
  if (!isAccount) return null;
  const value = rest.join(':').trim() === '' ? next : rest.join(':');
  return accountNumber(value.split(/ [/(-] ?|[(,]/, 1)[0]!.trim());
}
