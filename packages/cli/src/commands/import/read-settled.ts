import { printable } from '@coffer/core/text';
import { importSettingsOf, listAccounts } from '@coffer/server';
import type { Engine, ImportSettings } from '@coffer/server';
import { outlineTable, readStatement, StatementError } from '@coffer/statements';
import type { Statement, TableOutline } from '@coffer/statements';
import { nameKey } from '@coffer/core/text';
import { writeLine } from '../../context.ts';
import type { CommandContext } from '../../context.ts';
import { quote } from '../../terminal/format.ts';
import { startProgress } from '../../terminal/progress.ts';
import type { Prompts } from '../../terminal/prompts.ts';
import { askAbout, askPayee, wholeMap } from './ask.ts';
import type { ImportOptions } from './options.ts';
import { isEmpty, missingColumns, settingsOfFlags } from './settings.ts';
import { statementOptionsOf, withSettings } from './settings.ts';
import type { StatementFile } from './statement-file.ts';
import { hintsFor, isUnclear, UnclearFile } from './unclear.ts';

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
  /** What was remembered and fits; null if nothing was. */
  readonly remembered: ImportSettings | null;
  /** What flags and the user settled this time. */
  readonly settled: ImportSettings;
}

/** A file on its way to be read. */
interface Reading {
  readonly path: string;
  readonly file: StatementFile;
  readonly outline: TableOutline | null;
  readonly job: Import;
}

/** More than the number of things that can be unclear in one file. */
const mostRounds = 10;

/**
 * Reads a whole file before anything is written, with what the flags say and else with what is remembered for such
 * files. Asks at a terminal about what is unclear; elsewhere throws {@link UnclearFile}.
 */
export async function readSettled(
  path: string,
  file: StatementFile,
  job: Import,
): Promise<ReadFile> {
  const { format } = job.options;
  const source = file.source(() => undefined);
  const outline = outlineTable(source, format === undefined ? {} : { format });
  const reading: Reading = { path, file, outline, job };
  const flags = settingsOfFlags(job.options);
  const remembered = await fittingMemory(reading);
  const unclear = (error: StatementError) => clarified(reading, error);
  const shape = outline?.shape ?? null;
  const read = await readAsRemembered(reading, flags, remembered);
  if (!(read instanceof StatementError))
    return { ...(await withPayee(reading, read)), shape, remembered: read.remembered };
  const known = { ...remembered, ...flags };
  const { statement, asked } = await untilClear(reading, known, read, unclear);
  const settled = { ...flags, ...asked };
  const whole = await withPayee(reading, { statement, settled, remembered });
  return { ...whole, shape, remembered };
}

type Read = Pick<ReadFile, 'statement' | 'settled' | 'remembered'>;

/** Reads with the remembered settings, or without them if only that works. Returns the error if neither does. */
async function readAsRemembered(
  reading: Reading,
  flags: ImportSettings,
  remembered: ImportSettings | null,
): Promise<Read | StatementError> {
  const first = await tryRead(reading, { ...remembered, ...flags });
  if (!(first instanceof StatementError)) return { statement: first, settled: flags, remembered };
  const plain = remembered === null ? first : await tryRead(reading, flags);
  if (plain instanceof StatementError) return first;
  say(reading, `the remembered settings do not fit and are not used`);
  return { statement: plain, settled: flags, remembered: null };
}

/** Asks and reads again until the file can be read. */
async function untilClear(
  reading: Reading,
  known: ImportSettings,
  first: StatementError,
  settle: (error: StatementError) => Promise<ImportSettings>,
): Promise<{ statement: Statement; asked: ImportSettings }> {
  let asked: ImportSettings = {};
  let error = first;
  for (let round = 0; round < mostRounds; round += 1) {
    const more = await settle(error);
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

/** Returns what settles a file that is not clear. Throws if nothing can, or nobody can be asked. */
async function clarified(reading: Reading, error: StatementError): Promise<ImportSettings> {
  const { path, outline, job } = reading;
  if (!error.problems.some(isUnclear)) throw error;
  if (job.prompts === null) throw new UnclearFile(error, hintsFor(path, error, outline));
  const settled = await askAbout(job.prompts, { path, outline }, error);
  if (settled === null) throw error;
  return settled;
}

/** Asks for the payee if no column has it. */
async function withPayee(reading: Reading, read: Read): Promise<Read> {
  const { path, outline, job } = reading;
  const { statement, settled, remembered } = read;
  const known = { ...remembered, ...settled };
  if (job.prompts === null || known.isWithoutPayee === true) return read;
  const more = await askPayee(job.prompts, { path, outline }, statement);
  if (more === null) return read;
  if (more.map === undefined) return { ...read, settled: withSettings(settled, more) };
  const map = { ...known.map, ...more.map };
  const again = await tryRead(reading, { ...known, map });
  if (!(again instanceof StatementError))
    return { ...read, statement: again, settled: { ...settled, map } };
  const whole = { ...wholeMap(statement), ...more.map };
  const last = await tryRead(reading, { ...known, map: whole });
  if (last instanceof StatementError) throw last;
  return { ...read, statement: last, settled: { ...settled, map: whole } };
}

async function tryRead(
  { path, file, job: { options, context } }: Reading,
  settings: ImportSettings,
): Promise<Statement | StatementError> {
  const work = { name: `Reading ${printable(path)}`, unit: 'bytes', total: file.bytes } as const;
  const progress = await startProgress(work, context);
  try {
    const source = file.source((bytes) => progress.update(bytes));
    return readStatement(source, statementOptionsOf(settings, options));
  } catch (error) {
    if (error instanceof StatementError) return error;
    throw error;
  } finally {
    progress.stop();
  }
}

/** Returns what is remembered for files of this shape, without what does not fit the file and the book. */
async function fittingMemory(reading: Reading): Promise<ImportSettings | null> {
  const { outline, job } = reading;
  const { database, bookId } = job;
  if (outline === null) return null;
  const settings = await database.readStatement(() => importSettingsOf(bookId, outline.shape));
  if (settings === null) return null;
  const fitting = withoutMissingColumns(reading, settings, outline);
  const ofAccount = withoutOtherAccount(reading, fitting);
  return isEmpty(ofAccount) ? null : withoutMissingAccount(reading, ofAccount);
}

/** Two accounts of a bank may have equal columns, but other signs: a card and a current account. */
function withoutOtherAccount(reading: Reading, settings: ImportSettings): ImportSettings {
  const { account: given } = settingsOfFlags(reading.job.options);
  const { account, negate, currency, ...ofTable } = settings;
  const isOther =
    typeof given === 'string' && typeof account === 'string' && nameKey(given) !== nameKey(account);
  if (!isOther) return settings;
  if (negate === true || currency !== undefined)
    say(reading, `remembered signs and currencies are not used: they are of ${quote(account)}`);
  return ofTable;
}

function withoutMissingColumns(
  reading: Reading,
  settings: ImportSettings,
  outline: TableOutline,
): ImportSettings {
  const missing = missingColumns(settings, outline);
  if (missing.length === 0) return settings;
  say(reading, `the remembered columns ${missing.map(quote).join(', ')} are not in the file`);
  return Object.fromEntries(Object.entries(settings).filter(([key]) => key !== 'map'));
}

async function withoutMissingAccount(
  reading: Reading,
  settings: ImportSettings,
): Promise<ImportSettings | null> {
  const { database, bookId } = reading.job;
  const { account, ...rest } = settings;
  if (typeof account !== 'string' || reading.job.options.account !== undefined) return settings;
  const accounts = await database.readStatement(() => listAccounts(bookId));
  const isKnown = accounts.some(({ name, display_name }) =>
    [name, display_name].some((each) => each !== null && nameKey(each) === nameKey(account)),
  );
  if (isKnown) return settings;
  say(reading, `the remembered account ${quote(account)} is not in the book`);
  return isEmpty(rest) ? null : rest;
}

function say({ path, job }: Reading, text: string): void {
  writeLine(job.context.stderr, `${printable(path)}: ${text}`);
}
