import { listOf, singleBlanks } from '../statement/texts.ts';
import type { Amount, Quantity } from './amount.ts';
import type { Reading } from './survey.ts';
import { Refusal } from '../statement/statement-error.ts';
import type { Decimal } from '../statement/statement.ts';

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
export class LedgerState {
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

/** What a comment of ledger or hledger has. */
export interface Comment {
  /** Without tags and dates. */
  readonly text: string;
  readonly tags: readonly string[];
  /** Of `[2024/2/1]` or `date:2024-02-01`. */
  readonly date: string | null;
  /** The values of all keys, also of those that are no tags, such as `type:` of an account. */
  readonly values: ReadonlyMap<string, string>;
}

const MAX_TAG_LENGTH = 40;
const DATES = /\[([\d/.-]*)(?:=[\d/.-]+)?\]/;
const WORDS = /(^|\s):((?:[^\s:,]+:)+)(?=\s|$)/;
const PAIR = /(^|\s)(\p{L}[\p{L}\p{N}_-]*):(?![/:\\])(.*)$/su;

/**
 * Reads the comment of a transaction or posting. `:a:b:` are two tags; `key:` is the tag `key` and `key: value` the tag
 * `key:value`, up to the next comma. A value that is too long for a tag stays in the text.
 */
export function readComment(comment: string): Comment {
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
