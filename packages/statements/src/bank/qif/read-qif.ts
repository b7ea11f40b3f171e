import { negatedEntry } from '../../statement/amounts.ts';
import type {
  Decimal,
  Entry,
  StatementContent,
  StatementOptions,
  DateOrder,
  StatementAccount,
} from '../../statement/statement.ts';
import type { OpenText } from '../../bytes/encoding.ts';
import { TextLines } from '../../bytes/text-lines.ts';
import { SignCheck } from '../../statement/sign-check.ts';
import {
  ProblemList,
  Refusal,
  WarningList,
  fileChanged,
  reread,
} from '../../statement/statement-error.ts';
import type { ReaderOptions, YearSurvey } from '../../statement/years.ts';
import {
  categoryOf,
  cashDirection,
  rawEntry,
  readEntry,
  type QifReading,
  type RawEntry,
  isOpeningBalance,
} from './entry.ts';
import {
  RecordReader,
  type QifField,
  amountFinder,
  dateFinder,
  isAmount,
  accountType,
  type QifRecord,
  type Section,
} from './records.ts';
import type { ConventionFinder } from '../../statement/convention.ts';
import { copyOf } from '../../statement/texts.ts';

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

  /** Reports ambiguous figures, and returns how to read the file. */
  finish(): QifReading {
    this.#dates ??= dateFinder(this.#given);
    for (const open of [this.#dates.ambiguity(), this.#amounts.ambiguity()]) {
      if (open !== null) this.#problems.addAmbiguity(open);
    }
    return { dateOrder: this.#dates.convention, decimal: this.#amounts.convention };
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
export function readQif(openText: OpenText, options: ReaderOptions): StatementContent {
  const open = (): QifReader => new QifReader(openText());
  const reading = examine(open(), options);
  const accounts = new AccountList();
  const warnings = new WarningList();
  const reader = open();
  const signs = new SignCheck();
  const entryCount = count(reader, reading, { accounts, warnings, signs, years: options.years });
  const { negate = false } = options;
  return {
    entryCount,
    accounts: accounts.all,
    leftOut: reader.leftOut,
    warnings: [...warnings.all, ...(options.negate === undefined ? signs.warnings : [])],
    entries: () => reread(streamEntries(open(), reading, accounts, negate), entryCount),
  };
}

interface FoundEntry {
  readonly raw: RawEntry;
  readonly account: OwnAccount;
}

/** Reads the file once. */
class QifReader {
  readonly #lines: TextLines;
  readonly #cursor = new AccountCursor();
  readonly #leftOut = new Map<string, number>();
  readonly records: RecordReader;

  constructor(text: Iterable<string>) {
    this.#lines = new TextLines(text);
    this.records = new RecordReader(this.#lines);
  }

  /** The line reached. */
  get line(): number {
    return this.#lines.line;
  }

  /** What was left out, up to here. */
  get leftOut(): StatementContent['leftOut'] {
    const counts = [...this.#leftOut, [UNKNOWN, this.records.unknownCount] as const];
    return counts.flatMap(([what, count]) => (count === 0 ? [] : [{ what, count }]));
  }

  *entries(onLeftOut?: (raw: RawEntry) => void): Generator<FoundEntry> {
    for (const record of this.records.records()) {
      if (record.section.kind === 'account') {
        this.#cursor.take(record);
        continue;
      }
      const raw = rawEntry(record);
      const reason = reasonToLeaveOut(raw);
      if (reason === null) yield { raw, account: this.#cursor.of(record) };
      else {
        onLeftOut?.(raw);
        this.#leftOut.set(reason, (this.#leftOut.get(reason) ?? 0) + 1);
      }
    }
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

/** Finds every problem of the file, and how to read its figures. */
function examine(reader: QifReader, options: ReaderOptions): QifReading {
  const problems = new ProblemList();
  const examiner = new Examiner(options, problems);
  try {
    const { records } = reader;
    const found = reader.entries((raw) => examiner.addLeftOut(raw, records.dateOrder));
    for (const { raw } of found) examiner.add(raw, records.dateOrder);
    if (!reader.records.hasSections)
      throw new Refusal('File has no "!Type:" or "!Account" line', 1);
  } catch (error) {
    problems.addRefusal(error, reader.line);
    problems.throwIfAny();
  }
  const reading = examiner.finish();
  problems.throwIfAny();
  return reading;
}

/** What is collected while the entries are counted. */
interface Counted {
  readonly accounts: AccountList;
  readonly warnings: WarningList;
  readonly signs: SignCheck;
  readonly years: YearSurvey;
}

/** Counts the entries of each account, and collects warnings. */
function count(
  reader: QifReader,
  reading: QifReading,
  { accounts, warnings, signs, years }: Counted,
): number {
  let entryCount = 0;
  years.begin('field D');
  for (const { raw, account } of reader.entries()) {
    const entry = readEntry(raw, reading, warnings);
    if (entry === null) throw fileChanged();
    entryCount += 1;
    signs.add({ ...entry, direction: 0 });
    years.note(raw.date?.line ?? entry.line, entry.date, raw.date?.value);
    const isOpening = isOpeningBalance(raw.values);
    const opened = isOpening ? categoryOf(raw.values.get('L') ?? '').transfer : null;
    accounts.add(account, entry.line, opened);
    if (isOpening && entry.amount !== 0) {
      warnings.add(entry.line, 'The opening balance of the account is one of its entries');
    }
  }
  return entryCount;
}

function* streamEntries(
  reader: QifReader,
  reading: QifReading,
  accounts: AccountList,
  negate: boolean,
): Generator<Entry> {
  const ignored = new WarningList();
  for (const { raw, account } of reader.entries()) {
    const entry = readEntry(raw, reading, ignored);
    if (entry === null) throw fileChanged();
    const own = { ...entry, account: accounts.nameOf(account) };
    yield negate ? negatedEntry(own) : own;
  }
}

/** Maximum characters of an account's name in a book. */
const MAX_NAME_LENGTH = 45;
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
  #section: Section | null = null;

  /** Takes an `!Account` record. */
  take({ section, fields }: QifRecord): void {
    const value = (code: string): string =>
      fields.find((field) => field.code === code)?.value.replace(/\s+/g, ' ') ?? '';
    const name = shortened(value('N'));
    const isList = this.#section === section;
    this.#section = section;
    this.#current = isList || name === '' ? null : { name, type: value('T') };
  }

  /** The account of an entry. */
  of({ section }: QifRecord): OwnAccount {
    const { name, type } = this.#current ?? { name: null, type: '' };
    return { name, type: type === '' ? section.type : accountType(type) };
  }
}

/** The accounts of a file with their entries. Entries without an account's name are one account for each type. */
class AccountList {
  readonly #accounts = new Map<string, { name: string | null; type: string; entryCount: number }>();

  /** Counts an entry. `opened`: the name that its opening balance gives the account, if it is one. */
  add(own: OwnAccount, line: number, opened: string | null): void {
    const key = keyOf(own);
    const account = this.#accounts.get(key) ?? { ...own, entryCount: 0 };
    account.name ??= opened === null ? null : shortened(opened);
    account.entryCount += 1;
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
        balances: [],
      };
      byName.set(name, { ...known, entryCount: known.entryCount + own.entryCount });
    }
    return [...byName.values()];
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
