import assert from 'node:assert/strict';
import { readStatement } from '../read-statement.ts';
import { StatementError, type StatementProblem } from '../statement-error.ts';
import type { Entry, StatementOptions } from '../statement.ts';
import { sourceOf } from './sources.ts';

/** All entries of a file that must be taken. */
export function entriesOf(content: string | Uint8Array, options: StatementOptions = {}): Entry[] {
  const statement = readStatement(sourceOf(content), options);
  const entries = [...statement.entries()];
  assert.equal(entries.length, statement.entryCount);
  return entries;
}

/** The error of a file that must be refused. */
export function errorOf(
  content: string | Uint8Array,
  options: StatementOptions = {},
): StatementError {
  try {
    readStatement(sourceOf(content), options);
  } catch (error) {
    assert.ok(error instanceof StatementError, String(error));
    return error;
  }
  return assert.fail('The file was taken');
}

/** The problems of a file that must be refused. */
export function problemsOf(
  content: string,
  options: StatementOptions = {},
): readonly StatementProblem[] {
  return errorOf(content, options).problems;
}

/** Line and reason of each problem. */
export function reasonsOf(content: string, options: StatementOptions = {}): string[] {
  return problemsOf(content, options).map(({ line, reason }) => `${line}: ${reason}`);
}
