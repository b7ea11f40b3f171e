import { copyOf, listOf } from '../../statement/texts.ts';
import { Refusal, type ProblemList, type WarningList } from '../../statement/statement-error.ts';
import { formatAmount } from '@coffer/core/money';
import type { Balance } from '../../statement/statement.ts';
import type { TextLine } from '../../bytes/text-lines.ts';
import { daysIn } from '@coffer/core/dates';
import { parseDate } from '../../statement/dates.ts';
import { readAmount } from '../ofx/read-ofx.ts';

/** Maximum numbers of a file: each takes memory. */
const MAX_STATEMENTS = 50_000;
const MAX_BALANCES = 200_000;
/** Maximum characters of an account or a statement's number. SWIFT allows 35. */
const MAX_NUMBER_LENGTH = 100;
/** Maximum characters of the texts of one entry. SWIFT allows 390. */
const MAX_DETAILS_LENGTH = 65_536;

/** A `:61:` with the texts that follow it, in the statement that it belongs to. */
export interface RawEntry {
  /** Physical line of its `:61:`. */
  readonly line: number;
  readonly statement: MtStatement;
  readonly parsed: StatementLine;
  /** The lines of its `:86:`, or of its `:NS:` if it has no `:86:`. */
  readonly details: readonly string[];
}

/** One message: a statement, a page of it, or an interim report. */
export class MtStatement {
  readonly index: number;
  /** As written after `:25:`. */
  account = '';
  /** The number of the statement and its page. */
  number = '';
  /** The bank, if `:25P:` names it. */
  bank: string | null = null;
  /** Lower case. */
  currency: string | null = null;
  opening: StatedBalance | null = null;
  isClosed = false;
  hasFloorLimit = false;
  readonly balances: StatedBalance[] = [];
  /** Totals of the entries, in ten-thousandths. */
  debits = { count: 0, sum: 0n };
  credits = { count: 0, sum: 0n };

  constructor(index: number) {
    this.index = index;
  }

  /** Adds an amount, with the sign that the bank gives it, to the totals. */
  add(amount: number): void {
    const total = amount < 0 ? this.debits : this.credits;
    total.count += 1;
    total.sum += BigInt(amount);
  }
}

/** An entry whose texts may follow. */
interface OpenEntry {
  readonly line: number;
  readonly parsed: StatementLine;
  details: string[];
  /** Whether the details are those of a `:86:`. */
  hasDetails: boolean;
  length: number;
}

/**
 * Groups fields into statements and entries, one entry at a time, and compares each statement with its balances. Adds
 * a problem for every `:61:` that is invalid or outside a statement.
 */
export class Outline {
  readonly #problems: ProblemList;
  readonly #warnings: WarningList;
  readonly #seen = new Set<string>();
  #statement: MtStatement | null = null;
  #entry: OpenEntry | null = null;
  #isInterimMessage: boolean;
  #balanceCount = 0;
  readonly statements: MtStatement[] = [];

  /** `isInterimFile`: statements without an opening balance are interim reports. */
  constructor(problems: ProblemList, warnings: WarningList, isInterimFile: boolean) {
    this.#problems = problems;
    this.#warnings = warnings;
    this.#isInterimMessage = isInterimFile;
  }

  *entries(fields: Iterable<MtField>): Generator<RawEntry> {
    for (const field of fields) {
      if (field.tag === '86' || field.tag === 'NS') {
        this.#addDetails(field);
        continue;
      }
      const done = this.#finishEntry();
      if (done !== null) yield done;
      if (field.tag === '61') this.#openEntry(field);
      else this.#take(field);
    }
    const last = this.#finishEntry();
    if (last !== null) yield last;
  }

  /** Whether the entries of a statement are not booked yet: it is an interim report (MT942). */
  isInterim(statement: MtStatement): boolean {
    return statement.opening === null && (statement.hasFloorLimit || this.#isInterimMessage);
  }

  #take({ tag, line, lines }: MtField): void {
    const [text = ''] = lines;
    if (tag === '{' && /\{2:[IO]9\d\d/.test(text)) {
      this.#isInterimMessage = /\{2:[IO]942/.test(text);
    }
    const mayBegin = tag === '60F' || tag === '60M' || tag === '34F';
    if (tag === '20' || (mayBegin && this.#statement === null)) this.#open(line);
    if (tag === '25' || tag === '25P') this.#takeAccount(line, tag, lines);
    const statement = this.#statement;
    if (statement === null) return;
    if (tag === '28' || tag === '28C')
      statement.number = copyOf(text.trim().slice(0, MAX_NUMBER_LENGTH));
    if (tag === '34F' || tag === '13D' || tag === '13') statement.hasFloorLimit = true;
    if (tag === '34F') statement.currency ??= currencyOf(/^\s*([A-Z]{3})/.exec(text));
    if (tag === '90D' || tag === '90C') this.#checkCount(statement, line, tag, text);
    if (tag === '64') this.#addBalance(statement, line, text, 'available');
    if (tag.startsWith('60')) this.#takeOpening(statement, line, text);
    if (tag.startsWith('62')) this.#takeClosing(statement, line, text);
  }

  #open(line: number): MtStatement {
    const statement = new MtStatement(this.statements.length);
    this.statements.push(statement);
    this.#statement = statement;
    if (this.statements.length > MAX_STATEMENTS) {
      throw new Refusal(`More than ${MAX_STATEMENTS} statements`, line);
    }
    return statement;
  }

  #takeAccount(line: number, tag: string, [text = '', bank = '']: readonly string[]): void {
    const isNext = this.#statement === null || this.#statement.account !== '';
    const statement = isNext ? this.#open(line) : this.#statement!;
    statement.account = copyOf(text.trim().slice(0, MAX_NUMBER_LENGTH));
    if (tag === '25P' && bank.trim() !== '')
      statement.bank = copyOf(bank.trim().slice(0, MAX_NUMBER_LENGTH));
  }

  #takeOpening(statement: MtStatement, line: number, text: string): void {
    const isNext = statement.opening !== null || statement.isClosed;
    const own = isNext ? this.#open(line) : statement;
    if (isNext) own.account = statement.account;
    if (isNext) own.bank = statement.bank;
    const balance = this.#addBalance(own, line, text, 'opening');
    own.opening = balance;
  }

  #takeClosing(statement: MtStatement, line: number, text: string): void {
    const closing = this.#addBalance(statement, line, text, 'ledger');
    const { opening } = statement;
    statement.isClosed = true;
    if (closing === null || opening === null) return;
    const total = BigInt(opening.amount) + statement.debits.sum + statement.credits.sum;
    if (total !== BigInt(closing.amount)) {
      const stated = formatAmount(closing.amount);
      const reason = `the opening balance and the entries total ${formatAmount(total)}`;
      this.#warnings.add(line, `Closing balance is ${stated}, but ${reason}`);
    }
    this.#checkRepetition(statement, opening, closing, line);
  }

  /** A file may contain a statement twice, for example two downloads that overlap. */
  #checkRepetition(
    { account, number, credits, debits }: MtStatement,
    opening: StatedBalance,
    closing: StatedBalance,
    line: number,
  ): void {
    if (number === '' || credits.count + debits.count === 0) return;
    const key = JSON.stringify([account, number, opening, closing]);
    if (this.#seen.has(key)) {
      const text = `Statement ${number} of the account is in the file more than once`;
      this.#warnings.add(line, `${text}: its entries are read each time`);
    }
    this.#seen.add(key);
  }

  #addBalance(
    statement: MtStatement,
    line: number,
    text: string,
    kind: Balance['kind'],
  ): StatedBalance | null {
    const balance = parseBalance(text, kind);
    if (balance === null) return null;
    statement.balances.push(balance);
    this.#balanceCount += 1;
    if (this.#balanceCount > MAX_BALANCES) {
      throw new Refusal(`More than ${MAX_BALANCES} balances`, line);
    }
    statement.currency ??= balance.currency;
    return balance;
  }

  /** `:90D:` and `:90C:` have the number and the total of an interim report's entries. */
  #checkCount(statement: MtStatement, line: number, tag: string, text: string): void {
    const [, count = '', currency = ''] = /^\s*(\d{1,9})([A-Z]{3})/.exec(text) ?? [];
    if (count === '') return;
    statement.currency ??= currency.toLowerCase();
    const read = tag === '90D' ? statement.debits.count : statement.credits.count;
    if (read === Number(count)) return;
    const kind = tag === '90D' ? 'debits' : 'credits';
    this.#warnings.add(line, `The report has ${Number(count)} ${kind}, but ${read} were found`);
  }

  #openEntry({ line, lines }: MtField): void {
    const parsed = parseLine(lines);
    if (parsed === null) {
      this.#problems.add(line, ':61:', lines[0] ?? '', 'Not an entry with date, mark and amount');
    } else if (this.#statement === null) {
      this.#problems.add(line, ':61:', lines[0] ?? '', 'Is outside a statement');
    } else this.#entry = { line, parsed, details: [], hasDetails: false, length: 0 };
  }

  /** The text of an entry. After other fields it belongs to the statement. */
  #addDetails({ tag, line: fieldLine, lines }: MtField): void {
    const entry = this.#entry;
    if (entry === null) return;
    const isDetails = tag === '86';
    if (!isDetails && entry.hasDetails) return;
    if (isDetails && !entry.hasDetails) entry.details = [];
    entry.hasDetails ||= isDetails;
    for (const text of lines) {
      entry.length += text.length + 1;
      entry.details.push(isDetails ? text : text.replace(/^\d\d/, ''));
    }
    if (entry.length <= MAX_DETAILS_LENGTH) return;
    const reason = `Text of one entry is longer than ${MAX_DETAILS_LENGTH} characters`;
    throw new Refusal(reason, fieldLine, `:${tag}:`);
  }

  #finishEntry(): RawEntry | null {
    const entry = this.#entry;
    this.#entry = null;
    return entry === null || this.#statement === null
      ? null
      : { ...entry, statement: this.#statement };
  }
}

function currencyOf(found: RegExpExecArray | null): string | null {
  return found?.[1]?.toLowerCase() ?? null;
}

/** Maximum characters of a field. SWIFT allows 390. */
const MAX_FIELD_LENGTH = 65_536;

/** A field of a message, such as `:61:` with its continuation lines. */
export interface MtField {
  /** Upper case, without colons: `61`, `60F`; `{` for the header of a message. */
  readonly tag: string;
  /** Physical line on which the field begins. */
  readonly line: number;
  /** The text after the tag, and the lines that continue it. Blanks at their ends are kept. */
  readonly lines: string[];
}

const TAG = /^:(\d{2}[A-Z]?|\d{3}|NS):/i;
const KNOWN: ReadonlySet<string> = new Set(
  listOf('13 13D 20 21 25 25P 28 28C 34F 60F 60M 61 62F 62M 64 65 86 90C 90D NS'),
);
/** The end of a time that continues a text: `…T13` on one line, `:12:11` on the next. */
const TIME = /^:[0-5]\d:\d\d(?!\d)/;
/** Blocks of the envelope, perhaps after the end of a message. */
/** In the Swedish 7-bit alphabet, braces are `ä` and `å`. */
const BLOCK = /^(?:-[}å])?[{ä][1-5S]:/;
const CONTROL = /[^\P{Cc}\t]/u;
const CONTROLS = /[^\P{Cc}\t]/gu;

/**
 * Finds the fields of SWIFT messages, with or without their envelope. Control characters are removed; text outside
 * messages is ignored. Source: SWIFT Standards MT, general field formatting rules.
 */
export function* fieldsOf(lines: Iterable<TextLine>): Generator<MtField> {
  let open: MtField | null = null;
  let length = 0;
  for (const { line, text } of unbroken(lines)) {
    if (BLOCK.test(text)) {
      if (open !== null) yield open;
      open = null;
      yield { tag: '{', line, lines: [text] };
    }
    const content = BLOCK.test(text) ? afterEnvelope(text) : text;
    const tag = tagOf(content, open?.tag === '86');
    if (tag !== null) {
      if (open !== null) yield open;
      open = { tag: tag.toUpperCase(), line, lines: [content.slice(tag.length + 2)] };
      length = content.length;
    } else if (isEnd(content)) {
      if (open !== null) yield open;
      open = null;
    } else if (open !== null && content.trim() !== '') {
      open.lines.push(content);
      length += content.length + 1;
    }
    if (length > MAX_FIELD_LENGTH) {
      const reason = `Field is longer than ${MAX_FIELD_LENGTH} characters`;
      throw new Refusal(reason, open?.line ?? line, open === null ? null : `:${open.tag}:`);
    }
  }
  if (open !== null) yield open;
}

/** Removes control characters, and joins a line that is only a colon with the next one. */
function* unbroken(lines: Iterable<TextLine>): Generator<TextLine> {
  let isAfterColon = false;
  for (const { line, text: raw } of lines) {
    const text = CONTROL.test(raw) ? raw.replace(CONTROLS, '') : raw;
    if (text === ':') {
      isAfterColon = true;
      continue;
    }
    yield { line, text: isAfterColon ? `:${text}` : text };
    isAfterColon = false;
  }
}

/** What follows the beginning of block 4 on its line. */
function afterEnvelope(text: string): string {
  const begin = Math.max(text.lastIndexOf('{4:'), text.lastIndexOf('ä4:'));
  return begin < 0 ? '' : text.slice(begin + 3).trimStart();
}

/** The tag with which a line begins. A text may be broken before a colon, so that it looks like a tag. */
function tagOf(text: string, isInText: boolean): string | null {
  const tag = TAG.exec(text)?.[1];
  if (tag === undefined) return null;
  if (!isInText) return tag;
  if (TIME.test(text)) return null;
  return KNOWN.has(tag.toUpperCase()) || /[A-Z]/i.test(tag) ? tag : null;
}

function isEnd(text: string): boolean {
  const bare = text.trim();
  return bare === '-' || bare.startsWith('-}') || bare === '-å';
}

/** A `:61:`, split but with date and amount not parsed. */
export interface StatementLine {
  /** YYMMDD or YYYYMMDD: the value date. */
  readonly valueDate: string;
  /** Money out: a debit, or the reversal of a credit. */
  readonly isDebit: boolean;
  /** Expected, not booked. */
  readonly isExpected: boolean;
  readonly amount: string;
  /** A letter and three characters, such as `NTRF` or `N062`; empty if missing. */
  readonly type: string;
  /** The reference for the account owner; empty if missing or `NONREF`. */
  readonly reference: string;
  /** The bank's reference after `//`; empty if missing or `NONREF`. */
  readonly bankReference: string;
  /** The supplementary details of the second line. */
  readonly supplement: string;
}

const LINE =
  /^\s*(\d{6}|\d{8})(\d{4})?\s*(R?[CD]|E[CD])([A-Z]{0,3})\s*([\d.,]+)\s*([A-Z][A-Z0-9 ]{3})?(.*)$/s;
/** Some write the mark in lower case. */
const LOWER_MARK = /^\s*\d{6,12}(?:r?[cd]|e[cd])(?=[\d.,])/;
const NO_REFERENCE = /^(?:NONREF|NON REF|NOTPROVIDED|NOREF|-+|0+)?$/i;
/** Of a reference. What follows is text, for example a name from Rabobank. */
const MAX_REFERENCE_LENGTH = 16;

/**
 * Splits a `:61:`; null if it is invalid. Some banks break the first line before the amount.
 * Source: SWIFT MT940, field 61.
 */
export function parseLine([line = '', ...others]: readonly string[]): StatementLine | null {
  const first = line.replace(LOWER_MARK, (start) => start.toUpperCase());
  const whole = LINE.exec(first);
  const parts = whole ?? LINE.exec(first + (others[0] ?? ''));
  if (parts === null) return null;
  const [, valueDate = '', , mark = '', , amount = '', type = '', references = ''] = parts;
  const [own = '', ...bank] = references.split('//');
  const rest = [own.slice(MAX_REFERENCE_LENGTH), ...others.slice(whole === null ? 1 : 0)];
  return {
    valueDate,
    isDebit: mark === 'D' || mark === 'RC' || mark === 'ED',
    isExpected: mark.startsWith('E'),
    amount,
    type: type.trim(),
    reference: referenceOf(own.slice(0, MAX_REFERENCE_LENGTH)),
    bankReference: referenceOf(bank.join('//')),
    supplement: rest.join(' ').replace(/\s+/g, ' ').trim(),
  };
}

function referenceOf(text: string): string {
  const bare = text.replace(/\s+/g, ' ').trim();
  return NO_REFERENCE.test(bare) ? '' : bare;
}

/**
 * Parses YYMMDD or YYYYMMDD; null if it is not a date. A day that the month does not have becomes its last day: some
 * banks count 30 days in every month.
 */
export function swiftDate(digits: string): string | null {
  const day = Number(digits.slice(-2));
  const month = Number(digits.slice(-4, -2));
  const year = digits.slice(0, -4);
  const first = parseDate(`${year}-${digits.slice(-4, -2)}-01`, 'y-m-d');
  if (first === null || day < 1 || day > 31) return null;
  const last = Math.min(day, daysIn(Number(first.slice(0, 4)), month));
  return `${first.slice(0, 8)}${String(last).padStart(2, '0')}`;
}

/** Parses an amount with a decimal comma or point, in ten-thousandths, or returns why it is invalid. */
export function swiftAmount(text: string): number | string {
  return readAmount(text.replace(/[.,]$/, '').replace(/^(?=[.,])/, '0'), undefined);
}

/** A balance with its currency. */
export interface StatedBalance extends Balance {
  /** Lower case. */
  readonly currency: string;
}

/** Parses a `:60a:`, `:62a:`, `:64:` or `:65:`; null if it is invalid. */
function parseBalance(text: string, kind: Balance['kind']): StatedBalance | null {
  const parts = /^\s*R?([CD])(\d{6}|\d{8})?([A-Z]{3})\s*([\d.,]+)\s*$/.exec(text);
  if (parts === null) return null;
  const [, mark, digits, currency = '', figure = ''] = parts;
  const amount = swiftAmount(figure);
  if (typeof amount === 'string') return null;
  const date = digits === undefined ? null : swiftDate(digits);
  const signed = mark === 'D' && amount !== 0 ? -amount : amount;
  return { kind, amount: signed, date, currency: currency.toLowerCase() };
}
