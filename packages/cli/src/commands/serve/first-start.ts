import { createUser, hasNoUser, settings } from '@coffer/server';
import type { Book, DatabaseConfig, Engine } from '@coffer/server';
import { writeLine } from '../../context.ts';
import type { CommandContext } from '../../context.ts';
import { demoEmail, ensureDemoBook } from '../demo/demo.ts';
import { mintToken } from '../token/token.ts';

/** The user that `--setup` creates in an empty database, with an address that no mail can reach. */
const firstUser = {
  email: 'you@localhost',
  name: 'You',
  bookName: 'My book',
  primaryCurrency: 'usd',
};

/** A server that has just begun to listen, and the flags it was started with. */
export interface FirstStart {
  readonly isSetup: boolean;
  readonly isDemo: boolean;
  /** Where the server listens. */
  readonly url: string;
  readonly database: Engine;
  readonly config: DatabaseConfig;
}

/**
 * Creates the books of `--setup` and `--demo`, and prints how to begin on stdout.
 *
 * A token is printed only with `--setup`, and only for a book that was just created; with `--demo` that is the demo
 * book. The server listens already, so that no token is lost when the port is taken.
 */
export async function prepareBooks(start: FirstStart, context: CommandContext): Promise<void> {
  const paragraphs = start.isDemo ? await addDemo(start) : await setUp(start);
  if (start.isSetup) paragraphs.push(`Documentation: ${start.url}/docs`);
  writeLine(context.stdout, `\n${paragraphs.join('\n\n')}`);
}

async function setUp(start: FirstStart): Promise<string[]> {
  const { database } = start;
  if (!(await database.readStatement(() => hasNoUser()))) {
    return [`An access token comes from: ${tokenCommand('ADDRESS', start)}`];
  }
  const book = await database.write(() => createUser(firstUser));
  const token = await mintToken(database, book, 'first start');
  return [
    introduction(book, firstUser.email, token, start.url),
    `Import a file into it by:\n  npx coffer import FILE --email ${firstUser.email}${databaseArgument(start.config)}`,
  ];
}

async function addDemo(start: FirstStart): Promise<string[]> {
  const { database } = start;
  const { book, isNew } = await ensureDemoBook(database);
  if (!start.isSetup || !isNew) {
    return [
      `The demo book is there. An access token comes from: ${tokenCommand(demoEmail, start)}`,
    ];
  }
  const token = await mintToken(database, book, 'first start');
  return [introduction(book, demoEmail, token, start.url)];
}

function introduction(book: Book, email: string, token: string, url: string): string {
  return [
    `Made the book "${book.name}" of ${email}. Its access token is not shown again:`,
    `  ${token}`,
    'A first request:',
    `  curl -H "Authorization: Bearer ${token}" "${url}/v2/transactions?limit=5"`,
  ].join('\n');
}

function tokenCommand(email: string, { config }: FirstStart): string {
  return `npx coffer token create --email ${email}${databaseArgument(config)}`;
}

/** What a command that is shown to the user needs behind it to work on that database; empty for the usual one. */
export function databaseArgument(config: DatabaseConfig): string {
  const { flag, variable, fallback } = settings.database;
  // Its URL may carry a password.
  if (config.engine === 'postgres') return ` ${flag} "$${variable}"`;
  const url = `sqlite:${config.path}`;
  return url === fallback ? '' : ` ${flag} ${shellWord(url)}`;
}

/** A text as one word of a POSIX shell. */
function shellWord(text: string): string {
  return /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
