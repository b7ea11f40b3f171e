import type { JournalFormat } from '../bytes/detect-format.ts';
import type { OpenText } from '../bytes/encoding.ts';
import { ProblemList, Refusal, NotUtf8 } from '../statement/statement-error.ts';
import type { ReaderOptions } from '../statement/years.ts';
import type { Quantity } from './text/amount.ts';
import { Assertions, Pads, type Padding } from './balances.ts';
import { isDraft, resolve, type Balancing, type Resolved } from './text/balance.ts';
import { BeancountReader } from './beancount/beancount.ts';
import { entriesOf, type Book, type JournalEntry } from './entries.ts';
import { NO_AMOUNT, type Item, type Pad, type Posting, type Transaction } from './text/journal.ts';
import { LedgerReader } from './ledger/ledger.ts';
import { JournalLines } from '../bytes/text-lines.ts';
import { Marks, type Fixed } from './text/decimals.ts';
import { Notices, type Survey } from './text/survey.ts';

const MAX_BALANCES = 100_000;
const MAX_INCLUSIVE = 1_000;

/** The balances of accounts in the order of the file, for postings that have a balance in place of an amount. */
class RunningBalances {
  readonly #byAccount = new Map<string, Map<string, Fixed>>();
  #count = 0;
  #inclusiveCount = 0;

  /** The amounts of postings that have only a balance: what is missing to it. */
  assign({ postings }: Transaction): Map<Posting, Quantity> {
    const assigned = new Map<Posting, Quantity>();
    const moved = new Map<string, Fixed>();
    for (const posting of postings) {
      const { account, amount } = posting;
      const quantity = amount.quantity ?? this.#missing(posting, moved);
      if (quantity === null) continue;
      if (amount.quantity === null) assigned.set(posting, quantity);
      const key = keyOf(account, quantity.commodity);
      moved.set(key, (moved.get(key) ?? 0n) + quantity.value);
    }
    return assigned;
  }

  add(all: readonly Resolved[]): void {
    for (const { posting, commodity, value } of all) {
      let balances = this.#byAccount.get(posting.account);
      if (balances === undefined)
        this.#byAccount.set(posting.account, (balances = new Map<string, Fixed>()));
      const before = balances.get(commodity);
      if (before === undefined) this.#count += 1;
      if (this.#count > MAX_BALANCES) throw new Refusal(`More than ${MAX_BALANCES} balances`);
      balances.set(commodity, (before ?? 0n) + value);
    }
  }

  #missing({ account, amount }: Posting, moved: ReadonlyMap<string, Fixed>): Quantity | null {
    const { balance } = amount;
    if (balance === null) return null;
    const { commodity } = balance;
    const accounts = amount.isInclusive ? this.#below(account) : [account];
    const now = accounts.reduce((sum, name) => {
      const before = this.#byAccount.get(name)?.get(commodity) ?? 0n;
      return sum + before + (moved.get(keyOf(name, commodity)) ?? 0n);
    }, 0n);
    return { ...balance, value: balance.value - now };
  }

  /** The account, and those below it that have a balance. */
  #below(account: string): string[] {
    this.#inclusiveCount += 1;
    if (this.#inclusiveCount > MAX_INCLUSIVE) {
      throw new Refusal(`More than ${MAX_INCLUSIVE} balances that include other accounts`);
    }
    const below = [...this.#byAccount.keys()].filter((name) => name.startsWith(`${account}:`));
    return [account, ...below];
  }
}

function keyOf(account: string, commodity: string): string {
  return `${account} ${JSON.stringify(commodity)}`;
}

/** How a journal is opened. */
export interface JournalSource {
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
    const reading = { survey, notices, marks, dateOrder: options.dateFormat };
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
export function survey(source: JournalSource, into: Survey): void {
  const reader = new ItemReader(source, into, true);
  let line = 1;
  try {
    for (const item of reader.items()) {
      ({ line } = item);
      into.add(item);
    }
  } catch (error) {
    throw error instanceof Refusal && !(error instanceof NotUtf8) ? error.at(line) : error;
  }
}

/** Reads the entries of a journal once. */
export class JournalReader {
  readonly #reader: ItemReader;
  readonly #book: Book;
  readonly #paddings: ReadonlyMap<number, readonly Padding[]>;
  readonly #running: RunningBalances | null;
  readonly #pads: Pads;
  readonly #assertions: Assertions;
  readonly #balancing: Balancing;
  #transactionCount = 0;
  #drafts = { count: 0, line: 0 };

  /** `paddings` is empty while they are computed. */
  constructor(
    source: JournalSource,
    found: Survey,
    book: Book,
    paddings: ReadonlyMap<number, readonly Padding[]>,
  ) {
    this.#reader = new ItemReader(source, found, false);
    this.#book = book;
    this.#paddings = paddings;
    this.#running = found.hasAssignments ? new RunningBalances() : null;
    this.#pads = new Pads(found);
    this.#assertions = new Assertions(found, source.format);
    this.#balancing = { ...book, isPriceInferred: source.format !== 'beancount' };
  }

  get notices(): Notices {
    return this.#reader.notices;
  }

  get marks(): Marks {
    return this.#reader.marks;
  }

  get transactionCount(): number {
    return this.#transactionCount;
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
    this.#transactionCount += 1;
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
