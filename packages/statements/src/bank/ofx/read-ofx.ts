import { declaredByXml, fallbackOf } from '../../bytes/content.ts';
import { asJson, Kept } from '../../statement/kept.ts';
import { SignCheck } from '../../statement/sign-check.ts';
import { ProblemList, Refusal } from '../../statement/statement-error.ts';
import type {
  StatementContent,
  Decimal,
  Balance,
  StatementAccount,
  Entry,
} from '../../statement/statement.ts';
import { type ReaderOptions, parseDate } from '../../statement/dates.ts';
import { findEntries, type FoundEntry, named, shortened, bankId } from '../ids.ts';
import { MarkupReader } from './markup.ts';
import { Outline, type Fields, type RawAccount, type Field, type RawEntry } from './outline.ts';
import { joinNotes, singleBlanks } from '../../statement/texts.ts';
import { AMOUNTS, negated, parseAmount } from '../../statement/amounts.ts';

const DELETION = 'deletion of an earlier entry';

/**
 * Reads OFX 1 (SGML), OFX 2 (XML) and QFX, and examines all of it: bank and credit card statements, and the cash
 * entries of investment statements.
 * Errors: StatementError with every problem of the file, Refusal if reading cannot continue or there is no statement.
 * Source: Open Financial Exchange 1.6 and 2.3, and files of banks that deviate from it.
 */
export function readOfx(text: Iterable<string>, options: ReaderOptions): StatementContent {
  const reader = new OfxReader(text, options);
  const { outline } = reader;
  const signs = new SignCheck();
  const found = findEntries(new Kept(reader.entries(), asJson<OfxEntry>(), options.scratch), {
    column: '<DTPOSTED>',
    years: options.years,
    leaveOut: (what) => outline.leaveOut(what),
    accept: ({ entry, direction }) => signs.add({ ...entry, direction }),
  });
  const accounts = nameAccounts(outline.accounts, found.entryCounts, options.decimal);
  const { warnings } = signs;
  return {
    entryCount: found.entryCount,
    accounts: [...new Set(accounts.values())],
    leftOut: [...outline.leftOut].map(([what, count]) => ({ what, count })),
    ...(options.negate === undefined && warnings.length > 0 && { warnings }),
    entries: () => found.entries(accounts),
  };
}

interface OfxEntry extends FoundEntry {
  readonly direction: number;
}

class OfxReader {
  readonly #problems = new ProblemList();
  readonly #tags: MarkupReader;
  readonly #reading: EntryReading;
  readonly outline = new Outline(this.#problems);

  constructor(text: Iterable<string>, { decimal, negate = false }: ReaderOptions) {
    const problems = this.#problems;
    this.#tags = new MarkupReader(text);
    this.#reading = { decimal, negate, thousands: new ThousandsCheck(), problems };
  }

  /** Valid entries. At the end of the file, or where reading cannot continue, throws every problem. */
  *entries(): Generator<OfxEntry> {
    try {
      for (const raw of this.outline.entries(this.#tags)) {
        const read = readEntry(raw, this.#reading);
        const { account } = raw;
        if (read?.isDeletion === true) this.outline.leaveOut(DELETION);
        else if (read !== null)
          yield {
            ...read,
            account: accountKey(account),
            series: account.index,
            owner: account.index,
          };
      }
    } catch (error) {
      this.#problems.addRefusal(error, this.#tags.line);
    }
    this.#reading.thousands.finish(this.#problems);
    this.#problems.throwIfAny();
    if (this.outline.accounts.length === 0) throw new Refusal('File has no account statement', 1);
  }
}

const LOOKED_AT_BYTES = 4096;

/** The fallback encoding: `CHARSET:` of an OFX 1 header, or that of an XML declaration. */
export function declaredCharset(head: Uint8Array): string {
  const text = Buffer.from(head.subarray(0, LOOKED_AT_BYTES)).toString('latin1');
  const charset = /CHARSET:([\w-]{1,20}?)(?=COMPRESSION|[^\w-])/.exec(text)?.[1];
  return charset === undefined ? declaredByXml(head) : fallbackOf(charset);
}

const MAX_ORG_LENGTH = 20;

const TYPES: ReadonlyMap<string, string> = new Map([
  ['CHECKING', 'checking'],
  ['SAVINGS', 'savings'],
  ['MONEYMRKT', 'money market'],
  ['CREDITLINE', 'credit line'],
  ['CD', 'certificate of deposit'],
]);
const KINDS: ReadonlyMap<string, string> = new Map([
  ['CCSTMTRS', 'credit card'],
  ['INVSTMTRS', 'investment'],
  ['LOANSTMTRS', 'loan'],
]);

/** Identifies an account within a file. */
function accountKey({ kind, fields }: RawAccount): string {
  return JSON.stringify([
    kind,
    bankOf(fields),
    valueOf(fields, 'ACCTID'),
    valueOf(fields, 'ACCTTYPE'),
  ]);
}

/**
 * The accounts of a file by the index of each statement: named by the bank's name if it is given, the kind of account,
 * and the last four characters of the number, or the whole number if two accounts would have the same name.
 */
function nameAccounts(
  statements: readonly RawAccount[],
  entryCounts: ReadonlyMap<string | number, number>,
  decimal: Decimal | undefined,
): ReadonlyMap<string | number, StatementAccount> {
  const byKey = new Map<string, StatementAccount>();
  for (const statement of statements) {
    const known = byKey.get(accountKey(statement)) ?? newAccount(statement);
    byKey.set(accountKey(statement), {
      ...known,
      entryCount: known.entryCount + (entryCounts.get(statement.index) ?? 0),
      balances: [...known.balances, ...balancesOf(statement, decimal)],
    });
  }
  const all = [...byKey.values()];
  const accounts = new Map([...byKey].map(([key, account]) => [key, named(account, all)]));
  return new Map(
    statements.map((statement) => [statement.index, accounts.get(accountKey(statement))!]),
  );
}

function newAccount(statement: RawAccount): StatementAccount {
  const { fields, kind, org } = statement;
  const id = valueOf(fields, 'ACCTID');
  const ownType = valueOf(fields, 'ACCTTYPE');
  const type = KINDS.get(kind) ?? TYPES.get(ownType.toUpperCase()) ?? 'account';
  return {
    name: `${shortened(org, MAX_ORG_LENGTH)} ${type}`.trim(),
    id,
    bankId: bankOf(fields),
    type,
    currency: valueOf(fields, 'CURDEF').toLowerCase() || null,
    entryCount: 0,
    balances: [],
  };
}

/** The balances of a statement. One without a day is of the end of its period. */
function balancesOf(statement: RawAccount, decimal: Decimal | undefined): Balance[] {
  const end = readOfxDate(valueOf(statement.fields, 'DTEND'));
  return statement.balances.flatMap(({ kind, fields }) => {
    const amount = readAmount(valueOf(fields, 'BALAMT'), decimal);
    const date = readOfxDate(valueOf(fields, 'DTASOF')) ?? end;
    return typeof amount === 'string' ? [] : [{ kind, amount, date }];
  });
}

function bankOf(fields: Fields): string | null {
  return valueOf(fields, 'BANKID') || valueOf(fields, 'BROKERID') || null;
}

function valueOf(fields: Fields, key: string): string {
  return fields.get(key)?.value ?? '';
}

/** Maximum characters of a date or an amount. */
const MAX_FIGURE_LENGTH = 64;
/** Eight digits, alone or followed by a time with its zone. */
const DATE = /^(\d{4})(\d{2})(\d{2})(?:\d{2}.*|[T\s.:[].*)?$/;

/** Of the types that OFX defines, those with a direction. Source: OFX 1.6, 11.4.2.3.1.1. */
const DIRECTIONS: ReadonlyMap<string, number> = new Map([
  ...['CREDIT', 'DEP', 'DIRECTDEP', 'DIV'].map((type) => [type, 1] as const),
  ...['DEBIT', 'POS', 'CHECK', 'FEE', 'SRVCHG', 'CASH', 'DIRECTDEBIT'].map(
    (type) => [type, -1] as const,
  ),
]);

/** Settings of a reader of entries, and what it collects. */
export interface EntryReading {
  readonly decimal: Decimal | undefined;
  readonly negate: boolean;
  readonly thousands: ThousandsCheck;
  readonly problems: ProblemList;
}

/** An entry, or the deletion of one. */
export interface ReadEntry {
  readonly entry: Entry;
  /** It deletes an earlier entry and is not an entry itself. */
  readonly isDeletion: boolean;
  /** By its type: 1 for money in, −1 for money out, 0 if that says nothing. */
  readonly direction: number;
}

/** Parses the values of an entry and reports every invalid one; null if any is invalid. */
function readEntry(raw: RawEntry, reading: EntryReading): ReadEntry | null {
  const { problems } = reading;
  const { line, account, fields } = raw;
  const before = problems.count;
  const date = dateOf(fields.get('DTPOSTED'), line, problems);
  const amount = amountOf(fields.get('TRNAMT'), line, reading);
  const currency = currencyOf(fields, account.fields, problems);
  if (problems.count > before || date === null || amount === null) return null;
  const { payee, memo } = textsOf(fields);
  const entry: Entry = {
    line,
    date,
    amount: reading.negate ? negated(amount) : amount,
    currency,
    payee,
    notes: notesOf(memo, fields.get('CHECKNUM')?.value ?? ''),
    category: null,
    account: null,
    externalId: bankId(fields.get('FITID')?.value ?? ''),
  };
  return {
    entry,
    isDeletion: fields.get('CORRECTACTION')?.value.toUpperCase() === 'DELETE',
    direction: DIRECTIONS.get(fields.get('TRNTYPE')?.value.toUpperCase() ?? '') ?? 0,
  };
}

/**
 * The date as the bank wrote it, without time and zone; null if it is not a date of the calendar.
 * Source: OFX 1.6, 3.2.8.
 */
function readOfxDate(text: string): string | null {
  if (text.length > MAX_FIGURE_LENGTH) return null;
  return parseDate(text.replace(DATE, '$1-$2-$3'), 'y-m-d');
}

function dateOf(field: Field | undefined, line: number, problems: ProblemList): string | null {
  const date = field === undefined ? null : readOfxDate(field.value);
  if (field === undefined) problems.add(line, '<DTPOSTED>', null, 'Entry has no date');
  else if (date === null) problems.add(field.line, '<DTPOSTED>', field.value, 'Not a date');
  return date;
}

function amountOf(field: Field | undefined, line: number, reading: EntryReading): number | null {
  if (field === undefined) {
    reading.problems.add(line, '<TRNAMT>', null, 'Entry has no amount');
    return null;
  }
  const read = readAmount(field.value, reading.decimal);
  if (typeof read === 'string') {
    reading.problems.add(field.line, '<TRNAMT>', field.value, read);
    return null;
  }
  if (reading.decimal === undefined) reading.thousands.add(field.value, field.line);
  return read;
}

/** The currency of the amount: that of the entry, else that of the statement. */
function currencyOf(entry: Fields, statement: Fields, problems: ProblemList): string | null {
  const own = entry.get('CURRENCY.CURSYM') ?? entry.get('CURRENCY');
  const field = own ?? statement.get('CURDEF');
  if (field === undefined) return null;
  if (/^[A-Za-z]{3}$/.test(field.value)) return field.value.toLowerCase();
  const tag = own === undefined ? '<CURDEF>' : '<CURSYM>';
  problems.add(field.line, tag, field.value, 'Not a currency code of three letters');
  return null;
}

/** The payee is NAME, else the name in PAYEE, else MEMO. A memo that is the payee is not repeated in the notes. */
function textsOf(fields: Fields): { payee: string; memo: string } {
  const text = (key: string): string => singleBlanks(fields.get(key)?.value ?? '');
  const memo = text('MEMO');
  const name = text('NAME') || text('PAYEE.NAME') || text('EXTDPAYEE.NAME');
  return name === '' || name === memo ? { payee: memo, memo: '' } : { payee: name, memo };
}

/** The memo and the cheque number. Banks write `0` if there is no cheque number. */
function notesOf(memo: string, checkNumber: string): string | null {
  const number = /[^0\s]/.test(checkNumber) ? `No. ${singleBlanks(checkNumber)}` : '';
  return joinNotes([memo, number]);
}

/** An amount in ten-thousandths, or why it is invalid. */
type AmountReading = number | string;

/**
 * Parses an amount exactly, in ten-thousandths. A single comma or point is the decimal sign, as OFX defines it; if
 * both occur, the last one is, and the other separates groups of three. `decimal` overrides this. Spaces are ignored.
 * Bounds: four decimals, not counting trailing zeros; ±(2^53 − 1). Source: OFX 1.6, 3.2.9.2.
 */
export function readAmount(text: string, decimal: Decimal | undefined): AmountReading {
  if (text.length > MAX_FIGURE_LENGTH) return 'Not an amount';
  const bare = text.replace(/\s/g, '');
  return parseAmount(bare, decimal ?? decimalOf(bare)) ?? AMOUNTS.fault(bare);
}

function decimalOf(text: string): Decimal {
  const comma = text.lastIndexOf(',');
  const point = text.lastIndexOf('.');
  const isComma = comma > point;
  // A repeated sign separates thousands, so the other one is the decimal sign.
  const isRepeated = text.indexOf(isComma ? ',' : '.') < Math.max(comma, point);
  return isComma === isRepeated ? 'point' : 'comma';
}

/** Detects amounts of one file that contradict each other: `1,234` is 1.234, unless another amount is `1,234.50`. */
export class ThousandsCheck {
  readonly #grouped = new Set<string>();
  readonly #ambiguous = new Map<string, { readonly text: string; readonly line: number }>();

  /** Adds a valid amount. */
  add(text: string, line: number): void {
    const signs = text.replace(/[^.,]/g, '');
    if (signs.length > 1) this.#grouped.add(signs[0]!);
    if (signs.length !== 1 || this.#ambiguous.has(signs)) return;
    if (/^[-+\s]*[1-9]\d{0,2}[.,]\d{3}\s*$/.test(text)) this.#ambiguous.set(signs, { text, line });
  }

  /** Reports the first amount that others make ambiguous. */
  finish(problems: ProblemList): void {
    for (const sign of this.#grouped) {
      const ambiguous = this.#ambiguous.get(sign);
      if (ambiguous === undefined) continue;
      const reason = `"${sign}" may separate thousands here, as in other amounts: specify the decimal sign`;
      problems.add(ambiguous.line, '<TRNAMT>', ambiguous.text, reason);
    }
  }
}
