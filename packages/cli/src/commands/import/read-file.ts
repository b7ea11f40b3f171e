import type { ImportSettings, Memory } from '@coffer/server/src/imports/memory.ts';
import { printable } from '@coffer/core/text';
import {
  fittingMemory,
  readingOptions,
  readWithMemory,
} from '@coffer/server/src/imports/memory.ts';
import type { Engine } from '@coffer/server/src/db/engine.ts';
import type { StatementFile } from '@coffer/server/src/imports/statement-file.ts';
import { outlineTable, readStatement } from '@coffer/statements/src/read-statement.ts';
import { StatementError } from '@coffer/statements/src/statement/statement-error.ts';
import type { SeenColumn, Statement } from '@coffer/statements/src/statement/statement.ts';
import type { TableOutline } from '@coffer/statements/src/csv/table/layout.ts';
import { writeLine, type CommandContext } from '../../terminal/context.ts';
import { startProgress } from '../../terminal/progress.ts';
import type { Prompts } from '../../terminal/prompts.ts';
import {
  askAbout,
  askPayee,
  columnsForPayee,
  wholeMap,
  hintsFor,
  isUnclear,
  UnclearFile,
} from './ask.ts';
import { type ImportOptions, settingsOfFlags, withSettings } from './options.ts';

/** The book and the options of one run. */
export interface Import {
  readonly database: Engine;
  readonly bookId: number;
  readonly options: ImportOptions;
  readonly context: CommandContext;
  /** Null where nobody can be asked. */
  readonly prompts: Prompts | null;
}

/** A file that was read, with how. */
export interface ReadFile {
  readonly statement: Statement;
  /** Null for formats without columns. */
  readonly shape: string | null;
  /** What was remembered and fits. */
  readonly remembered: ImportSettings;
  /** What flags and the user said this time. */
  readonly chosen: ImportSettings;
  /** The columns of which one may have the payee, if that is still open. */
  readonly columnsForPayee: readonly SeenColumn[];
}

/** A file on its way to be read. */
interface Reading {
  readonly path: string;
  readonly file: StatementFile;
  readonly outline: TableOutline | null;
  readonly job: Import;
  readonly memory: Memory;
}

/** More than the number of things that can be unclear in one file. */
const mostRounds = 10;

/**
 * Reads a whole file before anything is written, with what the flags say and else with what is remembered for such
 * files. Asks at a terminal about what is unclear; elsewhere throws {@link UnclearFile}.
 */
export async function readClear(path: string, file: StatementFile, job: Import): Promise<ReadFile> {
  const { format } = job.options;
  const source = file.source(() => undefined);
  const outline = outlineTable(source, format === undefined ? {} : { format });
  const flags = settingsOfFlags(job.options);
  const { database, bookId } = job;
  const memory = await database.read(() => fittingMemory(bookId, outline, flags));
  const reading: Reading = { path, file, outline, job, memory };
  const { settings: remembered } = memory;
  const shape = outline?.shape ?? null;
  const read = await readWithMemory(memory, flags, (settings) => tryRead(reading, settings));
  const { notes } = read instanceof StatementError ? memory : read;
  for (const note of notes) writeLine(job.context.stderr, `${printable(path)}: ${note}`);
  if (!(read instanceof StatementError)) {
    const { statement, settings: fitting } = read;
    const whole = { statement, chosen: flags, remembered: fitting };
    return { ...(await withPayee(reading, whole)), shape };
  }
  const known = { ...remembered, ...flags };
  const { statement, asked } = await untilClear(reading, known, read);
  const chosen = { ...flags, ...asked };
  const whole = await withPayee(reading, { statement, chosen, remembered });
  return { ...whole, shape, remembered };
}

type Read = Omit<ReadFile, 'shape' | 'columnsForPayee'>;

/** Asks and reads again until the file can be read. */
async function untilClear(
  reading: Reading,
  known: ImportSettings,
  first: StatementError,
): Promise<{ statement: Statement; asked: ImportSettings }> {
  let asked: ImportSettings = {};
  let error = first;
  for (let round = 0; round < mostRounds; round += 1) {
    const more = await clarified(reading, error);
    asked = withSettings(asked, more);
    // The whole map is remembered, not only what was added to it.
    const settings = withSettings(known, asked);
    if (asked.map !== undefined) asked = { ...asked, ...(settings.map && { map: settings.map }) };
    const read = await tryRead(reading, settings);
    if (!(read instanceof StatementError)) return { statement: read, asked };
    error = read;
  }
  throw error;
}

/** Returns what an unclear file means. Throws if nothing can, or nobody can be asked. */
async function clarified(reading: Reading, error: StatementError): Promise<ImportSettings> {
  const { path, outline, job } = reading;
  if (!error.problems.some(isUnclear)) throw error;
  if (job.prompts === null) throw new UnclearFile(error, hintsFor(path, error, outline));
  const reply = await askAbout(job.prompts, { path, outline }, error);
  if (reply === null) throw error;
  return reply;
}

/** Asks for the payee if no column has it, and nobody has said that none does. */
async function withPayee(reading: Reading, read: Read): Promise<Omit<ReadFile, 'shape'>> {
  const { outline, job } = reading;
  const { isWithoutPayee, map } = { ...read.remembered, ...read.chosen };
  const isSaid = isWithoutPayee === true || map?.['payee'] === '';
  const columns = isSaid ? [] : columnsForPayee(read.statement, outline);
  if (columns.length === 0 || outline === null || job.prompts === null)
    return { ...read, columnsForPayee: columns };
  const more = await askPayee(job.prompts, { path: reading.path, outline }, columns);
  return { ...(await withSaidPayee(reading, read, more)), columnsForPayee: [] };
}

/** Reads a file again with the payee that a user has said. */
async function withSaidPayee(reading: Reading, read: Read, more: ImportSettings): Promise<Read> {
  const { statement, chosen, remembered } = read;
  const known = { ...remembered, ...chosen };
  if (more.map === undefined) return { ...read, chosen: withSettings(chosen, more) };
  const map = { ...known.map, ...more.map };
  const again = await tryRead(reading, { ...known, map });
  if (!(again instanceof StatementError))
    return { ...read, statement: again, chosen: { ...chosen, map } };
  const whole = { ...wholeMap(statement), ...more.map };
  const last = await tryRead(reading, { ...known, map: whole });
  if (last instanceof StatementError) throw last;
  return { ...read, statement: last, chosen: { ...chosen, map: whole } };
}

async function tryRead(
  { path, file, memory, job: { options, context } }: Reading,
  settings: ImportSettings,
): Promise<Statement | StatementError> {
  const work = { name: `Reading ${printable(path)}`, unit: 'bytes', total: file.bytes } as const;
  const progress = await startProgress(work, context);
  try {
    const source = file.source((bytes) => progress.update(bytes));
    return readStatement(source, readingOptions(settings, options, memory.facts));
  } catch (error) {
    if (error instanceof StatementError) return error;
    throw error;
  } finally {
    progress.stop();
  }
}
