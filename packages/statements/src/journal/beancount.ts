import { listOf, singleBlanks } from '../statement/texts.ts';
import { Refusal } from '../statement/statement-error.ts';
import { type Amount, parseSize } from './amount.ts';
import { NO_AMOUNT, OpenTransaction, type Item, type Reading } from './survey.ts';
import { MAX_JOURNAL_LINE_LENGTH, type TextLine } from '../bytes/text-lines.ts';

const MAX_TAGS = 1_000;
const DATED = /^(\d{4}[-/]\d{1,2}[-/]\d{1,2})\s+(\S+)\s*(.*)$/s;
const DIRECTIVES = new Set(listOf('open close commodity price note document event query custom'));
const UNDATED = new Set(['plugin', 'pushmeta', 'popmeta']);
const FLAG = /^(?:txn|[!&#?%*A-Z])$/;
const POSTING = /^(?:([!&#?%*]|[A-Z](?=\s))\s*)?([^\s:"]+(?::[^\s:"]+)+)(?:\s+(.*))?$/s;
const METADATA = /^[a-z][\w-]*:(?=\s|$)/;

/**
 * Reads the transactions, pads and balances of beancount.
 * Errors: adds a problem for every line that is not understood. Source: the language syntax of beancount 2 and 3.
 */
export class BeancountReader {
  readonly #reading: Reading;
  readonly #tags = new Set<string>();
  #isAfterDirective = false;

  constructor(reading: Reading) {
    this.#reading = reading;
  }

  *items(lines: Iterable<TextLine>): Generator<Item> {
    for (const line of this.#joined(lines)) {
      if (line.text.trim() === '') continue;
      if (/^\s/.test(line.text)) {
        this.#takeIndented({ ...line, text: line.text.trim() });
        continue;
      }
      if (line.text.startsWith(';')) continue;
      yield* this.#finished();
      const item = this.#takeDirective(line);
      if (item !== null) yield item;
    }
    yield* this.#finished();
  }

  *#finished(): Generator<Item> {
    const { open } = this.#reading;
    this.#reading.open = null;
    if (open !== null) yield open.finish();
  }

  /** Joins the lines of a string. */
  *#joined(lines: Iterable<TextLine>): Generator<TextLine> {
    let first = 0;
    let parts: string[] = [];
    let length = 0;
    let isInString = false;
    for (const { line: number, text } of lines) {
      if (!isInString && !text.includes('"')) {
        yield { line: number, text };
        continue;
      }
      if (parts.length === 0) first = number;
      parts.push(text);
      length += text.length + 1;
      if (length > MAX_JOURNAL_LINE_LENGTH) throw new Refusal('String is never closed', first);
      isInString = (isInString || !isHeading(text)) && endsInString(text, isInString);
      if (isInString) continue;
      yield { line: first, text: parts.join('\n') };
      parts = [];
      length = 0;
    }
    if (parts.length > 0) throw new Refusal('String is never closed', first);
  }

  #takeDirective({ line: number, text }: TextLine): Item | null {
    this.#isAfterDirective = true;
    const dated = DATED.exec(text);
    if (dated !== null) return this.#takeDated(dated, number);
    // Headings of outlines, and other lines that begin with a sign, are comments.
    if (!/^[\p{L}\d]/u.test(text)) return null;
    const [first, ...tokens] = tokensOf(text);
    const word = first?.text ?? '';
    if (word === 'option') this.#option(tokens);
    else if (word === 'include') this.#reading.notices.include(number, tokens[0]?.text ?? '');
    else if (word === 'pushtag') this.#pushTag(tokens);
    else if (word === 'poptag') this.#tags.delete(tokens[0]?.text.slice(1) ?? '');
    else if (!UNDATED.has(word)) this.#reading.problem(number, text, 'Not a directive');
    return null;
  }

  #takeDated([text, date = '', word = '', rest = '']: RegExpExecArray, line: number): Item | null {
    const checked = this.#reading.day(date, line, null);
    const [flag, body] = /^[*!]"/.test(word) ? [word[0]!, word.slice(1) + rest] : [word, rest];
    if (word === 'pad') return this.#pad(rest, checked, line);
    if (word === 'balance') return this.#balance(rest, checked, line);
    if (FLAG.test(flag)) this.#begin(flag, body, checked, line);
    else if (!DIRECTIVES.has(word)) this.#reading.problem(line, text, 'Not a directive');
    return null;
  }

  #begin(flag: string, text: string, date: string | null, line: number): void {
    const open = new OpenTransaction(line, date);
    this.#reading.open = open;
    open.isPending = flag === '!';
    open.tags.push(...this.#tags);
    const tokens = tokensOf(text);
    const strings = tokens.filter(({ kind }) => kind === 'string').map((token) => token.text);
    const [payee, narration] = strings.length > 1 ? strings : ['', strings[0] ?? ''];
    const texts = [payee, narration].map((part) => singleBlanks(part ?? ''));
    open.payee = texts.find((part) => part !== '') ?? '';
    if (texts[0] !== '' && texts[1] !== '') open.comments.push(texts[1]!);
    this.#addTags(tokens);
    const isOdd = tokens.some(({ kind, text: odd }) => kind === 'other' && odd !== '|');
    if (strings.length > 2 || isOdd) this.#reading.problem(line, text, 'Not a transaction');
  }

  #takeIndented({ line: number, text }: TextLine): void {
    const { open } = this.#reading;
    if (/^[;]/.test(text)) return;
    if (open === null) {
      if (!this.#isAfterDirective)
        this.#reading.problem(number, text, 'Is not part of a transaction');
      return;
    }
    if (METADATA.test(text)) return;
    if (/^[#^]\S/.test(text)) this.#addTags(tokensOf(text));
    else this.#posting(open, text, number);
  }

  #posting(open: OpenTransaction, text: string, line: number): void {
    const [, flag, account = '', rest = ''] = POSTING.exec(text) ?? [];
    if (account === '') {
      this.#reading.problem(line, text, 'Not a posting');
      return;
    }
    const amount = this.#amount(rest, line);
    open.add({ line, account, isPending: flag === '!', date: null, notes: [], amount });
  }

  #amount(text: string, line: number): Amount {
    const bare = text.replace(/^((?:[^";]|"[^"]*")*);.*$/s, '$1').trim();
    return this.#reading.amount(bare, 'beancount', line) ?? NO_AMOUNT;
  }

  #pad(text: string, date: string | null, line: number): Item | null {
    const [account, source] = tokensOf(text).map((token) => token.text);
    if (account === undefined || source === undefined)
      this.#reading.problem(line, text, 'Not a pad');
    else if (date !== null) return { kind: 'pad', line, date, account, source };
    return null;
  }

  #balance(text: string, date: string | null, line: number): Item | null {
    const [, account = '', rest = ''] = /^(\S+)\s+(.*)$/s.exec(text) ?? [];
    // A tolerance does not change what a pad adds.
    const given = /~\s*(\d[\d.,]*)/.exec(rest)?.[1];
    const tolerance = given === undefined ? null : (parseSize(given, 'point')?.value ?? null);
    const amount = this.#amount(rest.replace(/~\s*[\d.,]+/, ''), line);
    if (amount.quantity === null) this.#reading.problem(line, text, 'Not a balance');
    return date === null ? null : { kind: 'balance', line, date, account, amount, tolerance };
  }

  #addTags(tokens: readonly Token[]): void {
    for (const { kind, text } of tokens) {
      if (kind === 'tag')
        this.#reading.open?.tags.push(text.startsWith('#') ? text.slice(1) : text);
    }
  }

  #pushTag(tokens: readonly Token[]): void {
    this.#tags.add(tokens[0]?.text.slice(1) ?? '');
    if (this.#tags.size > MAX_TAGS) throw new Refusal(`More than ${MAX_TAGS} pushed tags`);
  }

  #option([key, value]: readonly Token[]): void {
    const { survey } = this.#reading;
    const top = /^name_(assets|liabilities|equity|income|expenses)$/.exec(key?.text ?? '')?.[1];
    if (top !== undefined && value !== undefined) survey.tops.set(value.text, top);
  }
}

/** A heading of an outline may have an odd number of quotes. */
function isHeading(text: string): boolean {
  return /^[^\s\p{L}\d]/u.test(text);
}

/** A word of a beancount directive. */
interface Token {
  readonly kind: 'string' | 'tag' | 'other';
  /** A string without its quotes; a tag or link with its sign. */
  readonly text: string;
}

const TOKEN = /"((?:[^"\\]|\\.)*)"|([#^][^\s"#^]+)|(;)|([^\s";]+)|(")/gs;

/** Splits a directive into strings, tags, links and other words, up to a comment. */
function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  for (const [, string, tag, comment, other, quote] of text.matchAll(TOKEN)) {
    if (comment !== undefined) break;
    if (string !== undefined) tokens.push({ kind: 'string', text: unescaped(string) });
    else if (tag !== undefined) tokens.push({ kind: 'tag', text: tag });
    else tokens.push({ kind: 'other', text: other ?? quote! });
  }
  return tokens;
}

/** Whether a string is open at the end of a line, given whether it was open before. */
function endsInString(line: string, wasInString: boolean): boolean {
  let isInString = wasInString;
  for (let at = 0; at < line.length; at += 1) {
    const sign = line[at];
    if (isInString && sign === '\\') at += 1;
    else if (sign === '"') isInString = !isInString;
    else if (sign === ';' && !isInString) return false;
  }
  return isInString;
}

function unescaped(text: string): string {
  return text.replace(/\\(.)/gs, (_, sign: string) =>
    sign === 'n' ? '\n' : sign === 't' ? '\t' : sign,
  );
}
