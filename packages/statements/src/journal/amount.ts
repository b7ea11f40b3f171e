import { Refusal } from '../statement/statement-error.ts';
import { currencyOf } from '../statement/currencies.ts';
import { abs, divide, multiply, PLACES, round, type Fixed, type Marks } from './numbers.ts';

/** A quantity of a commodity; `''` is no commodity. */
export interface Quantity {
  readonly value: Fixed;
  readonly commodity: string;
  /** Decimals as written. */
  readonly places: number;
}

/** What a commodity was bought or sold for. */
export interface Price {
  /** Null: not written, as in `{}`. */
  readonly quantity: Quantity | null;
  /** For all of it, not for each unit. */
  readonly isTotal: boolean;
  /** Added to the total, as in `{5 # 9.95 USD}`. */
  readonly fee: Fixed;
}

/** The amount of a posting. */
export interface Amount {
  /** Null: not written. */
  readonly quantity: Quantity | null;
  /** The commodity of a quantity that is not written, if it is. */
  readonly commodity: string | null;
  /** In braces: what the lot was bought for. */
  readonly cost: Price | null;
  /** After `@`. */
  readonly price: Price | null;
  /** After `=`: the balance of the account. */
  readonly balance: Quantity | null;
  /** Whether the balance includes the accounts below it, as with `=*`. */
  readonly isInclusive: boolean;
}

/** The notation of amounts. */
export type Dialect = 'beancount' | 'ledger';

const CASH_PLACES = 4;
const MAX_DEPTH = 32;
const MAX_TEXT_LENGTH = 4096;
const GROUP = "['’ \\u00a0\\u2009\\u202f]";
const NUMBER = new RegExp(
  `(?:\\d{1,3}(?:${GROUP}\\d{3})+(?!\\d)(?:[.,]\\d*)?|[.,]?\\d[\\d.,]*)(?:[eE][-+]?\\d{1,2}(?![\\p{L}\\d]))?`,
  'uy',
);
const COMMODITIES: Readonly<Record<Dialect, RegExp>> = {
  beancount: /[A-Z][A-Z0-9'._-]*/y,
  ledger: /"[^"]*"|[^\s\d.,;:+\-*/^?!=<>[\](){}@"&|~#−][^\s\d.,;+\-*/^?!=<>[\](){}@"&|~#−]*/y,
};
const DATE = /\d{4}[-/.]\d{1,2}[-/.]\d{1,2}/y;

/** Parses the amount of a posting. Errors: Refusal with the reason if the text is not one. */
export function parseAmount(text: string, dialect: Dialect, marks: Marks, line: number): Amount {
  return new AmountParser(text, dialect, marks, line).parse();
}

/** A quantity whose parts are not put together yet. */
interface Term {
  readonly value: Fixed;
  readonly places: number;
  readonly commodity: string | null;
  /** Whether it is a sum, a product or a quotient. */
  readonly isComputed: boolean;
}

class AmountParser {
  readonly #text: string;
  readonly #dialect: Dialect;
  readonly #marks: Marks;
  readonly #line: number;
  #at = 0;
  #depth = 0;

  constructor(text: string, dialect: Dialect, marks: Marks, line: number) {
    if (text.length > MAX_TEXT_LENGTH) throw this.#fault();
    this.#text = text;
    this.#dialect = dialect;
    this.#marks = marks;
    this.#line = line;
  }

  parse(): Amount {
    let quantity: Quantity | null = null;
    let commodity: string | null = null;
    let cost: Price | null = null;
    let price: Price | null = null;
    let balance: Quantity | null = null;
    let isInclusive = false;
    if (!this.#sees(/[={@]|$/y)) {
      const isBare = this.#dialect === 'beancount' && this.#sees(/[A-Z]/y);
      if (isBare) commodity = this.#commodity();
      else quantity = this.#quantity();
    }
    for (;;) {
      if (this.#takes(/\{/y)) cost = this.#cost();
      else if (this.#takes(/\(@@\)|@@/y)) price = this.#price(true);
      else if (this.#takes(/\(@\)|@/y)) price = this.#price(false);
      else if (this.#sees(/=/y)) {
        isInclusive = this.#takes(/==?\*?/y)!.endsWith('*');
        balance = this.#quantity();
        this.#costOfBalance();
      } else if (!this.#takes(/\[[^\]]*\]|\([^()]*\)/y)) break; // the date and the note of a lot
    }
    if (!this.#sees(/$/y)) throw this.#fault();
    return { quantity, commodity, cost, price, balance, isInclusive };
  }

  /** hledger allows the cost of the asserted lot, which is no part of the posting. */
  #costOfBalance(): void {
    if (this.#takes(/\{/y)) this.#cost();
    if (this.#takes(/@@?/y)) this.#price(true);
  }

  #cost(): Price {
    const isTotal = this.#takes(/\{/y) !== null;
    this.#takes(/=/y);
    let quantity: Quantity | null = null;
    let fee = 0n;
    while (!this.#takes(isTotal ? /\}\}/y : /\}/y)) {
      if (this.#takes(/,|\*|"[^"]*"/y) || this.#takes(DATE)) continue;
      if (this.#takes(/#/y)) {
        const added = this.#quantity();
        fee = added.value;
        quantity ??= { ...added, value: 0n };
        if (quantity.commodity === '') quantity = { ...quantity, commodity: added.commodity };
      } else if (quantity === null) quantity = this.#quantity();
      else throw this.#fault();
    }
    return { quantity, isTotal, fee };
  }

  #price(isTotal: boolean): Price {
    const isMissing = this.#dialect === 'beancount' && this.#sees(/[A-Z]|$/y);
    if (isMissing) this.#commodity();
    return { quantity: isMissing ? null : this.#quantity(), isTotal, fee: 0n };
  }

  #quantity(): Quantity {
    const term = this.#dialect === 'beancount' ? this.#sum() : this.#term();
    const commodity = term.commodity ?? this.#commodity() ?? '';
    const isCash = commodity === '' || currencyOf(commodity) !== null;
    // What is computed may have any number of decimals; cash has four.
    const value = term.isComputed && isCash ? round(term.value, CASH_PLACES) : term.value;
    return { value, commodity, places: term.places };
  }

  #sum(): Term {
    let left = this.#product();
    for (;;) {
      const sign = this.#takes(/[-+]/y);
      if (sign === null) return left;
      const right = this.#product();
      const value = sign === '+' ? left.value + right.value : left.value - right.value;
      left = { value, ...this.#shared(left, right) };
    }
  }

  #product(): Term {
    let left = this.#term();
    for (;;) {
      const sign = this.#takes(/[*/]/y);
      if (sign === null) return left;
      const right = this.#term();
      const value =
        sign === '*' ? multiply(left.value, right.value) : divide(left.value, right.value);
      if (value === null) throw new Refusal('Division by zero');
      left = { value, ...this.#shared(left, right) };
    }
  }

  #shared(left: Term, right: Term): Omit<Term, 'value'> {
    const commodity = left.commodity ?? right.commodity;
    const isMixed = right.commodity !== null && right.commodity !== commodity;
    if (isMixed) throw new Refusal('Expression has several commodities');
    return { commodity, places: Math.max(left.places, right.places), isComputed: true };
  }

  /** A number with its commodity before or after, or an expression in parentheses. */
  #term(): Term {
    let isNegative = this.#isNegative();
    const before = this.#dialect === 'ledger' ? this.#commodity() : null;
    if (this.#isNegative()) isNegative = !isNegative;
    const inner = this.#takes(/\(/y) === null ? this.#number(before) : this.#group(before);
    return isNegative ? { ...inner, value: -inner.value } : inner;
  }

  #group(before: string | null): Term {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) throw new Refusal(`More than ${MAX_DEPTH} nested parentheses`);
    const inner = this.#sum();
    if (this.#takes(/\)/y) === null) throw this.#fault();
    this.#depth -= 1;
    const own = before ?? inner.commodity;
    const after = own === null && this.#dialect === 'ledger' ? this.#commodity() : null;
    return { ...inner, commodity: own ?? after };
  }

  #number(before: string | null): Term {
    const text = this.#takes(NUMBER);
    if (text === null) throw this.#fault();
    const after = before === null && this.#dialect === 'ledger' ? this.#commodity() : null;
    const size = this.#marks.read(text, before ?? after ?? '', this.#line);
    if (typeof size === 'string') throw new Refusal(size);
    const places = Math.min(size.places, PLACES);
    return { value: size.value, places, commodity: before ?? after, isComputed: false };
  }

  #isNegative(): boolean {
    let isNegative = false;
    for (let sign = this.#takes(/[-+−]/y); sign !== null; sign = this.#takes(/[-+−]/y)) {
      if (sign !== '+') isNegative = !isNegative;
    }
    return isNegative;
  }

  #commodity(): string | null {
    const text = this.#takes(COMMODITIES[this.#dialect]);
    return text?.startsWith('"') === true ? text.slice(1, -1) : text;
  }

  #sees(pattern: RegExp): boolean {
    this.#skipBlanks();
    pattern.lastIndex = this.#at;
    return pattern.test(this.#text);
  }

  #takes(pattern: RegExp): string | null {
    this.#skipBlanks();
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0] ?? null;
    if (found !== null) this.#at += found.length;
    return found;
  }

  #skipBlanks(): void {
    while (/\s/.test(this.#text[this.#at] ?? '')) this.#at += 1;
  }

  #fault(): Refusal {
    return new Refusal('Not an amount');
  }
}

/** What a quantity is worth by its price; null if the price is not written. */
export function worth(
  quantity: Quantity,
  { quantity: price, isTotal, fee }: Price,
): Quantity | null {
  if (price === null) return null;
  const sign = quantity.value < 0n ? -1n : 1n;
  const size = isTotal ? abs(price.value) : multiply(abs(quantity.value), price.value);
  return { ...price, value: sign * (size + fee) };
}
