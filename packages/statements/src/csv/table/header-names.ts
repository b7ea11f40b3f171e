import profiles from '../../../profiles.json' with { type: 'json' };
import { namedCurrency, unitCurrency, parseCurrency } from '../../statement/currencies.ts';
import type { ColumnKey, ColumnMap, DateOrder } from '../../statement/statement.ts';
import {
  folded,
  withoutEnd,
  anyWord,
  LANGUAGES,
  anyPart,
  wordSet,
  wordsOf,
  type WordList,
} from '../../words/vocabulary.ts';
import { parseDirection } from '../../words/meanings.ts';
import { looksLikeAmount } from '../../statement/amounts.ts';
import { looksLikeDate } from '../../statement/dates.ts';
import { listOf } from '../../statement/texts.ts';
import { decode } from '../../bytes/content.ts';

/** The lists of a vocabulary that name a column, preferred first. */
const ROLES: readonly (readonly [WordList, ColumnKey])[] = [
  ['transactionDate', 'date'],
  ['date', 'date'],
  ['bookingDate', 'date'],
  ['valueDate', 'date'],
  ['accountAmount', 'amount'],
  ['amount', 'amount'],
  ['debit', 'debit'],
  ['credit', 'credit'],
  ['direction', 'direction'],
  ['payee', 'payee'],
  ['recipient', 'payee'],
  ['description', 'payee'],
  ['payer', 'payee'],
  ['notes', 'notes'],
  ['category', 'category'],
  ['tags', 'tags'],
  ['ownAccount', 'account'],
  ['account', 'account'],
  ['accountCurrency', 'currency'],
  ['currency', 'currency'],
  ['balance', 'balance'],
  ['status', 'status'],
  ['fee', 'fee'],
];
const RANKS_OF_ROLE = 1000;
/** The first rank of a description that is not the name of the other party. */
export const DESCRIPTION_RANK = RANKS_OF_ROLE * ROLES.findIndex(([role]) => role === 'description');

type Ranks = Partial<Record<ColumnKey, number>>;

function rankedNames(): ReadonlyMap<string, Ranks> {
  const names = new Map<string, Ranks>();
  for (const [place, [role, key]] of ROLES.entries()) {
    for (const language of LANGUAGES) {
      for (const [index, name] of wordsOf(language, role).entries()) {
        const ranks = names.get(name) ?? {};
        ranks[key] = Math.min(ranks[key] ?? Infinity, place * RANKS_OF_ROLE + index);
        names.set(name, ranks);
      }
    }
  }
  // A plain `id` is not an external id: row numbers of two files would collide.
  for (const name of ['external id', 'fitid']) names.set(name, { external_id: 0 });
  return names;
}

// A column of amounts that has only the name of their currency.
const CURRENCY_NAME =
  /^(?:(?:CAD|USD|AUD|NZD|HKD|SGD)\$|EUR|USD|GBP|CHF|CAD|AUD|NZD|SEK|NOK|DKK|PLN|CZK|HUF|RUB|UAH)$/;
/** Whether the name of a column is only a currency. */
export function isCurrencyName(name: string): boolean {
  return CURRENCY_NAME.test(name.trim());
}

const LAST_AMOUNT = RANKS_OF_ROLE * ROLES.findIndex(([role]) => role === 'amount') + 999;

const NAMES = rankedNames();
const SPENT = wordSet('spentAmount');

/** Whether the name of an amount says that it is money out. */
export function isSpent(name: string): boolean {
  const whole = folded(name);
  return SPENT.has(whole) || SPENT.has(whole.split(/[(（]/, 1)[0]!.trim());
}

// Only there, a month may come before its day.
const MONTH_FIRST_NAMES = new Set(
  LANGUAGES.filter(({ isMonthFirst }) => isMonthFirst === true).flatMap((language) =>
    ROLES.flatMap(([role]) => wordsOf(language, role)),
  ),
);

/** What a name of the header can mean. */
export interface HeaderName {
  readonly isBlank?: true;
  /** Whether it is only known in languages that write the day before the month. */
  readonly isDayFirst: boolean;
  /** Lower ranks are preferred. */
  readonly ranks: Ranks;
  /** The currency in a name such as `Amount (EUR)` or `Betrag in EUR`; null if there is none. */
  readonly currency: string | null;
}

// An amount in parentheses that is not the money of the account.
const OTHER_MONEY = new RegExp(anyPart('otherMoney'), 'u');
const UNKNOWN: HeaderName = { ranks: {}, currency: null, isDayFirst: false };

/** Looks up a name of the header. A name with a unit ranks after the same name without one. */
export function headerName(cell: string): HeaderName {
  if (cell.trim() === '') return { ...UNKNOWN, isBlank: true };
  if (CURRENCY_NAME.test(cell.trim()))
    return {
      ranks: { amount: LAST_AMOUNT },
      currency: unitCurrency(cell.trim().slice(0, 3)),
      isDayFirst: false,
    };
  const whole = folded(cell)
    .replace(/^["'*#]+/, '')
    .replace(/(?<!["':*])["':*]+$/, '')
    .trim();
  const unit = unitIn(cell) ?? namedUnit(whole);
  for (const exact of [whole, whole.replace(/\.$/, '')]) {
    const ranks = NAMES.get(exact);
    if (ranks !== undefined) return { ranks, currency: unit, isDayFirst: isDayFirst(exact) };
  }
  if (OTHER_MONEY.test(whole) && whole.includes('(')) return UNKNOWN;
  const oneSide = oneSided(whole);
  if (oneSide !== null) return { ...oneSide, currency: unit };
  const both = composite(whole);
  if (both !== null) return { ...both, currency: unit };
  for (const bare of withoutUnit(whole)) {
    const ranks = NAMES.get(bare);
    if (ranks !== undefined)
      return { ranks: later(ranks, 400), currency: unit, isDayFirst: isDayFirst(bare) };
  }
  return UNKNOWN;
}

function isDayFirst(name: string): boolean {
  return !MONTH_FIRST_NAMES.has(name);
}

const BETWEEN_NAMES = new RegExp(` ?[/&] ?| ${anyWord('conjunction')} `);

/** Two names of one key, such as `Payer / Beneficiary`, of which the better one counts; null for other names. */
function composite(name: string): Omit<HeaderName, 'currency'> | null {
  const parts = name.split(BETWEEN_NAMES);
  const ranks = parts.map((part) => NAMES.get(part));
  const [first, second] = ranks;
  if (first === undefined || second === undefined || ranks.includes(undefined)) return null;
  const isShared = (key: ColumnKey) => ranks.every((others) => others![key] !== undefined);
  const keys = (Object.keys(first) as ColumnKey[]).filter(isShared);
  if (keys.length === 0) return null;
  const best = (key: ColumnKey) => Math.min(...ranks.map((others) => others![key]!));
  const shared = keys.map((key) => [key, best(key)] as const);
  return { ranks: later(Object.fromEntries(shared), 300), isDayFirst: parts.every(isDayFirst) };
}

const ONE_SIDED = /^(.{2,40}?) ?[([]([^()[\]]{1,20})[)\]]$/u;

/** An amount in one direction, such as `Amount (debit)`; null for other names. */
function oneSided(name: string): Omit<HeaderName, 'currency'> | null {
  const [, amount = '', word = ''] = ONE_SIDED.exec(name) ?? [];
  const ranks = NAMES.get(amount);
  const direction = /^[a-z]$|^[-+/]$/.test(word) ? null : parseDirection(word);
  if (ranks?.amount === undefined || direction === null) return null;
  const rank = ranks.amount;
  return {
    ranks: direction > 0 ? { credit: rank } : { debit: rank },
    isDayFirst: isDayFirst(amount),
  };
}

function later(ranks: Ranks, places: number): Ranks {
  return Object.fromEntries(Object.entries(ranks).map(([key, rank]) => [key, rank + places]));
}

const CURRENCY_AT_END = new RegExp(
  `[ ,/:-](?:${anyWord('beforeCurrency')} )?(?:[a-z]{3}|\\p{Sc}|r\\$|kr|zl|kc|rs\\.?)$`,
  'u',
);

/** The name without parentheses, brackets, a currency or a preposition before it. */
function withoutUnit(name: string): string[] {
  const plain = name.replace(/ ?[([][^()[\]]*[)\]]$/, '').trim();
  const named = namedUnit(plain) === null ? [] : [plain.slice(0, plain.lastIndexOf(' '))];
  const rest = plain.replace(CURRENCY_AT_END, '');
  const tail = rest === plain ? plain : withoutEnd(rest, /[ ,/:-]/);
  const [, code = ''] = /^([a-z]{3}|\p{Sc}) /u.exec(plain) ?? [];
  const isUnit = /^\p{Sc}/u.test(code) || unitCurrency(code) !== null;
  const head = isUnit ? plain.slice(code.length + 1) : plain;
  return [plain, tail.trim(), ...named, head, plain.replace(/[.:*]$/, ''), ...respelled(plain)];
}

/** The currency whose name ends a name, such as `maara euroa`. */
function namedUnit(whole: string): string | null {
  const last = whole.slice(whole.lastIndexOf(' ') + 1);
  return last === whole || last.length < 4 ? null : namedCurrency(last);
}

/** Without a number at the end, and with `ae` as a German umlaut. */
function respelled(name: string): string[] {
  const bare = name.replace(/ ?\d$/, '');
  const umlauts = [name, bare].map((text) => text.replace(/([aou])e/g, '$1'));
  return [bare, ...umlauts];
}

function unitIn(cell: string): string | null {
  const inside = /[([] ?(?:in )?([^()[\]]{1,5}) ?[)\]]/i.exec(cell.replace(/\s+/g, ' '))?.[1];
  if (inside !== undefined) return unitCurrency(inside.trim());
  const last = /(?:^|\s)([A-Z]{3}|\p{Sc}|R\$|zł)$/u.exec(cell.trim())?.[1];
  const first = /^([A-Z]{3})\s/.exec(cell.trim())?.[1];
  const isAlone = cell.trim().length <= 3;
  return isAlone ? null : unitCurrency(last ?? first ?? '');
}

/** Index of each known column. */
export type Columns = Partial<Record<ColumnKey, number>>;

/** Columns that can have a key and are not used yet, best first. */
export type Free = (key: ColumnKey) => number[];

/** The cells of rows. */
export type Rows = readonly (readonly string[])[];

const LATE = 1_000_000;
// The number of an account is not a name.
const ACCOUNT = /^(?:[A-Z]{2}\d{2}[A-Z0-9 ]{10,40}|[\d ./-]{6,40})$/;
// Of two columns with one name, the one that is filled in more rows.
const IS_FULL: ReadonlySet<ColumnKey> = new Set(['amount', 'date', 'balance', 'currency']);

/** Finds the columns by their names; where a name has several meanings, by the `sample` rows below. */
export function freeColumns(known: readonly HeaderName[], columns: Columns, sample: Rows): Free {
  return (key) => {
    const ranked = known.flatMap(({ ranks }, index) => {
      const rank = ranks[key];
      if (rank === undefined || Object.values(columns).includes(index)) return [];
      const isFit = fits(key, index, sample, known);
      if (!isFit && Object.keys(ranks).length > 1) return [];
      return [{ index, rank: isFit ? rank : rank + LATE }];
    });
    const blanks = (index: number) => (IS_FULL.has(key) ? blankCount(sample, index) : 0);
    return ranked
      .sort((a, b) => a.rank - b.rank || blanks(a.index) - blanks(b.index))
      .map(({ index }) => index);
  };
}

/** Whether the cells of a column can be what its name says. */
function fits(key: ColumnKey, index: number, sample: Rows, known: readonly HeaderName[]): boolean {
  const cells = filledCells(sample, index);
  if (cells.length === 0) return true;
  if (key === 'date') return cells.some(looksLikeDate);
  if (key === 'currency') return cells.some((cell) => typeof parseCurrency(cell) === 'string');
  const isMoney = ['amount', 'debit', 'credit', 'balance', 'fee'].includes(key);
  if (isMoney) {
    const next = known[index + 1]?.isBlank === true ? filledCells(sample, index + 1) : [];
    return [...cells, ...next].some(looksLikeAmount);
  }
  if (key === 'payee') return !areAccounts(cells);
  return key !== 'status' || !cells.every(looksLikeAmount);
}

/** Whether all cells are numbers of accounts; false if there is none. */
export function areAccounts(cells: readonly string[]): boolean {
  return cells.length > 0 && cells.every((cell) => ACCOUNT.test(cell));
}

function blankCount(sample: Rows, index: number): number {
  return sample.filter((row) => index < row.length && row[index]!.trim() === '').length;
}

/** The cells of a column that have a text, trimmed. */
export function filledCells(sample: Rows, index: number): string[] {
  return sample.map((row) => (row[index] ?? '').trim()).filter((cell) => cell !== '');
}

/** Whether every cell is a word for the direction of money, and both directions occur. */
export function hasBothDirections(cells: readonly string[]): boolean {
  const found = new Set(cells.map(parseDirection));
  return found.size === 2 && !found.has(null);
}

/**
 * What is known about the files of a bank, a payment service or an application, as far as their names alone do not say
 * everything: an element of `profiles.json`.
 */
export interface Profile {
  readonly name: string;
  /** Folded names that its header has, all of them. */
  readonly header: readonly string[];
  /** Its header has no other names: for names that others use, too. */
  readonly isWhole?: boolean;
  /** Folded names of the columns: the next one is used where the cell of the first is blank. */
  readonly columns?: Partial<Record<ColumnKey, readonly string[]>>;
  /** Parts of an entry that the file does not have, although a name looks like it. */
  readonly ignored?: readonly ColumnKey[];
  /** The order of dates that fit several. */
  readonly dateOrder?: DateOrder;
  /** Money out is positive. */
  readonly isNegated?: boolean;
  /** The words of the direction decide, whatever the sign. */
  readonly wordsDecide?: boolean;
  /** What a blank direction means. */
  readonly blankWord?: 1 | -1;
  readonly fee?: 'none' | 'subtract';
  readonly currency?: string;
  /** The user's own records: a row named `Starting Balance` is a transaction. */
  readonly isApplication?: boolean;
  /** An export of Coffer: its texts are taken as they are. */
  readonly isOwn?: boolean;
  /** How rows belong together as parts of a split, or what each row is for `wise`. */
  readonly splits?: 'ynab' | 'actual' | 'firefly' | 'wise';
}

/** The more special headers come first. */
const PROFILES = profiles as readonly Profile[];

/**
 * The first known bank or application whose names a header contains; null if there is none. One that has its amounts in
 * several columns counts only where the map does not say where they are.
 */
export function profileOf(foldedNames: readonly string[], map: ColumnMap): Profile | null {
  const present = new Set(foldedNames);
  const found = PROFILES.find(
    ({ header, isWhole }) =>
      header.every((name) => present.has(name)) &&
      (isWhole !== true || foldedNames.length === header.length),
  );
  if (found?.splits === 'wise' && map.amount !== undefined) return null;
  return found ?? null;
}

/** Encodings of banks that do not write UTF-8, the most common first. */
const ENCODINGS = listOf(
  'windows-1252 windows-1250 windows-1251 shift_jis gb18030 big5 euc-kr windows-1255',
  'windows-1253 windows-1254 windows-1256 windows-1257 ibm866',
);

/**
 * The likely encoding of text that is not UTF-8, by its first bytes: the one in which the first lines have the most
 * known names of columns; among equals, the one with the fewest signs inside words, such as `spo¿ywczy`.
 */
export function likelyEncoding(bytes: Uint8Array): string {
  const scored = ENCODINGS.map((encoding) => ({ encoding, ...score(bytes, encoding) }));
  const best = scored.reduce((a, b) => (isBetter(b, a) ? b : a));
  return best.encoding;
}

function isBetter(a: ReturnType<typeof score>, b: typeof a): boolean {
  return a.names > b.names || (a.names === b.names && a.oddSigns < b.oddSigns);
}

function score(bytes: Uint8Array, encoding: string) {
  try {
    const text = [...decode([bytes], encoding)].join('');
    return { names: namesIn(text), oddSigns: oddSignsIn(text) };
  } catch {
    return { names: -1, oddSigns: Infinity };
  }
}

/** The most known names in one of the first lines. */
function namesIn(text: string): number {
  const lines = text.slice(0, 20_000).split(/[\r\n]+/, 50);
  const counts = lines.map((line) => {
    const cells = line.slice(0, 5000).split(/[,;\t|]/);
    return cells.filter((cell) => cell !== '' && Object.keys(headerName(cell).ranks).length > 0)
      .length;
  });
  return Math.max(0, ...counts);
}

/** Signs beyond ASCII next to letters, where other encodings have letters. */
function oddSignsIn(text: string): number {
  return (
    text.match(
      /(?<=\p{L})[^\p{L}\p{M}\s\x21-\x7e’‘“”–—…°·]\p{L}|[\x80-\x9f]|(?<!\S)[¯³¹¾¼ª¥]\p{L}/gu,
    )?.length ?? 0
  );
}
