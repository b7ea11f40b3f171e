import type { TextLine } from '../../bytes/text-lines.ts';
import { Refusal } from '../../statement/statement-error.ts';

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
const KNOWN: ReadonlySet<string> = new Set([
  '13',
  '13D',
  '20',
  '21',
  '25',
  '25P',
  '28',
  '28C',
  '34F',
  '60F',
  '60M',
  '61',
  '62F',
  '62M',
  '64',
  '65',
  '86',
  '90C',
  '90D',
  'NS',
]);
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
