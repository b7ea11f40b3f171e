import {
  declaredByXml,
  decode,
  inItsEncoding,
  NotUtf8,
  type OpenBytes,
} from '../../bytes/encoding.ts';
import { examineRepeated, type RepeatedIds, type Settle } from '../ofx/ids.ts';
import { fileChanged, secondPass } from '../../statement/second-pass.ts';
import { ProblemList, Refusal } from '../../statement/statement-error.ts';
import type {
  Entry,
  Statement,
  StatementAccount,
  StatementWarning,
} from '../../statement/statement.ts';
import { WarningList } from '../../statement/warnings.ts';
import type { ReaderOptions, YearSurvey } from '../../statement/years.ts';
import { readEntry, type EntryReading, type ReadEntry } from './entry.ts';
import { Outline } from './outline.ts';
import type { RawEntry, RawStatement } from './raw.ts';
import { XmlReader } from './xml.ts';
import type { Decimal } from '../../statement/amounts.ts';
import { checkBalances, checkedBalances, type BookedTotal, balancesOf } from './balances.ts';
import { named } from '../ofx/accounts.ts';
import { accountCurrency, accountKey, bankOf, numberOf, valueOf } from './account-key.ts';

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
  entryCounts: ReadonlyMap<string, number>,
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
        ...own.map(({ kind, amount, date }) => ({ kind, amount, date })),
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

function shortened(text: string, maxLength: number): string {
  return text.replace(/\s+/g, ' ').slice(0, maxLength).trim();
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

const INFORMATIONAL = 'informational entry';
const REPEATED = 'repetition of an entry';

/**
 * Reads CAMT.052, CAMT.053 and CAMT.054, of any version, and examines all of it. The messages may be in an envelope,
 * and several may follow one another.
 * Errors: StatementError with every problem of the file, Refusal if reading cannot continue or there is no statement.
 * Source: ISO 20022, Bank-to-Customer Cash Management, versions 02 to 13, and files of banks that deviate from it.
 */
export function readCamt(openBytes: OpenBytes, options: ReaderOptions): Statement {
  if (options.map !== undefined)
    throw new Refusal('A column map is for CSV, but this file is CAMT');
  const [head] = openBytes();
  const fallback = declaredByXml(head ?? new Uint8Array());
  return inItsEncoding(openBytes, options.encoding, fallback, (encoding) =>
    readAs(encoding, openBytes, options),
  );
}

function readAs(encoding: string, openBytes: OpenBytes, options: ReaderOptions): Statement {
  const pass = (): Pass => new Pass(decode(openBytes(), encoding), options);
  const examined = examineRepeated((settle) => count(pass(), settle, options.years));
  const { statements, entryCounts, leftOut, warnings } = examined;
  const entryCount = [...entryCounts.values()].reduce((sum, count) => sum + count, 0);
  const accounts = nameAccounts(statements, entryCounts, options.decimal);
  return {
    format: 'camt',
    encoding,
    entryCount,
    accounts: [...new Set(accounts.values())],
    leftOut: [...leftOut].map(([what, count]) => ({ what, count })),
    ...(warnings.length > 0 && { warnings }),
    entries: () => secondPass(streamEntries(pass(), examined, accounts), entryCount),
  };
}

/** The content of a file, after repeated ids were found. */
interface Examined {
  readonly ids: RepeatedIds;
  readonly statements: readonly RawStatement[];
  /** By the key of the account. */
  readonly entryCounts: ReadonlyMap<string, number>;
  readonly leftOut: ReadonlyMap<string, number>;
  readonly warnings: readonly StatementWarning[];
}

interface FoundEntry {
  readonly entry: Entry;
  readonly raw: RawEntry;
}

/** One pass over the file. */
class Pass {
  readonly problems = new ProblemList();
  readonly outline = new Outline(this.problems);
  readonly leftOut = new Map<string, number>();
  readonly #warnings = new WarningList();
  readonly #pieces: Iterable<string>;
  readonly #xml = new XmlReader(this.outline);
  readonly #booked: BookedTotals;
  readonly #reading: EntryReading;

  constructor(pieces: Iterable<string>, options: ReaderOptions) {
    this.#pieces = pieces;
    this.#booked = new BookedTotals(options.decimal);
    this.#reading = {
      decimal: options.decimal,
      negate: options.negate ?? false,
      problems: this.problems,
      warn: (line, text) => this.#warnings.add(line, text),
    };
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
      if (!(error instanceof Refusal) || error instanceof NotUtf8) throw error;
      // Entries before the error are read for their problems only.
      for (const raw of this.outline.takeEntries()) readEntry(raw, this.#reading);
      this.problems.addRefusal(error, this.#xml.line);
    }
    this.problems.throwIfAny();
    this.#checkBalances();
  }

  /** In file order. */
  get warnings(): readonly StatementWarning[] {
    return this.#warnings.all.toSorted((one, other) => (one.line ?? 0) - (other.line ?? 0));
  }

  /** Counts something that is not an entry. */
  countLeftOut(what: string): void {
    this.leftOut.set(what, (this.leftOut.get(what) ?? 0) + 1);
  }

  *#closedEntries(): Generator<FoundEntry> {
    for (const raw of this.outline.takeEntries()) {
      const read = readEntry(raw, this.#reading);
      if (read === null) continue;
      if (read === 'left out') {
        this.countLeftOut(INFORMATIONAL);
        continue;
      }
      if (read.entry.isPending !== true) this.#booked.add(raw, read);
      yield { entry: read.entry, raw };
    }
  }

  #checkBalances(): void {
    for (const statement of this.outline.statements) {
      const warning = this.#booked.check(statement);
      if (warning !== null) this.#warnings.add(warning.line, warning.text);
    }
  }
}

/** Counts the entries of each account that `settle` accepts. */
function count(pass: Pass, settle: Settle, years: YearSurvey): Omit<Examined, 'ids'> {
  years.begin('<Dt>');
  const entryCounts = new Map<string, number>();
  for (const { entry, raw } of pass.entries()) {
    const { account, series } = raw;
    if (!settle(settledAs(account, entry), series, entry)) pass.countLeftOut(REPEATED);
    else {
      entryCounts.set(account, (entryCounts.get(account) ?? 0) + 1);
      years.note(entry.line, entry.date);
    }
  }
  const { outline, leftOut, warnings } = pass;
  return { statements: outline.statements, entryCounts, leftOut, warnings };
}

/** A booked entry is no repetition of a pending one. */
function settledAs(account: string, { isPending }: Entry): string {
  return isPending === true ? `${account} pending` : account;
}

function* streamEntries(
  pass: Pass,
  { ids }: Examined,
  accounts: ReadonlyMap<string, StatementAccount>,
): Generator<Entry> {
  const settle = ids.begin();
  for (const { entry, raw } of pass.entries()) {
    if (!settle(settledAs(raw.account, entry), raw.series, entry)) continue;
    const name = accounts.get(raw.account)?.name;
    if (name === undefined) throw fileChanged();
    yield { ...entry, account: name };
  }
}
