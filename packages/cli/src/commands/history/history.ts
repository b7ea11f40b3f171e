import { isDateTime, isCalendarDate } from '@coffer/core/dates';
import {
  describeVersion,
  type DescribedRecord,
  type VersionDescription,
} from '@coffer/server/src/history/described.ts';
import { getHistory, getVersion } from '@coffer/server/src/history/actions.ts';
import {
  shownRecords,
  type HistoryEntry,
  type HistoryRecord,
  type HistoryVersion,
} from '@coffer/server/src/history/schema.ts';
import type { Command } from 'commander';
import { readNumber } from '../options.ts';
import { addBookOptions, withBook, type BookOptions } from '../book.ts';
import { writeLine, type CommandContext, type JsonOption } from '../../terminal/context.ts';
import { Misuse } from '../../terminal/failure.ts';
import { count, quote } from '../../terminal/format.ts';
import { writeList } from '../../terminal/table.ts';
import { styleText } from 'node:util';
import { printable } from '@coffer/core/text';
import type { Actor } from '@coffer/server/src/history/schema.ts';

/** Options that select changes. */
interface FilterOptions {
  readonly record?: string;
  readonly id?: string;
  readonly actor?: string;
  readonly operation?: string;
  readonly from?: string;
  readonly to?: string;
  readonly before?: string;
}
type HistoryOptions = BookOptions & JsonOption & FilterOptions & { readonly limit?: string };

const defaultLimit = 50;
const maxLimit = 1000;
const filters = ['record', 'id', 'actor', 'operation', 'from', 'to', 'before'] as const;

/** `coffer history`. */
export function define(history: Command, context: CommandContext): void {
  history
    .argument('[version]', 'a version: shows what the change did to each record')
    .option('--record <name>', 'changes of records of this table, such as transactions')
    .option('--id <id>', 'changes of one record; needs --record')
    .option('--actor <actor>', 'changes by this actor, such as "command" or "token 12"')
    .option('--operation <operation>', 'changes by this operation, such as import')
    .option('--from <time>', 'changes at this date or time, or later')
    .option('--to <time>', 'changes at this date or time, or earlier')
    .option('--before <version>', 'changes before this version')
    .option('--limit <number>', `how many changes or records; ${defaultLimit} by default`)
    .option('--json', 'print a line of JSON for each change; with a version, for the whole change');
  addBookOptions(history).action((version: string | undefined, options: HistoryOptions) =>
    version === undefined
      ? printHistory(options, context)
      : printVersion(readNumber('The version', version), options, context),
  );
}

async function printHistory(options: HistoryOptions, context: CommandContext): Promise<void> {
  const query = { ...filterOf(options), limit: readLimit(options.limit) };
  const { history, has_more } = await withBook(options, context, (database, { id }) =>
    database.read(() => getHistory(id, query)),
  );
  const rows = options.json === true ? history : history.map(rowOf);
  writeList(rows, 'There are no such changes', options, context);
  const last = history.at(-1);
  if (has_more && last !== undefined)
    writeLine(context.stderr, `For older changes, add "--before ${last.version}"`);
}

function rowOf(entry: HistoryEntry): object {
  const { version, at, operation, undoes, undone_by } = entry;
  const notes = [
    ...(undoes === null ? [] : [`undoes ${undoes}`]),
    ...(undone_by === null ? [] : [`undone by ${undone_by}`]),
  ];
  const changes = [countsText(entry.counts), ...notes].filter((text) => text !== '');
  return { version, at, by: whoText(entry.actor), operation, changes: changes.join('; ') || '-' };
}

async function printVersion(
  version: number,
  options: HistoryOptions,
  context: CommandContext,
): Promise<void> {
  const wrong = filters.find((name) => options[name] !== undefined);
  if (wrong !== undefined) throw new Misuse(`--${wrong} selects changes: leave out the version`);
  const part = { limit: readLimit(options.limit), offset: 0 };
  const [shown, description] = await withBook(options, context, (database, { id }) =>
    database.read(function* () {
      const found = yield* getVersion(id, version, part);
      return [found, yield* describeVersion(id, version, part)] as const;
    }),
  );
  if (options.json === true) writeLine(context.stdout, JSON.stringify(shown));
  else writeDiff(shown, description, context);
  const all = shown.counts.reduce((sum, each) => sum + each.count, 0);
  const left = count(all - shown.records.length, 'record');
  if (shown.has_more) writeLine(context.stderr, `${left} more: add "--limit NUMBER"`);
}

function filterOf({ record, id, actor, operation, from, to, before }: HistoryOptions) {
  const known = record === undefined ? undefined : shownRecords.find((name) => name === record);
  if (record !== undefined && known === undefined)
    throw new Misuse(`--record: ${quote(record)} is none of ${shownRecords.join(', ')}`);
  if (id !== undefined && record === undefined) throw new Misuse('--id needs --record');
  return {
    ...(known !== undefined && { record: known }),
    ...(id !== undefined && { id: readNumber('--id', id) }),
    ...(actor !== undefined && { actor: readText('--actor', actor) }),
    ...(operation !== undefined && { operation: readText('--operation', operation) }),
    ...(from !== undefined && { from: readTime('--from', from) }),
    ...(to !== undefined && { to: readTime('--to', to) }),
    ...(before !== undefined && { before: readNumber('--before', before) }),
  };
}

function readText(flag: string, text: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9 _.-]{0,80}$/.test(text)) return text;
  throw new Misuse(`${flag}: ${quote(text)} is no name`);
}

function readTime(flag: string, text: string): string {
  if (isCalendarDate(text) || isDateTime(text)) return text;
  throw new Misuse(`${flag}: ${quote(text)} is no date such as 2026-05-31 or 2026-05-31T12:00:00Z`);
}

function readLimit(text: string | undefined): number {
  if (text === undefined) return defaultLimit;
  if (/^[1-9]\d{0,3}$/.test(text) && Number(text) <= maxLimit) return Number(text);
  throw new Misuse(`--limit: ${quote(text)} is no number from 1 to ${maxLimit}`);
}

type Row = Readonly<Record<string, unknown>>;

/** Signs of what happened to records. */
const signs = { made: '+', changed: '~', removed: '-' } as const;
/** Columns that transactions and recurring items have with debits as positive amounts; here they are negative. */
const signed: readonly string[] = ['amount', 'to_base'];
const amounts: readonly string[] = [...signed, 'balance', 'credit_limit', 'amount_tolerance'];
/** Texts longer than this are cut. */
const longest = 200;

/** Returns who made a change: `command`, `phone (token 12)`. */
function whoText({ kind, id, name }: Actor): string {
  const own = id === null ? kind : `${kind} ${id}`;
  return name === null ? own : `${name} (${own})`;
}

/** Returns the counts of a change: `+2 transactions, ~1 manual_accounts`. */
function countsText(counts: HistoryEntry['counts']): string {
  return counts
    .map(({ record, kind, count }) => `${signs[kind]}${count.toLocaleString('en')} ${record}`)
    .join(', ');
}

/** Writes a change, and what it did to each record, to stdout; with colors only on a terminal. */
function writeDiff(
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
