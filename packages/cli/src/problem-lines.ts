import { ImportRefusedError } from '@coffer/server';
import { StatementError } from '@coffer/statements';
import { printable, quote } from './printable.ts';

interface Problem {
  readonly line: number;
  readonly column: string | null;
  readonly value: string | null;
  readonly reason: string;
}

/**
 * A line for every problem for which a file was refused, `FILE:LINE: column "X": value "Y": why`, and one that counts
 * those that were not kept. Null for any other error.
 */
export function problemLines(file: string, error: unknown): string[] | null {
  if (!(error instanceof StatementError) && !(error instanceof ImportRefusedError)) return null;
  const { problems, problemCount } = error;
  const lines = problems.map((problem) => problemLine(file, problem));
  const more = problemCount - problems.length;
  if (more > 0) lines.push(`and ${more.toLocaleString('en')} more`);
  return lines;
}

function problemLine(file: string, { line, column, value, reason }: Problem): string {
  const parts = [`${printable(file)}:${line}`];
  if (column !== null) parts.push(columnLabel(column));
  if (value !== null) parts.push(`value ${quote(value)}`);
  return [...parts, reason].join(': ');
}

/** A column without a header is named by its number, and a tag as it stands. */
function columnLabel(column: string): string {
  return /^(?:column \d+|<\/?[A-Z.]+>)$/.test(column) ? column : `column ${quote(column)}`;
}
