import type { JournalFormat } from '../bytes/detect-format.ts';
import type { OpenText } from '../bytes/content.ts';
import { JournalLines } from '../bytes/text-lines.ts';
import { NotUtf8, ProblemList, Refusal } from '../statement/statement-error.ts';
import type { Entry, StatementAccount, StatementContent } from '../statement/statement.ts';
import type { ReaderOptions, YearSurvey } from '../statement/dates.ts';
import { type Quantity, Marks } from './amount.ts';
import { isDraft, resolve, type Balancing, type Resolved } from './balance.ts';
import { Assertions, KnownBalances, Pads, RunningBalances, type Padding } from './balances.ts';
import { BeancountReader } from './beancount.ts';
import { entriesOf, type Book, type JournalEntry } from './entries.ts';
import {
  NO_AMOUNT,
  type Item,
  type Pad,
  type Posting,
  type Transaction,
  Notices,
  Reading,
  Survey,
} from './survey.ts';
import { LedgerReader } from './ledger.ts';
import { nameKey } from '@coffer/core/text';
import { listOf } from '../statement/texts.ts';
import { LANGUAGES, type WordList } from '../words/vocabulary.ts';

const MAX_UNKNOWN_NAMED = 5;

/**
 * The reader of a format. It reads a journal of beancount, hledger or ledger and examines all of it. Each transaction
 * gives an entry for each account of money that it moves; its other accounts are the categories.
 * Errors: StatementError with every problem of the file; Refusal if it has no transaction, but includes other files.
 */
export function readJournalOf(format: JournalFormat) {
  return (openText: OpenText, options: ReaderOptions): StatementContent => {
    if (options.negate === true) {
      throw new Refusal('A journal has one sign for each direction: it cannot be negated');
    }
    return examine({ openText, format, options });
  };
}

function examine(source: JournalSource): StatementContent {
  const found = surveyOf(source);
  const kinds = accountKinds(found);
  const book = bookOf(found, kinds);
  const read = (paddings: Paddings) => new JournalReader(source, found, book, paddings);
  const counted = (paddings: Paddings) =>
    count(read(paddings), source.options.years, new KnownBalances(found, source.format));
  const first = counted(new Map());
  // What pads add is known only at the end of the file.
  const { paddings } = first.reader;
  const { reader, counts, currencies, known } = paddings.size === 0 ? first : counted(paddings);
  const entryCount = [...counts.values()].reduce((sum, of) => sum + of, 0);
  const { notices, transactionCount } = reader;
  const includes = notices.includedFiles;
  if (transactionCount === 0 && includes !== null) {
    throw new Refusal(
      `File has no transaction of its own, but includes ${includes}: import them`,
      1,
    );
  }
  reader.finish();
  warn(reader, kinds, found);
  return {
    entryCount,
    transactionCount,
    leftOut: notices.leftOut,
    warnings: notices.warnings,
    accounts: accountsOf(counts, currencies, known, book, kinds),
    entries: () => withoutAccounts(read(paddings).entries()),
  };
}

/** Counts entries by account, and notes the currencies of each account. */
function count(reader: JournalReader, years: YearSurvey, known: KnownBalances) {
  years.begin(null);
  const counts = new Map<string, number>();
  const currencies = new Map<string, Set<string | null>>();
  for (const { account, entry } of reader.entries()) {
    years.note(entry.line, entry.date);
    known.add(account, entry);
    counts.set(account, (counts.get(account) ?? 0) + 1);
    const own = currencies.get(account) ?? new Set();
    currencies.set(account, own.add(entry.currency));
  }
  return { reader, counts, currencies, known };
}

function accountsOf(
  counts: ReadonlyMap<string, number>,
  currencies: ReadonlyMap<string, ReadonlySet<string | null>>,
  known: KnownBalances,
  book: Book,
  kinds: AccountKinds,
): StatementAccount[] {
  return [...counts].map(([id, entryCount]) => {
    const own = [...currencies.get(id)!];
    const currency = own.length === 1 ? own[0]! : null;
    const name = book.accountName(id);
    const balances = own.length === 1 ? known.of(id, currency) : [];
    return { name, id, bankId: null, type: kinds.of(id), currency, entryCount, balances };
  });
}

function warn(
  { notices, marks }: JournalReader,
  { unknown, isUnknownMoney }: AccountKinds,
  { hasBareHoldings }: Survey,
): void {
  if (hasBareHoldings) {
    notices.warn(null, 'Amounts without a currency are no money here, because most have one');
  }

  if (unknown.length > 0) {
    const names = unknown.slice(0, MAX_UNKNOWN_NAMED).map((name) => `"${name.slice(0, 60)}"`);
    const more = unknown.length > names.length ? ` and ${unknown.length - names.length} more` : '';
    const taken = isUnknownMoney ? 'accounts with money' : 'categories';
    const text = `${names.join(', ')}${more} are taken for ${taken}: declare types such as "account NAME  ; type: Asset"`;
    notices.warn(null, text);
  }
  if (marks.firstUnclear === null) return;
  const { line, text } = marks.firstUnclear;
  notices.warn(
    line,
    `"${text}" is taken for thousands: specify the decimal sign if it is a fraction`,
  );
}

function* withoutAccounts(entries: Iterable<JournalEntry>): Generator<Entry> {
  for (const { entry } of entries) yield entry;
}

/** How a journal is opened. */
interface JournalSource {
  readonly openText: OpenText;
  readonly format: JournalFormat;
  readonly options: ReaderOptions;
}

const NOTHING: ReadonlyMap<Posting, Quantity> = new Map();
const NO_MONEY = 'transaction of no money';
const HOLDING = 'posting of a holding';
const PADDING_PAYEE = 'Padding';

/** The items of a journal, read once. */
class ItemReader {
  readonly notices = new Notices(new ProblemList());
  readonly marks: Marks;
  readonly #lines: JournalLines;
  readonly #items: Iterable<Item>;

  constructor({ openText, format, options }: JournalSource, survey: Survey, isSurvey: boolean) {
    const isBeancount = format === 'beancount';
    this.#lines = new JournalLines(openText());
    this.marks = new Marks(isBeancount ? 'point' : options.decimal, survey.evidence, isSurvey);
    const { notices, marks } = this;
    const reading = new Reading(survey, notices, marks, options.dateFormat);
    const reader = isBeancount ? new BeancountReader(reading) : new LedgerReader(reading);
    this.#items = reader.items(this.#lines);
  }

  /** The items in file order. A refusal becomes a problem and ends the file. */
  *items(): Generator<Item> {
    try {
      yield* this.#items;
    } catch (error) {
      this.refuse(error, this.#lines.line);
    }
  }

  refuse(error: unknown, line: number): void {
    this.notices.problems.addRefusal(error, line);
  }
}

/**
 * Collects what must be known of the whole file. Only too many accounts or balances are an error; all other problems
 * are reported when the entries are read.
 */
function surveyOf(source: JournalSource): Survey {
  const survey = new Survey();
  const reader = new ItemReader(source, survey, true);
  let line = 1;
  try {
    for (const item of reader.items()) {
      ({ line } = item);
      survey.add(item);
    }
  } catch (error) {
    throw error instanceof Refusal && !(error instanceof NotUtf8) ? error.at(line) : error;
  }
  return survey;
}

/** What pads add, by the line of the pad. */
type Paddings = ReadonlyMap<number, readonly Padding[]>;

/** Reads the entries of a journal once. */
class JournalReader {
  readonly notices: Notices;
  readonly marks: Marks;
  transactionCount = 0;
  readonly #reader: ItemReader;
  readonly #book: Book;
  readonly #paddings: Paddings;
  readonly #running: RunningBalances | null;
  readonly #pads: Pads;
  readonly #assertions: Assertions;
  readonly #balancing: Balancing;
  #drafts = { count: 0, line: 0 };

  /** `paddings` is empty while they are computed. */
  constructor(source: JournalSource, found: Survey, book: Book, paddings: Paddings) {
    this.#reader = new ItemReader(source, found, false);
    this.notices = this.#reader.notices;
    this.marks = this.#reader.marks;
    this.#book = book;
    this.#paddings = paddings;
    this.#running = found.hasAssignments ? new RunningBalances() : null;
    this.#pads = new Pads(found);
    this.#assertions = new Assertions(found, source.format);
    this.#balancing = { ...book, isPriceInferred: source.format !== 'beancount' };
  }

  /** Checks the balances that the file states, and warns, after the entries were read. */
  finish(): void {
    const { count, line } = this.#drafts;
    const what = count === 1 ? 'A transaction has' : `${count} transactions have`;
    if (count > 0) this.notices.warn(line, `${what} only one posting: read without a category`);
    if (this.notices.isWhole) this.#assertions.warn(this.notices);
  }

  /** What the pads add, after the entries were read. */
  get paddings(): Map<number, Padding[]> {
    return this.#pads.finish();
  }

  /** Entries in file order. Throws every problem at the end. */
  *entries(): Generator<JournalEntry> {
    for (const item of this.#reader.items()) {
      if (item.kind === 'pad') yield* this.#padding(item);
      else if (item.kind === 'transaction') yield* this.#transaction(item);
    }
    this.notices.problems.throwIfAny();
  }

  #transaction(transaction: Transaction): readonly JournalEntry[] {
    this.transactionCount += 1;
    if (transaction.isInvalid) return [];
    try {
      return this.#read(transaction);
    } catch (error) {
      this.#reader.refuse(error, transaction.line);
      return [];
    }
  }

  #read(transaction: Transaction): readonly JournalEntry[] {
    const assigned = this.#running?.assign(transaction) ?? NOTHING;
    const all = resolve(transaction, assigned, this.#balancing);
    this.#running?.add(all);
    this.#pads.add(transaction.date!, all);
    this.#assertions.add(transaction.date!, all);
    if (all.length === 1 && isDraft(transaction.postings)) {
      this.#drafts = { count: this.#drafts.count + 1, line: this.#drafts.line || transaction.line };
    }
    return this.#entriesOf(transaction, all);
  }

  #entriesOf(transaction: Transaction, all: readonly Resolved[]): readonly JournalEntry[] {
    const { entries, holdings } = entriesOf(transaction, all, this.#book);
    if (entries.length === 0) this.notices.leaveOut(NO_MONEY);
    else this.notices.leaveOut(HOLDING, holdings);
    return entries;
  }

  #padding(pad: Pad): readonly JournalEntry[] {
    return (this.#paddings.get(pad.line) ?? []).flatMap((padding) => this.#entriesOfPad(padding));
  }

  #entriesOfPad({ pad, commodity, value }: Padding): readonly JournalEntry[] {
    const { line, date } = pad;
    const sides = [[pad.account, value] as const, [pad.source, -value] as const];
    const all = sides.map(([account, amount]) => paddingPosting(pad, account, commodity, amount));
    const transaction: Transaction = {
      kind: 'transaction',
      line,
      date,
      isPending: false,
      payee: PADDING_PAYEE,
      notes: [],
      tags: [],
      postings: all.map(({ posting }) => posting),
      bucket: null,
      isInvalid: false,
    };
    this.#assertions.add(date, all);
    try {
      return this.#entriesOf(transaction, all);
    } catch (error) {
      this.#reader.refuse(error, line);
      return [];
    }
  }
}

function paddingPosting(pad: Pad, account: string, commodity: string, value: bigint): Resolved {
  const { line } = pad;
  const posting = { line, account, isPending: false, date: null, notes: [], amount: NO_AMOUNT };
  return {
    posting,
    commodity,
    value,
    weight: { commodity, value },
    isLot: false,
    isInferred: false,
  };
}

const MAX_ACCOUNT_NAME = 45;
const MAX_CATEGORY_NAME = 100;

/** What an account is: money of its own, or the reason why money moves. */
export type AccountKind = 'asset' | 'liability' | 'category';

const TOPS: ReadonlyMap<string, AccountKind> = new Map([
  ...topsOf('assetAccount', 'asset'),
  ...topsOf('liabilityAccount', 'liability'),
  ...topsOf('categoryAccount', 'category'),
]);
/** Values of `type:`: a letter, or the name of the type. */
const TYPES: ReadonlyMap<string, AccountKind> = new Map([
  ...kindOfEach('a asset c cash', 'asset'),
  ...kindOfEach('l liability', 'liability'),
  ...kindOfEach('e equity r revenue income x expense v conversion g gain', 'category'),
]);
const OPTIONS: ReadonlyMap<string, AccountKind> = new Map([
  ['assets', 'asset'],
  ['liabilities', 'liability'],
]);

function topsOf(list: WordList, kind: AccountKind): [string, AccountKind][] {
  return LANGUAGES.flatMap((language) => (language[list] ?? []).map((name) => [name, kind]));
}

function kindOfEach(names: string, kind: AccountKind): [string, AccountKind][] {
  return listOf(names).map((name) => [name, kind]);
}

/** The kinds of the accounts of a file. */
export interface AccountKinds {
  of(account: string): AccountKind;
  /** Accounts whose kind the file does not show, by their top name, in file order. */
  readonly unknown: readonly string[];
  /** Whether unknown accounts are money accounts, because no other account is one. */
  readonly isUnknownMoney: boolean;
}

/**
 * The kinds of accounts: by the type of the account or of the nearest account above it that has one, else by the top
 * name. If no account is an asset or a liability, all that are of no known kind are taken for assets.
 */
function accountKinds(survey: Survey): AccountKinds {
  const known = new Map<string, AccountKind | null>();
  for (const account of survey.accounts) known.set(account, knownKind(account, survey));
  const isUnknownMoney = ![...known.values()].some(
    (kind) => kind === 'asset' || kind === 'liability',
  );
  const unknown = [...known].filter(([, kind]) => kind === null).map(([account]) => topOf(account));
  const other: AccountKind = isUnknownMoney ? 'asset' : 'category';
  return {
    of: (account) => known.get(account) ?? other,
    unknown: [...new Set(unknown)],
    isUnknownMoney,
  };
}

function knownKind(account: string, { types, tops }: Survey): AccountKind | null {
  for (let name = account; types.size > 0; name = name.slice(0, name.lastIndexOf(':'))) {
    const kind = TYPES.get(types.get(name)?.toLowerCase() ?? '');
    if (kind !== undefined) return kind;
    if (!name.includes(':')) break;
  }
  const top = topOf(account);
  const option = tops.get(top);
  if (option !== undefined) return OPTIONS.get(option) ?? 'category';
  return TOPS.get(top.toLowerCase().normalize('NFC')) ?? null;
}

function topOf(account: string): string {
  return account.split(':', 1)[0]!;
}

/** What the accounts of a file are, and how they are named. */
function bookOf(found: Survey, kinds: AccountKinds): Book {
  const isMoney = (account: string): boolean => kinds.of(account) !== 'category';
  const all = [...found.accounts];
  const names = shortNames(all.filter(isMoney), MAX_ACCOUNT_NAME);
  const categories = shortNames(
    all.filter((account) => !isMoney(account)),
    MAX_CATEGORY_NAME,
  );
  return {
    isMoney,
    accountName: (account) => names.get(account)!,
    categoryName: (account) => categories.get(account)!,
    isBareMoney: found.isBareMoney,
  };
}

/**
 * Names accounts without their top: `Expenses:Food:Bread` is `Food:Bread`. Two that would be equal keep it. The end of
 * a name is used if it is longer than `maxLength`; a number distinguishes names that are still equal.
 */
function shortNames(accounts: Iterable<string>, maxLength: number): Map<string, string> {
  const all = [...accounts];
  const counts = new Map<string, number>();
  for (const account of all) {
    const key = nameKey(short(account, maxLength));
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const names = new Map<string, string>();
  const used = new Map<string, number>();
  for (const account of all) {
    const own = short(account, maxLength);
    const isShared = (counts.get(nameKey(own)) ?? 0) > 1;
    names.set(account, unused(isShared ? ending(account, maxLength) : own, used, maxLength));
  }
  return names;
}

function short(account: string, maxLength: number): string {
  return ending(account.slice(account.indexOf(':') + 1), maxLength);
}

/** The end of a text, which begins with a whole part of the account if there is one. */
function ending(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const end = text.slice(-maxLength);
  const colon = end.indexOf(':');
  return (colon < 0 || colon === end.length - 1 ? end : end.slice(colon + 1)).toWellFormed();
}

/** The name, or the first free one with a number. `used` has the last number of each name. */
function unused(name: string, used: Map<string, number>, maxLength: number): string {
  const key = nameKey(name);
  const last = used.get(key);
  if (last === undefined) {
    used.set(key, 1);
    return name;
  }
  used.set(key, last + 1);
  const number = ` ${last + 1}`;
  return unused(`${name.slice(0, maxLength - number.length)}${number}`, used, maxLength);
}
