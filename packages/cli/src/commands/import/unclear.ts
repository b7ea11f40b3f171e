import { printable } from '@coffer/core/text';
import type {
  StatementError,
  StatementProblem,
} from '@coffer/statements/src/statement/statement-error.ts';
import type { TableOutline } from '@coffer/statements/src/csv/table/outline.ts';
import { quote } from '../../terminal/format.ts';
import { cut, padded } from '../../terminal/table.ts';
import { flagsOf } from './settings.ts';

/** A file that is refused, but could be read with more flags. */
export class UnclearFile extends Error {
  override readonly name = 'UnclearFile';
  /** What is unclear. */
  readonly error: StatementError;
  /** Lines with the columns of the file and the flags to give. */
  readonly hints: readonly string[];

  constructor(error: StatementError, hints: readonly string[]) {
    super(error.message);
    this.error = error;
    this.hints = hints;
  }
}

const mostColumns = 40;

/** Whether flags, or a user at a terminal, can settle a problem of a file. */
export function isUnclear({ choices, needsColumns }: StatementProblem): boolean {
  return needsColumns === true || (choices?.length ?? 0) > 0;
}

/** Returns the columns of a file with a sample of each, and the flags that settle what is unclear. */
export function hintsFor(
  file: string,
  { problems }: StatementError,
  outline: TableOutline | null,
): string[] {
  const flags = problems.flatMap(({ choices }) =>
    choices === undefined ? [] : [flagsFor(choices)],
  );
  const isUnknown = problems.some(({ needsColumns }) => needsColumns === true);
  return [
    ...(outline === null ? [] : columnLines(file, outline)),
    ...(isUnknown && outline !== null
      ? ['Give --map date=COLUMN,amount=COLUMN,payee=COLUMN with names or numbers of columns']
      : []),
    ...flags,
  ];
}

function flagsFor(choices: NonNullable<StatementProblem['choices']>): string {
  const each = choices.map(
    ({ label, options }) => `${flagsOf(options)} for ${printable(meaning(label))}`,
  );
  return `Give ${each.join(', or ')}`;
}

/** A label without its remark: `2026-03-02` of `2026-03-02 (d/m/y)`. */
function meaning(label: string): string {
  return label.split(' (', 1)[0]!;
}

function columnLines(file: string, { columns }: TableOutline): string[] {
  const lines = columns
    .slice(0, mostColumns)
    .map(({ number, name, sample }) => [String(number), name === '' ? '-' : name, sample]);
  const numbers = lines.map(([number = '', name = '', sample = '']) => {
    return `${number.padStart(4)}  ${padded(cut(printable(name), 30), 30)}  ${cut(printable(sample), 40)}`;
  });
  const more = columns.length - mostColumns;
  return [
    `The columns of ${quote(file)}, each with its first value:`,
    ...numbers.map((line) => line.trimEnd()),
    ...(more > 0 ? [`and ${more} more`] : []),
  ];
}
