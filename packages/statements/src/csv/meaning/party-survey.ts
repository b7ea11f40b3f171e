import { looksLikeDate } from '../../statement/dates.ts';
import { Refusal } from '../../statement/statement-error.ts';
import { payeeCell, rowKind, trimmedCell, dateCell } from '../table/cells.ts';
import type { PossibleAccount, AccountSides, OwnSide, Parties, Sides } from '../table/parties.ts';
import type { Row } from '../table/rows.ts';
import type { Layout } from '../table/header.ts';
import { accountNumber, isAccountKind, type AccountName } from '../../words/meanings.ts';

/** Rows that are looked at. */
const MAX_ROWS = 100_000;
/** Different values that are counted. */
const MAX_VALUES = 1000;
/** Names of accounts that may be in as many rows. */
const MAX_NAMES = 5;

/**
 * Reads a table whose header does not show which column has the own accounts or the owner's name, and returns which
 * ones do. Stops as soon as all is clear.
 */
export function surveyParties(rows: Iterable<Row>, layout: Layout): Parties {
  const survey = new PartySurvey(layout);
  try {
    for (const row of rows) {
      const isEntry = row.line >= layout.firstLine && rowKind(row.cells, layout) === 'entry';
      if (isEntry && looksLikeDate(dateCell(row.cells, layout))) survey.add(row.cells);
      if (survey.isDecided) break;
    }
  } catch (error) {
    // The examination reports it.
    if (!(error instanceof Refusal)) throw error;
  }
  return survey.result();
}

class PartySurvey {
  readonly #layout: Layout;
  readonly #accounts: readonly AccountValues[];
  readonly #holders: readonly HolderNames[];
  readonly #payers: PayerNames | null;
  readonly #both: readonly BothSides[];
  readonly #texts: readonly number[];
  readonly #seenTexts = new Set<string>();
  #rows = 0;

  constructor(layout: Layout) {
    const { columns, fallbacks, unclear } = layout;
    this.#layout = layout;
    this.#accounts = unclear.accounts.map((each) => new AccountValues(each));
    this.#holders = unclear.holders.map((index) => new HolderNames(index));
    const { sides, accountSides } = layout;
    this.#payers = sides === null ? null : new PayerNames(sides);
    const names = sides === null ? [] : [{ from: sides.payer, to: sides.recipient }];
    const both = accountSides === null ? names : [accountSides, ...names];
    this.#both = both.map((each) => new BothSides(each));
    const texts = [columns.payee, ...fallbacks.payee, columns.notes];
    const taken = [...unclear.holders, ...unclear.accounts.map(({ index }) => index)];
    this.#texts = texts.filter(
      (index) => index !== undefined && !taken.includes(index),
    ) as number[];
  }

  get isDecided(): boolean {
    const isClear = this.#accounts.every(({ isOther }) => isOther);
    if (this.#rows >= MAX_ROWS) return true;
    const isOneSided = this.#both.length === 0;
    return isOneSided && isClear && this.#holders.every(({ isOwner }) => !isOwner);
  }

  add(cells: readonly string[]): void {
    this.#rows += 1;
    const names = this.#holders.map((holder) => holder.add(cells));
    const texts = this.#texts.map((index) => payeeCell(cells, index).toLowerCase());
    // Without names and texts, each row may have another payee.
    const hasNone = texts.length === 0 && names.length === 0;
    const text = hasNone ? String(this.#rows) : texts.find((each) => each !== '');
    if (text !== undefined && this.#seenTexts.size < MAX_VALUES) this.#seenTexts.add(text);
    for (const each of this.#accounts) each.add(cells, text ?? '', names[0] ?? '');
    this.#payers?.add(cells);
    for (const each of this.#both) each.add(cells);
  }

  result(): Parties {
    const owners = this.#holders.filter((holder) => this.#isOwner(holder));
    const { accountAbove } = this.#layout;
    const own = this.#accounts.find(
      (each) => !this.#isOther(each) && each.isOwn(this.#rows, owners.length > 0, accountAbove),
    );
    return {
      account: own?.index ?? null,
      owners: owners.map(({ index }) => index),
      payers: this.#payers?.ofSeveral ?? new Set(),
      ownSide: this.#both.map(({ own }) => own).find((own) => own !== null) ?? null,
    };
  }

  /** Names of accounts of which there are as many as numbers in another column: those of the other parties. */
  #isOther(account: AccountValues): boolean {
    if (account.isOfNumbers || account.count < 2 || account.areKinds) return false;
    return this.#accounts.some(
      (each) => each.isOfNumbers && each.count > 1 && each.count <= account.count,
    );
  }

  /** The same name in all rows is the owner's where another column names the other party, or where texts differ. */
  #isOwner({ isOwner, index }: HolderNames): boolean {
    if (!isOwner) return false;
    const { namedHolders } = this.#layout.unclear;
    if (namedHolders.includes(index)) return this.#rows > 1 && this.#seenTexts.size > 1;
    return this.#layout.unclear.hasOtherNames || (this.#rows > 1 && this.#seenTexts.size > 1);
  }
}

class HolderNames {
  readonly index: number;
  #name: string | null = null;
  /** Whether all rows have the same name. */
  isOwner = true;

  constructor(index: number) {
    this.index = index;
  }

  add(cells: readonly string[]): string {
    const name = payeeCell(cells, this.index);
    this.#name ??= name.toLowerCase();
    if (name === '' || name.toLowerCase() !== this.#name) this.isOwner = false;
    return name;
  }
}

/** The payers of a table, and the recipients of each. */
class PayerNames {
  readonly #sides: Sides;
  readonly #first = new Map<string, string>();
  /** The names of payers with two recipients or more. */
  readonly ofSeveral = new Set<string>();

  constructor(sides: Sides) {
    this.#sides = sides;
  }

  add(cells: readonly string[]): void {
    const { payer, recipient } = this.#sides;
    const [from, to] = [payeeCell(cells, payer), payeeCell(cells, recipient)];
    if (from === '' || to === '') return;
    const known = this.#first.get(from);
    if (known === undefined && this.#first.size < MAX_VALUES) this.#first.set(from, to);
    else if (known !== undefined && known !== to) this.ofSeveral.add(from);
  }
}

/** Who is on one of the two sides in each row. */
class BothSides {
  readonly #sides: AccountSides;
  #always: readonly string[] | null = null;
  #rows = 0;

  constructor(sides: AccountSides) {
    this.#sides = sides;
  }

  add(cells: readonly string[]): void {
    const { from, to } = this.#sides;
    const both = [trimmedCell(cells, from), trimmedCell(cells, to)];
    this.#rows += 1;
    this.#always = (this.#always ?? both).filter((each) => each !== '' && both.includes(each));
  }

  /** The only one of several rows. */
  get own(): OwnSide | null {
    const [text, ...others] = new Set(this.#always);
    if (text === undefined || others.length > 0 || this.#rows < 2) return null;
    return { from: this.#sides.from, text };
  }
}

/** The values of a column of accounts, and how many payees each is with. */
class AccountValues {
  readonly index: number;
  readonly #name: AccountName;
  readonly isOfNumbers: boolean;
  readonly #isFirst: boolean;
  /** By number, or by text where it is none. */
  readonly #values = new Map<string, ValuePayees>();
  #numbers = 0;
  #blanks = 0;
  #isFull = false;

  constructor({ index, name, isOfNumbers, isFirst }: PossibleAccount) {
    this.index = index;
    this.isOfNumbers = isOfNumbers;
    this.#isFirst = isFirst;
    this.#name = name;
  }

  /** How many different values there are. */
  get count(): number {
    return this.#values.size;
  }

  /** Whether more rows cannot make it a column of own accounts. */
  get isOther(): boolean {
    if (this.#name === 'card') return this.#blanks > 0;
    return this.#isFull || (this.#blanks > 0 && this.#numbers > 0);
  }

  add(cells: readonly string[], text: string, holder: string): void {
    const value = trimmedCell(cells, this.index);
    if (value === '') this.#blanks += 1;
    if (value === '' || this.#isFull) return;
    const number = accountNumber(value);
    if (number !== null) this.#numbers += 1;
    const key = number ?? value;
    const payees = this.#values.get(key) ?? new ValuePayees();
    this.#values.set(key, payees);
    payees.add(text, holder);
    this.#isFull = this.#values.size >= MAX_VALUES;
  }

  /** Whether all values are kinds of accounts. */
  get areKinds(): boolean {
    return [...this.#values.keys()].every(isAccountKind);
  }

  /** Whether nearly each row has another name: nobody has so many accounts. */
  #areManyNames(rows: number): boolean {
    const names = [...this.#values.keys()];
    return names.length > MAX_NAMES && names.length * 2 > rows && !names.some(isAccountKind);
  }

  isOwn(rows: number, isHolderOwner: boolean, above: string | null): boolean {
    const values = [...this.#values];
    const count = values.reduce((so, [, payees]) => so + payees.rows, 0);
    // Where rows have no card, it is one of several ways to pay from an account.
    if (this.#name === 'card') return count > 0 && this.#blanks === 0;
    if (this.#name === 'product')
      return values.length > 0 && values.every(([value]) => isAccountKind(value));
    if (count === 0) return false;
    if (this.#numbers * 2 < count && !this.isOfNumbers) return !this.#areManyNames(count);
    if (above !== null) return values.every(([value]) => isSameNumber(value, above));
    if (this.#isFull || this.#blanks > 0) return false;
    if (values.length === 1 && this.#isFirst) return true;
    const payees = values.map(([, each]) => each.count(isHolderOwner));
    return (
      isOfFew(payees, rows) && (values.length === 1 || areOfOneBank(values.map(([value]) => value)))
    );
  }
}

class ValuePayees {
  rows = 0;
  readonly #texts = new Set<string>();
  readonly #names = new Set<string>();

  add(text: string, name: string): void {
    this.rows += 1;
    addTo(this.#names, name === '' ? text : name.toLowerCase());
    addTo(this.#texts, text);
  }

  /** How many payees there are: the names, unless they are the owner's. */
  count(isHolderOwner: boolean): { readonly rows: number; readonly payees: number } {
    return { rows: this.rows, payees: (isHolderOwner ? this.#texts : this.#names).size };
  }
}

function addTo(payees: Set<string>, payee: string): void {
  if (payee !== '' && payees.size < MAX_VALUES) payees.add(payee);
}

/** Whether few values each are with many payees: another party's account is with one. */
function isOfFew(
  values: readonly { readonly rows: number; readonly payees: number }[],
  rows: number,
): boolean {
  const pairs = values.reduce((so, { payees }) => so + payees, 0);
  const isEach = values.every(({ payees }) => payees > 1);
  if (values.length === 1 || isEach) return isEach;
  const isMany = values.every(({ payees, rows: own }) => payees > 1 || own === 1);
  return isMany && pairs >= values.length * 3 && values.length * 4 <= rows;
}

/** Whether numbers with a part for the bank have the same one: an export has the accounts of one bank. */
function areOfOneBank(numbers: readonly string[]): boolean {
  const banks = numbers.map((number) =>
    /^[A-Z]{2}\d{2}[A-Z0-9]{8,}$/.test(number) ? number.slice(0, 2) + number.slice(4, 8) : '',
  );
  return new Set(banks).size === 1;
}

function isSameNumber(value: string, above: string): boolean {
  const [short, long] = value.length < above.length ? [value, above] : [above, value];
  return long.endsWith(short) || long.includes(short);
}
