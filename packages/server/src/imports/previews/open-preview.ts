import { closeSync, writeSync } from 'node:fs';
import { quote } from '@coffer/core/text';
import { outlineTable, readStatement } from '@coffer/statements/src/read-statement.ts';
import { readOptions } from '@coffer/statements/src/statement/statement.ts';
import { StatementError } from '@coffer/statements/src/statement/statement-error.ts';
import type { Statement, StatementOptions } from '@coffer/statements/src/statement/statement.ts';
import type { TableOutline } from '@coffer/statements/src/csv/table/layout.ts';
import type { Engine } from '../../db/engine.ts';
import { given } from '../../db/table.ts';
import { bodyProblem, Problem } from '../../operations/problem.ts';
import type { ErrorDetail } from '../../operations/problem.ts';
import {
  namesAccounts,
  planAccounts,
  readAccountNames,
  whatWins,
  AccountNamesError,
} from '../account-plan.ts';
import type { AccountNames, AccountPlan } from '../account-plan.ts';
import { ImportRefusedError } from '../entry.ts';
import {
  namesWithMemory,
  readingOptions,
  readWithMemory,
  settingsOf,
  usedSettings,
} from '../memory.ts';
import type { ImportSettings, Memory, ReadWithMemory } from '../memory.ts';
import type { PreviewOptions } from '../operations/preview-options.ts';
import { blockOf } from '../operations/preview-records.ts';
import { openTemporary, statementFileOf } from '../statement-file.ts';
import type { StatementFile } from '../statement-file.ts';

/** Most bytes of a file, unpacked: ten times what may be sent. */
const maxUnpackedBytes = 500 * 2 ** 20;

/** A file that was read completely, and can be read again until it is closed. */
export interface OpenPreview {
  readonly statement: Statement;
  readonly plan: AccountPlan;
  /** Null for a format without columns. */
  readonly shape: string | null;
  /** What the options say. */
  readonly chosen: ImportSettings;
  /** What earlier imports said, and was used. */
  readonly remembered: ImportSettings;
  /** Why something that is remembered or in the file was not used. */
  readonly notes: readonly string[];
  /** The accounts of earlier files with these columns, if one must be chosen; else none. */
  readonly accounts: readonly string[];
  close(): void;
}

/** How a file is opened. */
export interface Opening {
  /** Called with the bytes read so far, and the length of the file. */
  readonly onRead: (bytes: number, of: number) => void;
  /** Returns what is remembered for a table and fits the settings of the options. */
  readonly memoryOf: (outline: TableOutline | null, chosen: ImportSettings) => Promise<Memory>;
  /** The remembered settings with which a preview was shown. They are used, whatever is remembered now. */
  readonly shown?: ImportSettings | null;
}

/** Reads an open file by its options. Throws a Problem, a StatementError or an AccountNamesError. */
export async function openPreview(
  file: number,
  bytes: number,
  options: PreviewOptions,
  opening: Opening,
): Promise<OpenPreview> {
  const { reading, names } = checkedOptions(options);
  const chosen = settingsOf(reading, names);
  const opened = await statementFileOf(file, bytes, { maxBytes: maxUnpackedBytes });
  try {
    const limits = { ...reading, maxBytes: maxUnpackedBytes };
    const outline = outlineTable(opened.source(), limits);
    const read = await readOpened(opened, limits, { outline, chosen, opening });
    const { statement, settings, notes, accounts } = read;
    const words = { file: 'The file', option: 'account' };
    const plan = planAccounts(statement, namesWithMemory(statement, names, settings), words);
    const won = whatWins(statement, names, words.option);
    const remembered = usedSettings(namesAccounts(statement), settings, chosen);
    const shape = outline?.shape ?? null;
    return {
      statement,
      plan,
      shape,
      chosen,
      remembered,
      notes: [...notes, ...(won === null ? [] : [won])],
      accounts: plan.defaultAccount === null ? accounts : [],
      close: () => opened.close(),
    };
  } catch (error) {
    opened.close();
    throw error;
  }
}

/** What is known of a file before it is read. */
interface Known {
  readonly outline: TableOutline | null;
  readonly chosen: ImportSettings;
  readonly opening: Opening;
}

async function readOpened(
  opened: StatementFile,
  limits: StatementOptions,
  { outline, chosen, opening: { onRead, memoryOf, shown = null } }: Known,
): Promise<ReadWithMemory> {
  let isRead = false;
  const memory = await memoryOf(outline, chosen);
  const source = opened.source((done) => {
    // Later the entries are read again, which is another step.
    if (!isRead) onRead(done, opened.bytes);
  });
  const readBy = (settings: ImportSettings): Statement =>
    readStatement(source, {
      ...readingOptions(settings, limits, memory.facts),
      maxBytes: maxUnpackedBytes,
    });
  const tryRead = (settings: ImportSettings): Statement | StatementError => {
    try {
      return readBy(settings);
    } catch (error) {
      if (error instanceof StatementError) return error;
      throw error;
    }
  };
  const read =
    shown === null
      ? await readWithMemory(memory, chosen, tryRead)
      : { statement: readBy({ ...shown, ...chosen }), settings: shown, notes: [], accounts: [] };
  isRead = true;
  if (read instanceof StatementError) throw read;
  return read;
}

/** Returns options as the readers have them. Throws a Problem with all that are not valid. */
export function checkedOptions(options: PreviewOptions): {
  readonly reading: StatementOptions;
  readonly names: AccountNames;
} {
  const { account = '', date_format, skip_bad_rows, any_year } = options;
  const { format, map, decimal, encoding, negate, currency } = options;
  const read = readOptions({
    ...given({ format, map, decimal, encoding, negate, currency }),
    ...(date_format !== undefined && { dateFormat: date_format }),
    ...(skip_bad_rows !== undefined && { skipBadRows: skip_bad_rows }),
    ...(any_year !== undefined && { anyYear: any_year }),
  });
  const problems: ErrorDetail[] = read.problems.map(({ option, reason }) => ({
    errMsg: `${option}: ${reason}`,
    invalid_property: option,
    [option]: options[option],
  }));
  let names: AccountNames = { name: null, rest: null, byNumber: [] };
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

/** Flags of the command in sentences of the readers. */
const flags =
  /--(account|any-year|currency|date-format|decimal|encoding|format|map|negate|on-doubt|skip-bad-rows)\b/g;

/** Returns a sentence with the names that options have in requests: `date_format` for `--date-format`. */
export function withOptionNames(sentence: string): string {
  return sentence.replaceAll(flags, (_, name: string) => name.replaceAll('-', '_'));
}

/** Returns the Problem of a file that cannot be read or imported, and any other error as it is. */
export function asProblem(error: unknown): unknown {
  if (error instanceof AccountNamesError)
    return bodyProblem({ errMsg: error.message, invalid_property: 'account' });
  if (!(error instanceof StatementError || error instanceof ImportRefusedError)) return error;
  const { problems, problemCount } = error;
  const details = problems.map((each): ErrorDetail => {
    const { line, column, value } = each;
    const reason = withOptionNames(each.reason);
    return { errMsg: problemText(each), line, column, value, reason };
  });
  const more = problemCount - details.length;
  // A response has room for a hundred.
  if (more > 0) details[details.length - 1] = { errMsg: `and ${more + 1} more problems` };
  return bodyProblem(...details);
}

/** Returns what is wrong; one sentence for an error that is no Problem, which belongs in the log. */
export function detailsOf(error: unknown): readonly ErrorDetail[] {
  const problem = asProblem(error);
  if (problem instanceof Problem) return problem.details;
  return [{ errMsg: 'The service could not finish the work: try again' }];
}
