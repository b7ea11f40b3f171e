import { listUsers, booksOf, createUser } from '@coffer/server/src/identity/users/actions.ts';
import { settings } from '@coffer/server/src/settings.ts';
import type { Book } from '@coffer/server/src/operations/caller.ts';
import type { DatabaseConfig } from '@coffer/server/src/config.ts';
import type { Engine } from '@coffer/server/src/db/engine.ts';
import type { FileStore } from '@coffer/server/src/files/store.ts';
import { writeLine, type CommandContext } from '../../terminal/context.ts';
import { demoEmail, ensureDemoBook } from '../demo/demo.ts';
import { newSignInLink } from '../sign-in/sign-in.ts';
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
  /** The last day of a demo book that has to be made; undefined for that of the clock. */
  readonly until: string | undefined;
  /** The address for clients. */
  readonly url: string;
  readonly database: Engine;
  readonly files: FileStore;
  readonly config: DatabaseConfig;
}

/**
 * Creates the books of `--setup` and `--demo`, and prints how to start on stdout.
 *
 * A token is printed only with `--setup`, and only for a book that was just created; with `--demo` that is the demo
 * book. A link to sign in is printed at every start with `--setup`, if there is one user or the demo book. The server
 * is listening already, so that no token is lost when the port is in use.
 */
export async function prepareBooks(start: FirstStart, context: CommandContext): Promise<void> {
  const command = commandLine(start.config, context);
  const paragraphs = start.isDemo
    ? await addDemo(start, command, context)
    : await setUp(start, command);
  if (start.isSetup)
    paragraphs.push(`API reference: ${start.url}/docs`, 'Press Ctrl+C to stop the server.');
  writeLine(context.stdout, `\n${paragraphs.join('\n')}`);
}

/** Returns the full command for words such as `token create`, as the user has to type it. */
type CommandLine = (words: string) => string;

function commandLine(config: DatabaseConfig, { environment }: CommandContext): CommandLine {
  // In a clone, npm runs the server and npx finds the command.
  const program = environment['npm_lifecycle_event'] === undefined ? 'coffer' : 'npx coffer';
  return (words) => `  ${program} ${words}${databaseArgument(config)}\n`;
}

async function setUp(start: FirstStart, command: CommandLine): Promise<string[]> {
  const { database } = start;
  const users = await database.readStatement(() => listUsers());
  if (users.length > 0) {
    const books = users.length === 1 ? await database.read(() => booksOf(users[0]!.id)) : [];
    return [
      ...(await invitation(start, books[0], command)),
      'Create another access token:',
      command('token create'),
    ];
  }
  const book = await database.write(() => createUser(firstUser));
  const token = await mintToken(database, book, 'first start');
  return [
    created(book, firstUser.email),
    ...(await invitation(start, book, command)),
    ...firstRequest(token, start.url),
    "Import your bank's files (CSV, OFX, QFX):",
    command('import FILE'),
  ];
}

async function addDemo(
  start: FirstStart,
  command: CommandLine,
  context: CommandContext,
): Promise<string[]> {
  const { database, files, until } = start;
  const place = { database, files, context };
  const { book, isNew } = await ensureDemoBook(place, demoEmail, { until });
  if (!start.isSetup || !isNew) {
    return [
      ...(start.isSetup ? await invitation(start, book, command) : []),
      `The demo book belongs to ${demoEmail}. Create an access token for it:`,
      command(`token create --email ${demoEmail}`),
    ];
  }
  const token = await mintToken(database, book, 'first start');
  return [
    created(book, demoEmail),
    ...(await invitation(start, book, command)),
    ...firstRequest(token, start.url),
  ];
}

/** A link for the owner of a book, or how to get one if it is not clear whose. */
async function invitation(
  { database, url }: FirstStart,
  book: Book | undefined,
  command: CommandLine,
): Promise<string[]> {
  if (book === undefined)
    return ['Get a link to sign in with a browser:', command('sign-in --email ADDRESS')];
  const link = await newSignInLink(database, book, url);
  return ['Open in a browser, once and within 15 minutes:', `  ${link}\n`];
}

function created(book: Book, email: string): string {
  return `Created the book "${book.name}" of ${email}.\n`;
}

function firstRequest(token: string, url: string): string[] {
  return [
    'Its access token for programs, shown only now:',
    `  ${token}\n`,
    'A first request, in a second terminal:',
    `  curl -H "Authorization: Bearer ${token}" "${url}/v2/transactions?limit=5"\n`,
  ];
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
