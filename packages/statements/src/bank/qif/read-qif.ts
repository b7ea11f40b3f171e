import { negatedEntry, type ConventionFinder } from '../../statement/amounts.ts';
import type {
  Balance,
  Decimal,
  Entry,
  StatementContent,
  StatementOptions,
  DateOrder,
  StatementAccount,
} from '../../statement/statement.ts';
import { TextLines } from '../../bytes/text-lines.ts';
import { SignCheck } from '../../statement/sign-check.ts';
import { asJson, Kept } from '../../statement/kept.ts';
import { ProblemList, Refusal, WarningList } from '../../statement/statement-error.ts';
import type { ReaderOptions, YearSurvey } from '../../statement/dates.ts';
import {
  categoryOf,
  cashDirection,
  rawEntry,
  readEntry,
  type QifReading,
  type RawEntry,
  isOpeningBalance,
  RecordReader,
  type QifField,
  amountFinder,
  dateFinder,
  isAmount,
  accountType,
  readDate,
  readQifAmount,
  type QifRecord,
  type Section,
} from './records.ts';
import { copyOf } from '../../statement/texts.ts';
import { MAX_NAME_LENGTH } from '../ids.ts';

/** Detects the order of the dates and the decimal sign of a file from all of its entries, and collects problems. */
class Examiner {
  readonly #problems: ProblemList;
  readonly #given: DateOrder | undefined;
  readonly #amounts: ConventionFinder<Decimal, number>;
  #dates: ConventionFinder<DateOrder, string> | null = null;

  constructor({ dateFormat, decimal }: StatementOptions, problems: ProblemList) {
    this.#problems = problems;
    this.#given = dateFormat;
    this.#amounts = amountFinder(decimal);
  }

  /** Adds an entry. `declared`: the order of dates that the file states above it. */
  add(raw: RawEntry, declared: DateOrder | undefined): void {
    this.#dates ??= dateFinder(this.#given ?? declared);
    const { line } = raw.record;
    if (raw.date === undefined) this.#problems.add(line, 'field D', null, 'Entry has no date');
    else this.#note(this.#dates, raw.date);
    if (raw.amount === undefined) this.#problems.add(line, 'field T', null, 'Entry has no amount');
    else this.#note(this.#amounts, raw.amount);
    for (const { amount, line: at } of raw.splits) {
      if (isAmount(amount)) this.#note(this.#amounts, { code: '$', line: at, value: amount });
    }
    if (raw.secondAmount === undefined) return;
    const reason = 'Entry has a second amount: perhaps a "^" is missing';
    this.#problems.add(raw.secondAmount.line, 'field T', raw.secondAmount.value, reason);
  }

  /** Adds a record that is left out: its date may show the order of the others. */
  addLeftOut({ date }: RawEntry, declared: DateOrder | undefined): void {
    this.#dates ??= dateFinder(this.#given ?? declared);
    if (date !== undefined) this.#dates.note(date.value, date.line, 'field D');
  }

  /** Reports ambiguous figures. */
  finish(): void {
    for (const open of [this.#dates?.ambiguity() ?? null, this.#amounts.ambiguity()]) {
      if (open !== null) this.#problems.addAmbiguity(open);
    }
  }

  /** How to read the file, after all of it was examined. */
  get reading(): QifReading {
    const { convention: dateOrder } = this.#dates ?? dateFinder(this.#given);
    return { dateOrder, decimal: this.#amounts.convention };
  }

  #note<C extends string, V extends string | number>(
    finder: ConventionFinder<C, V>,
    { code, line, value }: QifField,
  ): void {
    const column = `field ${code}`;
    const reason = finder.note(value, line, column);
    if (reason !== null) this.#problems.add(line, column, value, reason);
  }
}

const SECURITIES = 'securities transaction';
const EMPTY = 'record without an amount';
const UNKNOWN = 'record of an unknown section';

/**
 * Reads QIF, and examines all of it: the entries of its accounts with categories, classes and splits, and the cash
 * entries of investment accounts.
 * Errors: StatementError with every problem of the file, Refusal if reading cannot continue or there is no section.
 * Source: Quicken Interchange Format, and files of programs that deviate from it.
 */
export function readQif(text: Iterable<string>, options: ReaderOptions): StatementContent {
  const reader = new QifReader(text, options);
  const found = new Kept(reader.entries(), asJson<FoundEntry>(), options.scratch).whole();
  const { reading } = reader;
  const { negate = false } = options;
  const accounts = new AccountList(reader.balances(reading));
  const warnings = new WarningList();
  const signs = new SignCheck();
  const entryCount = count(found, reading, {
    ...{ accounts, warnings, signs, negate, years: options.years },
  });
  return {
    entryCount,
    accounts: accounts.all,
    leftOut: reader.leftOut,
    warnings: [...warnings.all, ...(options.negate === undefined ? signs.warnings : [])],
    entries: () => finalEntries(found, reading, accounts, negate),
  };
}

interface FoundEntry {
  readonly record: QifRecord;
  readonly account: OwnAccount;
}

class QifReader {
  readonly #lines: TextLines;
  readonly #cursor = new AccountCursor();
  readonly #leftOut = new Map<string, number>();
  readonly #records: RecordReader;
  readonly #problems = new ProblemList();
  readonly #examiner: Examiner;

  constructor(text: Iterable<string>, options: ReaderOptions) {
    this.#lines = new TextLines(text);
    this.#records = new RecordReader(this.#lines);
    this.#examiner = new Examiner(options, this.#problems);
  }

  /** What was left out. */
  get leftOut(): StatementContent['leftOut'] {
    const counts = [...this.#leftOut, [UNKNOWN, this.#records.unknownCount] as const];
    return counts.flatMap(([what, count]) => (count === 0 ? [] : [{ what, count }]));
  }

  /** How to read the figures, after the entries were read. */
  get reading(): QifReading {
    return this.#examiner.reading;
  }

  /** The balances that the file states, by the names of accounts, after the entries were read. */
  balances({ dateOrder, decimal }: QifReading): ReadonlyMap<string, KnownBalance> {
    return new Map(
      [...this.#cursor.stated].flatMap(([name, stated]) => {
        const date = readDate(stated.date, dateOrder);
        const amount = readQifAmount(stated.amount, decimal);
        // Programs write a zero without a day for a balance that they do not know.
        const isUnknown = amount === null || (amount === 0 && date === null);
        return isUnknown ? [] : [[name, { date, amount }] as const];
      }),
    );
  }

  /** The records of entries. At the end of the file, or where reading cannot continue, throws every problem. */
  *entries(): Generator<FoundEntry> {
    try {
      for (const record of this.#records.records()) {
        if (record.section.kind === 'account') this.#cursor.take(record);
        else if (this.#examine(record)) yield { record, account: this.#cursor.of(record) };
      }
      if (!this.#records.hasSections)
        throw new Refusal('File has no "!Type:" or "!Account" line', 1);
    } catch (error) {
      this.#problems.addRefusal(error, this.#lines.line);
      this.#problems.throwIfAny();
    }
    this.#examiner.finish();
    this.#problems.throwIfAny();
  }

  /** Returns whether a record is an entry. */
  #examine(record: QifRecord): boolean {
    const raw = rawEntry(record);
    const reason = reasonToLeaveOut(raw);
    const { dateOrder } = this.#records;
    if (reason === null) this.#examiner.add(raw, dateOrder);
    else {
      this.#examiner.addLeftOut(raw, dateOrder);
      this.#leftOut.set(reason, (this.#leftOut.get(reason) ?? 0) + 1);
    }
    return reason === null;
  }
}

/** Why a record is no entry; null if it is one. */
function reasonToLeaveOut(raw: RawEntry): string | null {
  const isInvestment = raw.record.section.kind === 'investment';
  if (isInvestment && cashDirection(raw) === null) return SECURITIES;
  if (raw.amount !== undefined || raw.splits.length > 0) return null;
  // Quicken writes the balance of a new portfolio without its zero.
  return isInvestment || raw.date === undefined ? EMPTY : null;
}

/** What is collected while the entries are counted. */
interface Counted {
  readonly accounts: AccountList;
  readonly warnings: WarningList;
  readonly signs: SignCheck;
  readonly negate: boolean;
  readonly years: YearSurvey;
}

/** Counts the entries of each account, and collects warnings. */
function count(
  found: Iterable<FoundEntry>,
  reading: QifReading,
  { accounts, warnings, signs, negate, years }: Counted,
): number {
  let entryCount = 0;
  years.begin('field D');
  for (const { record, account } of found) {
    const raw = rawEntry(record);
    const entry = readEntry(raw, reading, warnings)!;
    entryCount += 1;
    signs.add({ ...entry, direction: 0 });
    years.note(raw.date?.line ?? entry.line, entry.date, raw.date?.value);
    const isOpening = isOpeningBalance(raw.values);
    const opened = isOpening ? categoryOf(raw.values.get('L') ?? '').transfer : null;
    accounts.add(account, negate ? negatedEntry(entry) : entry, opened);
    if (isOpening && entry.amount !== 0) {
      warnings.add(entry.line, 'The opening balance of the account is one of its entries');
    }
  }
  return entryCount;
}

function* finalEntries(
  found: Iterable<FoundEntry>,
  reading: QifReading,
  accounts: AccountList,
  negate: boolean,
): Generator<Entry> {
  const ignored = new WarningList();
  for (const { record, account } of found) {
    const entry = readEntry(rawEntry(record), reading, ignored)!;
    const own = { ...entry, account: accounts.nameOf(account) };
    yield negate ? negatedEntry(own) : own;
  }
}

/** Maximum number of accounts of a file: each takes memory. */
const MAX_ACCOUNTS = 10_000;

/** The account of an entry. */
export interface OwnAccount {
  /** Null if the file has not named it. */
  readonly name: string | null;
  readonly type: string;
}

/**
 * Follows the accounts of a file: an `!Account` record names the account of the sections behind it. Several such
 * records in one section are a list of all accounts, and name none.
 */
class AccountCursor {
  #current: OwnAccount | null = null;
  /** What the records state as balances, as texts, by the names of their accounts. */
  readonly stated = new Map<string, { readonly date: string; readonly amount: string }>();
  #section: Section | null = null;

  /** Takes an `!Account` record. */
  take({ section, fields }: QifRecord): void {
    const value = (code: string): string =>
      fields.find((field) => field.code === code)?.value.replace(/\s+/g, ' ') ?? '';
    const name = shortened(value('N'));
    const isList = this.#section === section;
    this.#section = section;
    this.#current = isList || name === '' ? null : { name, type: value('T') };
    const [date, amount] = [value('/'), value('$')];
    if (name !== '' && amount !== '' && this.stated.size < MAX_ACCOUNTS)
      this.stated.set(name, { date: copyOf(date), amount: copyOf(amount) });
  }

  /** The account of an entry. */
  of({ section }: QifRecord): OwnAccount {
    const { name, type } = this.#current ?? { name: null, type: '' };
    return { name, type: type === '' ? section.type : accountType(type) };
  }
}

/** A balance in ten-thousandths at the end of a day; null: the file does not say which. */
interface KnownBalance {
  readonly date: string | null;
  readonly amount: number;
}

/** An account while its entries are counted. */
interface CountedAccount {
  name: string | null;
  readonly type: string;
  entryCount: number;
  /** The day of the first entry. */
  first: string;
  /** The sum of the entries until the day of the balance that the file states. */
  sum: bigint;
  /** Whether the balance with which it was opened is one of the entries. */
  isOpened: boolean;
}

/** The accounts of a file with their entries. Entries without an account's name are one account for each type. */
class AccountList {
  readonly #accounts = new Map<string, CountedAccount>();
  readonly #stated: ReadonlyMap<string, KnownBalance>;

  constructor(stated: ReadonlyMap<string, KnownBalance>) {
    this.#stated = stated;
  }

  /** Counts an entry. `opened`: the name that its opening balance gives the account, if it is one. */
  add(own: OwnAccount, { line, date, amount }: Entry, opened: string | null): void {
    const key = keyOf(own);
    const none = { entryCount: 0, first: date, sum: 0n, isOpened: false };
    const account: CountedAccount = this.#accounts.get(key) ?? { ...own, ...none };
    account.name ??= opened === null ? null : shortened(opened);
    account.entryCount += 1;
    if (date < account.first) account.first = date;
    if (date <= (this.#stated.get(own.name ?? '')?.date ?? date)) account.sum += BigInt(amount);
    if (opened !== null) account.isOpened = true;
    this.#accounts.set(key, account);
    if (this.#accounts.size > MAX_ACCOUNTS) {
      throw new Refusal(`More than ${MAX_ACCOUNTS} accounts`, line);
    }
  }

  /** The name of an entry's account, after all were added; null if the file has one account without a name. */
  nameOf(own: OwnAccount): string | null {
    const name = this.#accounts.get(keyOf(own))?.name ?? null;
    return name === null && this.#accounts.size > 1 ? capitalized(own.type) : name;
  }

  /** Accounts for a statement. */
  get all(): StatementAccount[] {
    const byName = new Map<string, StatementAccount>();
    for (const own of this.#accounts.values()) {
      const name = own.name ?? (this.#accounts.size > 1 ? capitalized(own.type) : null);
      if (name === null) continue;
      const known = byName.get(name) ?? {
        name,
        id: name,
        bankId: null,
        type: own.type,
        currency: null,
        entryCount: 0,
        balances: this.#balancesOf(own),
      };
      byName.set(name, { ...known, entryCount: known.entryCount + own.entryCount });
    }
    return [...byName.values()];
  }

  /**
   * The balance that the file states for an account, as a debt if the entries make that; and zero before the first
   * entry, if the opening balance is one of the entries or they make the balance.
   */
  #balancesOf({ name, first, sum, isOpened }: CountedAccount): Balance[] {
    const stated = this.#stated.get(name ?? '');
    if (stated === undefined) return [];
    const isOwed = sum !== 0n && sum === -BigInt(stated.amount);
    const amount = isOwed ? -stated.amount : stated.amount;
    const closing = { kind: 'ledger', amount, date: stated.date } as const;
    const isWhole = isOpened || sum === BigInt(amount);
    return isWhole ? [{ kind: 'opening', amount: 0, date: first }, closing] : [closing];
  }
}

function keyOf({ name, type }: OwnAccount): string {
  return name === null ? `type ${type}` : `name ${name}`;
}

function shortened(name: string): string {
  return copyOf(name.slice(0, MAX_NAME_LENGTH).trim());
}

function capitalized(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
