import { stat } from 'node:fs/promises';
import { importBook, listUsers } from '@coffer/server';
import type { ImportedBook } from '@coffer/server';
import { chooseUser } from '../book.ts';
import type { UserOptions } from '../book.ts';
import { writeLine, writeResult } from '../../terminal/context.ts';
import type { CommandContext, JsonOption } from '../../terminal/context.ts';
import { openFilesOf, readDatabase, withDatabase } from '../database.ts';
import type { FilesOptions } from '../database.ts';
import { Failure } from '../../terminal/failure.ts';
import { readEmail, readName } from '../options.ts';
import { count, quote } from '../../terminal/format.ts';
import { startProgress } from '../../terminal/progress.ts';
import type { Progress } from '../../terminal/progress.ts';

/** The options of `coffer book import`. */
export interface BookImportOptions extends UserOptions, FilesOptions, JsonOption {
  readonly name?: string;
}

const signals = ['SIGINT', 'SIGTERM'] as const;

/** Imports the book of an archive, and reports what it has and what was not carried. */
export async function importArchive(
  file: string,
  options: BookImportOptions,
  context: CommandContext,
): Promise<void> {
  const name = options.name === undefined ? undefined : readName('--name', options.name);
  const { database: config } = readDatabase(options, context);
  if (!(await stat(file)).isFile()) throw new Failure(`${quote(file)} is not a regular file`);
  const files = await openFilesOf(options, config, context);
  const book = await withDatabase(config, context, async (engine) => {
    const users = await engine.readStatement(() => listUsers());
    const isNew = users.length === 0;
    const user = isNew ? null : await chooseUser(engine, options.email?.trim());
    const email = isNew && options.email !== undefined ? readEmail(options.email) : undefined;
    return withProgress(file, context, (onProgress, signal) =>
      importBook(file, {
        ...{ engine, files: files.store, userId: user?.id ?? null },
        ...{ name, email, onProgress, signal },
      }),
    );
  }).finally(files.close);
  report(book, options, context);
}

/** Runs work that a signal ends, and shows its progress. */
async function withProgress<T>(
  file: string,
  context: CommandContext,
  work: (onProgress: (done: number, total: number) => void, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const stop = new AbortController();
  const abort = (): void => stop.abort(new Failure('The import was stopped. Nothing was imported'));
  let progress: Promise<Progress> | undefined;
  for (const signal of signals) process.once(signal, abort);
  try {
    return await work((done, total) => {
      progress ??= startProgress({ name: `Importing ${file}`, unit: 'rows', total }, context);
      void progress.then((shown) => shown.update(done));
    }, stop.signal);
  } finally {
    for (const signal of signals) process.off(signal, abort);
    (await progress)?.stop();
  }
}

function report(
  { id, name, email, records, files, hasSameIds, notCarried }: ImportedBook,
  options: BookImportOptions,
  context: CommandContext,
): void {
  const record = {
    ...{ id, name, email, has_same_ids: hasSameIds, records, files },
    not_carried: notCarried,
  };
  const transactions = count(records['transactions'] ?? 0, 'transaction');
  const all = Object.values(records).reduce((sum, each) => sum + each, 0);
  const sentence =
    `Imported the book ${quote(name)} (id ${id}) for ${quote(email)}: ${transactions}, ` +
    `${count(all, 'record')} in all, and ${count(files, 'attached file')}`;
  writeResult(context, options, record, sentence);
  const ids = hasSameIds ? 'All ids are as in the archive' : 'All records have new ids';
  writeLine(context.stderr, `${ids}. Not carried:`);
  for (const { what, reason } of notCarried) writeLine(context.stderr, `- ${what}: ${reason}`);
}
