import { listOf } from '../../statement/texts.ts';
import type { TextLine } from '../../bytes/text-lines.ts';
import { Refusal } from '../../statement/statement-error.ts';
import { daysIn } from '@coffer/core/dates';
import { parseDate } from '../../statement/dates.ts';
import { readAmount } from '../ofx/entry.ts';
import type { Balance } from '../../statement/statement.ts';

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
export function parseBalance(text: string, kind: Balance['kind']): StatedBalance | null {
  const parts = /^\s*R?([CD])(\d{6}|\d{8})?([A-Z]{3})\s*([\d.,]+)\s*$/.exec(text);
  if (parts === null) return null;
  const [, mark, digits, currency = '', figure = ''] = parts;
  const amount = swiftAmount(figure);
  if (typeof amount === 'string') return null;
  const date = digits === undefined ? null : swiftDate(digits);
  const signed = mark === 'D' && amount !== 0 ? -amount : amount;
  return { kind, amount: signed, date, currency: currency.toLowerCase() };
}
