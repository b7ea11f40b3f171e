import { copyOf } from '../statement/texts.ts';
import { hash } from 'node:crypto';
import type { Kept } from '../statement/kept.ts';
import { Refusal } from '../statement/statement-error.ts';
import type { Entry, StatementAccount } from '../statement/statement.ts';
import type { YearSurvey } from '../statement/dates.ts';

/** Maximum characters of an id in a book. OFX allows 255. */
const MAX_ID_LENGTH = 75;
const START_OF_LONG_ID = 42;

/** Only zeros, or a number below 10,000: some banks number the entries of each file from 1. */
const COUNTER = /^0*\d{0,4}$/;

/** The bank's id of an entry, or null if the FITID is not an id. */
export function bankId(fitid: string): string | null {
  return COUNTER.test(fitid) ? null : copyOf(fitid);
}

/** Shortens an id that is too long for a book: the last part becomes a part of its SHA-256. */
function shortId(id: string): string {
  if (id.length <= MAX_ID_LENGTH) return id;
  const digest = hash('sha256', id, 'hex').slice(0, MAX_ID_LENGTH - START_OF_LONG_ID - 1);
  return `${id.slice(0, START_OF_LONG_ID)}~${digest}`;
}

/** A bit for each of 2^27 hashes, in pages that are allocated when they are needed. */
const PAGES = 4096;
const PAGE_BITS = 2 ** 15;
/** Maximum number of repeated ids: each takes memory. */
const MAX_REPEATED = 100_000;
const REPEATED = 'repetition of an entry';

/** Finds entries that share an id, in memory that does not grow with the file. */
export class RepeatFinder {
  readonly #marks: (Uint8Array | undefined)[] = Array.from({ length: PAGES });
  readonly #repeated = new Set<number>();

  /** Hashes of repeated ids, rarely also of an id that is not repeated. */
  get repeated(): ReadonlySet<number> {
    return this.#repeated;
  }

  /** Whether other entries have the entry's id, after all were added. */
  isRepeated(account: string, entry: Entry): boolean {
    return this.#repeated.has(identityOf(account, entry));
  }

  /** Adds an entry. Errors: Refusal if more than {@link MAX_REPEATED} ids are repeated. */
  add(account: string, entry: Entry): void {
    const id = identityOf(account, entry);
    if (this.#mark(id)) return;
    this.#repeated.add(id);
    if (this.#repeated.size > MAX_REPEATED) throw tooManyRepeated(entry.line);
  }

  /** Marks a hash; returns whether it was unmarked. */
  #mark(hash: number): boolean {
    const at = hash % (PAGES * PAGE_BITS);
    const page = Math.floor(at / PAGE_BITS);
    const marks = (this.#marks[page] ??= new Uint8Array(PAGE_BITS / 8));
    const place = (at % PAGE_BITS) >>> 3;
    const bit = 1 << (at & 7);
    const isFirst = (marks[place]! & bit) === 0;
    marks[place] = marks[place]! | bit;
    return isFirst;
  }
}

function tooManyRepeated(line: number): Refusal {
  return new Refusal(`More than ${MAX_REPEATED} ids occur more than once`, line);
}

/** The entry that keeps the id unchanged. */
interface Oldest {
  readonly date: string;
  readonly content: string;
}

/** How often an entry occurred. */
interface Occurrences {
  currency: string | null;
  statement: number;
  inStatement: number;
  most: number;
}

/** Sets the final id of an entry. Returns false for the repetition of an earlier entry. */
type SetId = (account: string, statement: number, entry: Entry) => boolean;

/**
 * Gives entries that share a bank's id different ids, which stay the same whenever the bank sends the entries again.
 *
 * Equal entries of one statement are different purchases: the second is `ID#2`. Equal entries of two statements of one
 * account are the same entry: the n-th of the second statement repeats the n-th of the first, and is left out. Of
 * different entries, the oldest keeps the id, and the others append a hash of their content: `ID~1f9…`.
 */
class RepeatedIds {
  readonly #repeated: ReadonlySet<number>;
  readonly #oldest = new Map<number, Oldest>();

  constructor(repeated: ReadonlySet<number>) {
    this.#repeated = repeated;
  }

  /** Adds an entry. All entries must be added before the first gets its final id. */
  add(account: string, entry: Entry): void {
    const id = identityOf(account, entry);
    if (!this.#repeated.has(id)) return;
    const { date } = entry;
    const content = contentHash(entry);
    const oldest = this.#oldest.get(id);
    if (oldest === undefined || isOlder({ date, content }, oldest)) {
      this.#oldest.set(id, { date, content });
    }
  }

  /** Starts to give the entries their ids, in file order. */
  begin(): SetId {
    const occurrences = new Map<string, Occurrences>();
    return (account, statement, entry) => {
      const id = this.#repeated.size === 0 ? null : identityOf(account, entry);
      if (id === null || !this.#repeated.has(id)) {
        setFinalId(entry, 1, false, '');
        return true;
      }
      const content = contentHash(entry);
      const count = nthOccurrence(occurrences, `${id} ${content}`, statement, entry);
      if (count === null) return false;
      const isOther = this.#oldest.get(id)?.content !== content;
      setFinalId(entry, count, true, isOther ? `~${content}` : '');
      return true;
    };
  }
}

/** Sets the final id of an entry, and what it was derived from. */
function setFinalId(entry: Entry, nth: number, isRepeated: boolean, mark: string): void {
  const id = entry.externalId;
  if (id === null) return;
  entry.bankId = { id, nth, isRepeated };
  entry.externalId = shortId(`${id}${mark}${nth > 1 ? `#${nth}` : ''}`);
}

function isOlder(one: Oldest, other: Oldest): boolean {
  return one.date < other.date || (one.date === other.date && one.content < other.content);
}

/** Position of an entry among equal ones of its statement, from 1; null if an earlier statement had as many. */
function nthOccurrence(
  occurrences: Map<string, Occurrences>,
  key: string,
  statement: number,
  entry: Entry,
): number | null {
  const { currency } = entry;
  const seen = occurrences.get(key) ?? { currency, statement, inStatement: 0, most: 0 };
  if (seen.most === 0) occurrences.set(key, seen);
  if (occurrences.size > MAX_REPEATED) throw tooManyRepeated(entry.line);
  // A statement in another currency has other entries, not the same ones again.
  if (seen.statement !== statement) seen.inStatement = seen.currency === currency ? 0 : seen.most;
  seen.currency = currency;
  seen.statement = statement;
  seen.inStatement += 1;
  if (seen.inStatement <= seen.most) return null;
  seen.most = seen.inStatement;
  return seen.most;
}

/**
 * Identifies an entry within a file: a hash of its account and id, or of account and content if it has no id.
 * An integer of 53 bits.
 */
function identityOf(account: string, entry: Entry): number {
  const content = entry.externalId ?? `${entry.currency} ${contentOf(entry)}`;
  return quickHash(`${account} ${content}`);
}

/** A hash of date, amount and texts: 15 characters, which may become a part of an id. */
function contentHash(entry: Entry): string {
  return hash('sha256', contentOf(entry), 'hex').slice(0, 15);
}

function contentOf({ date, amount, payee, notes }: Entry): string {
  return JSON.stringify([date, amount, payee, notes]);
}

/**
 * Two multiplicative hashes, 53 bits together. Fast, not cryptographic: collisions only make ids longer than
 * necessary.
 */
function quickHash(text: string): number {
  let high = 0x2545f491;
  let low = 0x5bd1e995;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    high = Math.imul(high ^ code, 0x2c1b3c6d);
    high ^= high >>> 13;
    low = Math.imul(low ^ code, 0x297a2d39);
    low ^= low >>> 15;
  }
  return (high >>> 11) * 2 ** 32 + (low >>> 0);
}

/** An entry of a file, which is kept as JSON. */
export interface FoundEntry {
  readonly entry: Entry;
  /** Identifies its account within the file. */
  readonly account: string;
  /** The number of its statement, or of the first one that its statement continues. */
  readonly series: number;
  /** The key of its account among those that are named at the end of the file. */
  readonly owner: string | number;
}

/** What is noted of the entries of a file that are no repetitions of others. */
interface Notes<F> {
  /** Where their dates are. */
  readonly column: string;
  readonly years: YearSurvey;
  readonly leaveOut: (what: string) => void;
  readonly accept?: (found: F) => void;
}

/** The entries of a file, which was read to its end. */
export interface FoundEntries {
  readonly entryCount: number;
  /** By the owner of the entries. */
  readonly entryCounts: ReadonlyMap<string | number, number>;
  /** The entries with their final ids and the names of their accounts. */
  entries(accounts: ReadonlyMap<string | number, StatementAccount>): Iterable<Entry>;
}

/** Finds the entries that share an id, and leaves out those that repeat another one. Errors: what `found` throws. */
export function findEntries<F extends FoundEntry>(
  found: Kept<F>,
  { column, years, leaveOut, accept }: Notes<F>,
): FoundEntries {
  const finder = new RepeatFinder();
  for (const each of found) finder.add(idScope(each), each.entry);
  const ids = new RepeatedIds(finder.repeated);
  const setId = ids.begin();
  const entryCounts = new Map<string | number, number>();
  let entryCount = 0;
  years.begin(column);
  for (const each of found) {
    const { entry, series, owner } = each;
    ids.add(idScope(each), entry);
    if (!setId(idScope(each), series, entry)) {
      leaveOut(REPEATED);
      continue;
    }
    entryCount += 1;
    entryCounts.set(owner, (entryCounts.get(owner) ?? 0) + 1);
    years.note(entry.line, entry.date);
    accept?.(each);
  }
  return { entryCount, entryCounts, entries: (accounts) => finalEntries(found, ids, accounts) };
}

function* finalEntries(
  found: Iterable<FoundEntry>,
  ids: RepeatedIds,
  accounts: ReadonlyMap<string | number, StatementAccount>,
): Generator<Entry> {
  const setId = ids.begin();
  for (const each of found) {
    const { entry, series, owner } = each;
    if (!setId(idScope(each), series, entry)) continue;
    yield { ...entry, account: accounts.get(owner)!.name };
  }
}

/** Where an id is unique: a booked entry is no repetition of a pending one. */
function idScope({ account, entry }: FoundEntry): string {
  return entry.isPending === true ? `${account} pending` : account;
}

/** Maximum characters of an account's name in a book. */
export const MAX_NAME_LENGTH = 45;
const SHOWN_DIGITS = 4;

/** Appends the number, or its end, to the name. */
export function named(
  account: StatementAccount,
  all: readonly StatementAccount[],
): StatementAccount {
  const short = shortName(account);
  const isShared = all.some((other) => other !== account && shortName(other) === short);
  const name = isShared ? `${account.name} ${account.id}`.slice(-MAX_NAME_LENGTH).trim() : short;
  return { ...account, name };
}

/** The end of the number of an account, which names show. */
export function endOf(id: string): string {
  return id.replace(/[^\p{L}\p{N}]/gu, '').slice(-SHOWN_DIGITS);
}

/** A part of a name, with single blanks. */
export function shortened(text: string, maxLength: number): string {
  return text.replace(/\s+/g, ' ').slice(0, maxLength).trim();
}

function shortName({ name, id }: StatementAccount): string {
  const digits = endOf(id);
  const whole = digits === '' ? name : `${name} ${digits}`;
  return whole[0]!.toUpperCase() + whole.slice(1);
}
