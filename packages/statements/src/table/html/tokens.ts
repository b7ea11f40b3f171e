import { listOf } from '../../statement/texts.ts';
import { Refusal } from '../../statement/statement-error.ts';

/** A tag without its attributes, or the text before the next tag. */
export interface Token {
  readonly kind: 'open' | 'close' | 'text';
  /** The lower-case name of a tag, or the text as written. */
  readonly text: string;
  /** How many columns a cell takes; 1 for other tags. */
  readonly span: number;
  readonly line: number;
  /** The number of a cell's column, from 1, if cells before it are left out. */
  readonly column?: number;
}

/** Maximum characters of a tag, of a comment or of the text between two tags. */
const MAX_TOKEN_LENGTH = 1_048_576;
const MAX_SPAN = 100;
/** Elements of a spreadsheet in the XML of Excel 2003, which banks name `.xls`. */
const SPREADSHEET_TAGS: ReadonlyMap<string, string> = new Map([
  ['table', 'table'],
  ['row', 'tr'],
  ['cell', 'td'],
]);
/** Elements whose content is no text. */
const RAW = new Set(['script', 'style', 'template', 'noscript']);

/**
 * Splits HTML into tags and texts, as a stream. Comments, declarations, scripts and styles are skipped.
 * Errors: Refusal for a NUL character or a token that is too long.
 */
export function* tokensOf(pieces: Iterable<string>): Generator<Token> {
  const state = { text: '', line: 1, raw: null as string | null };
  for (const piece of pieces) {
    if (piece.includes('\0'))
      throw new Refusal('NUL character: this is not a text file', state.line);
    state.text += piece;
    yield* take(state, false);
    if (state.text.length > MAX_TOKEN_LENGTH) {
      throw new Refusal(
        `Text between two tags is longer than ${MAX_TOKEN_LENGTH} characters`,
        state.line,
      );
    }
  }
  yield* take(state, true);
}

interface State {
  text: string;
  line: number;
  raw: string | null;
}

function* take(state: State, isWhole: boolean): Generator<Token> {
  const { text } = state;
  let at = 0;
  while (at < text.length) {
    const end = tokenEnd(text, at, state.raw, isWhole);
    if (end < 0) break;
    const source = text.slice(at, end);
    const token = tokenOf(source, state);
    if (token !== null) yield token;
    if (/[\r\n]/.test(source)) state.line += source.match(/\r\n?|\n/g)?.length ?? 0;
    at = end;
  }
  state.text = text.slice(at);
}

/** The end of the token that begins at a position; -1 if it is not in the text. */
function tokenEnd(text: string, at: number, raw: string | null, isWhole: boolean): number {
  const rest = isWhole ? text.length : -1;
  if (raw !== null) return endOfRaw(text, at, raw, rest);
  if (text[at] !== '<') {
    const next = text.indexOf('<', at);
    return next < 0 ? rest : next;
  }
  if (!isWhole && text.length - at < 4) return -1;
  if (text.startsWith('<!--', at)) return after(text.indexOf('-->', at + 4), 3, rest);
  // A sign that is no tag is text.
  if (!/[a-z/!?]/i.test(text[at + 1] ?? '')) return at + 1;
  return after(text.indexOf('>', at), 1, rest);
}

function endOfRaw(text: string, at: number, raw: string, rest: number): number {
  const close = text.toLowerCase().indexOf(`</${raw}`, at);
  if (close === at) return after(text.indexOf('>', at), 1, rest);
  return close < 0 ? rest : close;
}

function after(found: number, length: number, rest: number): number {
  return found < 0 ? rest : found + length;
}

function tokenOf(source: string, state: State): Token | null {
  const { line } = state;
  if (!source.startsWith('<') || source === '<') {
    return state.raw === null ? { kind: 'text', text: source, span: 1, line } : null;
  }
  const name = /^<(\/?)([a-z][a-z0-9:]*)/i.exec(source);
  if (name === null) return null;
  const written = name[2]!.toLowerCase();
  const tag = SPREADSHEET_TAGS.get(written.replace(/^ss:/, '')) ?? written;
  const isClose = name[1] === '/';
  if (state.raw !== null) {
    if (isClose && tag === state.raw) state.raw = null;
    return null;
  }
  if (!isClose && RAW.has(tag)) state.raw = tag;
  if (tag !== 'td' && tag !== 'th')
    return { kind: isClose ? 'close' : 'open', text: tag, span: 1, line };
  const span = /\bcolspan\s*=\s*["']?(\d{1,4})/i.exec(source)?.[1];
  const column = /\bss:Index\s*=\s*["'](\d{1,4})["']/.exec(source)?.[1];
  const columns = Math.min(Math.max(1, Number(span ?? 1)), MAX_SPAN);
  return {
    kind: isClose ? 'close' : 'open',
    text: tag,
    span: columns,
    line,
    ...(column !== undefined && { column: Number(column) }),
  };
}

/** Names of references, each before its character. */
const NAMED: ReadonlyMap<string, string> = new Map([
  ['nbsp', ' '],
  ['quot', '"'],
  ['apos', "'"],
  ...listOf(
    'amp& lt< gt> euro€ pound£ yen¥ cent¢ copy© reg® ndash– mdash— hellip… minus−',
    'aumlä oumlö uumlü AumlÄ OumlÖ UumlÜ szligß eacuteé egraveè ecircê eumlë EacuteÉ agraveà',
    'acircâ aacuteá atildeã aringå aeligæ ccedilç CcedilÇ iacuteí icircî iumlï ntildeñ',
    'NtildeÑ oacuteó ocircô otildeõ oslashø uacuteú ugraveù ucircû AacuteÁ OacuteÓ UacuteÚ',
    'IacuteÍ AtildeÃ OtildeÕ AringÅ OslashØ ordmº ordfª',
  ).map((pair) => [pair.slice(0, -1), pair.slice(-1)] as const),
]);

/** The text of HTML between two tags: named and numeric references become characters; unknown ones stay. */
export function htmlText(source: string): string {
  if (!source.includes('&')) return source;
  return source.replace(/&(#x[\da-f]{1,6}|#\d{1,7}|[a-z]{2,8});?/gi, (whole, name: string) => {
    if (!name.startsWith('#')) return NAMED.get(name) ?? whole;
    const isHex = /^#x/i.test(name);
    return character(Number.parseInt(name.slice(isHex ? 2 : 1), isHex ? 16 : 10)) ?? whole;
  });
}

function character(code: number): string | null {
  const isSurrogate = code >= 0xd800 && code <= 0xdfff;
  return code === 0 || code > 0x10ffff || isSurrogate ? null : String.fromCodePoint(code);
}
