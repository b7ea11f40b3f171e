import type { Book, DatabaseConfig, Store } from '@coffer/server';
import { demoEmail, ensureDemoBook } from './demo-user.ts';
import { mintToken } from './mint-token.ts';
import { databaseArgument } from './shell-words.ts';
import { writeLine } from './surroundings.ts';
import type { Surroundings } from './surroundings.ts';

/** Whom `--setup` makes when there is nobody: a name that no mail can reach. */
const firstUser = {
  email: 'you@localhost',
  name: 'You',
  bookName: 'My book',
  primaryCurrency: 'usd',
};

/** A server that has just begun to listen, and what it is asked to make. */
export interface FirstStart {
  readonly isSetup: boolean;
  readonly isDemo: boolean;
  /** Where the server listens. */
  readonly url: string;
  readonly store: Store;
  readonly database: DatabaseConfig;
}

/**
 * Makes what `--setup` and `--demo` promise, and says on stdout how to begin.
 *
 * A token is shown by `--setup` alone, and only when its book was made just now; with `--demo` that book is the demo
 * book. It happens while the server listens already: had the port been taken, a token would have been made that
 * nobody has seen.
 */
export async function prepareBooks(start: FirstStart, surroundings: Surroundings): Promise<void> {
  const now = surroundings.now();
  const paragraphs = start.isDemo ? await addDemo(start, now) : await setUp(start, now);
  if (start.isSetup) paragraphs.push(`Documentation: ${start.url}/docs`);
  writeLine(surroundings.stdout, `\n${paragraphs.join('\n\n')}`);
}

async function setUp(start: FirstStart, now: Date): Promise<string[]> {
  const { store } = start;
  if (!(await store.isEmpty())) {
    return [`An access token comes from: ${tokenCommand('ADDRESS', start)}`];
  }
  const book = await store.createUser({ ...firstUser, nowIso: now.toISOString() });
  const token = await mintToken(store, book, { label: 'first start', expiresAt: null, now });
  return [
    introduction(book, firstUser.email, token, start.url),
    `Import a file into it by:\n  npx coffer import FILE --email ${firstUser.email}${databaseArgument(start.database)}`,
  ];
}

async function addDemo(start: FirstStart, now: Date): Promise<string[]> {
  const { store } = start;
  const plan = { email: demoEmail, transactions: undefined, seed: undefined, now };
  const { book, isNew } = await ensureDemoBook(store, plan);
  if (!start.isSetup || !isNew) {
    return [
      `The demo book is there. An access token comes from: ${tokenCommand(demoEmail, start)}`,
    ];
  }
  const token = await mintToken(store, book, { label: 'first start', expiresAt: null, now });
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

function tokenCommand(email: string, { database }: FirstStart): string {
  return `npx coffer token create --email ${email}${databaseArgument(database)}`;
}
