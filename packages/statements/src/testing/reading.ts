import assert from 'node:assert/strict';
import { readStatement } from '../read-statement.ts';
import { StatementError } from '../statement/statement-error.ts';
import type {
  Entry,
  EntryPart,
  Statement,
  StatementOptions,
  StatementSource,
} from '../statement/statement.ts';
import { sourceOf } from './sources.ts';

/** A statement as a text, as bytes, or as a source. */
type Content = string | Uint8Array | StatementSource;

function read(content: Content, options: StatementOptions): Statement {
  const isSource = typeof content === 'object' && 'open' in content;
  return readStatement(isSource ? content : sourceOf(content), options);
}

/** All entries of a file that must be accepted. */
export function entriesOf(content: Content, options: StatementOptions = {}): Entry[] {
  const statement = read(content, options);
  const entries = [...statement.entries()];
  assert.equal(entries.length, statement.entryCount);
  return entries;
}

/** The error of a file that must be refused. */
export function errorOf(content: Content, options: StatementOptions = {}): StatementError {
  try {
    read(content, options);
  } catch (error) {
    assert.ok(error instanceof StatementError, String(error));
    return error;
  }
  return assert.fail('The file was accepted');
}

/** The problems of a file that must be refused: line, column, value, and reason. */
export function problemsOf(content: string, options: StatementOptions = {}): string[] {
  const { problems } = errorOf(content, options);
  return problems.map(({ line, column, value, reason }) => `${line} ${column} ${value}: ${reason}`);
}

export function reasonsOf(content: string, options: StatementOptions = {}): string[] {
  return errorOf(content, options).problems.map(({ line, reason }) => `${line}: ${reason}`);
}

/** A whole statement: a line of itself, of each account, and of each entry. */
export function wholeOf(content: Content, options: StatementOptions = {}): string[] {
  const statement = read(content, options);
  const { accounts, entries, ...rest } = { ...statement, entries: [...statement.entries()] };
  const text = (value: unknown): string =>
    typeof value === 'object' && value !== null
      ? `[${Object.values(value).map(text).join(' ')}]`
      : String(value);
  const line = (part: object): string =>
    Object.entries(part)
      .map(([name, value]) => `${name}: ${text(value)}`)
      .join(' | ');
  return [rest, ...accounts, ...entries].map(line);
}

/** Some parts of each entry as a line, amounts in units: `shownOf(file, 'date amount')` is `['2024-01-31 | -5']`. */
export function shownOf(content: Content, names: string, options: StatementOptions = {}): string[] {
  const keys = names.split(' ') as (keyof Entry)[];
  return entriesOf(content, options).map((entry) =>
    keys.map((key) => shown(key === 'amount' ? entry.amount / 10_000 : entry[key])).join(' | '),
  );
}

function shown(value: Entry[keyof Entry]): string {
  if (Array.isArray(value))
    return value
      .map((part: string | EntryPart) => (typeof part === 'string' ? part : partText(part)))
      .join(', ');
  return typeof value === 'object' ? '-' : String(value ?? '-');
}

function partText({ amount, payee, notes, category }: EntryPart): string {
  return [amount / 10_000, payee, notes, category].map((part) => part ?? '-').join(' ');
}

/** The warnings of a file that must be accepted, each with its line. */
export function warningsOf(content: Content, options: StatementOptions = {}): string[] {
  return (read(content, options).warnings ?? []).map(({ line, text }) => `${line}: ${text}`);
}

/** What a file has besides its entries. */
export function leftOutOf(content: Content, options: StatementOptions = {}): string[] {
  return read(content, options).leftOut.map(({ what, count }) => `${count} ${what}`);
}
