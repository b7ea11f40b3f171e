import { negated, type Decimal } from '../amounts.ts';
import { parseDate } from '../dates.ts';
import type { ProblemList } from '../statement-error.ts';
import type { Entry } from '../statement.ts';
import { readAmount, type ThousandsDoubt } from './amounts.ts';
import { bankId } from './bank-id.ts';
import type { Field, Fields, RawEntry } from './outline.ts';

const LONGEST_DATE = 64;
/** Eight digits, and behind them nothing or a time with its zone. */
const DATE = /^(\d{8})(?:\d{2}.*|[T\s.:[].*)?$/;

/** How amounts are to be read. */
export interface EntryReading {
  readonly decimal: Decimal | undefined;
  readonly negate: boolean;
  readonly doubt: ThousandsDoubt;
  readonly problems: ProblemList;
}

/** An entry and what tells whether it is one. */
export interface ReadEntry {
  readonly entry: Entry;
  /** It takes an earlier entry back, and is none itself. */
  readonly isDeletion: boolean;
}

/** Reads the values of an entry and reports all that do not read; null if any does not. */
export function readEntry(raw: RawEntry, reading: EntryReading): ReadEntry | null {
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
  return { entry, isDeletion: fields.get('CORRECTACTION')?.value.toUpperCase() === 'DELETE' };
}

/**
 * The day that a date of OFX names, whatever its time and its zone: the day as the bank wrote it.
 * Null if it is no day of the calendar. Source: OFX 1.6, 3.2.8.
 */
export function readOfxDate(text: string): string | null {
  if (text.length > LONGEST_DATE) return null;
  return parseDate(DATE.exec(text)?.[1] ?? text, 'y-m-d');
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
  if (reading.decimal === undefined) reading.doubt.note(field.value, field.line);
  return read;
}

/** The currency that the amount is in: the entry's own, or the statement's. */
function currencyOf(entry: Fields, statement: Fields, problems: ProblemList): string | null {
  const own = entry.get('CURRENCY.CURSYM') ?? entry.get('CURRENCY');
  const field = own ?? statement.get('CURDEF');
  if (field === undefined) return null;
  if (/^[A-Za-z]{3}$/.test(field.value)) return field.value.toLowerCase();
  const tag = own === undefined ? '<CURDEF>' : '<CURSYM>';
  problems.add(field.line, tag, field.value, 'Not a currency code of three letters');
  return null;
}

/** The payee is NAME, else the name in PAYEE, else MEMO; what is the payee is not in the notes as well. */
function textsOf(fields: Fields): { payee: string; memo: string } {
  const text = (key: string): string => singleBlanks(fields.get(key)?.value ?? '');
  const memo = text('MEMO');
  const name = text('NAME') || text('PAYEE.NAME') || text('EXTDPAYEE.NAME');
  return name === '' || name === memo ? { payee: memo, memo: '' } : { payee: name, memo };
}

/** The memo, and the number of the cheque, of which banks write `0` for none. */
function notesOf(memo: string, checkNumber: string): string | null {
  const number = /[^0\s]/.test(checkNumber) ? `No. ${singleBlanks(checkNumber)}` : '';
  const notes = [memo, number].filter((part) => part !== '').join('; ');
  return notes === '' ? null : notes;
}

function singleBlanks(text: string): string {
  return /\s\s|[^\S ]/.test(text) ? text.replace(/\s+/g, ' ').trim() : text;
}
