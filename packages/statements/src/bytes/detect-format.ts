import type { StatementFormat } from '../statement/statement.ts';
import { utf16Of } from './content.ts';

/** A format that the content can show. Text of no other format is treated as CSV. */
export type DetectedFormat = StatementFormat | 'pdf' | 'xls' | 'spreadsheet';

/** A journal's format, as its content shows it. */
export type JournalFormat = (typeof JOURNALS)[number];
const JOURNALS = ['beancount', 'hledger', 'ledger'] as const satisfies readonly StatementFormat[];

/** Whether a format is one of a journal of postings, not of a bank. */
export function isJournal(format: StatementFormat): boolean {
  return (JOURNALS as readonly StatementFormat[]).includes(format);
}

/** The first characters of a sheet that was written as HTML. */
export const SHEET_MARK = '<table class="xlsx"';

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

/** Characters of a line that are looked at. */
const MAX_LINE_LENGTH = 400;

const BEANCOUNT =
  /^(?:\d{4}[-/]\d\d[-/]\d\d[ \t]+(?:(?:open|close|pad|balance)[ \t]+[^\s:,;"]+:\S|(?:txn|[*!])[ \t]*"|(?:commodity|price)[ \t]+[A-Z][A-Z0-9'._-]*(?=\s))|option[ \t]+"[a-z_]+"[ \t]+"|plugin[ \t]+"|include[ \t]+"[^"\n]*\.(?:bean|beancount)")/m;
const HEADER =
  /^(?:\d{4}[-/.])?\d{1,2}[-/.]\d{1,2}(?:\.\d{4})?(?:=[\d/.-]+)?(?=[ \t]*$|[ \t]*[*!(]|[ \t]+[^\s,;|"][^\t]*$)/;
const POSTING =
  /^[ \t]+[^\s;,"][^,;" \t]*(?:[ \t]+[^,;" \t]+)*(?:\t| [ \t])[ \t]*(?:={1,2}\*? *)?(?:[^\s\d,;"]{1,6} )?[^\s\d]*\d|^[ \t]+[^\s;:,"]+(?: [^\s;:,"]+)*:[^,;"]*$/;
const DIRECTIVE = [
  /^[!@]?(?:account|commodity|alias|bucket|payee|tag|include|apply|end|decimal-mark|year)(?=[ \t\d]|$)/,
  /^[!@]?(?:[YDPANC]|comment|test|def|define|assert|check|capture|expr|python)(?=[ \t\d]|$)/,
  /^[=~][ \t]*\S|^--[a-z]/,
];
const STRONG = [
  /^(?:account [^\s,;|][^\s,;:|]*:[^,;|]*$|account [^,;|]+;[^,|]*type:|decimal-mark [.,]\s*$)/,
  /^(?:apply account |P \d{4}[-/.]\d|include \S+\.(?:journal|hledger|ledger|ldg|dat|j)\s*$)/,
  /^commodity (?:\S+ \d[^;|]*|\S*\d[^\s\d;|]*(?:\s[^;|]*)?)$/,
];
const LEDGER_ONLY = [
  /-\*- *ledger|^(?:bucket|capture|define|def|expr|assert|check|apply tag|A )|\[=?\d/m,
  /^=\s*\//m,
  /^[ \t]+\S.*(?:\{|\(\()/m,
];
const HLEDGER_ONLY = [
  /hledger|^decimal-mark|^#|==|=\*/m,
  /^account .*type:/m,
  /^\S.*\s\|\s/m,
  /^[ \t]*;.*\bdate2?:\d/m,
];

/**
 * Detects a journal in text: null unless all of its lines are those of a journal and at least one can be nothing else.
 * ledger and hledger share a grammar; a file that shows neither is ledger.
 */
function detectJournal(text: string): JournalFormat | null {
  if (BEANCOUNT.test(text)) return 'beancount';
  const lines = text.split(/\r\n|\n|\r/);
  let isJournal = false;
  let isAfterHeader = false;
  let isInBlock = false;
  // The last line may be cut.
  for (const whole of lines.length > 1 ? lines.slice(0, -1) : lines) {
    const line = whole.slice(0, MAX_LINE_LENGTH);
    if (isInBlock) {
      isInBlock = !/^[!@]?end\b/.test(line);
    } else if (/^\s/.test(line)) {
      if (isAfterHeader && POSTING.test(line)) isJournal = true;
    } else if (line !== '' && !/^[;#*%|]/.test(line)) {
      isAfterHeader = HEADER.test(line);
      if (
        !isAfterHeader &&
        !DIRECTIVE.some((each) => each.test(line)) &&
        !/^[ioIOhb] \d{4}[-/.]/.test(line)
      )
        return null;
      if (STRONG.some((each) => each.test(line))) isJournal = true;
      isInBlock = /^[!@]?(?:comment|test)\b/.test(line);
    }
  }
  if (!isJournal) return null;
  const has = (expressions: readonly RegExp[]): boolean =>
    expressions.some((each) => each.test(text));
  return has(HLEDGER_ONLY) && !has(LEDGER_ONLY) ? 'hledger' : 'ledger';
}
