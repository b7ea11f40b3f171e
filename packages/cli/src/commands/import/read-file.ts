import {
  fittingMemory,
  readingOptions,
  readWithMemory,
  namesWithMemory,
} from '@coffer/server/src/imports/memory.ts';
import type { ImportSettings, Memory } from '@coffer/server/src/imports/memory.ts';
import { printable, nameKey } from '@coffer/core/text';
import type { Engine } from '@coffer/server/src/db/engine.ts';
import type { StatementFile } from '@coffer/server/src/imports/statement-file.ts';
import { outlineTable, readStatement } from '@coffer/statements/src/read-statement.ts';
import { StatementError } from '@coffer/statements/src/statement/statement-error.ts';
import type { SeenColumn, Statement } from '@coffer/statements/src/statement/statement.ts';
import type { TableOutline } from '@coffer/statements/src/csv/table/layout.ts';
import { writeLine, type CommandContext } from '../../terminal/context.ts';
import { startProgress } from '../../terminal/progress.ts';
import type { Prompts, PromptChoice } from '../../terminal/prompts.ts';
import {
  askAbout,
  askPayee,
  columnsForPayee,
  wholeMap,
  hintsFor,
  isUnclear,
  UnclearFile,
} from './ask.ts';
import { settingsOfFlags, withSettings, accountNamesOf, type ImportOptions } from './options.ts';
import {
  AccountNamesError,
  namesAccounts,
  planAccounts,
  whatWins,
} from '@coffer/server/src/imports/account-plan.ts';
import type { AccountNames, AccountPlan } from '@coffer/server/src/imports/account-plan.ts';
import { listAccounts } from '@coffer/server/src/ledger/accounts/actions.ts';
import { maxAccountNameLength } from '@coffer/server/src/operations/limits.ts';
import { Failure } from '../../terminal/failure.ts';
import { count, quote } from '../../terminal/format.ts';

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

/** The accounts for a file, and what the user chose for them. */
export interface ChosenAccounts extends AccountPlan {
  readonly chosen: ImportSettings;
  /** Whether rows may have no account of which nothing was said yet: the first rows of a long file have one. */
  readonly isUnchecked?: boolean;
}

/** Of a long file that names accounts, only so many rows are read an additional time. */
const mostLookedAt = 20_000;

/**
 * Chooses the accounts before any row is imported: by `--account`, by what is remembered, or by asking for the account
 * of rows without one. Says what wins where both a flag and the file name accounts.
 */
export async function chooseAccounts(
  path: string,
  { statement, remembered }: ReadFile,
  job: Import,
): Promise<ChosenAccounts> {
  const { options, context } = job;
  const isOwn = namesAccounts(statement);
  const names = accountNamesOf(options);
  const known = isOwn ? undefined : remembered.account;
  const withMemory = namesWithMemory(statement, names, remembered);
  const plan = planned(path, statement, withMemory);
  const won = whatWins(statement, names, '--account');
  if (won !== null) writeLine(context.stderr, `${printable(path)}: ${won}`);
  if (plan.defaultAccount !== null || known === null) return { ...plan, chosen: {} };
  const rows = rowsWithoutAccount(statement);
  if (rows === 0) return { ...plan, chosen: {}, isUnchecked: statement.entryCount > mostLookedAt };
  if (options.yes === true) return { ...plan, chosen: {}, isUnchecked: true };
  if (job.prompts === null || options.dryRun === true) {
    writeLine(context.stderr, hint(path, rows, isOwn));
    return { ...plan, chosen: {} };
  }
  const account = await askAccount(job.prompts, job, `${subject(path, rows)}. Import them into`);
  return { ...planned(path, statement, { ...withMemory, rest: account }), chosen: { account } };
}

function planned(path: string, statement: Statement, names: AccountNames): AccountPlan {
  try {
    return planAccounts(statement, names, { file: quote(path), option: '--account' });
  } catch (error) {
    if (error instanceof AccountNamesError) throw new Failure(error.message);
    throw error;
  }
}

/** Counts the entries without an account; 0 for a long file if none of its first entries is without one. */
function rowsWithoutAccount(statement: Statement): number {
  const { mapping, accounts, entryCount } = statement;
  if (mapping !== undefined && !namesAccounts(statement)) return entryCount;
  if (accounts.reduce((sum, each) => sum + each.entryCount, 0) === entryCount) return 0;
  let rows = 0;
  let read = 0;
  for (const { account } of statement.entries()) {
    if (account === null) rows += 1;
    read += 1;
    if (read === mostLookedAt && rows === 0) return 0;
  }
  return rows;
}

/** Returns the hint about rows without an account, with the flag for a file in which others have one. */
export function hint(file: string, rows: number, isMixed: boolean): string {
  const flag = isMixed ? "--account '=NAME'" : '--account NAME';
  return `${subject(file, rows)}. Use ${flag} to import such rows into an account`;
}

function subject(file: string, rows: number): string {
  return `${count(rows, 'row')} of ${quote(file)} ${rows === 1 ? 'has' : 'have'} no account`;
}

/** Asks for an account of the book, or for the name of a new one; null for none. */
async function askAccount(
  prompts: Prompts,
  { database, bookId }: Import,
  message: string,
): Promise<string | null> {
  const accounts = await database.readStatement(() => listAccounts(bookId));
  const open = accounts.filter(({ status }) => status !== 'closed');
  const choice = await prompts.choose<{ name: string } | 'new' | 'none'>(message, [
    ...open.map((each): PromptChoice<{ name: string }> => {
      const label = each.display_name ?? each.name;
      return { value: { name: each.name }, label, hint: each.currency };
    }),
    { value: 'new', label: 'A new account' },
    { value: 'none', label: 'No account' },
  ]);
  if (choice === 'none') return null;
  if (choice !== 'new') return choice.name;
  const taken = new Set(accounts.map(({ name }) => nameKey(name)));
  return prompts.type('Name of the new account', (name) => nameFault(name, taken));
}

function nameFault(name: string, taken: ReadonlySet<string>): string | null {
  const { length } = [...name];
  if (length === 0 || length > maxAccountNameLength || /\p{Cc}/u.test(name))
    return `Use 1 to ${maxAccountNameLength} characters`;
  return taken.has(nameKey(name)) ? 'The book has an account with this name' : null;
}
