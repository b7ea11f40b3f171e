import { looksLikeAmount, amountIn } from '../../statement/amounts.ts';
import { parseCurrency } from '../../statement/currencies.ts';
import { DATES, looksLikeDate } from '../../statement/dates.ts';
import type { Row } from './rows.ts';
import { parseDirection } from '../../words/meanings.ts';
import { folded } from '../../words/vocabulary.ts';
import { hasBothDirections, headerName, type Columns } from './header-names.ts';
import type { ColumnKey, ColumnMap } from '../../statement/statement.ts';
import { NO_HEADER, type Head, type Layout, textAbove } from './header.ts';
import { areProse, type Parties } from './parties.ts';
import { openingsOf, wholeAmounts, type Numbers } from './relations.ts';

/** What the cells of a column have in common. */
type Kind = 'blank' | 'date' | 'money' | 'number' | 'currency' | 'direction' | 'account' | 'text';

interface Column {
  readonly index: number;
  readonly kind: Kind;
  /** Trimmed cells, one for each row. */
  readonly cells: readonly string[];
}

/**
 * Finds the columns of a table by its cells, where no header names them: one column of amounts, or two of which one has
 * signs or one cell of each row is blank. Null if there is a choice.
 */
export function inferLayout(head: Head, map: ColumnMap, parties: Parties | null): Layout | null {
  const data = dataRows(head.rows);
  const first = data[0];
  if (first === undefined) return null;
  const kinds = columnsOf(data);
  const date = kinds.find(({ kind }) => kind === 'date');
  const money = moneyColumns(kinds, date);
  if (money === null || date === undefined) return null;
  const at = head.rows.indexOf(first);
  const names = headerAbove(head.rows[at - 1], kinds.length);
  if (money.amount !== undefined && isOtherMoney(names[money.amount])) return null;
  const all: Columns = { date: date.index, ...money, ...others(kinds), ...named(names, money) };
  const accounts = kinds.filter(({ kind }) => kind === 'account').map(({ index }) => index);
  const columns = withAccount(all, map, parties);
  const used = Object.values(columns);
  return {
    form: head.form,
    columns,
    firstLine: first.line,
    width: kinds.length,
    names,
    ...NO_HEADER,
    texts: kinds
      .filter((column) => isText(column) && !used.includes(column.index))
      .map(({ index }) => index),
    unclear: {
      ...NO_HEADER.unclear,
      accounts:
        parties === null && map.account === undefined
          ? accounts.map((index) => ({
              index,
              name: 'either' as const,
              isOfNumbers: true,
              isFirst: false,
            }))
          : [],
    },
    isInferred: true,
    isDayFirst: names.some((name) => headerName(name).isDayFirst),
    otherDates: kinds
      .filter(({ kind }) => kind === 'date')
      .slice(1)
      .map(({ index }) => index),
    directionColumns: kinds.filter(({ kind }) => kind === 'direction').map(({ index }) => index),
    ...textAbove(head.rows.slice(0, at)),
  };
}

/** Whether a column has texts of several words, or numbers of accounts. */
function isText({ kind, cells }: Column): boolean {
  return kind === 'account' || (kind === 'text' && areProse(cells));
}

/** The columns without those that the map switches off, and with the accounts that all rows have shown. */
function withAccount(columns: Columns, map: ColumnMap, parties: Parties | null): Columns {
  const { account } = columns;
  const isOther = parties !== null && account !== undefined && account !== parties.account;
  const left = Object.entries(columns).filter(
    ([key]) => map[key as ColumnKey] === undefined && !(isOther && key === 'account'),
  );
  const own = parties?.account ?? null;
  return { ...Object.fromEntries(left), ...(isOther && own !== null && { account: own }) };
}

/**
 * A map to give for a table whose amounts leave a choice; null if it has no dates, or several columns can have the
 * amounts. A fee, a balance or a part of a total is never one of them.
 */
export function suggestedMap(head: Head): string | null {
  const data = dataRows(head.rows);
  const kinds = columnsOf(data);
  const date = kinds.find(({ kind }) => kind === 'date');
  if (date === undefined) return null;
  const names = headerAbove(head.rows[head.rows.indexOf(data[0]!) - 1], kinds.length);
  const money = amountsOf(kinds, 'money', names);
  const [amount, other, ...others_] = money.length > 0 ? money : amountsOf(kinds, 'number', names);
  if (amount === undefined || others_.length > 0) return null;
  const { payee } = others(kinds);
  const text = payee === undefined ? '' : `,payee=${payee + 1}`;
  const before = `date=${date.index + 1}${text}`;
  if (other === undefined) return `${before},amount=${amount.index + 1}`;
  if (!isPair(amount, other)) return null;
  const [a, b] = [amount.index + 1, other.index + 1];
  return `${before},debit=${a},credit=${b} or ${before},debit=${b},credit=${a}`;
}

const NO_AMOUNT = new RegExp(
  'fee|charge|tax|commission|balance|opening|closing|rate|gebuhr|entgelt|saldo|kontostand|solde|frais|' +
    'budget|planned|difference|differenz',
);

/** The columns of a kind that can have the whole amount of a row. */
function amountsOf(kinds: readonly Column[], kind: Kind, names: readonly string[]): Column[] {
  const all = kinds.filter((column) => column.kind === kind);
  if (all.length > MAX_NUMBERS) return [];
  const whole = new Set(wholeAmounts(all.map(numbersOf)).map(({ index }) => index));
  return all.filter(({ index }) => whole.has(index) && !isOtherMoney(names[index]));
}

/** Whether a name is that of a fee or a balance. */
function isOtherMoney(name = ''): boolean {
  const { ranks } = headerName(name);
  return ranks.fee !== undefined || ranks.balance !== undefined || NO_AMOUNT.test(folded(name));
}

function numbersOf({ index, cells }: Column): Numbers {
  return { index, values: cells.map(valueOf) };
}

/** The rows that have a date in the column where most rows have one. */
function dataRows(rows: readonly Row[]): Row[] {
  const counts = new Map<number, number>();
  for (const { cells } of rows) {
    for (const [index, cell] of cells.entries()) {
      if (looksLikeDate(cell.trim())) counts.set(index, (counts.get(index) ?? 0) + 1);
    }
  }
  const [best] = [...counts].sort((a, b) => b[1] - a[1] || a[0] - b[0]);
  if (best === undefined) return [];
  return rows.filter(({ cells }) => looksLikeDate((cells[best[0]] ?? '').trim()));
}

function columnsOf(rows: readonly Row[]): Column[] {
  const width = Math.max(0, ...rows.map(({ cells }) => cells.length));
  return Array.from({ length: width }, (_, index) => {
    const cells = rows.map((row) => (row.cells[index] ?? '').trim());
    return { index, cells, kind: kindOf(cells.filter((cell) => cell !== '')) };
  });
}

function kindOf(filled: readonly string[]): Kind {
  if (filled.length === 0) return 'blank';
  if (filled.every(looksLikeDate)) return 'date';
  if (filled.every((cell) => parseDirection(cell) !== null)) return 'direction';
  if (filled.every(looksLikeAmount)) return filled.some(isMoney) ? 'money' : 'number';
  if (filled.every((cell) => typeof parseCurrency(cell) === 'string')) return 'currency';
  if (filled.every((cell) => IBAN.test(cell))) return 'account';
  return 'text';
}

const IBAN = /^[A-Z]{2}\d{2}[A-Z0-9 ]{10,40}$/;

/** Has decimals, a sign or a currency: not the number of an account or a document. */
function isMoney(cell: string): boolean {
  return /[.,]\d{1,4}(?:\D|$)|^[-+(\u2212]|-$|\p{Sc}/u.test(cell);
}

/** The columns of the amount, or of debit and credit, and of the balance; null if there is a choice. */
function moneyColumns(columns: readonly Column[], date: Column | undefined): Columns | null {
  const money = columns.filter(({ kind }) => kind === 'money');
  const [first, second] = money;
  if (first !== undefined && second === undefined) return { amount: first.index };
  const numbers = columns.filter(({ kind }) => kind === 'money' || kind === 'number');
  return date === undefined || numbers.length > MAX_NUMBERS
    ? null
    : (byOpenings(columns) ??
        byBalance(numbers, date, wordsOf(columns)) ??
        debitAndCredit(money) ??
        bySigns(money));
}

/** An amount between the balances before and after it. ABN AMRO writes the account and its currency before them. */
function byOpenings(columns: readonly Column[]): Columns | null {
  const money = columns.filter(({ kind, cells }) => kind === 'money' && !cells.includes(''));
  const [first, second] = columns;
  const isAccount = first?.cells.every((cell) => /^\d{8,10}$/.test(cell)) === true;
  const isOfAbn = isAccount && second?.kind === 'currency';
  const found = openingsOf(money.map(numbersOf), isOfAbn);
  if (found === null) return null;
  return { amount: found.amount, balance: found.closing, ...(isOfAbn && { account: 0 }) };
}

const MAX_NUMBERS = 8;

/** Of two columns, the one with both signs has the amounts. */
function bySigns(money: readonly Column[]): Columns | null {
  const [first, second, third] = money;
  if (first === undefined || second === undefined || third !== undefined) return null;
  if (first.cells.length < MIN_ROWS || [first, second].some(({ cells }) => cells.includes('')))
    return null;
  const signs = ({ cells }: Column) => new Set(cells.map((cell) => Math.sign(valueOf(cell)))).size;
  if (signs(first) === signs(second)) return null;
  const [amount, balance] = signs(first) > 1 ? [first, second] : [second, first];
  return { amount: amount.index, balance: balance.index };
}

const MIN_ROWS = 3;

/** The only columns of which one follows from the others, row by row; null if none or several do. */
function byBalance(
  numbers: readonly Column[],
  date: Column,
  words: readonly (readonly number[])[],
): Columns | null {
  const order = orderOf(date.cells);
  const found = numbers.flatMap((balance) => {
    if (balance.cells.includes('')) return [];
    return changesAmong(
      numbers.filter((column) => column !== balance),
      words,
    )
      .filter(({ values }) => follows(balance, values, order))
      .map(({ columns }) => ({ ...columns, balance: balance.index }));
  });
  return found.length === 1 ? found[0]! : null;
}

/** Columns that may be the changes of a balance: with signs, with words for their direction, or debits and credits. */
function changesAmong(
  numbers: readonly Column[],
  words: readonly (readonly number[])[],
): { columns: Columns; values: readonly number[] }[] {
  const full = numbers.filter(({ cells }) => !cells.includes(''));
  const signs = [null, ...words];
  const singles = full.flatMap(({ index, cells }) =>
    signs.map((directions) => ({
      columns: { amount: index },
      values: cells.map((cell, row) => valueOf(cell) * (directions?.[row] ?? 1)),
    })),
  );
  const pairs = numbers.flatMap((a) =>
    numbers
      .filter((b) => isPair(a, b))
      .map((b) => ({
        columns: { debit: a.index, credit: b.index },
        values: a.cells.map((cell, row) => valueOf(b.cells[row]!) - valueOf(cell)),
      })),
  );
  return [...singles, ...pairs];
}

/** The directions of each column that has words for both. */
function wordsOf(columns: readonly Column[]): number[][] {
  return columns
    .filter(({ kind, cells }) => kind === 'direction' && hasBothDirections(cells))
    .map(({ cells }) => cells.map((cell) => parseDirection(cell)!));
}

/** Two columns of which each row fills at most one with an amount other than zero, and each is filled by some row. */
function isPair(a: Column, b: Column): boolean {
  if (a === b) return false;
  const isFilled = (column: Column) => column.cells.map((cell) => valueOf(cell) !== 0);
  const [left, right] = [isFilled(a), isFilled(b)];
  return left.includes(true) && right.includes(true) && !left.some((is, row) => is && right[row]);
}

/** 1: the dates ascend; -1: they descend; 0: neither. */
function orderOf(dates: readonly string[]): number {
  const orders = DATES.all.filter((order) => dates.every((date) => DATES.read(date, order)));
  const [order] = orders;
  if (order === undefined) return 0;
  const days = dates.map((date) => DATES.read(date, order)!);
  const steps = days.slice(1).map((day, row) => (day > days[row]! ? 1 : day < days[row]! ? -1 : 0));
  const signs = new Set(steps.filter((step) => step !== 0));
  return signs.size === 1 && orders.length === 1 ? [...signs][0]! : 0;
}

/** Whether each balance is the one before and the amount; with rows in the other order, in that order. */
function follows(balance: Column, amounts: readonly number[], order: number): boolean {
  const values = balance.cells.map(valueOf);
  const links = values.slice(1).map((value, row) => ({
    isAfter: value === values[row]! + amounts[row + 1]!,
    isBefore: values[row] === value + amounts[row]!,
    isMoved: amounts[row] !== 0 && amounts[row + 1] !== 0,
  }));
  if (links.filter(({ isMoved }) => isMoved).length < MIN_LINKS) return false;
  const isAscending = order >= 0 && links.every(({ isAfter }) => isAfter);
  const isDescending = order <= 0 && links.every(({ isBefore }) => isBefore);
  const isStart =
    order > 0 && links.every((_, row) => values[row + 1] === values[row]! + amounts[row]!);
  return isAscending || isDescending || isStart;
}

const MIN_LINKS = 2;

/** Two columns of which each row fills one. Which is which is known only if both have signs. */
function debitAndCredit(money: readonly Column[]): Columns | null {
  const full = money.filter(({ cells }) => cells.every((cell) => cell !== ''));
  const [a, b, third] = money.filter((column) => !full.includes(column));
  if (a === undefined || b === undefined || third !== undefined || full.length > 1) return null;
  if (a.cells.some((cell, row) => (cell === '') === (b.cells[row] === ''))) return null;
  const sign = ({ cells }: Column) => {
    const values = cells.filter((cell) => cell !== '').map((cell) => valueOf(cell));
    return values.every((value) => value < 0) ? -1 : values.every((value) => value > 0) ? 1 : 0;
  };
  const rest = full[0] === undefined ? {} : { balance: full[0].index };
  if (sign(a) < 0 && sign(b) > 0) return { debit: a.index, credit: b.index, ...rest };
  return sign(a) > 0 && sign(b) < 0 ? { debit: b.index, credit: a.index, ...rest } : null;
}

function valueOf(cell: string): number {
  return amountIn(cell) ?? 0;
}

/** The payee is the column with the most letters. */
function others(columns: readonly Column[]): Columns {
  const length = ({ cells }: Column) =>
    cells.reduce(
      (so, cell) => so + (IBAN.test(cell) ? 0 : (cell.match(/\p{L}/gu)?.length ?? 0)),
      0,
    );
  const texts = columns.filter(({ kind }) => kind === 'text');
  const payee = texts.toSorted((a, b) => length(b) - length(a))[0];
  const of = (wanted: Kind) => columns.find(({ kind }) => kind === wanted)?.index;
  const [currency, account] = [of('currency'), of('account')];
  return {
    ...(payee === undefined ? {} : { payee: payee.index }),
    ...(currency === undefined ? {} : { currency }),
    ...(account === undefined ? {} : { account }),
  };
}

/** The row above the table, if its cells can be names. */
function headerAbove(row: Row | undefined, width: number): string[] {
  const names = row?.cells.map((cell) => cell.trim()) ?? [];
  const isHeader = names.length >= width - 1 && names.filter((name) => name !== '').length > 1;
  return isHeader && !names.some((name) => looksLikeAmount(name) || looksLikeDate(name))
    ? names
    : [];
}

/** Columns that the row above does name. */
function named(names: readonly string[], money: Columns): Columns {
  const columns: Columns = {};
  const keys: readonly ColumnKey[] = ['payee', 'notes', 'category', 'account', 'status', 'tags'];
  for (const key of keys) {
    const index = names.findIndex((name) => headerName(name).ranks[key] !== undefined);
    const isFree = ![...Object.values(columns), ...Object.values(money)].includes(index);
    if (index >= 0 && isFree) columns[key] = index;
  }
  return columns;
}
