import { closeSync, writeSync } from 'node:fs';
import { quote } from '@coffer/core/text';
import { readOptions, readStatement } from '@coffer/statements';
import type { Statement, StatementOptions } from '@coffer/statements';
import type { Engine } from '../../db/engine.ts';
import { given } from '../../db/table.ts';
import { blockOf } from '../../resources/imports/actions.ts';
import type { PreviewOptions } from '../../resources/imports/actions.ts';
import { bodyProblem } from '../../wire/problem.ts';
import type { ErrorDetail } from '../../wire/problem.ts';
import { planAccounts, readAccountNames } from '../account-plan.ts';
import type { AccountNames, AccountPlan } from '../account-plan.ts';
import { withOptionNames } from './option-names.ts';
import { openTemporary, statementFileOf } from '../statement-file.ts';

/** Most bytes of a file, unpacked: ten times what may be sent. */
const maxUnpackedBytes = 500 * 2 ** 20;

/** A file that was read completely, and can be read again until it is closed. */
export interface OpenPreview {
  readonly statement: Statement;
  readonly plan: AccountPlan;
  close(): void;
}

/** Called with the bytes read so far, and the length of the file. */
type OnRead = (bytes: number, of: number) => void;

/** Reads an open file by its options. Throws a Problem, a StatementError or an AccountNamesError. */
export async function openPreview(
  file: number,
  bytes: number,
  options: PreviewOptions,
  onRead: OnRead,
): Promise<OpenPreview> {
  const { reading, names } = checkedOptions(options);
  const opened = await statementFileOf(file, bytes, { maxBytes: maxUnpackedBytes });
  try {
    let isRead = false;
    const source = opened.source((done) => {
      // Later the entries are read again, which is another step.
      if (!isRead) onRead(done, opened.bytes);
    });
    const statement = readStatement(source, { ...reading, maxBytes: maxUnpackedBytes });
    isRead = true;
    const words = { file: 'The file', option: 'account' };
    return { statement, plan: planAccounts(statement, names, words), close: () => opened.close() };
  } catch (error) {
    opened.close();
    throw error;
  }
}

/** Returns options as the readers have them. Throws a Problem with all that are not valid. */
export function checkedOptions(options: PreviewOptions): {
  readonly reading: StatementOptions;
  readonly names: AccountNames;
} {
  const { account = '', date_format, skip_bad_rows } = options;
  const { format, map, decimal, encoding, negate, currency } = options;
  const read = readOptions({
    ...given({ format, map, decimal, encoding, negate, currency }),
    ...(date_format !== undefined && { dateFormat: date_format }),
    ...(skip_bad_rows !== undefined && { skipBadRows: skip_bad_rows }),
  });
  const problems: ErrorDetail[] = read.problems.map(({ option, reason }) => ({
    errMsg: `${option}: ${reason}`,
    invalid_property: option,
    [option]: options[option],
  }));
  let names: AccountNames = { name: null, byNumber: [] };
  try {
    names = readAccountNames(account.split(/\r?\n/).filter((line) => line.trim() !== ''));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    problems.push({ errMsg: `account: ${error.message}`, invalid_property: 'account', account });
  }
  if (problems.length > 0) throw bodyProblem(...problems);
  return { reading: read.options, names };
}

/** Copies the stored bytes of a preview into a temporary file, which the caller closes. */
export async function spool(engine: Engine, bookId: number, id: number): Promise<number> {
  const file = openTemporary();
  try {
    for (let place = 0; ; place += 1) {
      const block = await engine.read(() => blockOf(bookId, id, place));
      if (block === undefined) return file;
      for (let from = 0; from < block.length;) from += writeSync(file, block, from);
    }
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

/** Returns why a row of a file cannot be read, as in `Line 3, column "Date", value "x": Is not a date`. */
export function problemText(problem: {
  readonly line: number;
  readonly column: string | null;
  readonly value: string | null;
  readonly reason: string;
}): string {
  const { line, column, value, reason } = problem;
  const parts = [`Line ${line}`];
  if (column !== null) parts.push(`column ${quote(column)}`);
  if (value !== null) parts.push(`value ${quote(value)}`);
  return `${parts.join(', ')}: ${withOptionNames(reason)}`;
}
