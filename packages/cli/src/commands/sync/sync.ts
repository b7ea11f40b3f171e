import { sealCredentials } from '@coffer/server/src/outside/credentials.ts';
import { createBankReader } from '@coffer/server/src/sync/banks/bank-reader.ts';
import { claimAccess } from '@coffer/server/src/sync/banks/simplefin.ts';
import { synchronise } from '@coffer/server/src/sync/banks/synchronise.ts';
import {
  addConnection,
  listConnections,
  removeConnection,
} from '@coffer/server/src/sync/banks/actions.ts';
import type { Connection } from '@coffer/server/src/sync/banks/actions.ts';
import type { Book } from '@coffer/server/src/operations/caller.ts';
import type { Engine } from '@coffer/server/src/db/engine.ts';
import type { SavedReading } from '@coffer/server/src/sync/banks/save-reading.ts';
import type { Command } from 'commander';
import { text as readAll } from 'node:stream/consumers';
import { addBookOptions, performOnBook, withBook, type BookOptions, type OnBook } from '../book.ts';
import { writeLine, writeResult } from '../../terminal/context.ts';
import type { CommandContext, JsonOption } from '../../terminal/context.ts';
import { Failure, Misuse } from '../../terminal/failure.ts';
import { readId, readLabel, perform, subcommand } from '../options.ts';
import { readSealingKey, readPrivateTargets } from '../environment.ts';
import { quote } from '../../terminal/format.ts';
import { writeList } from '../../terminal/table.ts';

type Options = BookOptions & JsonOption;
type RunOptions = Options & { readonly onDoubt: 'keep' | 'skip' };
type AddOptions = Options & { readonly name?: string };

const claimTimeoutMs = 30_000;

/** Adds the subcommands and their actions. */
export function define(sync: Command, context: CommandContext): void {
  const add = subcommand(sync, 'add', 'add a connection to banks')
    .description(
      'Add a connection to banks by a SimpleFIN bridge. The setup token of the bridge is read from standard input. ' +
        'It can be used once. The access that it gives is stored encrypted with ENCRYPTION_KEY.',
    )
    .option('--name <text>', 'name of the connection; default: SimpleFIN')
    .option('--json', 'print the result as a line of JSON');
  const list = subcommand(sync, 'list', 'list the connections of a book')
    .description('List the connections of a book, with the problems of the last reading.')
    .option('--json', 'print a line of JSON for each connection');
  const run = subcommand(sync, 'run', 'read connections now')
    .description('Read one or all connections of a book now, and store new transactions.')
    .argument('[id]', 'id of the connection; default: all')
    .addOption(
      sync
        .createOption(
          '--on-doubt <choice>',
          'whether transactions that you deleted or moved are stored again',
        )
        .choices(['keep', 'skip'])
        .default('skip'),
    )
    .option('--json', 'print a line of JSON for each connection');
  const remove = subcommand(sync, 'remove', 'remove a connection')
    .description(
      'Remove a connection with its credentials. Its accounts stay, with their transactions.',
    )
    .argument('<id>', 'id of the connection', readConnectionId);
  perform(addBookOptions(add), context, addBank);
  performOnBook(list, context, listBanks);
  perform(addBookOptions(run), context, runSync);
  performOnBook(remove, context, removeBank);
}

async function addBank(options: AddOptions, context: CommandContext): Promise<void> {
  const name = readLabel('--name', options.name) ?? 'SimpleFIN';
  const key = readSealingKey(context.environment);
  writeLine(context.stderr, 'Reading the setup token from standard input');
  const setupToken = (await readAll(context.stdin)).trim();
  if (setupToken === '') throw new Misuse('The setup token is missing');
  await withBook(options, context, async (database, book) => {
    const privateTargets = readPrivateTargets(context);
    const signal = AbortSignal.timeout(claimTimeoutMs);
    const accessUrl = await withReason(claimAccess(setupToken, { signal, privateTargets }));
    const provider = 'simplefin' as const;
    const sealed_credentials = sealCredentials(key, book.id, { provider, accessUrl });
    const connection = { provider, name, sealed_credentials };
    const cause = { bookId: book.id, actor: 'command', operation: 'sync add' };
    const { id } = await addConnection(database, cause, connection);
    const sentence =
      `Added the connection ${id} to the book ${quote(book.name)}. ` +
      `Read its accounts with "coffer sync run ${id}"`;
    writeResult(context, options, { id, name, book_id: book.id }, sentence);
  });
}

function readConnectionId(text: string): number {
  return readId(text, 'a connection', 'coffer sync list');
}

async function listBanks({ database, book, options, context }: OnBook<JsonOption>): Promise<void> {
  const all = await database.read(() => listConnections(book.id));
  const records = all.map(({ id, name, provider, status, last_read, problems }) => ({
    id,
    name,
    provider,
    status,
    last_read,
    problems: problems === null ? [] : problems.split('\n'),
  }));
  const keys = ['id', 'name', 'provider', 'status', 'last_read', 'problems'] as const;
  writeList(records, 'There are no connections', options, context, keys);
}

async function runSync(
  idText: string | undefined,
  options: RunOptions,
  context: CommandContext,
): Promise<void> {
  const encryptionKey = readSealingKey(context.environment);
  const privateTargets = readPrivateTargets(context);
  const keepsGone = options.onDoubt === 'keep';
  const now = (): number => context.now().getTime();
  const reader = createBankReader({ encryptionKey, privateTargets, now });
  await withBook(options, context, async (database, book) => {
    for (const connection of await chosen(database, book, idText)) {
      const saved = await withReason(
        synchronise({ engine: database, reader, connection, range: null, nowMs: now(), keepsGone }),
      );
      report(connection, saved, options, context);
    }
  });
}

async function chosen(
  database: Engine,
  book: Book,
  idText: string | undefined,
): Promise<readonly Connection[]> {
  const isAll = idText === undefined;
  const id = isAll ? 0 : readConnectionId(idText);
  const all = await database.read(() => listConnections(book.id));
  const found = isAll ? all : all.filter((each) => each.id === id);
  if (found.length > 0) return found;
  const what = isAll ? 'connections' : `connection ${id}`;
  throw new Failure(`The book ${quote(book.name)} has no ${what}`);
}

function report(
  { id, name }: Connection,
  saved: SavedReading | null,
  options: JsonOption,
  context: CommandContext,
): void {
  if (saved === null) {
    writeLine(context.stderr, `The connection ${id} is being read by a server`);
    return;
  }
  for (const problem of saved.problems) writeLine(context.stderr, `${quote(name)}: ${problem}`);
  const { added, changed, withdrawn } = saved;
  const sentence = `Read the connection ${id}: ${added} new, ${changed} changed, ${withdrawn} withdrawn`;
  writeResult(context, options, { id, ...saved }, sentence);
}

async function removeBank({ database, book, owner, context }: OnBook, id: number): Promise<void> {
  const cause = { bookId: book.id, actor: 'command', operation: 'sync remove' };
  if (!(await removeConnection(database, cause, id)))
    throw new Failure(`${owner} has no connection ${id}`);
  writeLine(context.stderr, `Removed the connection ${id}`);
}

/** The errors of a bridge contain no secret, so they can be shown. */
async function withReason<T>(work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    const { name, message } = error as Error;
    throw name === 'CryptoRefreshError' ? new Failure(message) : error;
  });
}
