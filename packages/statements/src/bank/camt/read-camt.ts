import { asJson, Kept } from '../../statement/kept.ts';
import { ProblemList, Refusal, WarningList } from '../../statement/statement-error.ts';
import type {
  Decimal,
  StatementContent,
  StatementWarning,
  StatementAccount,
} from '../../statement/statement.ts';
import type { ReaderOptions } from '../../statement/dates.ts';
import { findEntries, type FoundEntry, named, shortened } from '../ids.ts';
import {
  checkBalances,
  checkedBalances,
  type BookedTotal,
  balancesOf,
  accountCurrency,
  accountKey,
  bankOf,
  numberOf,
  readCamtDate,
  valueOf,
} from './values.ts';
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

const MAX_OWN_NAME_LENGTH = 28;
const MAX_BANK_LENGTH = 20;

/** Codes of ISO 20022 for kinds of accounts. */
const TYPES: ReadonlyMap<string, string> = new Map([
  ['CACC', 'checking'],
  ['TRAN', 'checking'],
  ['SVGS', 'savings'],
  ['LLSV', 'savings'],
  ['ONDP', 'savings'],
  ['MOMA', 'money market'],
  ['CARD', 'credit card'],
  ['LOAN', 'loan'],
  ['CASH', 'cash'],
]);

/**
 * The accounts of a file, by their key: named by the bank, or as the bank names them, and the end of the number, or
 * the whole number if two accounts would have the same name.
 */
function nameAccounts(
  statements: readonly RawStatement[],
  entryCounts: ReadonlyMap<string | number, number>,
  decimal: Decimal | undefined,
): ReadonlyMap<string, StatementAccount> {
  const byKey = new Map<string, StatementAccount>();
  const counts = new Map<string, number>();
  const fieldsByKey = firstFields(statements);
  const keys = sharedKeys(fieldsByKey);
  for (const [own, key] of keys)
    counts.set(key, (counts.get(key) ?? 0) + (entryCounts.get(own) ?? 0));
  for (const { fields, balances } of statements) {
    const key = keys.get(accountKey(fields))!;
    const known = byKey.get(key) ?? newAccount(fieldsByKey.get(key)!);
    const own = balancesOf(balances, decimal);
    byKey.set(key, {
      ...known,
      currency: known.currency ?? own[0]?.currency ?? null,
      entryCount: counts.get(key) ?? 0,
      balances: [
        ...known.balances,
        ...own.map(({ kind, amount, date }) => ({
          kind,
          amount,
          date: date ?? (kind === 'opening' ? null : lastDay(fields)),
        })),
      ],
    });
  }
  const all = [...byKey.values()];
  const distinct = all.map((account) => distinguished(account, all));
  const accounts = new Map(
    [...byKey.keys()].map((key, at) => [key, named(distinct[at]!, distinct)]),
  );
  return new Map([...keys].map(([own, key]) => [own, accounts.get(key)!]));
}

/** The last day of the period of a statement; null if it does not say it. */
function lastDay(fields: RawStatement['fields']): string | null {
  return readCamtDate(valueOf(fields, 'FrToDt/ToDtTm') || valueOf(fields, 'FrToDt/ToDt'));
}

/** The fields of the first statement of each account. */
function firstFields(statements: readonly RawStatement[]): Map<string, RawStatement['fields']> {
  const byKey = new Map<string, RawStatement['fields']>();
  for (const { fields } of statements) {
    const key = accountKey(fields);
    if (!byKey.has(key)) byKey.set(key, fields);
  }
  return byKey;
}

/**
 * The keys of accounts that are one: an account without a currency is that with one, if the file has a single such
 * account with its number. CAMT.054 often omits the currency.
 */
function sharedKeys(fieldsByKey: ReadonlyMap<string, RawStatement['fields']>): Map<string, string> {
  const withCurrency = Map.groupBy(
    [...fieldsByKey].filter(([, fields]) => accountCurrency(fields) !== null),
    ([, fields]) => numberOf(fields),
  );
  return new Map(
    [...fieldsByKey].map(([key, fields]) => {
      const same =
        accountCurrency(fields) === null ? withCurrency.get(numberOf(fields)) : undefined;
      const [only] = same?.length === 1 && fields.has('Acct/Id/IBAN') ? same : [];
      return [key, only?.[0] ?? key];
    }),
  );
}

/** Appends the currency to the name if the number has accounts in several, else the bank if several have the number. */
function distinguished(
  account: StatementAccount,
  all: readonly StatementAccount[],
): StatementAccount {
  const others = all.filter((other) => other !== account && other.id === account.id);
  if (others.length === 0) return account;
  const isOneCurrency = others.some(({ currency }) => currency === account.currency);
  const mark = isOneCurrency ? account.bankId : account.currency?.toUpperCase();
  return { ...account, name: `${account.name} ${mark ?? ''}`.trim() };
}

function newAccount(fields: RawStatement['fields']): StatementAccount {
  const type = TYPES.get(valueOf(fields, 'Acct/Tp/Cd').toUpperCase()) ?? 'account';
  const own = shortened(valueOf(fields, 'Acct/Nm'), MAX_OWN_NAME_LENGTH);
  const bank = shortened(valueOf(fields, 'Acct/Svcr/FinInstnId/Nm'), MAX_BANK_LENGTH);
  return {
    name: own || `${bank} ${type}`.trim(),
    id: numberOf(fields),
    bankId: bankOf(fields),
    type,
    currency: accountCurrency(fields),
    entryCount: 0,
    balances: [],
  };
}
