import { parseAmount } from '../text/amount.ts';
import { readComment } from './comments.ts';
import { decimalMark, type LedgerState } from './state.ts';
import type { Reading } from '../text/reading.ts';
import { singleBlanks } from '../text/journal.ts';
import { Refusal } from '../../statement/statement-error.ts';

/** What the indented lines below a directive belong to. */
export type Scope =
  | { readonly kind: 'none' | 'skip' }
  | { readonly kind: 'account' | 'commodity'; readonly name: string };

const SKIP: Scope = { kind: 'skip' };
const IGNORED = new Set([
  'payee',
  'tag',
  'P',
  'N',
  'C',
  'assert',
  'check',
  'capture',
  'expr',
  'eval',
  'define',
  'def',
  'let',
  'python',
  'import',
  'value',
  'fixed',
  'endfixed',
  'option',
  'comment',
]);
const CLOCK = /^[ioIOhb]\s+\d{4}[-/.]/;

/** The directives of ledger and hledger. A path or a command in them is never followed. */
export class LedgerDirectives {
  readonly #state: LedgerState;
  readonly #reading: Reading;

  constructor(state: LedgerState, reading: Reading) {
    this.#state = state;
    this.#reading = reading;
  }

  /** Takes a line that is not indented and begins neither a transaction nor a comment. */
  take(text: string, line: number): Scope {
    const { notices } = this.#reading;
    if (text.startsWith('=')) notices.leaveOut('automated transaction');
    else if (text.startsWith('~')) notices.leaveOut('periodic transaction');
    else if (CLOCK.test(text)) notices.leaveOut('line of a time clock');
    else if (!text.startsWith('--')) return this.#takeWord(text, line);
    return SKIP;
  }

  #takeWord(text: string, line: number): Scope {
    const [, word = '', rest = ''] = /^[!@]?([\p{L}-]+)(?=\s|\d|$)\s*(.*)$/su.exec(text) ?? [];
    const bare = rest.replace(/(?:^|\s);.*$/s, '').trim();
    if (word === 'account') return this.#account(rest);
    if (word === 'commodity') return this.#commodity(bare, line);
    if (word === 'include') this.#reading.notices.include(line, bare);
    else if (word === 'alias') this.#alias(bare, line);
    else if (word === 'apply') this.#apply(bare);
    else if (word === 'end') this.#end(bare);
    else if (word === 'bucket' || word === 'A') this.#state.bucket = this.#state.accountOf(bare);
    else if (word === 'D') this.#default(bare, line);
    else if (word === 'decimal-mark') this.#decimalMark(bare, text, line);
    else if (word === 'Y' || word === 'year') this.#year(bare, text, line);
    else if (!IGNORED.has(word)) this.#problem(text, line, 'Not a transaction or a directive');
    return SKIP;
  }

  /** Takes an indented line below a directive. */
  takeDetail(text: string, scope: Scope, line: number): void {
    if (scope.kind === 'account') {
      this.#type(scope.name, text.replace(/^;/, ''), text.startsWith(';'));
      const alias = /^alias\s+(\S.*)$/.exec(text)?.[1];
      if (alias !== undefined) this.#state.addAlias(alias.trim(), scope.name);
      if (text === 'default') this.#state.bucket = scope.name;
    } else if (scope.kind === 'commodity') {
      const format = /^format\s+(\S.*)$/.exec(text)?.[1];
      if (format !== undefined) this.#format(format, line);
      if (text === 'default') this.#state.defaultCommodity = scope.name;
    }
  }

  #account(text: string): Scope {
    const gap = /\s{2,}|\t|\s;/.exec(text);
    const written = gap === null ? text : text.slice(0, gap.index);
    const name = this.#state.accountOf(singleBlanks(written));
    if (gap !== null) this.#type(name, text.slice(gap.index), true);
    return { kind: 'account', name };
  }

  #type(account: string, text: string, isComment: boolean): void {
    const type = isComment ? readComment(text).values.get('type') : undefined;
    if (type !== undefined && type !== '') this.#reading.survey.addType(account, type);
  }

  #commodity(text: string, line: number): Scope {
    if (/\d/.test(text)) return { kind: 'commodity', name: this.#format(text, line) ?? '' };
    return { kind: 'commodity', name: text.replaceAll('"', '') };
  }

  /** Notes the decimal mark of a format such as `1.000,00 EUR`; returns its commodity. */
  #format(text: string, line: number): string | null {
    const size = /\d[\d.,'’ \u00a0\u2009\u202f]*/.exec(text)?.[0].trim() ?? '';
    try {
      // The digits only show the mark, so they need not make a number here.
      const plain = text.replace(size, '1');
      const commodity = parseAmount(plain, 'ledger', this.#reading.marks, line).quantity?.commodity;
      this.#reading.marks.declareLike(commodity ?? '', size);
      return commodity ?? null;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.#problem(text, line, error.message);
      return null;
    }
  }

  #default(text: string, line: number): void {
    const commodity = this.#format(text, line);
    if (commodity !== null && commodity !== '') this.#state.defaultCommodity = commodity;
  }

  #decimalMark(mark: string, text: string, line: number): void {
    const decimal = decimalMark(mark);
    if (decimal === null) this.#problem(text, line, 'Not a decimal mark');
    else this.#reading.marks.declare(null, decimal);
  }

  #year(year: string, text: string, line: number): void {
    if (/^\d{4}$/.test(year)) this.#state.year = Number(year);
    else this.#problem(text, line, 'Not a year');
  }

  #alias(text: string, line: number): void {
    const at = text.indexOf('=');
    const from = text.slice(0, Math.max(0, at)).trim();
    const to = text.slice(at + 1).trim();
    if (from === '' || to === '') this.#problem(text, line, 'Not an alias');
    else if (from.startsWith('/')) {
      this.#reading.notices.warn(line, 'An alias with a regular expression is not applied');
    } else this.#state.addAlias(from, to);
  }

  #apply(text: string): void {
    const [, kind = '', value = ''] = /^(\w+)\s*(.*)$/s.exec(text) ?? [];
    const tag = /^([^\s:]+):?\s*(.*)$/s.exec(value);
    if (kind !== 'tag' || tag === null) this.#state.apply(kind, value);
    else this.#state.apply(kind, tag[2] === '' ? tag[1]! : `${tag[1]}:${tag[2]}`);
  }

  #end(text: string): void {
    const kind = text.replace(/^apply\s*/, '');
    if (kind === 'aliases') this.#state.endAliases();
    else this.#state.endApply(kind);
  }

  #problem(text: string, line: number, reason: string): void {
    this.#reading.notices.problems.add(line, null, text, reason);
  }
}
