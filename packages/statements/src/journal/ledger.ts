import { singleBlanks, listOf } from '../statement/texts.ts';
import { NO_AMOUNT, OpenTransaction, type Item, type Reading } from './survey.ts';
import type { TextLine } from '../bytes/text-lines.ts';
import type { Amount, Quantity } from './amount.ts';
import { Refusal } from '../statement/statement-error.ts';
import type { Decimal } from '../statement/statement.ts';

const HEADER =
  /^([\d/.-]+)(?:=([\d/.-]*))?(?=[\s*!(]|$)\s*(?:([*!])\s*)?(?:\(([^()]*)\)\s*)?(.*)$/s;

/**
 * Reads the transactions of ledger and hledger, which share a grammar.
 * Errors: adds a problem for every line that is not understood. Source: the manuals of ledger 3 and hledger 1.
 */
export class LedgerReader {
  readonly #reading: Reading;
  readonly #state = new LedgerState();
  readonly #directives: LedgerDirectives;
  /** What an indented line belongs to. */
  #scope: Scope = { kind: 'none' };
  /** The word that ends a block whose lines are skipped. */
  #blockEnd: RegExp | null = null;
  /** The first line of the block that looks like a transaction. */
  #hidden: number | null = null;

  constructor(reading: Reading) {
    this.#reading = reading;
    this.#directives = new LedgerDirectives(this.#state, reading);
  }

  *items(lines: Iterable<TextLine>): Generator<Item> {
    for (const line of lines) {
      const closed = this.#take(line);
      if (closed !== null) yield closed.finish();
    }
    if (this.#blockEnd !== null && this.#hidden !== null) {
      this.#reading.notices.warn(this.#hidden, 'Is in a comment block that is never ended');
    }
    if (this.#reading.open !== null) yield this.#reading.open.finish();
  }

  /** Takes a line; returns the transaction before it if the line ends it. */
  #take(line: TextLine): OpenTransaction | null {
    const { text } = line;
    if (this.#blockEnd !== null) {
      if (this.#blockEnd.test(text)) this.#blockEnd = null;
      else if (/^\d{4}[-/.]\d/.test(text)) this.#hidden ??= line.line;
      return null;
    }
    if (text === '' || text.trim() === '') return null;
    if (/^\s/.test(text)) {
      this.#takeIndented(line);
      return null;
    }
    if (/^[;#*%|]/.test(text)) return null;
    const before = this.#reading.open;
    this.#reading.open = null;
    this.#scope = { kind: 'skip' };
    if (/^\d/.test(text)) this.#begin(line);
    else this.#takeDirective(line);
    return before;
  }

  #takeDirective({ line: number, text }: TextLine): void {
    const block = /^[!@]?(comment|test)\b/.exec(text)?.[1];
    this.#hidden = null;
    if (block !== undefined) this.#blockEnd = /^[!@]?end(?:\s+(?:comment|test))?\s*$/;
    else this.#scope = this.#directives.take(text, number);
  }

  #takeIndented(line: TextLine): void {
    const text = line.text.trim();
    const { open } = this.#reading;
    if (open !== null) {
      if (text.startsWith(';')) this.#comment(open, text, line.line);
      else this.#posting(open, text, line.line);
    } else if (this.#scope.kind === 'none') {
      if (!/^[;#*%|]/.test(text))
        this.#reading.problem(line.line, text, 'Is not part of a transaction');
    } else this.#directives.takeDetail(text, this.#scope, line.line);
  }

  #begin({ line: number, text }: TextLine): void {
    const match = HEADER.exec(text);
    if (match === null) {
      this.#reading.problem(number, text, 'Not a transaction');
      return;
    }
    const [, dateText = '', , mark, code = '', rest = ''] = match;
    const date = this.#reading.dayOfTransaction(dateText, number, this.#state.year);
    const open = new OpenTransaction(number, date);
    open.isPending = mark === '!';
    open.code = singleBlanks(code);
    open.bucket = this.#state.bucket;
    open.tags.push(...this.#state.tags);
    this.#reading.open = open;
    const comment = /(?:^|\s);/.exec(rest);
    const description = comment === null ? rest : rest.slice(0, comment.index);
    const [payee = '', ...notes] = description.split(/(?:^|\s)\|(?:\s|$)/);
    open.payee = singleBlanks(payee);
    const note = singleBlanks(notes.join(' | '));
    if (note !== '') open.comments.push(note);
    if (comment !== null) this.#comment(open, rest.slice(comment.index).trim(), number);
  }

  #comment(open: OpenTransaction, text: string, line: number): void {
    const comment = readComment(text.replace(/^;+/, ''));
    open.tags.push(...comment.tags);
    const posting = open.postings.at(-1);
    if (comment.text !== '') (posting?.notes ?? open.comments).push(comment.text);
    if (comment.date === null || posting === undefined) return;
    const year = open.date === null ? this.#state.year : Number(open.date.slice(0, 4));
    posting.date = this.#reading.day(comment.date, line, year) ?? posting.date;
  }

  /** Reads a mark, the account, and after two spaces or a tab the amount. */
  #posting(open: OpenTransaction, text: string, line: number): void {
    const [, mark, body = ''] = /^(?:([*!])\s*)?(.*)$/s.exec(text)!;
    const gap = /\s{2,}|\t|\s(?=;)/.exec(body);
    const name = gap === null ? body : body.slice(0, gap.index);
    // A virtual account, which moves no money.
    if (/^\(.*\)$|^\[.*\]$/.test(name)) {
      this.#reading.notices.leaveOut('virtual posting');
      return;
    }
    const rest = gap === null ? '' : body.slice(gap.index).trim();
    const { amountText, comment } = splitComment(rest);
    // `<x>` is an account that ledger balances last.
    const account = this.#state.accountOf(singleBlanks(name.replace(/^<(.*)>$/, '$1')));
    const written = this.#reading.amount(amountText, 'ledger', line) ?? NO_AMOUNT;
    const amount = this.#state.withDefault(written);
    open.add({ line, account, isPending: mark === '!', date: null, notes: [], amount });
    if (comment !== '') this.#comment(open, comment, line);
  }
}

/** A semicolon begins a comment, except in a quoted commodity. */
function splitComment(text: string): { amountText: string; comment: string } {
  const end = /^(?:[^;"]|"[^"]*"|"[^";]*(?=;|$))*/.exec(text)?.[0].length ?? 0;
  return { amountText: text.slice(0, end).trim(), comment: text.slice(end) };
}

/** What the indented lines below a directive belong to. */
export type Scope =
  | { readonly kind: 'none' | 'skip' }
  | { readonly kind: 'account' | 'commodity'; readonly name: string };

const SKIP: Scope = { kind: 'skip' };
const IGNORED = new Set(
  listOf(
    'payee tag P N C assert check capture expr eval define def let python import value fixed',
    'endfixed option comment',
  ),
);
const CLOCK = /^[ioIOhb]\s+\d{4}[-/.]/;

/** The directives of ledger and hledger. A path or a command in them is never followed. */
class LedgerDirectives {
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
    else if (!IGNORED.has(word))
      this.#reading.problem(line, text, 'Not a transaction or a directive');
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
    // The digits only show the mark, so they need not make a number here.
    const amount = this.#reading.amount(text.replace(size, '1'), 'ledger', line, text);
    if (amount === null) return null;
    const commodity = amount.quantity?.commodity;
    this.#reading.marks.declareLike(commodity ?? '', size);
    return commodity ?? null;
  }

  #default(text: string, line: number): void {
    const commodity = this.#format(text, line);
    if (commodity !== null && commodity !== '') this.#state.defaultCommodity = commodity;
  }

  #decimalMark(mark: string, text: string, line: number): void {
    const decimal = decimalMark(mark);
    if (decimal === null) this.#reading.problem(line, text, 'Not a decimal mark');
    else this.#reading.marks.declare(null, decimal);
  }

  #year(year: string, text: string, line: number): void {
    if (/^\d{4}$/.test(year)) this.#state.year = Number(year);
    else this.#reading.problem(line, text, 'Not a year');
  }

  #alias(text: string, line: number): void {
    const at = text.indexOf('=');
    const from = text.slice(0, Math.max(0, at)).trim();
    const to = text.slice(at + 1).trim();
    if (from === '' || to === '') this.#reading.problem(line, text, 'Not an alias');
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
}

const MAX_ALIASES = 1_000;
const MAX_APPLIED = 100;
const MAX_NAME_LENGTH = 1_000;

interface Applied {
  readonly kind: string;
  readonly value: string;
}

/** What the directives of a ledger or hledger journal set, up to the current line. */
class LedgerState {
  year: number | null = null;
  /** The account that balances transactions of one posting. */
  bucket: string | null = null;
  defaultCommodity: string | null = null;
  /** The last alias comes first. */
  #aliases: (readonly [from: string, to: string])[] = [];
  readonly #applied: Applied[] = [];

  addAlias(from: string, to: string): void {
    if (this.#aliases.length >= MAX_ALIASES) throw new Refusal(`More than ${MAX_ALIASES} aliases`);
    this.#aliases.unshift([from, to]);
  }

  endAliases(): void {
    this.#aliases = [];
  }

  apply(kind: string, value: string): void {
    if (this.#applied.length >= MAX_APPLIED) {
      throw new Refusal(`More than ${MAX_APPLIED} nested "apply" directives`);
    }
    // The year before is restored at the end.
    this.#applied.push({ kind, value: kind === 'year' ? String(this.year ?? '') : value });
    if (kind === 'year' && /^\d{4}$/.test(value)) this.year = Number(value);
  }

  /** Ends the last applied directive, of the kind if one is given. */
  endApply(kind: string): void {
    const at = this.#applied.findLastIndex((applied) => kind === '' || applied.kind === kind);
    if (at < 0) return;
    const [ended] = this.#applied.splice(at, 1);
    if (ended?.kind === 'year') this.year = ended.value === '' ? null : Number(ended.value);
  }

  /** Tags of `apply tag`. */
  get tags(): string[] {
    return this.#applied.filter(({ kind }) => kind === 'tag').map(({ value }) => value);
  }

  /**
   * The name of an account after `apply account` and aliases. Each alias is applied once, the last one first, so that
   * circular ones end. Errors: Refusal if the name grows too long.
   */
  accountOf(name: string): string {
    const parents = this.#applied.filter(({ kind }) => kind === 'account');
    let account = [...parents.map(({ value }) => value), name].join(':');
    for (const [from, to] of this.#aliases) {
      if (account === from) account = to;
      else if (account.startsWith(`${from}:`)) account = to + account.slice(from.length);
      if (account.length > MAX_NAME_LENGTH) {
        throw new Refusal(`Account is longer than ${MAX_NAME_LENGTH} characters`);
      }
    }
    return account;
  }

  /** The amount, in the default commodity if it has none. */
  withDefault(amount: Amount): Amount {
    const commodity = this.defaultCommodity;
    if (commodity === null) return amount;
    const fill = (quantity: Quantity | null): Quantity | null =>
      quantity?.commodity === '' ? { ...quantity, commodity } : quantity;
    const { cost, price } = amount;
    return {
      ...amount,
      quantity: fill(amount.quantity),
      balance: fill(amount.balance),
      cost: cost === null ? null : { ...cost, quantity: fill(cost.quantity) },
      price: price === null ? null : { ...price, quantity: fill(price.quantity) },
    };
  }
}

/** The mark of a `decimal-mark` directive. */
function decimalMark(text: string): Decimal | null {
  return text === '.' ? 'point' : text === ',' ? 'comma' : null;
}

const MAX_TAG_LENGTH = 40;
const DATES = /\[([\d/.-]*)(?:=[\d/.-]+)?\]/;
const WORDS = /(^|\s):((?:[^\s:,]+:)+)(?=\s|$)/;
const PAIR = /(^|\s)(\p{L}[\p{L}\p{N}_-]*):(?![/:\\])(.*)$/su;

/**
 * Reads the comment of a transaction or posting. `:a:b:` are two tags; `key:` is the tag `key` and `key: value` the tag
 * `key:value`, up to the next comma. A value that is too long for a tag stays in the text. `values` has those of all
 * keys, also of those that are no tags, such as `type:` of an account.
 */
function readComment(comment: string) {
  const values = new Map<string, string>();
  const tags: string[] = [];
  const dates = DATES.exec(comment);
  const bare = dates === null ? comment : comment.replace(DATES, ' ');
  const pieces = bare.split(',').map((piece) => readPiece(piece, tags, values));
  const text = pieces.filter((piece) => piece !== '').join(', ');
  const date = values.get('date') ?? dates?.[1] ?? '';
  return { text, tags, date: date === '' ? null : date, values };
}

function readPiece(piece: string, tags: string[], values: Map<string, string>): string {
  const words = WORDS.exec(piece);
  if (words !== null) {
    tags.push(...words[2]!.split(':').filter((tag) => tag !== '' && tag.length <= MAX_TAG_LENGTH));
    return singleBlanks(piece.replace(WORDS, ' '));
  }
  const pair = PAIR.exec(piece);
  if (pair === null) return singleBlanks(piece);
  const key = pair[2]!;
  const value = singleBlanks(pair[3]!);
  values.set(key, value);
  const tag = value === '' ? key : `${key}:${value}`;
  if (/^date2?$|^type$/.test(key)) return singleBlanks(piece.slice(0, pair.index));
  if (tag.length > MAX_TAG_LENGTH) return singleBlanks(piece);
  tags.push(tag);
  return singleBlanks(piece.slice(0, pair.index));
}
