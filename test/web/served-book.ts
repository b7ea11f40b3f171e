import { makeDemoBook } from '../../packages/server/src/demo/make-demo-book.ts';
import {
  createLink,
  createUser,
  fillDemo,
  readConfig,
  serve,
  signInAddress,
} from '../../packages/server/src/main.ts';
import type { Book, RunningServer } from '../../packages/server/src/main.ts';

/** A real server with one book, and ways into it. */
export interface ServedBook {
  readonly server: RunningServer;
  readonly book: Book;
  /** The origin for a browser: a name, because browsers refuse passkeys on an address. */
  readonly origin: string;
  /** Returns a link that signs in once. */
  readonly link: () => Promise<string>;
  readonly close: () => Promise<void>;
}

const demoUser = { email: 'demo@coffer.example', name: 'Demo', bookName: 'Demo Household' };

/** How large the book is, and with which settings it is served. */
export interface ServedOptions {
  /** 12,000 by default; 0 for an empty book. */
  readonly transactions?: number;
  readonly flags?: Readonly<Record<string, string>>;
  /** Settings that are not flags, such as ENCRYPTION_KEY. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** Starts a server on a free port with the demo book. */
export async function serveBook({
  transactions,
  flags,
  environment = {},
}: ServedOptions = {}): Promise<ServedBook> {
  const usual = { port: '0', database: 'sqlite::memory:', logLevel: 'silent' };
  const server = await serve(
    readConfig({ ...usual, rateLimit: '100000/60s', ...flags }, environment),
  );
  const demo = makeDemoBook(
    transactions === undefined || transactions === 0 ? {} : { transactions },
  );
  const user = { ...demoUser, primaryCurrency: demo.primaryCurrency };
  const book = await server.engine.write(() => createUser(user));
  if (transactions !== 0) await fillDemo(server.engine, book.id, demo, server.files);
  const { port } = new URL(server.url);
  const origin = `http://localhost:${port}`;
  const link = async (): Promise<string> =>
    signInAddress(origin, await server.engine.write(() => createLink(book)));
  return { server, book, origin, link, close: () => server.close() };
}
