import { hash } from 'node:crypto';
import { withSingleBlanks } from '@coffer/core/text';
import { maxExternalIdLength } from '../operations/limits.ts';
import { noPayee, type ImportAccount, type ImportEntry, type Verdict } from './entry.ts';
import type { BankId } from '@coffer/statements/src/statement/statement.ts';

/** How a file has a transaction. Amounts in ten-thousandths, negative for money out. */
export interface Form {
  readonly date: string;
  readonly amount: number;
  readonly currency: string;
  readonly payee: string;
  readonly externalId: string | null;
  readonly isPending: boolean;
}

/**
 * A transaction that the book had before the import, with its own form.
 *
 * `same`: it came from a file of the same format as the one that is imported, or such a file had it. `other`: only
 * files of other formats had it. `unknown`: it is not known where it came from.
 */
export interface ExistingRow extends Form {
  readonly id: number;
  /** The format of the import that created it; null if it is not known. */
  readonly format: string | null;
  readonly relation: 'same' | 'other' | 'unknown';
  /** How files of this format have it. For an unknown format, its own form. */
  readonly forms: readonly Form[];
  readonly isSplit: boolean;
  /** What a user did to it since a file had it; its own form and its first one are then as in that file. */
  readonly edit: Edit | null;
}

/** What a user did to a transaction that came from a file. */
export interface Edit {
  /** The transaction as it is in the account of the file; null if it was deleted or is in another account. */
  readonly now: Form | null;
  /** Such as `you deleted transaction 3`. */
  readonly why: string;
}

/** Returns rows in the same order, but those that a user changed or deleted come last. */
export function untouchedFirst(rows: ExistingRow[]): ExistingRow[] {
  if (rows.every(({ edit }) => edit === null)) return rows;
  return rows.toSorted((a, b) => Number(a.edit !== null) - Number(b.edit !== null));
}

/** Returns the amount of a file as the book has it, debit positive; never -0. */
export function debitOf(amount: number): number {
  return amount === 0 ? 0 : -amount;
}

/** Returns the id of the account of an entry; null without one. */
export function accountIdOf({ account }: Pick<ResolvedEntry, 'account'>): number | null {
  return account?.id ?? null;
}

/** A text that is equal for the same amount and currency. */
export function moneyKey({ amount, currency }: Form): string {
  return `${amount} ${currency}`;
}

/** A text that is equal for the same date, amount, currency and payee. */
export function textKey(form: Form): string {
  // The payee comes last, so that no payee can imitate the parts before it.
  return `${form.date} ${form.amount} ${form.currency} ${composed(form.payee)}`;
}

/** Whether date, amount and currency are equal. */
export function isSameMoney(one: Form, other: Form): boolean {
  return one.date === other.date && one.amount === other.amount && one.currency === other.currency;
}

/** Whether two payees differ in nothing but blanks and the Unicode form. */
export function isEqualPayee(one: Pick<Form, 'payee'>, other: Pick<Form, 'payee'>): boolean {
  return composed(one.payee) === composed(other.payee);
}

/** Whether date, amount, currency and payee are equal. */
export function isSameText(one: Form, other: Form): boolean {
  return isSameMoney(one, other) && isEqualPayee(one, other);
}

/** Whether a row has an equal form with this state in files of the format. */
export function hasForm(row: ExistingRow, form: Form): boolean {
  return row.forms.some((own) => own.isPending === form.isPending && isSameText(own, form));
}

/** Whether the payees have a word of three letters or more in common, or are equal. */
export function isSimilarPayee(one: string, other: string): boolean {
  if (composed(one) === composed(other)) return true;
  const words = new Set(wordsOf(one));
  return wordsOf(other).some((word) => words.has(word));
}

/** Words of banks, which say nothing about the payee. */
const bankWords = new Set(
  `pending card debit credit purchase payment pos visa mastercard transaction authorization
  the and ltd inc llc gmbh com www`.split(/\s+/),
);

function wordsOf(payee: string): string[] {
  const words =
    composed(payee)
      .toLowerCase()
      .match(/\p{L}{3,}/gu) ?? [];
  return words.filter((word) => !bankWords.has(word));
}

const plain = /^[\x21-\x7e]+(?: [\x21-\x7e]+)*$/;

/** Files have blanks of many kinds: two spaces, tabs, and spaces at which lines do not break. */
function composed(text: string): string {
  return plain.test(text) ? text : withSingleBlanks(text).normalize('NFC');
}

/** An entry of the file, with what is needed to find it in the book and to insert it. */
export interface ResolvedEntry extends Form {
  /** From 1. */
  readonly number: number;
  readonly raw: ImportEntry;
  readonly account: ImportAccount | null;
  readonly categoryId: number | null;
  /** Null without an external id. */
  readonly bankId: BankId | null;
  /** The rows that its account has under the bank's id, as soon as they are read. */
  ofId: readonly ExistingRow[] | null;
}

/** What was decided about an entry. */
export interface Comparison {
  readonly verdict: Verdict;
  /** The row that the entry is, or may be; null for a new one. */
  readonly row: ExistingRow | null;
  readonly why: string | null;
  /** Whether the row is certainly the entry, although they differ: left out, unless somebody asks for it. */
  readonly isLeftOut?: boolean;
}

export const noMatch: Comparison = { verdict: 'new', row: null, why: null };

/** What was decided about an entry, with what its import needs: nothing else of the row is used then. */
export interface Decision {
  readonly verdict: Verdict;
  /** The transaction that the entry is, or may be; null for a new one. */
  readonly knownId: number | null;
  readonly why: string | null;
  /** As in {@link Comparison}. */
  readonly isLeftOut: boolean;
  /** Whether the transaction gets the id of the entry. */
  readonly takesId: boolean;
  /** Whether the transaction is noted to be in this file as the entry is. */
  readonly isNoted: boolean;
  /** Whether the account has transactions under the bank's id, so that a new one may need another id. */
  readonly isIdUsed: boolean;
  /** The pending transaction that an entry posts, as a file had it. */
  readonly pending: PendingRow | null;
}

/** A pending transaction that an entry posts. */
export type PendingRow = Pick<ExistingRow, 'date' | 'amount' | 'payee' | 'externalId' | 'format'>;

/** Returns what an import needs of a comparison. `format` is that of the file. */
export function decisionOf(
  entry: ResolvedEntry,
  { verdict, row, why, isLeftOut = false }: Comparison,
  format: string | null,
): Decision {
  const isIdUsed = entry.ofId?.some(({ edit }) => edit?.now !== null) ?? false;
  const remembered =
    row === null || verdict === 'replaces' ? nothing : remember(entry, row, verdict, format);
  const pending = verdict === 'replaces' ? pendingOf(row!) : null;
  return { verdict, knownId: row?.id ?? null, why, isLeftOut, ...remembered, isIdUsed, pending };
}

const nothing = { takesId: false, isNoted: false };

function pendingOf({ date, amount, payee, externalId, format }: ExistingRow): PendingRow {
  return { date, amount, payee, externalId, format };
}

/** A row that a user changed stays as it is. Another one gets the bank's id, and how this file has it is noted. */
function remember(
  entry: ResolvedEntry,
  row: ExistingRow,
  verdict: Verdict,
  format: string | null,
): Pick<Decision, 'takesId' | 'isNoted'> {
  if (row.edit !== null) return nothing;
  const { externalId } = entry;
  const isWithId = [row, ...row.forms].some((form) => form.externalId === externalId);
  const takesId = externalId !== null && row.externalId === null && !isWithId;
  // An id of another format than that of the row is noted, so that it is not taken for an id of the row's own.
  const isOtherId = takesId && row.format !== format;
  const isForeign = row.relation === 'other' || row.isPending !== entry.isPending;
  const isNew = (isForeign || verdict === 'doubtful') && !hasForm(row, entry);
  return { takesId, isNoted: isOtherId || isNew };
}

/** Returns an entry with its account and category. Without a payee it gets that of responses, unless it stays empty. */
export function resolvedEntry(
  raw: ImportEntry,
  number: number,
  { account, categoryId, currency }: Pick<ResolvedEntry, 'account' | 'categoryId' | 'currency'>,
  keepsEmptyPayees = false,
): ResolvedEntry {
  const { date, externalId, isPending = false } = raw;
  return {
    date,
    // -0 would have another key.
    amount: raw.amount + 0,
    currency,
    payee: raw.payee === '' && !keepsEmptyPayees ? noPayee : raw.payee,
    externalId,
    isPending,
    number,
    raw,
    account,
    categoryId,
    bankId: externalId === null ? null : bankIdOf(externalId, raw),
    ofId: null,
  };
}

/** The hexadecimal digits of the hash that distinguishes transactions with the same id of the bank. */
const hashLength = 15;
const shortLength = 42;
/** After the bank's id: the hash of one of the transactions that share it, and its number among equal ones. */
const ending = /(?:~[0-9a-f]{15})?(?:#([2-9]|[1-9]\d+))?$/;

/** Returns the bank's id of an entry: from its statement, or else from its external id without our ending. */
function bankIdOf(externalId: string, entry: ImportEntry): BankId {
  return entry.bankId ?? readId(externalId);
}

/** Returns the id for the first transaction with the bank's id: `ID`, or `ID#2` for the second equal one. */
export function plainId({ id, nth }: BankId): string {
  return shortId(id + countOf(nth));
}

/**
 * Returns the id of a transaction that shares the bank's id with another: `ID~` and the first 15 hexadecimal digits of
 * the SHA-256 of its date, amount, payee and notes as JSON, and `#2` for the second equal one. At most 75 characters,
 * by {@link shortId}. The id does not depend on the other entries of the file. Books have such ids, so the format must
 * not change.
 */
export function sharedId({ id, nth }: BankId, entry: ImportEntry): string {
  const { date, amount, payee, notes } = entry;
  const content = JSON.stringify([date, amount, payee, notes]);
  const digest = hash('sha256', content, 'hex').slice(0, hashLength);
  return shortId(`${id}~${digest}${countOf(nth)}`);
}

/** Returns two texts between which shared ids are, both exclusive; null when such ids are too long to be parsed. */
export function sharedIdBounds({
  id,
  nth,
}: BankId): readonly [above: string, below: string] | null {
  const length = id.length + 1 + hashLength + countOf(nth).length;
  // "g" comes after every hexadecimal digit.
  return length > maxExternalIdLength ? null : [`${id}~`, `${id}~g`];
}

/** Returns whether a transaction of the book can have the bank's id of the entry. A shared id can have any number. */
export function isOfBankId(externalId: string, bankId: BankId, entry: ImportEntry): boolean {
  if (externalId === plainId(bankId)) return true;
  if (sharedIdBounds(bankId) === null) return externalId === sharedId(bankId, entry);
  const read = readId(externalId);
  return read.isRepeated && read.id === bankId.id;
}

function readId(externalId: string): BankId {
  const [added = '', nth = '1'] = ending.exec(externalId) ?? [];
  const id = externalId.slice(0, externalId.length - added.length);
  return { id, nth: Number(nth), isRepeated: added.startsWith('~') };
}

/** Shortens a long id to 75 characters: its first 42 characters, `~` and 32 digits of its SHA-256. */
function shortId(id: string): string {
  if (id.length <= maxExternalIdLength) return id;
  const digest = hash('sha256', id, 'hex').slice(0, maxExternalIdLength - shortLength - 1);
  // The cut may split a surrogate pair, and engines cannot store a half.
  return `${id.slice(0, shortLength).toWellFormed()}~${digest}`;
}

function countOf(nth: number): string {
  return nth > 1 ? `#${nth}` : '';
}

/** What was decided about an entry, with what a preview shows of it. */
export interface ShownDecision extends Decision {
  readonly currency: string;
  /** Null without an account, and for one that would be created. */
  readonly accountId: number | null;
}

const verdicts: readonly Verdict[] = ['new', 'known', 'replaces', 'doubtful'];
const flags = ['isLeftOut', 'takesId', 'isNoted', 'isIdUsed'] as const;

/** A value that many entries share, once. */
class Shared<T> {
  readonly #numbers = new Map<T, number>();
  readonly #values: T[] = [];

  numberOf(value: T): number {
    let number = this.#numbers.get(value);
    if (number === undefined) {
      number = this.#values.push(value) - 1;
      this.#numbers.set(value, number);
    }
    return number;
  }

  at(number: number): T {
    return this.#values[number]!;
  }
}

/** The decisions on the entries of a file, by their number from 1, in any order: about 26 bytes each. */
export class Decisions {
  #verdicts = new Uint8Array(1024);
  #flags = new Uint8Array(1024);
  #knownIds = new Float64Array(1024);
  #accountIds = new Float64Array(1024);
  #reasons = new Uint32Array(1024);
  #currencies = new Uint32Array(1024);
  readonly #reason = new Shared<string | null>();
  readonly #currency = new Shared<string>();
  readonly #pending = new Map<number, PendingRow>();

  set(number: number, decision: ShownDecision): void {
    if (number >= this.#verdicts.length) this.#grow(number * 2);
    const { verdict, knownId, why, currency, accountId, pending } = decision;
    this.#verdicts[number] = verdicts.indexOf(verdict);
    this.#flags[number] = flagsOf(decision);
    this.#knownIds[number] = knownId ?? 0;
    this.#accountIds[number] = accountId ?? 0;
    this.#reasons[number] = this.#reason.numberOf(why);
    this.#currencies[number] = this.#currency.numberOf(currency);
    if (pending !== null) this.#pending.set(number, pending);
  }

  of(number: number): ShownDecision {
    return {
      verdict: verdicts[this.#verdicts[number]!]!,
      ...fromFlags(this.#flags[number]!),
      knownId: this.#knownIds[number]! || null,
      why: this.#reason.at(this.#reasons[number]!),
      currency: this.#currency.at(this.#currencies[number]!),
      accountId: this.#accountIds[number]! || null,
      pending: this.#pending.get(number) ?? null,
    };
  }

  #grow(length: number): void {
    const grown = <T extends Uint8Array | Uint32Array | Float64Array>(old: T, made: T): T => {
      made.set(old);
      return made;
    };
    this.#verdicts = grown(this.#verdicts, new Uint8Array(length));
    this.#flags = grown(this.#flags, new Uint8Array(length));
    this.#knownIds = grown(this.#knownIds, new Float64Array(length));
    this.#accountIds = grown(this.#accountIds, new Float64Array(length));
    this.#reasons = grown(this.#reasons, new Uint32Array(length));
    this.#currencies = grown(this.#currencies, new Uint32Array(length));
  }
}

/** Returns the flags of a decision as the bits of a number. */
function flagsOf(decision: Decision): number {
  return flags.reduce((bits, name, at) => bits | (Number(decision[name]) << at), 0);
}

function fromFlags(bits: number): Pick<Decision, (typeof flags)[number]> {
  const isSet = (at: number): boolean => (bits & (1 << at)) !== 0;
  return { isLeftOut: isSet(0), takesId: isSet(1), isNoted: isSet(2), isIdUsed: isSet(3) };
}

/** A decision as it is stored: without what is as usual at its end. */
type StoredDecision = readonly [
  verdict: number,
  currency: string,
  accountId?: number | null,
  knownId?: number | null,
  why?: string | null,
  flags?: number,
  pending?: PendingRow,
];

/** Returns decisions as JSON. */
export function storedDecisions(decisions: readonly ShownDecision[]): string {
  return JSON.stringify(decisions.map(toStored));
}

function toStored(decision: ShownDecision): StoredDecision {
  const { verdict, currency, accountId, knownId, why, pending } = decision;
  const start = [verdicts.indexOf(verdict), currency, accountId] as const;
  const bits = flagsOf(decision);
  if (knownId === null && bits === 0) return start;
  return pending === null
    ? [...start, knownId, why, bits]
    : [...start, knownId, why, bits, pending];
}

/** Returns the decisions of {@link storedDecisions}. */
export function readDecisions(json: string): ShownDecision[] {
  return (JSON.parse(json) as StoredDecision[]).map((stored) => {
    const [verdict, currency, accountId = null, knownId = null, why = null] = stored;
    const [, , , , , bits = 0, pending = null] = stored;
    const known = { currency, accountId, knownId, why, pending };
    return { verdict: verdicts[verdict]!, ...known, ...fromFlags(bits) };
  });
}

const pageBits = 1024;

/** A set of ids that are mostly consecutive: a bit for each. A million ids take 130 kB instead of 40 MB. */
export class IdSet {
  readonly #pages = new Map<number, Uint8Array>();

  has(id: number): boolean {
    const page = this.#pages.get(Math.floor(id / pageBits));
    const at = id % pageBits;
    return page !== undefined && (page[at >>> 3]! & (1 << (at & 7))) !== 0;
  }

  add(id: number): void {
    const number = Math.floor(id / pageBits);
    let page = this.#pages.get(number);
    if (page === undefined) {
      page = new Uint8Array(pageBits / 8);
      this.#pages.set(number, page);
    }
    const at = id % pageBits;
    page[at >>> 3] = page[at >>> 3]! | (1 << (at & 7));
  }
}
