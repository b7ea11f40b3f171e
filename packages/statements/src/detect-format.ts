import { SHEET_MARK } from './bytes/sheet-mark.ts';
import { detectJournal, type JournalFormat } from './bytes/detect-journal.ts';
import { utf16Of } from './bytes/encoding.ts';

/** A format that the content can show. Text of no other format is treated as CSV. */
export type DetectedFormat =
  | 'csv'
  | 'ofx'
  | 'html'
  | 'qif'
  | 'mt940'
  | 'mt942'
  | 'camt'
  | 'pdf'
  | 'xlsx'
  | 'xls'
  | 'spreadsheet'
  | JournalFormat;

const LOOKED_AT_BYTES = 4096;

const BINARY: readonly (readonly [DetectedFormat, string])[] = [
  ['pdf', '%PDF-'],
  ['xlsx', SHEET_MARK],
  ['spreadsheet', 'PK\x03\x04'],
  ['xls', '\xd0\xcf\x11\xe0'],
];

/** Detects the format from the first bytes of the unpacked content. */
export function detectFormat(head: Uint8Array): DetectedFormat {
  const isMarkup = /^[^\w"]{0,8}</.test(Buffer.from(head.subarray(0, 16)).toString('latin1'));
  const bytes = Buffer.from(head.subarray(0, isMarkup ? undefined : LOOKED_AT_BYTES));
  const latin1 = bytes.toString('latin1');
  const binary = BINARY.find(([, sign]) => latin1.startsWith(sign));
  if (binary !== undefined) return binary[0];
  // UTF-16 without its NULs is good enough for the detection.
  const text =
    utf16Of(bytes) === null
      ? latin1.replace(/^ï»¿/, '')
      : latin1.replace(/^(?:ÿþ|þÿ)/, '').replaceAll('\0', '');
  if (isOfx(text)) return 'ofx';
  if (isCamt(text)) return 'camt';
  if (isHtml(text)) return 'html';
  const journal = detectJournal(journalText(head, text));
  if (journal !== null) return journal;
  if (/^[ \t]*!(?:Type:|Account|Option:|Clear:)/im.test(text)) return 'qif';
  if (!isMt(text)) return 'csv';
  return isMt942(text) ? 'mt942' : 'mt940';
}

/** A journal may begin with a long comment, so all of the head is used, as UTF-8. */
function journalText(head: Uint8Array, text: string): string {
  if (utf16Of(head) !== null) return text;
  return Buffer.from(head)
    .toString('utf8')
    .replace(/^\uFEFF/, '');
}

function isOfx(text: string): boolean {
  const start = text.trimStart();
  if (start.startsWith('OFXHEADER:')) return true;
  if (/^<[?!O]/i.test(start) && /<OFX[\s>]|<\?OFX\s|<!DOCTYPE\s{1,8}OFX/i.test(start)) return true;
  // A header may lack its first line, or be written in tags.
  const begin = start.search(/<OFX>/i);
  return begin > 0 && /OFXHEADER|OFXSGML/i.test(start.slice(0, begin));
}

/** A message of CAMT, which may be deep in an envelope, with any prefix or none. */
function isCamt(text: string): boolean {
  if (!text.trimStart().startsWith('<')) return false;
  return /[<:]BkToCstmr(?:Stmt|AcctRpt|DbtCdtNtfctn)|xsd:camt\.05[234]/.test(text);
}

function isHtml(text: string): boolean {
  if (/^\s*<\?xml/.test(text) && /<(?:ss:)?Workbook[\s>]/.test(text)) return true;
  return /^\s*(?:<!--[^>]*-->\s*)?<(?:!doctype html|html|head|meta|body|style|table|div|center)[\s>]/i.test(
    text,
  );
}

/** A statement, or a part of one: its reader says what is missing. */
function isMt(text: string): boolean {
  const isPart =
    /^:61:\d{6}\d{0,4}(?:R?[CD]|E[CD])/im.test(text) || /^:60[FM]:[CD]\d{6}/m.test(text);
  if (isPart) return true;
  return /(?:^|\{4:\s*):20:/m.test(text) && /^:(?:25P?|28C?|60[FM]|34F|13D?):/m.test(text);
}

function isMt942(text: string): boolean {
  return !/^:60[FM]:/m.test(text) && /^:(?:34F|13D):|\{2:[IO]942/m.test(text);
}
