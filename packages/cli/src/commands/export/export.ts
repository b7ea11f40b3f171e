import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { archiveBook, type MissingFile } from '@coffer/server/src/exports/archive/write-archive.ts';
import { exportBook } from '@coffer/server/src/exports/lists/export.ts';
import { exportFormats, type ExportFormat } from '@coffer/server/src/exports/lists/file.ts';
import { isAsOf } from '@coffer/server/src/ledger/transactions/earlier/version.ts';
import type { Command } from 'commander';
import { perform } from '../options.ts';
import { addBookOptions, withBook, type BookOptions } from '../book.ts';
import { writeLine, type CommandContext } from '../../terminal/context.ts';
import { addFilesOption, openFilesOf, readDatabase, type FilesOptions } from '../database.ts';
import { Misuse, Failure } from '../../terminal/failure.ts';
import { quote } from '../../terminal/format.ts';
import { randomUUID } from 'node:crypto';
import { open, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

interface ExportOptions extends BookOptions, FilesOptions {
  readonly format: ExportFormat | 'archive';
  readonly output?: string;
  readonly asOf?: string;
  readonly server?: string;
  readonly token?: string;
}

/** Not on the command line, which all users of the computer can read. */
const tokenVariable = 'COFFER_TOKEN';

/** `coffer export`. */
export function define(command: Command, context: CommandContext): void {
  const format = command
    .createOption(
      '--format <format>',
      'csv: transactions, for spreadsheets and imports; ndjson: all records; archive: all records with their ' +
        'attached files, for "coffer book import"',
    )
    .choices([...Object.keys(exportFormats), 'archive'])
    .default('csv');
  command
    .description('Export a whole book, as of one instant, to stdout or to a file.')
    .addOption(format)
    .option('--output <file>', 'write to this file, which appears when it is complete')
    .option('--as-of <version|time>', 'the book as it was: a version, a date or a date-time')
    .option('--server <url>', 'export the book of a token from this server instead of the database')
    .option('--token <token>', `access token for --server; ${tokenVariable} is safer`);
  perform(addBookOptions(addFilesOption(command)), context, writeExport);
}

async function writeExport(options: ExportOptions, context: CommandContext): Promise<void> {
  if (options.server !== undefined) return exportServed(options, options.server, context);
  if (options.token !== undefined) throw new Misuse('--token requires --server');
  const { asOf } = options;
  if (asOf !== undefined && !isAsOf(asOf)) {
    const forms = 'a version, a date YYYY-MM-DD, or a date-time with Z or an offset';
    throw new Misuse(`--as-of must be ${forms}, not ${quote(asOf)}`);
  }
  const { format } = options;
  if (format === 'archive') return writeArchive(options, context);
  await withBook(options, context, async (database, { id }) => {
    const book = await exportBook(database, id, asOf === undefined ? {} : { asOf });
    await writeOut(exportFormats[format].piecesOf(book), options, context);
  });
}

async function writeArchive(options: ExportOptions, context: CommandContext): Promise<void> {
  const { asOf, output } = options;
  const stdout: Writable & { readonly isTTY?: boolean } = context.stdout;
  if (output === undefined && stdout.isTTY === true)
    throw new Misuse('--format archive is not for a terminal. Add --output FILE');
  const files = await openFilesOf(options, readDatabase(options, context).database, context);
  await withBook(options, context, async (database, { id: bookId }) => {
    const onMissing = ({ id, name, fault }: MissingFile): void =>
      writeLine(
        context.stderr,
        `The attached file ${id} ${quote(name)} ${fault}, and is exported without its content`,
      );
    const { pieces } = await archiveBook(database, bookId, { files: files.store, asOf, onMissing });
    await writeOut(pieces, options, context);
  }).finally(files.close);
}

/** Loads the client only here: an export of a database does not need it. */
async function exportServed(
  options: ExportOptions,
  server: string,
  context: CommandContext,
): Promise<void> {
  const locals = {
    email: 'email',
    book: 'book',
    database: 'database',
    files: 'files',
    asOf: 'as-of',
  };
  const others = Object.entries(locals).filter(([name]) => name in options);
  if (others.length > 0) {
    throw new Misuse(
      `--server cannot be used with ${others.map(([, flag]) => `--${flag}`).join(', ')}`,
    );
  }
  const { token = context.environment[tokenVariable], format } = options;
  if (format === 'archive') {
    const hint = 'Download GET /coffer/export?format=archive instead';
    throw new Misuse(`--server cannot be used with --format archive. ${hint}`);
  }
  if (token === undefined)
    throw new Misuse(`--server requires an access token. Set ${tokenVariable}`);
  const { exportFromServer } = await import('./from-server.ts');
  await writeOut(exportFromServer({ server, token, format }, context), options, context);
}

async function writeOut(
  pieces: AsyncIterable<Uint8Array>,
  { output }: ExportOptions,
  context: CommandContext,
): Promise<void> {
  const write = async (destination: Writable): Promise<void> =>
    pipeline(Readable.from(pieces), destination, { end: destination !== context.stdout });
  if (output !== undefined) return writeWholeFile(output, write);
  await write(context.stdout).catch(ignoreClosedPipe);
}

/** A reader such as `head` may stop reading. */
function ignoreClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE' && error.code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
}

/** Only the owner can read an export. */
const ownerOnly = 0o600;

/**
 * Writes a complete file or none: `write` fills a temporary file in the same folder, which is then renamed.
 *
 * Replaces an existing file and follows links. Throws {@link Failure} for anything but a regular file.
 */
export async function writeWholeFile(
  path: string,
  write: (destination: Writable) => Promise<void>,
): Promise<void> {
  const target = await findTarget(path);
  const temporary = join(dirname(target), `.${basename(target)}.${randomUUID()}.tmp`);
  const file = await open(temporary, 'wx', ownerOnly);
  try {
    // Flushed before the rename: after a power cut the name must not refer to an empty file.
    await write(file.createWriteStream({ flush: true }));
    await rename(temporary, target);
  } catch (error) {
    await file.close().catch(() => undefined);
    await rm(temporary, { force: true });
    throw error;
  }
}

async function findTarget(path: string): Promise<string> {
  try {
    if ((await stat(path)).isFile()) return await realpath(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return path;
    throw error;
  }
  throw new Failure(`Cannot write to ${quote(path)}: it is not a regular file`);
}
