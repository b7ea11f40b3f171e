/** Characters of a line that are looked at. */
const MAX_LINE_LENGTH = 400;

/** A journal's format, as its content shows it. */
export type JournalFormat = 'beancount' | 'hledger' | 'ledger';

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
export function detectJournal(text: string): JournalFormat | null {
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
