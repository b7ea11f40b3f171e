import { closeSync, writeSync } from 'node:fs';
import { readOptions } from '@coffer/statements/src/statement/statement.ts';
import type {
  Statement,
  StatementProblem,
  TableMapping,
  StatementOptions,
} from '@coffer/statements/src/statement/statement.ts';
import type { Engine } from '../../db/engine.ts';
import { given } from '../../db/table.ts';
import { bodyProblem, Problem, type ErrorDetail } from '../../operations/problem.ts';
import {
  namesAccounts,
  planAccounts,
  readAccountNames,
  whatWins,
  AccountNamesError,
} from '../account-plan.ts';
import type { AccountNames, AccountPlan } from '../account-plan.ts';
import { compareEntries, sourceOf, type ComparedFile } from '../compare.ts';
import { ImportRefusedError, type ImportPlan, type OnDoubt } from '../entry.ts';
import {
  fittingMemory,
  settingsOf,
  namesWithMemory,
  readingOptions,
  readWithMemory,
  usedSettings,
} from '../memory.ts';
import type { ImportSettings, Memory, ReadWithMemory } from '../memory.ts';
import type { ImportProgress, PreviewWork, CommitWork } from '../operations/import-service.ts';
import type {
  PreviewOptions,
  PreviewReport,
  ImportMapping,
  ImportPreviewRow,
} from '../operations/preview-schema.ts';
import {
  optionsOf,
  previewOf,
  reportOf,
  storeBlocks,
  nothingKnown,
  blockOf,
} from '../operations/preview-records.ts';
import type { StoredPreview } from '../operations/preview-records.ts';
import { readChunks, openTemporary, statementFileOf } from '../statement-file.ts';
import type { StatementFile } from '../statement-file.ts';
import {
  choicesOf,
  comparedReport,
  planOf,
  rememberedToWire,
  storeCompared,
} from './commit-preview.ts';
import type { Committing } from './commit-preview.ts';
import { quote } from '@coffer/core/text';
import { outlineTable, readStatement } from '@coffer/statements/src/read-statement.ts';
import { StatementError } from '@coffer/statements/src/statement/statement-error.ts';
import type { TableOutline } from '@coffer/statements/src/csv/table/layout.ts';

/** Most bytes of a file, unpacked: ten times what may be sent. */
const maxUnpackedBytes = 500 * 2 ** 20;

/** A file that was read completely, and can be read again until it is closed. */
interface OpenPreview {
  readonly statement: Statement;
  readonly plan: AccountPlan;
  /** Null for a format without columns. */
  readonly shape: string | null;
  readonly chosen: ImportSettings;
  readonly remembered: ImportSettings;
  readonly notes: readonly string[];
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

/**
 * Reads an open file by its options. `chosen` is what these say, `remembered` what earlier imports said and was used;
 * `notes` say why something was not used; `accounts` are those of earlier files with these columns, if one must be
 * chosen. Throws a Problem, a StatementError or an AccountNamesError.
 */
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
  const { account = '', format, map, decimal, encoding, negate, currency } = options;
  const { date_format: dateFormat, skip_bad_rows: skipBadRows, any_year: anyYear } = options;
  const same = { format, map, decimal, encoding, negate, currency };
  const read = readOptions(given({ ...same, dateFormat, skipBadRows, anyYear }));
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
export function problemText({
  line,
  column,
  value,
  reason,
}: Pick<StatementProblem, 'line' | 'column' | 'value' | 'reason'>): string {
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

const blocksAtOnce = 8;

export type OnProgress = (progress: ImportProgress) => void;

/** How a file is read. */
export interface Reading {
  readonly onProgress: OnProgress;
  /** A file with more entries is not compared with the book. Default: no limit. */
  readonly mostEntries?: number;
}

/** Stores the bytes of a file in blocks, a few in each transaction. */
export async function storeFile(
  engine: Engine,
  { bookId, id }: PreviewWork,
  file: number,
  onRead: (bytes: number) => void,
): Promise<void> {
  let place = 0;
  let blocks: Uint8Array[] = [];
  const flush = async (): Promise<void> => {
    const [first, some] = [place, blocks];
    await engine.write(() => storeBlocks(bookId, id, first, some));
    place += some.length;
    blocks = [];
  };
  for (const chunk of readChunks(file, onRead)) {
    blocks.push(chunk);
    if (blocks.length === blocksAtOnce) await flush();
  }
  if (blocks.length > 0) await flush();
}

/**
 * Reads a file, compares its entries with the book, and stores what an import would do. Returns false, without
 * comparing, if the file has too many entries.
 *
 * Rejects with a Problem, or an error of the file or of an import; then the preview is unchanged.
 */
export async function readPreview(
  engine: Engine,
  work: PreviewWork,
  file: number,
  { onProgress, mostEntries = Infinity }: Reading,
): Promise<boolean> {
  const row = await engine.read(() => previewOf(work.bookId, work.id));
  const options = optionsOf(row);
  const opened = await openPreview(file, row.bytes, options, {
    onRead: (done, total) => onProgress({ step: 'reading', done, total }),
    memoryOf: memoryIn(engine, work.bookId),
  });
  try {
    if (opened.statement.entryCount > mostEntries) return false;
    await comparePreview(engine, work, { opened, options, onProgress });
    return true;
  } finally {
    opened.close();
  }
}

/** Returns what looks up the settings of earlier imports into a book. */
function memoryIn(engine: Engine, bookId: number): Opening['memoryOf'] {
  return (outline, chosen) => engine.read(() => fittingMemory(bookId, outline, chosen));
}

/** A file that was read, and how. */
export interface ReadFile {
  readonly opened: OpenPreview;
  readonly options: PreviewOptions;
  readonly onProgress: OnProgress;
}

/** Reads a preview again by the options of its commit, and compares its entries. The caller closes the result. */
export async function committingAgain(
  engine: Engine,
  work: CommitWork,
  onProgress: OnProgress,
): Promise<Committing> {
  const { bookId, id, options } = work;
  const row = await engine.read(() => previewOf(bookId, id));
  const bytes = await spool(engine, bookId, id);
  let opened: OpenPreview | null = null;
  try {
    opened = await openPreview(bytes, work.bytes, options, {
      onRead: (done, total) => onProgress({ step: 'reading', done, total }),
      memoryOf: memoryIn(engine, bookId),
      shown: shownSettings(reportOf(row), work.without),
    });
    const choices = choicesOf(work, opened.statement.entryCount);
    const plan = planOfFile(work, { opened, options, onProgress }, choices);
    const file = await engine.read(() => compareEntries(bookId, plan, sourceOf(plan.entries())));
    const stored = storedFrom(opened, file.version);
    const report = reportOfFile(opened, file, stored);
    return { plan, stored, report, file, entries: sourceOf(file.entries) };
  } finally {
    opened?.close();
    closeSync(bytes);
  }
}

/** Compares the entries of a file with the book, and stores the result. */
async function comparePreview(engine: Engine, work: PreviewWork, read: ReadFile): Promise<void> {
  const plan = planOfFile(work, read);
  const file = await engine.read(() => compareEntries(work.bookId, plan, sourceOf(plan.entries())));
  try {
    const { opened, options } = read;
    const stored = storedFrom(opened, file.version);
    const report = reportOfFile(opened, file, stored);
    await storeCompared(engine, work, { file, stored, report, options });
  } finally {
    file.entries.close();
  }
}

/** Returns the import of a preview whose file was read. */
function planOfFile(
  work: PreviewWork,
  { opened, options, onProgress }: ReadFile,
  choices?: ReadonlyMap<number, OnDoubt>,
): ImportPlan {
  const { statement, plan, chosen, remembered } = opened;
  const total = statement.entryCount;
  const how = { onDoubt: options.on_doubt, onProgress, total, ...given({ choices }) };
  return {
    ...plan,
    ...planOf(work, ofStatement(statement), how),
    ...given({ currency: chosen.currency ?? remembered.currency }),
    entries: () => statement.entries(),
  };
}

function ofStatement({ format, isOwn = false, leftOut }: Statement) {
  const leftOutCount = leftOut.reduce((sum, { count }) => sum + count, 0);
  return { format, keepsEmptyPayees: isOwn, leftOut: leftOutCount };
}

/** Returns what is stored of a file that was compared with a version of the book. */
function storedFrom(
  { statement, plan, shape, chosen, remembered }: OpenPreview,
  version: number,
): StoredPreview {
  return {
    ...ofStatement(statement),
    version,
    accounts: [...plan.accounts],
    balances: [...plan.balances],
    badRows: badRowsOf(statement),
    shape,
    namesAccounts: namesAccounts(statement),
    chosen,
    remembered,
  };
}

/** Returns a row for each line with problems. */
function badRowsOf({ badRows }: Statement): ImportPreviewRow[] {
  const nothing = { number: null, date: null, amount: null, currency: null, payee: null };
  const unknown = { account: null, account_id: null, known_transaction_id: null };
  const verdict = 'bad';
  return [...Map.groupBy(badRows?.problems ?? [], ({ line }) => line)].map(([line, all]) => {
    const why = all.map(problemText).join('; ');
    return { ...nothing, ...unknown, line, verdict, why, is_imported: false };
  });
}

/** Returns the report of a file. */
function reportOfFile(
  { statement, notes: ofFile, accounts, remembered }: OpenPreview,
  file: ComparedFile,
  stored: StoredPreview,
): PreviewReport {
  const { format, mapping, warnings = [], leftOut, badRows } = statement;
  const notes = ofFile.map((note) => ({ line: null, text: capitalised(note) }));
  return {
    format,
    mapping: mappingToWire(mapping),
    remembered: rememberedToWire(remembered),
    ...(accounts.length > 0 && { account_choices: [...accounts] }),
    warnings: [
      ...notes,
      ...warnings.map(({ line, text }) => ({ line, text: withOptionNames(text) })),
    ],
    left_out: leftOut.map(({ what, count }) => ({ what, count })),
    bad_rows: { count: badRows?.count ?? 0, problems: (badRows?.problems ?? []).map(withReason) },
    ...comparedReport(file, stored),
    errors: [],
  };
}

function capitalised(sentence: string): string {
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}

function withReason(problem: StatementProblem): StatementProblem {
  return { ...problem, reason: withOptionNames(problem.reason) };
}

/** The report of a file that could not be read. */
export function failedReport(errors: readonly ErrorDetail[]): PreviewReport {
  return { ...nothingKnown, errors: [...errors] };
}

/** Returns how a table was read, as in a response: every column with what it became. */
function mappingToWire(mapping: TableMapping | undefined): ImportMapping | null {
  if (mapping === undefined) return null;
  const { columns, seen, dateOrder, decimal, delimiter, encoding, isNegated } = mapping;
  return {
    columns: seen.map(({ number, name, sample }) => {
      const keys = columns.filter((each) => each.number === number).map(({ key }) => key);
      return { number, name, sample, keys };
    }),
    date_format: dateOrder,
    decimal,
    delimiter,
    encoding,
    negate: isNegated,
  };
}

/**
 * Returns the remembered settings with which a file was shown, without some of them; null if it was not shown. They are
 * used again, because a preview is imported as it was shown, whatever is remembered meanwhile.
 */
function shownSettings(
  report: PreviewReport | null,
  without: CommitWork['without'],
): ImportSettings | null {
  if (typeof report?.format !== 'string') return null;
  const left = Object.entries(report.remembered).filter(([name]) => {
    return !without.includes(name as keyof PreviewOptions);
  });
  const { account = null, ...options } = Object.fromEntries(left) as PreviewOptions;
  // A remembered name may look like a name by number.
  return settingsOf(checkedOptions(options).reading, { name: account, rest: null, byNumber: [] });
}
