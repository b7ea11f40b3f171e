import { styleText } from 'node:util';
import { printable } from '@coffer/core/text';
import type { Actor } from '@coffer/server/src/history/actor.ts';
import type { DescribedRecord, VersionDescription } from '@coffer/server/src/history/described.ts';
import type {
  HistoryEntry,
  HistoryRecord,
  HistoryVersion,
} from '@coffer/server/src/history/schema.ts';
import { writeLine } from '../../terminal/context.ts';
import type { CommandContext } from '../../terminal/context.ts';

type Row = Readonly<Record<string, unknown>>;

/** Signs of what happened to records. */
const signs = { made: '+', changed: '~', removed: '-' } as const;
/** Columns that transactions and recurring items have with debits as positive amounts; here they are negative. */
const signed: readonly string[] = ['amount', 'to_base'];
const amounts: readonly string[] = [...signed, 'balance', 'credit_limit', 'amount_tolerance'];
/** Texts longer than this are cut. */
const longest = 200;

/** Returns who made a change: `command`, `phone (token 12)`. */
export function whoText({ kind, id, name }: Actor): string {
  const own = id === null ? kind : `${kind} ${id}`;
  return name === null ? own : `${name} (${own})`;
}

/** Returns the counts of a change: `+2 transactions, ~1 manual_accounts`. */
export function countsText(counts: HistoryEntry['counts']): string {
  return counts
    .map(({ record, kind, count }) => `${signs[kind]}${count.toLocaleString('en')} ${record}`)
    .join(', ');
}

/** Writes a change, and what it did to each record, to stdout; with colors only on a terminal. */
export function writeDiff(
  change: HistoryVersion,
  { records, nameOf }: VersionDescription,
  { stdout, environment }: CommandContext,
): void {
  const isTerminal = 'isTTY' in stdout && stdout.isTTY === true;
  const isColored = isTerminal && (environment['NO_COLOR'] ?? '') === '';
  const painted = (style: 'red' | 'green' | 'bold', text: string): string =>
    isColored ? styleText(style, text, { validateStream: false }) : text;
  for (const line of headOf(change)) writeLine(stdout, printable(line));
  for (const [at, record] of change.records.entries()) {
    const described = records[at];
    if (described === undefined) continue;
    writeLine(stdout, '');
    writeLine(stdout, painted('bold', printable(titleOf(record, described))));
    for (const { sign, text } of linesOf(record, described, nameOf))
      writeLine(stdout, painted(sign === '-' ? 'red' : 'green', `${sign} ${printable(text)}`));
  }
}

function headOf({ version, at, actor, operation, undoes, undone_by }: HistoryVersion): string[] {
  const time = `${at.slice(0, 10)} ${at.slice(11, 19)}Z`;
  return [
    `version ${version}  ${time}  ${operation}  by ${whoText(actor)}`,
    ...(undoes === null ? [] : [`undoes version ${undoes}`]),
    ...(undone_by === null ? [] : [`undone by version ${undone_by}`]),
  ];
}

/** The record with what a person knows it by: `transactions 912  REWE  -12.50 EUR`. */
function titleOf(
  { record, id, key, kind }: HistoryRecord,
  { row, isDebit }: DescribedRecord,
): string {
  const name = row['display_name'] ?? row['name'] ?? row['payee'] ?? row['description'];
  const { amount, currency } = row;
  return [
    `${record} ${[id, ...Object.values(key ?? {})].join(' ')}`,
    ...(typeof name === 'string' && name !== '' ? [name] : []),
    ...(typeof amount === 'string'
      ? [`${amountText(amount, isDebit)} ${String(currency).toUpperCase()}`]
      : []),
    ...(kind === 'changed' ? [] : [kind === 'made' ? '(created)' : '(deleted)']),
  ].join('  ');
}

interface Line {
  readonly sign: '-' | '+';
  readonly text: string;
}

/** A created or deleted record is shown without its id and its times, and without what it does not have. */
const omitted = ['id', 'created_at', 'updated_at'];

function linesOf(
  { record, kind, before, after }: HistoryRecord,
  { isDebit }: DescribedRecord,
  nameOf: VersionDescription['nameOf'],
): Line[] {
  const shown = (column: string, value: unknown): string => {
    if (typeof value === 'string' && amounts.includes(column))
      return amountText(value, isDebit && signed.includes(column));
    if (Array.isArray(value)) return value.map((each) => shown(column, each)).join(', ') || '-';
    const name = nameOf(record, column, value);
    return name === null ? valueText(value) : `${name} (${String(value)})`;
  };
  const line = (sign: Line['sign'], row: Row, column: string): Line[] =>
    isSaid(kind, column, row[column])
      ? [{ sign, text: `${column}: ${shown(column, row[column])}` }]
      : [];
  const columns = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  return columns.flatMap((column) => [
    ...(before === null ? [] : line('-', before, column)),
    ...(after === null ? [] : line('+', after, column)),
  ]);
}

function isSaid(kind: HistoryRecord['kind'], column: string, value: unknown): boolean {
  if (kind === 'changed') return true;
  if (omitted.includes(column) || value === null || value === false) return false;
  return !Array.isArray(value) || value.length > 0;
}

/** A text as it is, anything else as JSON. */
function valueText(value: unknown): string {
  if (value === null || value === undefined) return '-';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}

/** An amount with at least two decimals. */
function amountText(value: string, isDebit: boolean): string {
  const short = value.replace(/0{1,2}$/, '');
  if (!isDebit || /^-?0\.00$/.test(short)) return short;
  return short.startsWith('-') ? short.slice(1) : `-${short}`;
}
