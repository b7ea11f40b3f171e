import { negated, type Decimal } from '../../statement/amounts.ts';
import { bankId } from '../ofx/ids.ts';
import type { ProblemList } from '../../statement/statement-error.ts';
import type { Entry } from '../../statement/statement.ts';
import { accountCurrency, currencyCode } from './account-key.ts';
import type { Field, RawEntry } from './raw.ts';
import { partsOf } from './parts.ts';
import { entryTexts, isPlaceholder } from './texts.ts';
import { dateText, directed, readCamtAmount, readCamtDate, readDirection } from './values.ts';

/** Settings of a pass over the entries, and what it collects. */
export interface EntryReading {
  readonly decimal: Decimal | undefined;
  readonly negate: boolean;
  readonly problems: ProblemList;
  readonly warn: (line: number, text: string) => void;
}

/** What an entry is for the account. */
type Status = 'booked' | 'pending' | 'informational';

/** An entry and its status. Null: it is informational, so nothing moved. */
export interface ReadEntry {
  readonly entry: Entry;
  /** As the bank signs it, whatever `negate` is. */
  readonly moved: number;
}

const STATUSES: ReadonlyMap<string, Status> = new Map([
  ['', 'booked'],
  ['BOOK', 'booked'],
  ['BOOKED', 'booked'],
  ['PDNG', 'pending'],
  ['PENDING', 'pending'],
  ['FUTR', 'pending'],
  ['INFO', 'informational'],
]);
/** The type of a reference with which German savings banks number their rows. */
const ROW_ID = 'FI-UMSATZ-ID';

/** Parses the values of an entry and reports every invalid one; null if any is invalid, or nothing moved. */
export function readEntry(raw: RawEntry, reading: EntryReading): ReadEntry | 'left out' | null {
  const { problems, decimal } = reading;
  const status = statusOf(raw, reading);
  if (status === 'informational') return 'left out';
  const before = problems.count;
  const date = dateOf(raw, reading);
  const currency = currencyOf(raw, problems);
  const direction = directionOf(raw, problems);
  const amount = amountOf(raw, direction, reading);
  if (problems.count > before || date === null || amount === null || direction === null)
    return null;
  const { payee, notes } = entryTexts(raw, direction);
  const moved = directed(amount, direction);
  const parts = partsOf(raw, { amount, direction, currency }, decimal);
  const sign = (value: number): number => (reading.negate ? negated(value) : value);
  const entry: Entry = {
    line: raw.line,
    date,
    amount: sign(moved),
    currency,
    payee,
    notes: notes || null,
    category: null,
    account: null,
    externalId: idOf(raw),
    ...(status === 'pending' && { isPending: true }),
    ...(parts !== null && {
      parts: parts.map((part) => ({ ...part, amount: sign(part.amount) })),
    }),
  };
  return { entry, moved };
}

/** Plain text up to version 7, a code or a bank's own text from version 8 on. An unknown status is booked. */
function statusOf({ fields }: RawEntry, { warn }: EntryReading): Status {
  const field = fields.get('Sts/Cd') ?? fields.get('Sts/Prtry') ?? fields.get('Sts');
  const status = STATUSES.get(field?.value.toUpperCase() ?? '');
  if (status !== undefined) return status;
  warn(field!.line, `Unknown status "${field!.value.slice(0, 35)}" is read as booked`);
  return 'booked';
}

/** The booking date, else the value date, else a date of a detail, else the day of the statement. */
function dateOf(raw: RawEntry, { problems, warn }: EntryReading): string | null {
  const { fields, details, line, statement } = raw;
  const field =
    dateText(fields, 'BookgDt') ?? dateText(fields, 'ValDt') ?? detailDate(details[0] ?? new Map());
  if (field !== undefined) return checkedDate(field, problems);
  const day = dayOf(statement);
  const date = day === undefined ? null : readCamtDate(day.value);
  if (date === null) problems.add(line, '<BookgDt>', null, 'Entry has no date');
  else warn(line, `Entry has no date: the date of its statement, ${date}, is used`);
  return date;
}

/** The day of a statement: when it was made, else when its period or its last balance ends. */
function dayOf({ fields, balances }: RawEntry['statement']): Field | undefined {
  const ends = ['CreDtTm', 'FrToDt/ToDtTm', 'FrToDt/ToDt'].map((name) => fields.get(name));
  const stated = balances.map((balance) => dateText(balance.fields, 'Dt')).toReversed();
  return [...ends, ...stated].find((field) => field !== undefined);
}

function detailDate(detail: RawEntry['fields']): Field | undefined {
  return ['IntrBkSttlmDt', 'TxDtTm', 'AccptncDtTm']
    .map((name) => detail.get(`RltdDts/${name}`))
    .find((field) => field !== undefined);
}

function checkedDate(field: Field, problems: ProblemList): string | null {
  const date = readCamtDate(field.value);
  if (date === null) problems.add(field.line, '<Dt>', field.value, 'Not a date');
  return date;
}

/** The currency of the amount, else that of the account. */
function currencyOf({ fields, statement }: RawEntry, problems: ProblemList): string | null {
  const field = fields.get('Amt');
  if (field === undefined || field.currency === null) return accountCurrency(statement.fields);
  const code = currencyCode(field.currency.trim());
  if (code !== null) return code;
  problems.add(field.line, '<Amt>', field.currency, 'Not a currency code of three letters');
  return null;
}

/** The direction of the entry, else that of its only detail. A reversal has the direction in which money moved. */
function directionOf({ fields, details, line }: RawEntry, problems: ProblemList): 1 | -1 | null {
  const only = details.length === 1 ? details[0]?.get('CdtDbtInd') : undefined;
  const field = fields.get('CdtDbtInd') ?? only;
  const direction = readDirection(field?.value ?? '');
  if (field === undefined) problems.add(line, '<CdtDbtInd>', null, 'Entry has no direction');
  else if (direction === null) {
    problems.add(field.line, '<CdtDbtInd>', field.value, 'Neither CRDT nor DBIT');
  }
  return direction;
}

/** The amount without its sign, which is that of the direction. */
function amountOf(raw: RawEntry, direction: 1 | -1 | null, reading: EntryReading): number | null {
  const { problems, decimal, warn } = reading;
  const field = raw.fields.get('Amt');
  if (field === undefined) {
    problems.add(raw.line, '<Amt>', null, 'Entry has no amount');
    return null;
  }
  const amount = readCamtAmount(field.value, decimal);
  if (typeof amount === 'string') problems.add(field.line, '<Amt>', field.value, amount);
  else if (amount < 0 && direction === 1) {
    problems.add(field.line, '<Amt>', field.value, 'Is negative, but its direction is CRDT');
  } else if (amount < 0) {
    warn(
      field.line,
      `Amount "${field.value}" is negative, and is read as money out like its direction`,
    );
  }
  return typeof amount === 'string' ? null : Math.abs(amount);
}

/**
 * The bank's reference of the entry; if it has none, that of its only detail. The references of the payment, such as
 * EndToEndId and TxId, are those of other parties, and NtryRef only numbers the entries of a statement.
 */
function idOf({ fields, details, detailCount }: RawEntry): string | null {
  const [only] = detailCount === 1 ? details : [];
  const numbered = only?.get('Refs/Prtry/Tp')?.value.toUpperCase() === ROW_ID ? only : undefined;
  const ids = [
    fields.get('AcctSvcrRef'),
    only?.get('Refs/AcctSvcrRef'),
    numbered?.get('Refs/Prtry/Ref'),
  ];
  const id = ids.map((field) => field?.value ?? '').find(isId);
  return id === undefined ? null : bankId(id);
}

function isId(text: string): boolean {
  return !isPlaceholder(text) && bankId(text) !== null;
}
