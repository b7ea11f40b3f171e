import { singleBlanks } from '../../statement/texts.ts';
import { negatedEntry } from '../../statement/amounts.ts';
import type { Decimal, Entry, EntryPart } from '../../statement/statement.ts';
import { bankId } from '../ids.ts';
import type { ProblemList } from '../../statement/statement-error.ts';
import {
  accountCurrency,
  currencyCode,
  dateText,
  directed,
  readCamtAmount,
  readCamtDate,
  readDirection,
  valueOf,
  numberOf,
  type Field,
  type Fields,
} from './values.ts';
import type { RawEntry } from './outline.ts';

/** Settings of a reader of entries, and what it collects. */
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
  const otherAccount = otherAccountOf(raw, direction);
  const entry: Entry = {
    line: raw.line,
    date,
    amount: moved,
    currency,
    payee,
    notes: notes || null,
    category: null,
    account: null,
    externalId: idOf(raw),
    ...(status === 'pending' && { isPending: true }),
    ...(parts !== null && { parts }),
    ...(otherAccount !== null && { otherAccount }),
  };
  return { entry: reading.negate ? negatedEntry(entry) : entry, moved };
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

/** Words that banks write where they have no value. */
const NO_VALUE = new RegExp(
  `^(?:${[
    'non[ _-]?ref',
    'no[ _-]?ref(?:erence)?',
    'not[ _-]?(?:provided|available|known)',
    'notavail|none|null|unknown|n/?a|xx+|[ .*?-]+',
  ].join('|')})$`,
  'i',
);

/** Marks of Swiss payment slips that were read without errors, or with them. */
const SLIP_CODES = /^(?:\?(?:REJECT|ERROR)\?\d{1,3} ?)+$/;

const REFERENCES = ['RmtInf/Strd/CdtrRefInf/Ref', 'RmtInf/Strd/CdtrRefInf/CdtrRef'];

/** Whether a text is one that banks write where they have no value, such as `NOTPROVIDED`. */
function isPlaceholder(text: string): boolean {
  return NO_VALUE.test(text);
}

/**
 * Payee and notes of a whole entry, empty if there is none. Of several details, the first with a name gives the payee.
 */
function entryTexts(raw: RawEntry, direction: 1 | -1) {
  const { details, detailCount, fields } = raw;
  const own = singleBlanks(valueOf(fields, 'AddtlNtryInf'));
  const names = details.map((detail) => partyOf(raw, detail, direction));
  const named = names.find(({ payee }) => payee !== '') ?? { payee: '' };
  const [only] = details;
  const remittance = only === undefined ? [] : notesOf(only);
  const payee = firstText(named.payee, own, remittance[0]);
  const texts = detailCount > 1 ? [] : [...remittance, ...(names[0]?.notes ?? [])];
  const batch = detailCount > 1 ? [`Batch of ${detailCount} payments`] : [];
  return { payee, notes: joined([...texts, own, ...batch], payee) };
}

/** Texts of one detail of several. */
function detailTexts(raw: RawEntry, detail: Fields, direction: 1 | -1) {
  const named = partyOf(raw, detail, direction);
  const remittance = notesOf(detail);
  const own = singleBlanks(valueOf(raw.fields, 'AddtlNtryInf'));
  const text = detail.has('RmtInf/Ustrd') ? remittance[0] : undefined;
  const payee = firstText(named.payee, text, own, remittance[0]);
  return { payee, notes: joined([...remittance, ...named.notes], payee) };
}

/**
 * The other party: the creditor of money out, the debtor of money in; else the ultimate one. A reversal has the parties
 * of the first payment, so they are the other way round unless the account's owner shows otherwise. Of returns, some
 * banks keep the parties of the first payment, too: without the owner, both names are used.
 */
function partyOf(raw: RawEntry, detail: Fields, direction: 1 | -1) {
  const [side, opposite] =
    direction < 0 ? (['Cdtr', 'Dbtr'] as const) : (['Dbtr', 'Cdtr'] as const);
  const isReversal = /^(?:true|1)$/i.test(valueOf(raw.fields, 'RvslInd'));
  const isReturn = detail.has('RtrInf/Rsn/Cd');
  const other = nameOf(detail, opposite);
  const isOwners = isOwner(raw, detail, side);
  const isOthers = !isOwner(raw, detail, opposite);
  const isFirst = isOwners || (isReversal && !isReturn && isOthers);
  const isSwapped = (isReversal || isReturn) && other !== '' && isFirst;
  const chosen = isSwapped ? opposite : side;
  const name = nameOf(detail, chosen);
  const ultimate = nameOf(detail, `Ultmt${chosen}`);
  const payee = name || ultimate;
  const isUnused = !isSwapped && isOthers && (payee === '' || (isReturn && !isOwners));
  return { payee, notes: [name === '' ? '' : ultimate, isUnused ? other : ''] };
}

function isOwner(raw: RawEntry, detail: Fields, side: 'Dbtr' | 'Cdtr'): boolean {
  const { fields } = raw.statement;
  const number = numberOf(fields);
  const account = ['IBAN', 'Othr/Id'].some(
    (id) => valueOf(detail, `RltdPties/${side}Acct/Id/${id}`).replaceAll(/\s/g, '') === number,
  );
  const owner = valueOf(fields, 'Acct/Ownr/Nm') || valueOf(fields, 'Acct/Ownr/Pty/Nm');
  const isNamed = owner !== '' && same(nameOf(detail, side), singleBlanks(owner));
  return (number !== '' && account) || isNamed;
}

/** The number of the other side's account, of an entry with one payment; null if the bank gives only the own one. */
function otherAccountOf({ details, detailCount, statement }: RawEntry, direction: 1 | -1) {
  const [only] = detailCount === 1 ? details : [];
  if (only === undefined) return null;
  const own = numberOf(statement.fields);
  // The parties of a reversal are those of the first payment.
  const sides = direction < 0 ? ['Cdtr', 'Dbtr'] : ['Dbtr', 'Cdtr'];
  const numbers = sides.map((side) =>
    ['IBAN', 'Othr/Id']
      .map((id) => valueOf(only, `RltdPties/${side}Acct/Id/${id}`).replaceAll(/\s/g, ''))
      .find((number) => number !== '' && !isPlaceholder(number)),
  );
  return numbers.find((number) => number !== undefined && number !== own) ?? null;
}

function nameOf(detail: Fields, party: string): string {
  const name = ['Nm', 'Pty/Nm', 'Agt/FinInstnId/Nm']
    .map((path) => singleBlanks(valueOf(detail, `RltdPties/${party}/${path}`)))
    .find((text) => text !== '' && !isPlaceholder(text));
  return name ?? '';
}

/** What a payment is for: free text, references, and further information. */
function notesOf(detail: Fields): string[] {
  return ['RmtInf/Ustrd', ...REFERENCES, 'RmtInf/Strd/AddtlRmtInf', 'AddtlTxInf', 'RtrInf/AddtlInf']
    .map((path) => singleBlanks(valueOf(detail, path)))
    .filter((text) => text !== '' && !isPlaceholder(text) && !SLIP_CODES.test(text));
}

/** Joins texts, without those that the payee or an earlier text has already. */
function joined(texts: readonly string[], payee: string): string {
  const all: string[] = [];
  for (const text of texts) {
    const isKnown = same(text, payee) || all.some((one) => one.includes(text));
    if (text !== '' && !isKnown) all.push(text);
  }
  return all.join('; ');
}

function same(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

function firstText(...texts: readonly (string | undefined)[]): string {
  return texts.find((text) => text !== undefined && text !== '') ?? '';
}

/**
 * The payments of a batch, if their amounts total that of the entry in its currency. Null if they do not, if there is
 * only one, or if there are more than a split transaction may have.
 */
function partsOf(
  raw: RawEntry,
  whole: { amount: number; direction: 1 | -1; currency: string | null },
  decimal: Decimal | undefined,
): EntryPart[] | null {
  const { details, detailCount } = raw;
  if (detailCount < 2 || detailCount > details.length) return null;
  const amounts = details.map((detail) => detailAmount(detail, whole.currency, decimal));
  if (!amounts.every((amount) => amount !== null)) return null;
  const directions = details.map((detail) => readDirection(valueOf(detail, 'CdtDbtInd')));
  const total = BigInt(directed(whole.amount, whole.direction));
  const own = amounts.map((amount, at) => directed(amount, directions[at] ?? whole.direction));
  const same = amounts.map((amount) => directed(amount, whole.direction));
  // Some banks give the details the direction that the payment has for the other party.
  const signed = [own, same].find((all) => sum(all) === total);
  return signed === undefined
    ? null
    : details.map((detail, at) => {
        const amount = signed[at]!;
        const { payee, notes } = detailTexts(raw, detail, whole.direction);
        return { amount, payee, notes: notes || null, category: null };
      });
}

/** The amount of a detail in a currency; never the instructed amount. */
function detailAmount(
  detail: Fields,
  currency: string | null,
  decimal: Decimal | undefined,
): number | null {
  const field = ['Amt', 'AmtDtls/TxAmt/Amt']
    .map((path) => detail.get(path))
    .find((one) => one !== undefined && isIn(one.currency, currency));
  const amount = field === undefined ? null : readCamtAmount(field.value, decimal);
  return typeof amount === 'number' && amount >= 0 ? amount : null;
}

function isIn(code: string | null, currency: string | null): boolean {
  return code === null || currencyCode(code) === currency;
}

function sum(amounts: readonly number[]): bigint {
  return amounts.reduce((total, amount) => total + BigInt(amount), 0n);
}
