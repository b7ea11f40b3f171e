import { dayOf } from '@coffer/core/dates';
import { createUser, findBooks } from '@coffer/server/src/identity/users/actions.ts';
import { fillDemo } from '@coffer/server/src/demo/fill.ts';
import { hasCategories } from '@coffer/server/src/ledger/categories/actions.ts';
import type { Book } from '@coffer/server/src/operations/caller.ts';
import type { Engine } from '@coffer/server/src/db/engine.ts';
import type { FileStore } from '@coffer/server/src/files/store.ts';
import { makeDemoBook } from '@coffer/server/src/demo/book/make-demo-book.ts';
import type { Command } from 'commander';
import { writeLine, type CommandContext } from '../../terminal/context.ts';
import {
  addDatabaseOption,
  addFilesOption,
  openFilesOf,
  readDatabase,
  withDatabase,
} from '../database.ts';
import type { DatabaseOptions, FilesOptions } from '../database.ts';
import { Failure, Misuse } from '../../terminal/failure.ts';
import { readDate, readEmail, perform } from '../options.ts';
import { quote } from '../../terminal/format.ts';
import { mintToken } from '../token/token.ts';

interface DemoOptions extends DatabaseOptions, FilesOptions {
  readonly email: string;
  readonly transactions?: string;
  readonly seed?: string;
  readonly until?: string;
}

export const demoEmail = 'demo@coffer.example';
/** Distinguishes a demo book from a person's own book. */
const demoBookName = 'Demo Household';

/** What a demo book is made of. A default replaces undefined: the last day is that of the clock, in UTC. */
interface DemoParts {
  readonly transactions?: number | undefined;
  readonly seed?: number | undefined;
  readonly until?: string | undefined;
}

/** `coffer demo`. */
export function define(demo: Command, context: CommandContext): void {
  demo
    .description(
      'Create a user with a demo book: ten years of a household, up to today. Prints an access token for it and ' +
        'nothing else. With --until, the same options create the same book.',
    )
    .option('--transactions <number>', 'number of transactions, 100 to 1000000 (default 12000)')
    .option('--seed <number>', 'seed of the random details, 0 to 4294967295 (default 1)')
    .option('--until <day>', 'last day of the book, YYYY-MM-DD (default today, in UTC)')
    .option('--email <address>', 'e-mail address of the user', demoEmail);
  perform(addDatabaseOption(addFilesOption(demo)), context, makeDemo);
}

async function makeDemo(options: DemoOptions, context: CommandContext): Promise<void> {
  const email = readEmail(options.email);
  const parts = {
    transactions: readNumber('--transactions', options.transactions),
    seed: readNumber('--seed', options.seed),
    until: options.until === undefined ? undefined : readDate('--until', options.until),
  };
  const { database: config } = readDatabase(options, context);
  const files = await openFilesOf(options, config, context);
  const { token, isNew } = await withDatabase(config, context, async (database) => {
    const place = { database, files: files.store, context };
    const { book, isNew } = await ensureDemoBook(place, email, parts);
    if (!isNew && Object.values(parts).some((part) => part !== undefined))
      throw new Failure(`${quote(email)} already has a demo book. Choose another --email`);
    return { token: await mintToken(database, book, 'demo'), isNew };
  }).finally(files.close);
  const what = isNew
    ? 'Created the demo book'
    : 'The demo book already exists. This is a new token';
  writeLine(context.stderr, `${what} (${quote(email)})`);
  writeLine(context.stdout, token);
}

function readNumber(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^(0|[1-9][0-9]{0,9})$/.test(text)) return Number(text);
  throw new Misuse(`${flag}: ${quote(text)} is not a whole number`);
}

/** A database, the place of its files, and where problems are reported. */
export interface DemoPlace {
  readonly database: Engine;
  readonly files: FileStore;
  readonly context: CommandContext;
}

/**
 * Finds the user with the demo book, or creates both; then `isNew` is true, and the book is made of `parts`.
 *
 * Fills an empty book, which a killed command can leave. Throws {@link Failure} if the user has another book, and
 * {@link Misuse} for parts out of bounds.
 */
export async function ensureDemoBook(
  { database, files, context }: DemoPlace,
  email = demoEmail,
  parts: DemoParts = {},
): Promise<{ book: Book; isNew: boolean }> {
  const [earlier] = await database.readStatement(() => findBooks(email));
  if (earlier !== undefined && email !== demoEmail && earlier.name !== demoBookName) {
    throw new Failure(`${quote(email)} has a book of another kind. Choose another --email`);
  }
  // A demo book is filled in one transaction, so without categories it is empty.
  if (earlier !== undefined && (await database.readStatement(() => hasCategories(earlier.id))))
    return { book: earlier, isNew: false };
  const demo = generate(parts, context);
  const { primaryCurrency } = demo;
  const user = { email, name: 'Demo', bookName: demoBookName, primaryCurrency };
  const book = earlier ?? (await database.write(() => createUser(user)));
  const problem = await fillDemo(database, book.id, demo, files);
  if (problem !== null)
    writeLine(context.stderr, `The demo book has no attached files. ${problem.message}`);
  return { book, isNew: true };
}

function generate(
  { transactions, seed, until }: DemoParts,
  { now }: CommandContext,
): ReturnType<typeof makeDemoBook> {
  try {
    return makeDemoBook({
      until: until ?? dayOf(now().getTime()),
      ...(transactions === undefined ? {} : { transactions }),
      ...(seed === undefined ? {} : { seed }),
    });
  } catch (error) {
    if (error instanceof RangeError) throw new Misuse(error.message);
    throw error;
  }
}
