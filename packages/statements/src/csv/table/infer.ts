import { looksLikeAmount, parseAmount } from '../../amounts.ts';
import { parseCurrency } from '../../currencies.ts';
import { looksLikeDate } from '../../dates.ts';
import type { Row } from '../rows/rows.ts';
import { parseDirection } from '../words/meanings.ts';
import { headerName } from '../words/header-names.ts';
import type { ColumnKey } from '../column-map.ts';
import type { Columns } from './header.ts';
import type { Head, Layout } from './table.ts';
import { currencyAbove } from './preamble.ts';

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
export function inferLayout(head: Head): Layout | null {
  const data = dataRows(head.rows);
  const first = data[0];
  if (first === undefined) return null;
  const kinds = columnsOf(data);
  const money = moneyColumns(kinds);
  const date = kinds.find(({ kind }) => kind === 'date');
  if (money === null || date === undefined) return null;
  const at = head.rows.indexOf(first);
  const names = headerAbove(head.rows[at - 1], kinds.length);
  const columns: Columns = { date: date.index, ...money, ...others(kinds), ...named(names, money) };
  return {
    ...{ form: head.form, columns, firstLine: first.line, width: kinds.length, names },
    ...{ fallbacks: {}, currency: null, profile: null, isInferred: true },
    directionCandidates: kinds.filter(({ kind }) => kind === 'direction').map(({ index }) => index),
    preambleCurrency: currencyAbove(head.rows.slice(0, at)),
  };
}

/** A map to give for a table whose amounts leave a choice; null if it has no dates or no amounts. */
export function suggestedMap(head: Head): string | null {
  const kinds = columnsOf(dataRows(head.rows));
  const date = kinds.find(({ kind }) => kind === 'date');
  const amount =
    kinds.find(({ kind }) => kind === 'money') ?? kinds.find(({ kind }) => kind === 'number');
  const { payee } = others(kinds);
  if (date === undefined || amount === undefined) return null;
  const text = payee === undefined ? '' : `,payee=${payee + 1}`;
  return `date=${date.index + 1}${text},amount=${amount.index + 1}`;
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
  if (filled.every((cell) => /^[A-Z]{2}\d{2}[A-Z0-9 ]{10,40}$/.test(cell))) return 'account';
  return 'text';
}

/** Has decimals, a sign or a currency: not the number of an account or a document. */
function isMoney(cell: string): boolean {
  return /[.,]\d{1,4}(?:\D|$)|^[-+(\u2212]|-$|\p{Sc}/u.test(cell);
}

/** The columns of the amount, or of debit and credit, and of the balance; null if there is a choice. */
function moneyColumns(columns: readonly Column[]): Columns | null {
  const money = columns.filter(({ kind }) => kind === 'money');
  const full = money.filter(({ cells }) => cells.every((cell) => cell !== ''));
  const [first, second, third] = money;
  if (first === undefined) return null;
  if (second === undefined) return { amount: first.index };
  const pair = money.filter((column) => !full.includes(column));
  if (pair.length === 2 && full.length < 2 && third === full[0])
    return debitAndCredit(pair, full[0]);
  if (third !== undefined || full.length < 2) return null;
  const isSigned = (column: Column) => column.cells.some((cell) => /^[-+\u2212(]|-$/.test(cell));
  if (isSigned(first) === isSigned(second)) return null;
  const [amount, balance] = isSigned(first) ? [first, second] : [second, first];
  return { amount: amount.index, balance: balance.index };
}

/** Two columns of which each row fills one. Which is which is known only if both have signs. */
function debitAndCredit(pair: readonly Column[], balance: Column | undefined): Columns | null {
  const [a, b] = pair as [Column, Column];
  if (a.cells.some((cell, row) => (cell === '') === (b.cells[row] === ''))) return null;
  const sign = ({ cells }: Column) => {
    const values = cells.filter((cell) => cell !== '').map((cell) => valueOf(cell));
    return values.every((value) => value < 0) ? -1 : values.every((value) => value > 0) ? 1 : 0;
  };
  const rest = balance === undefined ? {} : { balance: balance.index };
  if (sign(a) < 0 && sign(b) > 0) return { debit: a.index, credit: b.index, ...rest };
  return sign(a) > 0 && sign(b) < 0 ? { debit: b.index, credit: a.index, ...rest } : null;
}

function valueOf(cell: string): number {
  return parseAmount(cell, 'point') ?? parseAmount(cell, 'comma') ?? 0;
}

/** The payee is the column with the longest texts. */
function others(columns: readonly Column[]): Columns {
  const length = ({ cells }: Column) => cells.reduce((so, cell) => so + cell.length, 0);
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
