import { asJson, Kept } from '../../statement/kept.ts';
import { ProblemList, Refusal, WarningList } from '../../statement/statement-error.ts';
import type { Decimal, StatementContent, StatementWarning } from '../../statement/statement.ts';
import type { ReaderOptions } from '../../statement/dates.ts';
import { findEntries, type FoundEntry } from '../ids.ts';
import { nameAccounts } from './accounts.ts';
import { checkBalances, checkedBalances, type BookedTotal } from './balances.ts';
import { readEntry, type EntryReading, type ReadEntry } from './entry.ts';
import { Outline, type RawEntry, type RawStatement } from './outline.ts';
import { XmlReader } from './xml.ts';

const INFORMATIONAL = 'informational entry';

/**
 * Reads CAMT.052, CAMT.053 and CAMT.054, of any version, and examines all of it. The messages may be in an envelope,
 * and several may follow one another.
 * Errors: StatementError with every problem of the file, Refusal if reading cannot continue or there is no statement.
 * Source: ISO 20022, Bank-to-Customer Cash Management, versions 02 to 13, and files of banks that deviate from it.
 */
export function readCamt(text: Iterable<string>, options: ReaderOptions): StatementContent {
  const reader = new CamtReader(text, options);
  const found = findEntries(new Kept(reader.entries(), asJson<FoundEntry>(), options.scratch), {
    column: '<Dt>',
    years: options.years,
    leaveOut: (what) => reader.leaveOut(what),
  });
  const accounts = nameAccounts(reader.statements, found.entryCounts, options.decimal);
  const { warnings } = reader;
  return {
    entryCount: found.entryCount,
    accounts: [...new Set(accounts.values())],
    leftOut: [...reader.leftOut].map(([what, count]) => ({ what, count })),
    ...(warnings.length > 0 && { warnings }),
    entries: () => found.entries(accounts),
  };
}

class CamtReader {
  readonly #problems = new ProblemList();
  readonly #outline = new Outline(this.#problems);
  readonly #xml = new XmlReader(this.#outline);
  readonly #warnings = new WarningList();
  readonly #pieces: Iterable<string>;
  readonly #booked: BookedTotals;
  readonly #reading: EntryReading;
  readonly leftOut = new Map<string, number>();

  constructor(pieces: Iterable<string>, { decimal, negate = false }: ReaderOptions) {
    const warn = (line: number, text: string) => this.#warnings.add(line, text);
    this.#pieces = pieces;
    this.#booked = new BookedTotals(decimal);
    this.#reading = { decimal, negate, problems: this.#problems, warn };
  }

  get statements(): readonly RawStatement[] {
    return this.#outline.statements;
  }

  /** In file order. */
  get warnings(): readonly StatementWarning[] {
    return this.#warnings.all.toSorted((one, other) => (one.line ?? 0) - (other.line ?? 0));
  }

  /** Valid entries. At the end of the file, or where reading cannot continue, throws every problem. */
  *entries(): Generator<FoundEntry> {
    try {
      for (const piece of this.#pieces) {
        this.#xml.write(piece);
        yield* this.#closedEntries();
      }
      this.#xml.end();
      yield* this.#closedEntries();
    } catch (error) {
      // Entries before the error are read for their problems only.
      for (const raw of this.#outline.takeEntries()) readEntry(raw, this.#reading);
      this.#problems.addRefusal(error, this.#xml.line);
    }
    this.#problems.throwIfAny();
    if (this.statements.length === 0) throw new Refusal('File has no account statement', 1);
    for (const statement of this.statements) {
      const warning = this.#booked.check(statement);
      if (warning !== null) this.#warnings.add(warning.line, warning.text);
    }
  }

  leaveOut(what: string): void {
    this.leftOut.set(what, (this.leftOut.get(what) ?? 0) + 1);
  }

  *#closedEntries(): Generator<FoundEntry> {
    for (const raw of this.#outline.takeEntries()) {
      const { account, series } = raw;
      const read = readEntry(raw, this.#reading);
      if (read === 'left out') this.leaveOut(INFORMATIONAL);
      if (read === null || read === 'left out') continue;
      if (read.entry.isPending !== true) this.#booked.add(raw, read);
      yield { entry: read.entry, account, series, owner: account };
    }
  }
}

/** Totals the booked entries of each statement, to check its balances with. */
class BookedTotals {
  readonly #decimal: Decimal | undefined;
  /** By the index of the statement. */
  readonly #totals = new Map<number, BookedTotal>();

  constructor(decimal: Decimal | undefined) {
    this.#decimal = decimal;
  }

  add({ statement }: RawEntry, { entry, moved }: ReadEntry): void {
    const { currency } = entry;
    const total = this.#totals.get(statement.index) ?? { amount: 0n, currency };
    if (total.currency !== currency) total.currency = null;
    total.amount += BigInt(moved);
    this.#totals.set(statement.index, total);
  }

  /** A warning if the balances of a statement do not follow from its entries. */
  check({ index, balances }: RawStatement): StatementWarning | null {
    return checkBalances(checkedBalances(balances, this.#decimal), this.#totals.get(index));
  }
}
